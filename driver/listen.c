// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Listeners. The RNIC takes a connection in only when it has a slot for it: as
 * many as the backlog are posted, and each one used is replaced by the refill work.
 */
#include "admin.h"
#include "cm.h"
#include "xiw.h"

#define XIW_BACKLOG_MAX 256

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

static int xiw_listener_post(struct xiw_listener *listener)
{
	struct xiw_conn *conn = xiw_conn_new(listener->dev);
	int err;

	if (IS_ERR(conn))
		return PTR_ERR(conn);
	xiw_conn_params(listener->dev, listener->cm_id, conn->buf);
	conn->listener = listener;
	refcount_inc(&listener->refs);
	atomic_inc(&listener->posted);
	err = xiw_conn_ask(conn, XIW_ADM_CONN_POST, listener->index, XIW_CS_POSTED);
	if (err) {
		conn->listener = NULL;
		atomic_dec(&listener->posted);
		xiw_conn_put(conn);
		if (refcount_dec_and_test(&listener->refs))
			complete(&listener->released);
	}
	return err;
}

static void xiw_listener_refill(struct work_struct *work)
{
	struct xiw_listener *listener = container_of(to_delayed_work(work), struct xiw_listener,
						     refill);
	int err = 0;

	while (!err && !READ_ONCE(listener->closing) &&
	       atomic_read(&listener->posted) < listener->backlog)
		err = xiw_listener_post(listener);
	/* Nobody comes in without a slot, so nobody but us would ask again. */
	if (err == -ENOMEM)
		queue_delayed_work(listener->dev->wq, &listener->refill, HZ);
}

static void xiw_listener_free(struct xiw_listener *listener)
{
	struct xiw_device *dev = listener->dev;

	xa_erase(&dev->listeners, listener->index);
	listener->cm_id->rem_ref(listener->cm_id);
	dev->rnic.ops->free(&dev->rnic, sizeof(*listener->buf), listener->buf, listener->bus);
	kfree(listener);
	atomic_dec(&dev->objects[XIW_OBJ_LISTENER]);
}

static struct xiw_listener *xiw_listener_new(struct xiw_device *dev, struct iw_cm_id *cm_id,
					     int backlog)
{
	struct xiw_listener *listener = kzalloc(sizeof(*listener), GFP_KERNEL);
	int err;

	if (!listener)
		return ERR_PTR(-ENOMEM);
	listener->dev = dev;
	listener->backlog = clamp(backlog, 1, XIW_BACKLOG_MAX);
	INIT_DELAYED_WORK(&listener->refill, xiw_listener_refill);
	refcount_set(&listener->refs, 1);
	init_completion(&listener->released);
	listener->buf = dev->rnic.ops->alloc(&dev->rnic, sizeof(*listener->buf), &listener->bus,
					     GFP_KERNEL);
	if (!listener->buf) {
		kfree(listener);
		return ERR_PTR(-ENOMEM);
	}
	err = xa_alloc_cyclic(&dev->listeners, &listener->index, listener,
			      XA_LIMIT(0, le32_to_cpu(dev->rnic.caps.max_listeners) - 1),
			      &dev->next_listener, GFP_KERNEL);
	if (err < 0) {
		dev->rnic.ops->free(&dev->rnic, sizeof(*listener->buf), listener->buf,
				    listener->bus);
		kfree(listener);
		return ERR_PTR(err);
	}
	cm_id->add_ref(cm_id);
	listener->cm_id = cm_id;
	atomic_inc(&dev->objects[XIW_OBJ_LISTENER]);
	return listener;
}

int xiw_iw_create_listen(struct iw_cm_id *cm_id, int backlog)
{
	struct xiw_device *dev = to_xiw_device(cm_id->device);
	struct xiw_listener *listener = xiw_listener_new(dev, cm_id, backlog);
	int err;

	if (IS_ERR(listener))
		return PTR_ERR(listener);
	xiw_addr_from_sockaddr(&listener->buf->local, &cm_id->m_local_addr);
	xiw_conn_params(dev, cm_id, listener->buf);
	xiw_rnic_settle(&dev->rnic);
	err = xiw_listener_command(listener, XIW_ADM_LISTEN);
	if (err) {
		xiw_listener_free(listener);
		return err;
	}
	cm_id->provider_data = listener;
	/* A backlog shorter than asked for is made up later; none is a failure. */
	err = xiw_listener_post(listener);
	if (err) {
		xiw_iw_destroy_listen(cm_id);
		return err;
	}
	WRITE_ONCE(listener->open, true);
	xiw_listener_refill(&listener->refill.work);
	return 0;
}

int xiw_iw_destroy_listen(struct iw_cm_id *cm_id)
{
	struct xiw_listener *listener = cm_id->provider_data;
	struct xiw_device *dev = listener->dev;
	struct xiw_conn *conn;
	unsigned long slot;

	WRITE_ONCE(listener->closing, true);
	cancel_delayed_work_sync(&listener->refill);
	/* Done: no REQUEST of it follows, and the slots are ours again. */
	xiw_listener_command(listener, XIW_ADM_UNLISTEN);
	xa_lock_bh(&dev->conns);
	xa_for_each(&dev->conns, slot, conn) {
		if (conn->listener != listener ||
		    !xiw_conn_move(conn, XIW_CS_POSTED, XIW_CS_HELD))
			continue;
		conn->listener = NULL;
		xiw_conn_put(conn);
		refcount_dec(&listener->refs);
	}
	xa_unlock_bh(&dev->conns);
	if (!refcount_dec_and_test(&listener->refs))
		wait_for_completion(&listener->released);
	/* The last REQUEST may have asked for a refill behind our back. */
	cancel_delayed_work_sync(&listener->refill);
	xiw_listener_free(listener);
	return 0;
}
