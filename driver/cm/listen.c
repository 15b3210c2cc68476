// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Listeners. The RNIC accepts a connection only if the listener has a free slot. A listener begins
 * with up to XIW_BACKLOG_FIRST slots. Each new peer doubles the target number of slots, up to the
 * backlog. The work item of the listener posts new slots. If the work item cannot post enough
 * slots, it queues itself again, with a delay: a listener without slots gets no peers, so no event
 * would queue the work item. If the port of the listener is in use, the work item tries to listen
 * again (cm.h).
 */
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <rdma/rdma_cm.h>

#include "cm/cm.h"
#include "cm/peer.h"
#include "diag/notice.h"
#include "ring/admin.h"
#include "ring/namespace.h"
#include "ring/share.h"
#include "xiw.h"

#define XIW_BACKLOG_MAX 256
#define XIW_BACKLOG_FIRST 32
#define XIW_REFILL_AGAIN HZ
/*
 * Delays between attempts to listen on a port that is in use. Each delay is twice as long as the
 * previous one, up to XIW_PORT_RETRY_MAX.
 */
#define XIW_PORT_RETRY_FIRST HZ
#define XIW_PORT_RETRY_MAX (30UL * HZ)

static int xiw_listener_command(struct xiw_listener *listener, u8 op)
{
	struct xiw_admin_cmd cmd = {
		.op = op,
		.index = cpu_to_le32(listener->index),
		.addr = cpu_to_le64(listener->bus),
		.count = cpu_to_le32(listener->backlog),
	};

	return xiw_admin_exec(listener->dev, &cmd);
}

static void xiw_listener_put(struct xiw_listener *listener)
{
	if (refcount_dec_and_test(&listener->refs))
		complete(&listener->released);
}

static struct workqueue_struct *xiw_listener_wq(const struct xiw_listener *listener)
{
	return xiw_share_wq(listener->dev, listener->user);
}

/**
 * xiw_listener_leave - remove a connection from its listener
 * @conn: posted connection, held by the caller
 *
 * Context: any.
 *
 * Return: the listener, with the reference that the slot held.
 */
struct xiw_listener *xiw_listener_leave(struct xiw_conn *conn)
{
	struct xiw_listener *listener = conn->listener;
	unsigned long flags;

	spin_lock_irqsave(&listener->lock, flags);
	list_del_init(&conn->posted);
	spin_unlock_irqrestore(&listener->lock, flags);
	WRITE_ONCE(conn->listener, NULL);
	atomic_dec(&listener->posted);
	return listener;
}

/**
 * xiw_listener_used - replace a slot that a peer has used
 * @listener: listener; this function drops the reference that the slot held
 *
 * Context: softirq, from vector 0.
 */
void xiw_listener_used(struct xiw_listener *listener)
{
	WRITE_ONCE(listener->wanted, min(2 * listener->wanted, listener->backlog));
	if (!READ_ONCE(listener->closing))
		mod_delayed_work(xiw_listener_wq(listener), &listener->work, 0);
	xiw_listener_put(listener);
}

/* Free a slot that no peer has used. @conn: connection of the slot, held by the caller */
static void xiw_listener_drop(struct xiw_conn *conn)
{
	xiw_listener_put(xiw_listener_leave(conn));
	xiw_conn_put(conn);
}

static void xiw_listener_params(const struct xiw_listener *listener, struct xiw_conn_buf *buf)
{
	xiw_conn_params(listener->dev, listener->cm_id, buf);
	if (listener->by_number)
		xiw_peer_port_params(&buf->params);
}

static int xiw_listener_post(struct xiw_listener *listener)
{
	struct xiw_conn *conn = xiw_conn_new(listener->dev, listener->user);
	unsigned long flags;
	int err;

	if (IS_ERR(conn))
		return PTR_ERR(conn);
	xiw_listener_params(listener, conn->buf);
	WRITE_ONCE(conn->listener, listener);
	refcount_inc(&listener->refs);
	atomic_inc(&listener->posted);
	spin_lock_irqsave(&listener->lock, flags);
	list_add(&conn->posted, &listener->slots);
	spin_unlock_irqrestore(&listener->lock, flags);
	err = xiw_conn_ask(conn, XIW_ADM_CONN_POST, listener->index, XIW_CS_POSTED);
	if (err)
		xiw_listener_drop(conn);
	return err;
}

/*
 * Return: true if the listener needs another slot. A listener always needs one slot. It gets
 * further slots only if they leave half of the user's share, and a quarter of the table of
 * connections, to connects and to other listeners.
 */
static bool xiw_listener_wants(const struct xiw_listener *listener)
{
	struct xiw_device *dev = listener->dev;
	u32 posted = atomic_read(&listener->posted);

	if (posted >= READ_ONCE(listener->wanted))
		return false;
	return !posted || (xiw_share_is_ample(dev, listener->user, XIW_SHARED_CONN) &&
			   atomic_read(&dev->objects[XIW_OBJ_CONN]) <
				   le32_to_cpu(dev->rnic.caps.max_conns) / 4 * 3);
}

static int xiw_listener_fill(struct xiw_listener *listener)
{
	/* Charge the memory of slots to the listening process, even if a worker posts the slots. */
	struct mem_cgroup *before = set_active_memcg(listener->memcg);
	int err = 0;

	while (!err && !READ_ONCE(listener->closing) && xiw_listener_wants(listener))
		err = xiw_listener_post(listener);
	set_active_memcg(before);
	return err;
}

/* Make the RNIC listen. The RNIC writes the port number to the buffer. */
static int xiw_listener_start(struct xiw_listener *listener)
{
	xiw_listener_params(listener, listener->buf);
	return xiw_listener_command(listener, XIW_ADM_LISTEN);
}

static void xiw_listener_opened(struct xiw_listener *listener)
{
	/* release: pairs with xiw_nl_listener_open(), which reads the port afterwards */
	smp_store_release(&listener->open, true);
}

/*
 * Try again to listen on the port. Return: false if the RNIC cannot listen, for example because the
 * port is still in use.
 */
static bool xiw_listener_retry(struct xiw_listener *listener)
{
	if (xiw_listener_start(listener))
		return false;
	xiw_listener_opened(listener);
	WRITE_ONCE(listener->port_taken, false);
	ibdev_info(&listener->dev->ibdev, "listening on %pISpc: the port is free now\n",
		   &listener->cm_id->m_local_addr);
	return true;
}

static void xiw_listener_work(struct work_struct *work)
{
	struct xiw_listener *listener = container_of(to_delayed_work(work), struct xiw_listener,
						     work);
	unsigned long delay = 0;

	if (listener->port_taken && !xiw_listener_retry(listener)) {
		listener->retry = min(2 * listener->retry, XIW_PORT_RETRY_MAX);
		delay = listener->retry;
	} else if (xiw_listener_fill(listener)) {
		delay = XIW_REFILL_AGAIN;
	}
	if (delay && !atomic_read(&listener->dev->failed))
		queue_delayed_work(xiw_listener_wq(listener), &listener->work, delay);
}

static void xiw_listener_free(struct xiw_listener *listener)
{
	struct xiw_device *dev = listener->dev;

	xa_erase_bh(&dev->listeners, listener->index);
	listener->cm_id->rem_ref(listener->cm_id);
	dev->rnic.ops->free(&dev->rnic, sizeof(*listener->buf), listener->buf, listener->bus);
	mem_cgroup_put(listener->memcg);
	xiw_share_give(dev, listener->user, XIW_SHARED_LISTENER);
	kfree(listener);
	atomic_dec(&dev->objects[XIW_OBJ_LISTENER]);
}

/*
 * Allocate the table entry and the buffer of a listener. On an error, this function leaves nothing
 * allocated.
 */
static int xiw_listener_list(struct xiw_listener *listener, gfp_t gfp)
{
	struct xiw_device *dev = listener->dev;
	int err;

	listener->buf = dev->rnic.ops->alloc(&dev->rnic, sizeof(*listener->buf), &listener->bus,
					     gfp);
	if (!listener->buf)
		return -ENOMEM;
	err = xa_alloc_cyclic_bh(&dev->listeners, &listener->index, listener,
				 XA_LIMIT(0, le32_to_cpu(dev->rnic.caps.max_listeners) - 1),
				 &dev->next_listener, gfp);
	if (err < 0)
		dev->rnic.ops->free(&dev->rnic, sizeof(*listener->buf), listener->buf,
				    listener->bus);
	return min(err, 0);
}

static struct xiw_listener *xiw_listener_new(struct xiw_device *dev, struct iw_cm_id *cm_id,
					     int backlog, u32 user)
{
	gfp_t gfp = xiw_share_gfp(user);
	struct xiw_listener *listener;
	int err;

	err = xiw_share_take(dev, user, XIW_SHARED_LISTENER);
	if (err)
		return ERR_PTR(err);
	err = -ENOMEM;
	listener = kzalloc(sizeof(*listener), gfp);
	if (!listener)
		goto give;
	listener->dev = dev;
	listener->user = user;
	listener->backlog = clamp(backlog, 1, XIW_BACKLOG_MAX);
	listener->wanted = min_t(u32, listener->backlog, XIW_BACKLOG_FIRST);
	INIT_DELAYED_WORK(&listener->work, xiw_listener_work);
	spin_lock_init(&listener->lock);
	INIT_LIST_HEAD(&listener->slots);
	refcount_set(&listener->refs, 1);
	init_completion(&listener->released);
	err = xiw_listener_list(listener, gfp);
	if (err)
		goto free;
	listener->memcg = xiw_share_memcg(user);
	cm_id->add_ref(cm_id);
	listener->cm_id = cm_id;
	atomic_inc(&dev->objects[XIW_OBJ_LISTENER]);
	return listener;

free:
	kfree(listener);
give:
	xiw_share_give(dev, user, XIW_SHARED_LISTENER);
	return ERR_PTR(err);
}

/*
 * Let the work item of a listener wait until the port is free. The caller reports success, because
 * rdma_cm would stop using a device if the listener failed during the registration of the device.
 */
static void xiw_listener_wait(struct xiw_listener *listener)
{
	struct xiw_device *dev = listener->dev;

	listener->retry = XIW_PORT_RETRY_FIRST;
	WRITE_ONCE(listener->port_taken, true);
	ibdev_warn(&dev->ibdev,
		   "%pISpc is in use: the listener waits until another socket releases the port\n",
		   &listener->cm_id->m_local_addr);
	xiw_notice_listen_error(dev, listener->index, &listener->buf->local, -EADDRINUSE);
	queue_delayed_work(xiw_listener_wq(listener), &listener->work, listener->retry);
}

/**
 * xiw_listener_open - listen at the address of a cm_id
 * @cm_id: id; xiw_iw_destroy_listen() ends the listener
 * @backlog: number of connections that may be set up at once
 * @user: user that is charged, see share.h
 * @by_number: the listener is for peers that are named by number (peer.h)
 *
 * Context: process.
 *
 * Return: 0 or a negative errno.
 */
int xiw_listener_open(struct iw_cm_id *cm_id, int backlog, u32 user, bool by_number)
{
	struct xiw_device *dev = to_xiw_device(cm_id->device);
	struct xiw_listener *listener = xiw_listener_new(dev, cm_id, backlog, user);
	int err;

	if (IS_ERR(listener))
		return PTR_ERR(listener);
	listener->by_number = by_number;
	xiw_addr_from_sockaddr(&listener->buf->local, &cm_id->m_local_addr);
	xiw_rnic_settle(&dev->rnic);
	err = xiw_listener_start(listener);
	if (err && !(err == -EADDRINUSE && xiw_device_enabling(dev))) {
		xiw_listener_free(listener);
		return err;
	}
	cm_id->provider_data = listener;
	if (err) {
		xiw_listener_wait(listener);
		return 0;
	}
	/*
	 * Fail if the first slot cannot be posted. If further slots cannot be posted, the work item
	 * tries again later.
	 */
	err = xiw_listener_post(listener);
	if (err) {
		xiw_iw_destroy_listen(cm_id);
		return err;
	}
	xiw_listener_opened(listener);
	/*
	 * rdma_cm holds its global mutex while it creates wildcard listeners. An allocation that is
	 * charged to a user may wait for a long time. So for a user's listener, let the work item
	 * post the other slots.
	 */
	if (user == XIW_SHARE_NOBODY)
		xiw_listener_work(&listener->work.work);
	else
		queue_delayed_work(xiw_listener_wq(listener), &listener->work, 0);
	return 0;
}

/* Return: true if rdma_cm creates a listener for this address on each device. */
static bool xiw_listener_is_everywhere(const struct sockaddr_storage *ss)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)ss;
	const struct sockaddr_in *in = (const struct sockaddr_in *)ss;

	if (ss->ss_family == AF_INET6)
		return ipv6_addr_any(&in6->sin6_addr) || ipv6_addr_loopback(&in6->sin6_addr);
	return ipv4_is_zeronet(in->sin_addr.s_addr) || ipv4_is_loopback(in->sin_addr.s_addr);
}

/*
 * Return: true if rdma_cm creates this listener on each device, and the listener does not belong to
 * the network namespace of the RNIC. rdma_cm also creates the listener on the devices of other
 * namespaces. But rdma_cm looks up the local address of each connection in the namespace of the
 * listener, so rdma_cm would refuse all connections of this RNIC. Such a listener must not occupy
 * the port in the RNIC's namespace, and must not hold a reference to the RNIC's namespace.
 */
static bool xiw_listener_is_foreign(const struct iw_cm_id *cm_id)
{
	/* The context is an rdma_id_private of rdma_cm, and begins with the rdma_cm_id. */
	const struct rdma_cm_id *id = cm_id->context;

	return xiw_listener_is_everywhere(&cm_id->m_local_addr) &&
	       !xiw_rnic_is_in(&to_xiw_device(cm_id->device)->rnic, id->route.addr.dev_addr.net);
}

int xiw_iw_create_listen(struct iw_cm_id *cm_id, int backlog)
{
	/*
	 * Report success. On an error, rdma_listen() would fail on all devices or, during the
	 * registration of this device, rdma_cm would stop using the device.
	 */
	if (xiw_listener_is_foreign(cm_id))
		return 0;
	return xiw_listener_open(cm_id, backlog, xiw_share_caller(), false);
}

/* Free the slots that no peer has used. @unlistened: UNLISTEN has freed the slots */
static void xiw_listener_take_slots(struct xiw_listener *listener, bool unlistened)
{
	struct xiw_conn *conn, *next;
	unsigned long flags;
	LIST_HEAD(taken);

	spin_lock_irqsave(&listener->lock, flags);
	list_for_each_entry_safe(conn, next, &listener->slots, posted)
		if (xiw_conn_move(conn, XIW_CS_POSTED, XIW_CS_HELD))
			list_move(&conn->posted, &taken);
	spin_unlock_irqrestore(&listener->lock, flags);
	list_for_each_entry_safe(conn, next, &taken, posted) {
		xiw_listener_put(xiw_listener_leave(conn));
		if (unlistened)
			xiw_conn_put_unlistened(conn);
		else
			xiw_conn_put(conn);
	}
}

int xiw_iw_destroy_listen(struct iw_cm_id *cm_id)
{
	struct xiw_listener *listener = cm_id->provider_data;
	bool unlistened;

	if (!listener)
		return 0;
	WRITE_ONCE(listener->closing, true);
	cancel_delayed_work_sync(&listener->work);
	/*
	 * After UNLISTEN, the RNIC reports no new XIW_CONN_REQUEST, and the driver owns the slots
	 * again.
	 */
	unlistened = !listener->port_taken && !xiw_listener_command(listener, XIW_ADM_UNLISTEN);
	xiw_listener_take_slots(listener, unlistened);
	xiw_listener_put(listener);
	wait_for_completion(&listener->released);
	/* The handler of an earlier XIW_CONN_REQUEST may have queued the work item again. */
	cancel_delayed_work_sync(&listener->work);
	xiw_listener_free(listener);
	return 0;
}
