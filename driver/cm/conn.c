// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* A connection: its slot and buffer in the RNIC, and its events for iw_cm. */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/memcontrol.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/wait_bit.h>

#include "cm/cm.h"
#include "core/wire.h"
#include "diag/counters.h"
#include "diag/notice.h"
#include "diag/trace.h"
#include "rdmap/stream.h"
#include "ring/admin.h"
#include "ring/share.h"
#include "ring/vector.h"
#include "verbs/qp.h"
#include "xiw.h"

void xiw_addr_from_sockaddr(struct xiw_addr *addr, const struct sockaddr_storage *ss)
{
	memset(addr, 0, sizeof(*addr));
	if (ss->ss_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)ss;

		addr->family = 6;
		addr->port = in6->sin6_port;
		addr->scope = cpu_to_le32(in6->sin6_scope_id);
		memcpy(addr->addr, &in6->sin6_addr, sizeof(in6->sin6_addr));
	} else {
		const struct sockaddr_in *in = (const struct sockaddr_in *)ss;

		addr->family = 4;
		addr->port = in->sin_port;
		memcpy(addr->addr, &in->sin_addr, sizeof(in->sin_addr));
	}
}

void xiw_addr_to_sockaddr(struct sockaddr_storage *ss, const struct xiw_addr *addr)
{
	memset(ss, 0, sizeof(*ss));
	if (addr->family == 6) {
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;

		in6->sin6_family = AF_INET6;
		in6->sin6_port = addr->port;
		in6->sin6_scope_id = le32_to_cpu(addr->scope);
		memcpy(&in6->sin6_addr, addr->addr, sizeof(in6->sin6_addr));
	} else {
		struct sockaddr_in *in = (struct sockaddr_in *)ss;

		in->sin_family = AF_INET;
		in->sin_port = addr->port;
		memcpy(&in->sin_addr, addr->addr, sizeof(in->sin_addr));
	}
}

u32 xiw_max_ird(const struct xiw_device *dev)
{
	return le16_to_cpu(dev->rnic.caps.max_ird);
}

u32 xiw_max_ord(const struct xiw_device *dev)
{
	return le16_to_cpu(dev->rnic.caps.max_ord);
}

/*
 * Limit a depth to @max and to the 8 bits that iw_cm has for a depth. If the peer has specified no
 * depth, return this limit.
 */
u8 xiw_depth_u8(u32 depth, u32 max)
{
	if (depth == XIW_MPA_DEPTH_NONE)
		depth = max;
	return min3(depth, max, 255U);
}

/*
 * Get the length of received private data. A frame carries up to 512 octets of private data, but
 * iw_cm_event.private_data_len is a u8. A frame with more private data than the ULP can get is
 * improperly formatted (RFC 5044 §7.1.2 rule 9). Return: the number of octets, or -EPROTO.
 */
int xiw_private_length(const struct xiw_conn_buf *buf)
{
	u16 length = le16_to_cpu(READ_ONCE(buf->private_length));

	return length <= U8_MAX ? length : -EPROTO;
}

/*
 * Time limit of an offer. The RNIC drops a peer that gets no answer for 120 s
 * (docs/rnic/connections.md), so a later accept cannot succeed.
 */
#define XIW_OFFER_TIME (125 * HZ)

int xiw_conn_command(struct xiw_conn *conn, u8 op, u32 other)
{
	struct xiw_admin_cmd cmd = {
		.op = op,
		.index = cpu_to_le32(conn->slot),
		.other = cpu_to_le32(other),
		.addr = cpu_to_le64(conn->bus),
	};

	return xiw_admin_exec(conn->dev, &cmd);
}

/**
 * xiw_conn_move - change the state of a connection and become its holder
 * @conn: connection
 * @from: expected state
 * @to: new state
 *
 * enum xiw_conn_state determines the holder in each state. A successful move is a full barrier: the
 * next caller that moves the connection sees all earlier writes.
 *
 * Context: any.
 *
 * Return: false if the connection is not in state @from; nothing has changed.
 */
bool xiw_conn_move(struct xiw_conn *conn, enum xiw_conn_state from, enum xiw_conn_state to)
{
	return cmpxchg(&conn->state, from, to) == from;
}

/*
 * Cancel the time limit of an outcome, if it is running. Any context; the caller has a reference.
 */
static void xiw_conn_unexpect(struct xiw_conn *conn)
{
	if (cancel_delayed_work(&conn->overdue))
		xiw_conn_put(conn);
}

/*
 * Start the time limit of an outcome, after the RNIC has answered the command. The caller has a
 * reference. If the outcome arrives at the same time, either xiw_conn_answered() sees the queued
 * work item, or this function sees the new state. Both functions order their accesses by a full
 * barrier. @until: state until the outcome arrives
 */
static void xiw_conn_expect(struct xiw_conn *conn, enum xiw_conn_state until)
{
	unsigned int seconds = conn->dev->rnic.ops->admin_seconds;

	if (!seconds)
		return;
	refcount_inc(&conn->refs);
	queue_delayed_work(conn->dev->wq, &conn->overdue,
			   seconds * HZ +
			   msecs_to_jiffies(le32_to_cpu(conn->offered.startup_ms)));
	if (READ_ONCE(conn->state) != until)
		xiw_conn_unexpect(conn);
}

static void xiw_conn_overdue(struct work_struct *work)
{
	struct xiw_conn *conn = container_of(to_delayed_work(work), struct xiw_conn, overdue);
	enum xiw_conn_state state = READ_ONCE(conn->state);

	/* Only a broken RNIC reports no outcome within its time limit. */
	if (state == XIW_CS_CONNECTING || state == XIW_CS_ACCEPTING)
		xiw_device_fail(conn->dev, "no outcome of a connection");
	xiw_conn_put(conn);
}

/**
 * xiw_conn_answered - take over a connection whose outcome is known
 * @conn: connection; the caller has a reference
 * @from: expected state, in which the connection waits for the outcome
 *
 * Context: any.
 *
 * Return: false if the connection is not in state @from; nothing has changed.
 */
bool xiw_conn_answered(struct xiw_conn *conn, enum xiw_conn_state from)
{
	if (!xiw_conn_move(conn, from, XIW_CS_ANSWERED))
		return false;
	xiw_conn_unexpect(conn);
	return true;
}

/**
 * xiw_conn_ask - execute a command whose outcome an event reports later
 * @conn: connection, held by the caller
 * @op: enum xiw_admin_op
 * @other: index of the listener or the stream
 * @until: state until the event arrives
 *
 * Context: process.
 *
 * Return: 0, and the caller no longer holds the connection; or an errno if no event follows. If the
 * RNIC refuses the command and still sends the event, the event takes precedence. If the RNIC
 * executes CONNECT or ACCEPT and sends no event, the device fails when the time limit expires
 * (admin_seconds in rnic.h; some RNICs have no time limit).
 */
int xiw_conn_ask(struct xiw_conn *conn, u8 op, u32 other, enum xiw_conn_state until)
{
	int err;

	/*
	 * Take a reference, because the outcome may release the connection before the time limit
	 * starts.
	 */
	refcount_inc(&conn->refs);
	xiw_conn_move(conn, XIW_CS_HELD, until);
	err = xiw_conn_command(conn, op, other);
	if (err) {
		if (!xiw_conn_move(conn, until, XIW_CS_HELD))
			err = 0;
	} else if (until != XIW_CS_POSTED) {	/* a posted slot has no time limit */
		xiw_conn_expect(conn, until);
	}
	xiw_conn_put(conn);
	return err;
}

/**
 * xiw_conn_id - get the id by which iw_cm names a connection
 * @conn: connection
 *
 * Return: an id, never 0, that no other connection of the device has had.
 */
void *xiw_conn_id(const struct xiw_conn *conn)
{
	return (void *)((unsigned long)conn->generation << 32 | conn->slot);
}

/**
 * xiw_conn_offer - leave the decision on a connection to iw_cm
 * @conn: connection in the state XIW_CS_HELD
 *
 * Starts the time limit of the offer, and moves the connection to the state XIW_CS_OFFERED.
 *
 * Context: any.
 */
void xiw_conn_offer(struct xiw_conn *conn)
{
	refcount_inc(&conn->refs);
	queue_delayed_work(conn->dev->wq, &conn->lapse, XIW_OFFER_TIME);
	xiw_conn_move(conn, XIW_CS_HELD, XIW_CS_OFFERED);
}

/**
 * xiw_conn_withdraw - take an offer back from iw_cm
 * @conn: connection
 *
 * Context: any.
 *
 * Return: true, and the caller holds the connection; false if the connection is not offered.
 */
bool xiw_conn_withdraw(struct xiw_conn *conn)
{
	if (!xiw_conn_move(conn, XIW_CS_OFFERED, XIW_CS_HELD))
		return false;
	if (cancel_delayed_work(&conn->lapse))
		xiw_conn_put(conn);
	return true;
}

/**
 * xiw_conn_take - get the connection that iw_cm has decided on
 * @dev: device
 * @id: id from xiw_conn_id()
 *
 * Context: process.
 *
 * Return: the connection, held by the caller; NULL if it is no longer offered.
 */
struct xiw_conn *xiw_conn_take(struct xiw_device *dev, const void *id)
{
	struct xiw_conn *conn;

	xa_lock_bh(&dev->conns);
	conn = xa_load(&dev->conns, lower_32_bits((unsigned long)id));
	if (conn && (xiw_conn_id(conn) != id || !xiw_conn_withdraw(conn)))
		conn = NULL;
	xa_unlock_bh(&dev->conns);
	return conn;
}

/**
 * xiw_conn_of - look up the connection of a QP
 * @qp: the QP
 *
 * A connection is detached under QP.lock before its last reference is dropped. So the connection of
 * the QP still has a reference when this function takes another one.
 *
 * Context: any; QP.lock is not held.
 *
 * Return: the connection with a reference for the caller, or NULL if the QP has no connection.
 */
struct xiw_conn *xiw_conn_of(struct xiw_qp *qp)
{
	struct xiw_conn *conn;
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	conn = qp->conn;
	if (conn)
		refcount_inc(&conn->refs);
	spin_unlock_irqrestore(&qp->lock, flags);
	return conn;
}

static void xiw_conn_lapse(struct work_struct *work)
{
	struct xiw_conn *conn = container_of(to_delayed_work(work), struct xiw_conn, lapse);

	if (xiw_conn_withdraw(conn))
		xiw_conn_put(conn);
	xiw_conn_put(conn);
}

/* Set the parameters that depend only on the configuration. */
void xiw_conn_wish(const struct xiw_device *dev, struct xiw_conn_params *params)
{
	const struct xiw_config *config = &dev->config;
	u32 flags = READ_ONCE(config->rtr);

	memset(params, 0, sizeof(*params));
	if (READ_ONCE(config->crc))
		flags |= XIW_CONNF_CRC;
	if (READ_ONCE(config->markers))
		flags |= XIW_CONNF_RX_MARKERS;
	if (READ_ONCE(config->peer_to_peer))
		flags |= XIW_CONNF_P2P;
	if (READ_ONCE(config->atomics))
		flags |= XIW_CONNF_ATOMICS;
	if (READ_ONCE(config->immediates))
		flags |= XIW_CONNF_IMMEDIATE;
	if (READ_ONCE(config->send_imm))
		flags |= XIW_CONNF_SEND_IMM;
	if (READ_ONCE(config->require_encryption))
		flags |= XIW_CONNF_ENCRYPT;
	params->flags = cpu_to_le32(flags);
	params->mpa_rev = READ_ONCE(config->mpa_rev);
	params->ird = cpu_to_le16(XIW_MPA_DEPTH_NONE);
	params->ord = cpu_to_le16(XIW_MPA_DEPTH_NONE);
	params->mulpdu_max = cpu_to_le16(READ_ONCE(config->mulpdu_max));
	params->startup_ms = cpu_to_le32(READ_ONCE(config->startup_ms));
	params->rtr_ms = cpu_to_le32(READ_ONCE(config->rtr_ms));
	params->park_ms = cpu_to_le32(READ_ONCE(config->park_ms));
	params->linger_ms = cpu_to_le32(READ_ONCE(config->linger_ms));
	params->peer_ms = cpu_to_le32(READ_ONCE(config->peer_ms));
}

void xiw_conn_params(struct xiw_device *dev, struct iw_cm_id *cm_id, struct xiw_conn_buf *buf)
{
	struct xiw_conn_params *params = &buf->params;

	xiw_conn_wish(dev, params);
	if (cm_id->tos_set)
		params->flags |= cpu_to_le32(XIW_CONNF_TOS);
	if (cm_id->afonly)
		params->flags |= cpu_to_le32(XIW_CONNF_V6ONLY);
	params->tos = cm_id->tos;
}

/*
 * Reject the peer's Request. The buffer contains the private data for the Reply. Return: 0 or a
 * negative errno.
 */
int xiw_conn_reject(struct xiw_conn *conn)
{
	xiw_count(conn->dev, XIW_CNT_REJECTED);
	xiw_notice_reject(conn, XIW_NL_ORIGIN_LOCAL);
	xiw_conn_wish(conn->dev, &conn->buf->params);
	return xiw_conn_command(conn, XIW_ADM_REJECT, 0);
}

static void xiw_conn_work(struct work_struct *work)
{
	struct xiw_conn *conn = container_of(work, struct xiw_conn, work);
	struct xiw_device *dev = conn->dev;

	if (conn->refuse) {
		conn->buf->private_length = 0;
		xiw_conn_reject(conn);
	}
	xiw_conn_command(conn, XIW_ADM_CONN_FREE, 0);
	xa_erase_bh(&dev->conns, conn->slot);
	/* Wait until no handler of an event is still looking up the slot. */
	xiw_vectors_pass(dev);
	if (conn->cm_id)
		conn->cm_id->rem_ref(conn->cm_id);
	if (conn->qp)
		xiw_qp_put(conn->qp);
	kvfree(conn->inbound);
	dev->rnic.ops->free(&dev->rnic, sizeof(*conn->buf), conn->buf, conn->bus);
	mem_cgroup_put(conn->memcg);
	xiw_share_give(dev, conn->user, XIW_SHARED_CONN);
	kfree(conn);
	atomic_dec(&dev->objects[XIW_OBJ_CONN]);
}

/*
 * Allocate the buffer and the slot of a connection. On an error, this function leaves nothing
 * allocated.
 */
static int xiw_conn_list(struct xiw_conn *conn, gfp_t gfp)
{
	struct xiw_device *dev = conn->dev;
	int err;

	conn->buf = dev->rnic.ops->alloc(&dev->rnic, sizeof(*conn->buf), &conn->bus, gfp);
	if (!conn->buf)
		return -ENOMEM;
	err = xa_alloc_cyclic_bh(&dev->conns, &conn->slot, conn,
				 XA_LIMIT(0, le32_to_cpu(dev->rnic.caps.max_conns) - 1),
				 &dev->next_conn, gfp);
	if (err < 0)
		dev->rnic.ops->free(&dev->rnic, sizeof(*conn->buf), conn->buf, conn->bus);
	return min(err, 0);
}

/**
 * xiw_conn_new - create a connection with a slot and a buffer
 * @dev: device
 * @user: user that is charged (see share.h)
 *
 * Context: process.
 *
 * Return: a connection that the caller holds, or ERR_PTR.
 */
struct xiw_conn *xiw_conn_new(struct xiw_device *dev, u32 user)
{
	gfp_t gfp = xiw_share_gfp(user);
	struct xiw_conn *conn;
	int err;

	err = xiw_share_take(dev, user, XIW_SHARED_CONN);
	if (err)
		return ERR_PTR(err);
	err = -ENOMEM;
	conn = kzalloc(sizeof(*conn), gfp);
	if (!conn)
		goto give;
	conn->dev = dev;
	conn->user = user;
	refcount_set(&conn->refs, 1);
	spin_lock_init(&conn->lock);
	init_completion(&conn->established);
	mutex_init(&conn->announcing);
	INIT_LIST_HEAD(&conn->posted);
	INIT_WORK(&conn->work, xiw_conn_work);
	INIT_DELAYED_WORK(&conn->lapse, xiw_conn_lapse);
	INIT_DELAYED_WORK(&conn->overdue, xiw_conn_overdue);
	/* Skip 0, so that the id is never 0. */
	conn->generation = atomic_inc_return(&dev->next_generation) ?: 1;
	err = xiw_conn_list(conn, gfp);
	if (err)
		goto free;
	conn->memcg = xiw_share_memcg(user);
	atomic_inc(&dev->objects[XIW_OBJ_CONN]);
	return conn;

free:
	kfree(conn);
give:
	xiw_share_give(dev, user, XIW_SHARED_CONN);
	return ERR_PTR(err);
}

/**
 * xiw_conn_charge - charge a connection to another user
 * @conn: connection, held by the caller
 * @user: user that is charged from now on (see share.h)
 *
 * Context: process. The active memory cgroup is that of @user.
 *
 * Return: 0; or a negative errno of xiw_share_take(), and nothing has changed.
 */
int xiw_conn_charge(struct xiw_conn *conn, u32 user)
{
	int err = xiw_share_take(conn->dev, user, XIW_SHARED_CONN);

	if (err)
		return err;
	xiw_share_give(conn->dev, conn->user, XIW_SHARED_CONN);
	conn->user = user;
	return 0;
}

/**
 * xiw_conn_put - drop a reference
 * @conn: connection; the last xiw_conn_put() releases it
 *
 * Context: any; the release runs in process context.
 */
void xiw_conn_put(struct xiw_conn *conn)
{
	if (refcount_dec_and_test(&conn->refs))
		queue_work(conn->dev->wq, &conn->work);
}

/**
 * xiw_conn_trace - trace an event before it is passed to iw_cm
 * @conn: connection; the caller has a reference
 * @event: event for iw_cm
 *
 * Context: any, no lock held. Call this function before the event is delivered, because the
 * connection may be freed afterwards.
 */
void xiw_conn_trace(const struct xiw_conn *conn, const struct iw_cm_event *event)
{
	struct sockaddr_storage local, remote;

	if (!trace_xiw_cm_event_enabled())
		return;
	xiw_addr_to_sockaddr(&local, &conn->buf->local);
	xiw_addr_to_sockaddr(&remote, &conn->buf->remote);
	trace_xiw_cm_event(conn->dev->ibdev.index, conn->qp ? conn->qp->stream : 0, event, &local,
			   &remote);
}

/*
 * Set the depths of a CONNECT_REPLY to those of the Reply (RFC 6581 §9.1), but at most to the
 * maximum of the local device. The peer's ORD becomes the IRD of the event, and the peer's IRD
 * becomes the ORD of the event. If the peer does not specify a depth, keep the agreed depth
 * (DEC-73).
 */
static void xiw_conn_replied(const struct xiw_conn *conn, struct iw_cm_event *event)
{
	u16 ird = le16_to_cpu(conn->buf->peer_ird), ord = le16_to_cpu(conn->buf->peer_ord);

	if (ord != XIW_MPA_DEPTH_NONE)
		event->ird = xiw_depth_u8(ord, xiw_max_ird(conn->dev));
	if (ird != XIW_MPA_DEPTH_NONE)
		event->ord = xiw_depth_u8(ird, xiw_max_ord(conn->dev));
}

static void xiw_conn_event(const struct xiw_conn *conn, struct iw_cm_event *event,
			   enum iw_cm_event_type type, int status)
{
	const struct xiw_conn_buf *buf = conn->buf;

	*event = (struct iw_cm_event){
		.event = type,
		.status = status,
		.ird = min_t(u16, le16_to_cpu(buf->params.ird), 255),
		.ord = min_t(u16, le16_to_cpu(buf->params.ord), 255),
	};
	if (type == IW_CM_EVENT_CONNECT_REPLY) {
		/* No Reply has arrived if the revision is 0. */
		if (buf->peer_rev)
			xiw_conn_replied(conn, event);
		xiw_addr_to_sockaddr(&event->local_addr, &buf->local);
		xiw_addr_to_sockaddr(&event->remote_addr, &buf->remote);
		event->private_data_len = READ_ONCE(conn->private_received);
		if (event->private_data_len)
			event->private_data = (void *)buf->private_data;
	}
	xiw_conn_trace(conn, event);
}

static int xiw_conn_upcall(struct xiw_conn *conn, enum iw_cm_event_type type, int status)
{
	struct iw_cm_event event;

	xiw_conn_event(conn, &event, type, status);
	return conn->cm_id->event_handler(conn->cm_id, &event);
}

static bool xiw_conn_over(const struct xiw_conn *conn)
{
	return conn->told & BIT(XIW_UP_CLOSE);
}

/* Return: true for a user's connect, which iw_cm considers established from the start (cm.h). */
static bool xiw_conn_preceded(const struct xiw_conn *conn)
{
	return conn->active && conn->handler;
}

/* Get the next event for iw_cm. CONN.lock is held. */
static enum xiw_upcall xiw_conn_due(const struct xiw_conn *conn)
{
	if (xiw_conn_over(conn))
		return XIW_UP_NONE;
	if (!(conn->told & BIT(XIW_UP_REPORT))) {
		if (!(conn->news & XIW_NEWS_OUTCOME) ||
		    (conn->rtr && !(conn->news & (XIW_NEWS_FIRST_FPDU | XIW_NEWS_STOPPED))))
			return XIW_UP_NONE;
		return XIW_UP_REPORT;
	}
	if (xiw_conn_preceded(conn) && !(conn->news & XIW_NEWS_ANNOUNCED))
		return XIW_UP_NONE;
	if (conn->news & XIW_NEWS_STOPPED)
		return XIW_UP_CLOSE;
	if (conn->news & XIW_NEWS_DISCONNECT && !(conn->told & BIT(XIW_UP_DISCONNECT)))
		return XIW_UP_DISCONNECT;
	return XIW_UP_NONE;
}

/*
 * Get the next event for iw_cm, and mark it as delivered. CONN.lock is held. After a failed
 * connect, the report of the failure is the last event, and there is no CLOSE.
 */
static enum xiw_upcall xiw_conn_next(struct xiw_conn *conn)
{
	enum xiw_upcall upcall = xiw_conn_due(conn);

	conn->told |= BIT(upcall);
	if (upcall == XIW_UP_REPORT && conn->active && conn->status)
		conn->told |= BIT(XIW_UP_CLOSE);
	return upcall;
}

/* Detach a connection from its QP, unless the QP has another connection now. Any context. */
void xiw_conn_detach(struct xiw_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->qp->lock, flags);
	if (conn->qp->conn == conn)
		WRITE_ONCE(conn->qp->conn, NULL);
	spin_unlock_irqrestore(&conn->qp->lock, flags);
	/*
	 * A reset of the QP may wait until QP.conn is NULL. After the full barrier, either the
	 * reset sees NULL, or wake_up_var() sees the waiting reset. The reference of the connection
	 * keeps the QP valid.
	 */
	smp_mb();
	wake_up_var(&conn->qp->conn);
}

/*
 * Deliver a CONNECT_REPLY again, because iw_cm had no memory for the private data of the Reply.
 * Without a CONNECT_REPLY, iw_cm waits forever. So report a failure without private data, which
 * needs no memory. If the stream is open, end the stream, because neither iw_cm nor the ULP can use
 * it.
 */
static int xiw_conn_reply_again(struct xiw_conn *conn)
{
	unsigned long flags;
	bool open;

	spin_lock_irqsave(&conn->lock, flags);
	open = !conn->status;
	if (open)
		conn->status = -ENOMEM;
	conn->told |= BIT(XIW_UP_CLOSE);
	WRITE_ONCE(conn->private_received, 0);
	spin_unlock_irqrestore(&conn->lock, flags);
	xiw_conn_detach(conn);
	if (open) {
		xiw_count(conn->dev, XIW_CNT_CONNECT_FAILED);
		xiw_stream_abort(conn->qp);
	}
	return xiw_conn_upcall(conn, IW_CM_EVENT_CONNECT_REPLY, conn->status);
}

/**
 * xiw_conn_unwatch - restore the original handler of the cm_id
 * @conn: connection after xiw_conn_watch()
 *
 * Call this function once for each xiw_conn_watch(). The connection may be freed afterwards, unless
 * the caller holds a reference.
 *
 * Context: any, before iw_cm can call the handler, or inside the handler.
 */
void xiw_conn_unwatch(struct xiw_conn *conn)
{
	conn->cm_id->cm_handler = conn->handler;
	complete(&conn->established);
}

/* iw_cm calls this handler in a state of the cm_id in which iw_cm allows no accept. */
static int xiw_conn_established(struct iw_cm_id *cm_id, struct iw_cm_event *event)
{
	struct xiw_conn *conn = cm_id->provider_data;

	xiw_conn_unwatch(conn);
	return cm_id->cm_handler(cm_id, event);
}

/**
 * xiw_conn_watch - get notified when iw_cm has handled ESTABLISHED
 * @conn: connection that is about to be accepted; its cm_id is set
 *
 * Completes conn->established when iw_cm has handled ESTABLISHED or has lost this event.
 *
 * Context: process, before the RNIC gets the command to accept.
 */
void xiw_conn_watch(struct xiw_conn *conn)
{
	conn->handler = conn->cm_id->cm_handler;
	conn->cm_id->cm_handler = xiw_conn_established;
}

/*
 * Handle the events of a user's pending connect in place of iw_cm's client: the CONNECT_REPLY of
 * xiw_conn_precede(), or the CLOSE of xiw_conn_failed(). When iw_cm passes on the CLOSE, the
 * connection may already be freed. So provider_data of the CLOSE carries the client's handler, and
 * the address fields of the CLOSE carry the private data.
 */
static int xiw_conn_undecided(struct iw_cm_id *cm_id, struct iw_cm_event *event)
{
	u32 front = min_t(u32, event->private_data_len, sizeof(event->local_addr));
	struct xiw_conn *conn = cm_id->provider_data;
	iw_cm_handler handler;
	u8 data[U8_MAX];

	if (event->event == IW_CM_EVENT_CONNECT_REPLY) {
		complete(&conn->established);
		return 0;
	}
	handler = (iw_cm_handler)event->provider_data;
	memcpy(data, &event->local_addr, front);
	memcpy(data + front, &event->remote_addr, event->private_data_len - front);
	event->event = IW_CM_EVENT_CONNECT_REPLY;
	event->local_addr = cm_id->local_addr;
	event->remote_addr = cm_id->remote_addr;
	event->private_data = data;
	event->provider_data = NULL;
	cm_id->cm_handler = handler;
	return handler(cm_id, event);
}

/*
 * Report to iw_cm, by a CLOSE, that a user's connect has failed. iw_cm copies the addresses in a
 * CLOSE, but not its private data. The addresses of a CLOSE have no meaning, so their fields carry
 * the private data.
 */
static int xiw_conn_failed(struct xiw_conn *conn)
{
	struct iw_cm_event event;
	const u8 *data;
	u32 front;

	xiw_conn_event(conn, &event, IW_CM_EVENT_CONNECT_REPLY, conn->status);
	BUILD_BUG_ON(sizeof(event.local_addr) + sizeof(event.remote_addr) < U8_MAX);
	front = min_t(u32, event.private_data_len, sizeof(event.local_addr));
	data = conn->buf->private_data;
	memcpy(&event.local_addr, data, front);
	memcpy(&event.remote_addr, data + front, event.private_data_len - front);
	event.event = IW_CM_EVENT_CLOSE;
	event.private_data = NULL;
	event.provider_data = conn->handler;
	return conn->cm_id->event_handler(conn->cm_id, &event);
}

/*
 * Report to the client that its connect has succeeded. Return: false if the client has given up the
 * connection and was not notified.
 */
static bool xiw_conn_succeeded(struct xiw_conn *conn)
{
	struct iw_cm_id *cm_id = conn->cm_id;
	struct iw_cm_event event;
	bool told;

	mutex_lock(&conn->announcing);
	told = !conn->given_up;
	if (told) {
		xiw_conn_event(conn, &event, IW_CM_EVENT_CONNECT_REPLY, 0);
		event.local_addr = cm_id->local_addr;
		event.remote_addr = cm_id->remote_addr;
		cm_id->cm_handler = conn->handler;
		/* An error would request the destruction of the cm_id; rdma_ucm returns none. */
		WARN_ON_ONCE(conn->handler(cm_id, &event));
	}
	mutex_unlock(&conn->announcing);
	return told;
}

/*
 * Report the success of a user's connect. If the client has given up the connection, end the
 * stream; the connect fails when the stream has stopped. The handler of rdma_ucm may wait for a
 * mutex that is held while the user's memory gets an earlier event, and the user can delay this. So
 * this work item runs on a workqueue on which no storage depends.
 */
static void xiw_conn_announce(struct work_struct *work)
{
	struct xiw_conn *conn = container_of(work, struct xiw_conn, announce);
	bool told = xiw_conn_succeeded(conn);
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	if (!told)
		conn->status = -ECONNABORTED;
	conn->news |= XIW_NEWS_ANNOUNCED;
	spin_unlock_irqrestore(&conn->lock, flags);
	if (!told)
		xiw_stream_abort(conn->qp);
	xiw_conn_deliver(conn);
	xiw_conn_put(conn);
}

/**
 * xiw_conn_precede - make iw_cm consider a user's connect established
 * @conn: connection that is about to connect; its cm_id is set
 *
 * Waits for iw_cm's worker, which a user can delay (docs/upstream). On return, the QP may be under
 * destruction, but its number is still reserved. After this function has succeeded, iw_connect()
 * must not fail: rdma_cm would flush iw_cm's workqueue while rdma_cm holds a mutex that the queued
 * work takes.
 *
 * Context: process, before the RNIC gets the command to connect.
 *
 * Return: 0, and iw_cm now expects CLOSE; or an errno, and the state of iw_cm has not changed.
 */
int xiw_conn_precede(struct xiw_conn *conn)
{
	struct iw_cm_id *cm_id = conn->cm_id;
	struct iw_cm_event event = {
		.event = IW_CM_EVENT_CONNECT_REPLY,
		.local_addr = cm_id->m_local_addr,
		.remote_addr = cm_id->m_remote_addr,
	};
	int err;

	INIT_WORK(&conn->announce, xiw_conn_announce);
	conn->handler = cm_id->cm_handler;
	cm_id->cm_handler = xiw_conn_undecided;
	err = cm_id->event_handler(cm_id, &event);
	if (err)
		cm_id->cm_handler = conn->handler;
	else
		wait_for_completion(&conn->established);
	return err;
}

/*
 * Report the outcome of a user's connect. Do not deliver a CONNECT_REPLY to iw_cm, which already
 * has one.
 */
static int xiw_conn_decided(struct xiw_conn *conn)
{
	if (conn->status)
		return xiw_conn_failed(conn);
	refcount_inc(&conn->refs);
	queue_work(conn->dev->user_wq, &conn->announce);
	return 0;
}

/* Deliver one event to iw_cm. No lock is held; the caller is the deliverer. */
static void xiw_conn_tell(struct xiw_conn *conn, enum xiw_upcall upcall)
{
	enum iw_cm_event_type type = conn->active ? IW_CM_EVENT_CONNECT_REPLY :
						    IW_CM_EVENT_ESTABLISHED;
	int err;

	if (upcall == XIW_UP_DISCONNECT)
		type = IW_CM_EVENT_DISCONNECT;
	else if (upcall == XIW_UP_CLOSE)
		type = IW_CM_EVENT_CLOSE;
	if (xiw_conn_preceded(conn) &&
	    (upcall == XIW_UP_REPORT || (upcall == XIW_UP_CLOSE && conn->status))) {
		err = xiw_conn_decided(conn);
	} else {
		err = xiw_conn_upcall(conn, type,
				      type == IW_CM_EVENT_CONNECT_REPLY ? conn->status : 0);
		if (err && type == IW_CM_EVENT_CONNECT_REPLY)
			err = xiw_conn_reply_again(conn);
	}
	if (!err)
		return;
	if (type == IW_CM_EVENT_ESTABLISHED && conn->handler)
		xiw_conn_unwatch(conn);
	ibdev_warn(&conn->dev->ibdev, "iw_cm lost event %d of QP %u\n", type, conn->qp->stream);
}

/**
 * xiw_conn_deliver - deliver new events to iw_cm
 * @conn: connection whose collected events have changed
 *
 * Context: any, no lock held. Drops the first reference after the last event.
 */
void xiw_conn_deliver(struct xiw_conn *conn)
{
	enum xiw_upcall upcall;
	unsigned long flags;
	bool over = false;

	spin_lock_irqsave(&conn->lock, flags);
	if (conn->delivering) {
		spin_unlock_irqrestore(&conn->lock, flags);
		return;
	}
	conn->delivering = true;
	while ((upcall = xiw_conn_next(conn)) != XIW_UP_NONE) {
		over = xiw_conn_over(conn);
		spin_unlock_irqrestore(&conn->lock, flags);
		if (over)
			xiw_conn_detach(conn);
		xiw_conn_tell(conn, upcall);
		spin_lock_irqsave(&conn->lock, flags);
		over = xiw_conn_over(conn);
	}
	conn->delivering = false;
	spin_unlock_irqrestore(&conn->lock, flags);
	if (over)
		xiw_conn_put(conn);
}
