// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The events of a connection for iw_cm: which event is next, and who delivers it (cm.h). */
#include <linux/wait_bit.h>

#include "cm/cm.h"
#include "core/wire.h"
#include "diag/counters.h"
#include "diag/trace.h"
#include "rdmap/stream.h"
#include "verbs/qp.h"
#include "xiw.h"

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
	if (!(conn->told & BIT(XIW_UP_REPORT)))
		return conn->news & XIW_NEWS_OUTCOME ? XIW_UP_REPORT : XIW_UP_NONE;
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

/*
 * Before iw_cm calls this handler, iw_cm moves the cm_id to a state in which iw_cm refuses another
 * accept or reject.
 */
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
 * conn->established is completed when iw_cm has handled ESTABLISHED or has lost this event.
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
		/* An error would request the destruction of cm_id, but rdma_ucm returns none. */
		WARN_ON_ONCE(conn->handler(cm_id, &event));
	}
	mutex_unlock(&conn->announcing);
	return told;
}

/*
 * Report the success of a user's connect. If the client has given up the connection, end the
 * stream; the connect fails when the stream has stopped. The handler of rdma_ucm may wait for a
 * mutex that rdma_ucm holds while it copies an earlier event to the user's memory. The user can
 * delay this copy. So this work item runs on a workqueue on which no storage depends.
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
