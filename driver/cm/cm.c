// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Connection verbs of iw_cm, and connection events of the RNIC. */
#include "cm/cm.h"
#include "cm/peer.h"

#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/vmalloc.h>

#include "core/wire.h"
#include "diag/counters.h"
#include "diag/notice.h"
#include "queue/user.h"
#include "rdmap/stream.h"
#include "ring/admin.h"
#include "ring/share.h"
#include "ring/vector.h"
#include "verbs/qp.h"
#include "xiw.h"

/*
 * Get the number of entries for requests of the peer, which is twice the IRD. The RNIC frees the
 * credit of a request as soon as the last octet of the response has been fetched
 * (docs/rnic/streams.md). So the peer may use the credit again before the driver has freed the
 * entry of the request.
 */
static u32 xiw_cm_inbound_depth(u32 ird)
{
	return 2 * max(ird, 1U);
}

/*
 * Allocate the array for requests of the peer. Process context, because the array may need many
 * pages.
 */
static int xiw_cm_alloc_inbound(struct xiw_conn *conn, u32 ird)
{
	u32 depth = xiw_cm_inbound_depth(ird);

	if (conn->inbound_depth >= depth)
		return 0;
	kvfree(conn->inbound);
	conn->inbound = kvcalloc(depth, sizeof(*conn->inbound), xiw_share_gfp(conn->user));
	conn->inbound_depth = conn->inbound ? depth : 0;
	return conn->inbound ? 0 : -ENOMEM;
}

static int xiw_cm_check_param(const struct xiw_device *dev, const struct iw_cm_conn_param *param)
{
	if (param->ird > xiw_max_ird(dev) || param->ord > xiw_max_ord(dev))
		return -EINVAL;
	if (param->private_data_len > XIW_MPA_ENHANCED_PD_MAX)
		return -EINVAL;
	return 0;
}

static void xiw_cm_set_private(struct xiw_conn *conn, const void *data, u16 length)
{
	struct xiw_conn_buf *buf = conn->buf;

	conn->private_sent = length;
	if (length)
		memcpy(buf->private_data, data, length);
	buf->private_length = cpu_to_le16(length);
}

/*
 * Copy the offered parameters for netlink, because the RNIC owns the buffer after the next command.
 */
static void xiw_cm_set_offered(struct xiw_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	conn->offered = conn->buf->params;
	spin_unlock_irqrestore(&conn->lock, flags);
}

/*
 * Return: true if the connection may use the QP. QP.lock is held. A QP that has named its peer by
 * number accepts only connections of this peer.
 */
static bool xiw_cm_attachable(const struct xiw_conn *conn, const struct xiw_qp *qp)
{
	if (qp->conn)
		return false;
	return conn->peer ? qp->peer == conn->peer && qp->state == XIW_QPS_NAMED :
			    qp->state == XIW_QPS_IDLE;
}

/*
 * Attach a connection to its QP; a QP has at most one connection. The QP is not freed meanwhile. If
 * iw_cm is the caller, iw_cm holds a reference on the QP. If the work item of a peer is the caller,
 * the destruction of the QP waits for this work item. Check the owner first, so that no other user
 * can find out whether the QP is connected. For a peer that is named by number, do not check the
 * owner, because naming the peer already requires access to the QP.
 */
static int xiw_cm_attach(struct xiw_conn *conn, u32 qpn, struct iw_cm_id *cm_id)
{
	struct xiw_qp *qp = xa_load(&conn->dev->qps, qpn);
	unsigned long flags;
	int err = 0;

	if (!qp)
		return -EINVAL;
	if (!conn->peer && !xiw_owner_is_current(&qp->owner)) {
		if (conn->active)
			xiw_count(conn->dev, XIW_CNT_CONNECT_FAILED);
		ibdev_warn_ratelimited(&conn->dev->ibdev,
				       "%s[%d] of uid %u may not connect QP %u of another owner\n",
				       current->comm, task_tgid_nr(current),
				       from_kuid(&init_user_ns, current_euid()), qpn);
		return -EPERM;
	}
	spin_lock_irqsave(&qp->lock, flags);
	if (!xiw_cm_attachable(conn, qp))
		err = -EISCONN;
	else
		qp->conn = conn;
	spin_unlock_irqrestore(&qp->lock, flags);
	if (err)
		return err;
	xiw_qp_get(qp);
	WRITE_ONCE(conn->qp, qp);
	cm_id->add_ref(cm_id);
	/* release: pairs with xiw_nl_put_addresses() */
	smp_store_release(&conn->cm_id, cm_id);
	cm_id->provider_data = conn;
	return 0;
}

static void xiw_cm_conclude(struct xiw_conn *conn, const struct xiw_conn_params *params,
			    u8 rnic_status, int status);
static void xiw_cm_grow(struct work_struct *work);

/*
 * Return: true if the QP of the connection belongs to a user, and iw_cm manages the connection.
 * iw_cm does not manage a connection to a peer that is named by number.
 */
static bool xiw_cm_of_user(const struct xiw_conn *conn)
{
	return conn->qp->owner.user && !conn->peer;
}

/*
 * Set the peer of a connection. @peer: NULL if the peer is not named by number. An attached
 * connection holds a reference on its cm_id. If the peer is named by number, the cm_id is a member
 * of struct xiw_peer, so this reference also keeps the peer allocated.
 */
static void xiw_cm_set_peer(struct xiw_conn *conn, struct xiw_peer *peer)
{
	conn->peer = peer;
	/* pairs with xiw_nl_put_connection() */
	WRITE_ONCE(conn->peer_qpn, peer ? peer->qpn : 0);
}

/*
 * Undo xiw_cm_attach() after a failed connect. Drop the reference on the cm_id here, and not in the
 * release work of the connection. If a reference remained, iw_destroy_cm_id() would flush the
 * workqueue of iw_cm. rdma_connect() holds a mutex at that time, and the queued work takes a mutex
 * of the same lock class, so lockdep would report a deadlock. Clear the pointer to the cm_id under
 * the lock of the table of connections, because netlink reads the addresses in the cm_id under this
 * lock.
 */
static void xiw_cm_unattach(struct xiw_conn *conn)
{
	struct iw_cm_id *cm_id = conn->cm_id;

	xiw_conn_detach(conn);
	xa_lock_bh(&conn->dev->conns);
	WRITE_ONCE(conn->cm_id, NULL);
	xa_unlock_bh(&conn->dev->conns);
	cm_id->rem_ref(cm_id);
}

/*
 * Set the parameters for the RNIC, except the depths. The QP is attached. @peer is the peer that is
 * named by number, or NULL.
 */
static void xiw_cm_params(struct xiw_conn *conn, struct iw_cm_id *cm_id,
			  const struct xiw_peer *peer)
{
	struct xiw_conn_params *params = &conn->buf->params;

	xiw_conn_params(conn->dev, cm_id, conn->buf);
	if (peer)
		xiw_peer_params(peer, params);
	/*
	 * The driver does not pass each receive of a user to the RNIC at once. So the RNIC may lack
	 * receives although the user has posted some. Let a message wait for a receive for at least
	 * XIW_USER_PARK_MS before the stream ends.
	 */
	if (le32_to_cpu(params->park_ms) < XIW_USER_PARK_MS && xiw_user_receives(conn->qp))
		params->park_ms = cpu_to_le32(XIW_USER_PARK_MS);
}

static int xiw_cm_connect(struct iw_cm_id *cm_id, const struct iw_cm_conn_param *param,
			  struct xiw_peer *peer, u32 user)
{
	struct xiw_device *dev = to_xiw_device(cm_id->device);
	struct xiw_conn_buf *buf;
	struct xiw_conn *conn;
	int err;

	err = xiw_cm_check_param(dev, param);
	if (err)
		return err;
	conn = xiw_conn_new(dev, user);
	if (IS_ERR(conn))
		return PTR_ERR(conn);
	xiw_cm_set_peer(conn, peer);
	/*
	 * Use WRITE_ONCE(), because the connection is already in the table, and netlink may read
	 * this member at the same time.
	 */
	WRITE_ONCE(conn->active, true);
	INIT_WORK(&conn->grow, xiw_cm_grow);
	err = xiw_cm_alloc_inbound(conn, param->ird);
	if (err)
		goto fail;
	err = xiw_cm_attach(conn, param->qpn, cm_id);
	if (err)
		goto fail;

	buf = conn->buf;
	xiw_addr_from_sockaddr(&buf->local, &cm_id->m_local_addr);
	xiw_addr_from_sockaddr(&buf->remote, &cm_id->m_remote_addr);
	xiw_cm_params(conn, cm_id, peer);
	buf->params.ird = cpu_to_le16(param->ird);
	buf->params.ord = cpu_to_le16(param->ord);
	xiw_cm_set_private(conn, param->private_data, param->private_data_len);
	xiw_cm_set_offered(conn);
	if (xiw_cm_of_user(conn)) {
		err = xiw_conn_precede(conn);
		if (err)
			goto unattach;
	}
	/*
	 * Wait until the RNIC has the addresses of the interface. If the peer is named by number,
	 * xiw_peer_name() has already waited, because the work item of a peer must not wait.
	 */
	if (!peer)
		xiw_rnic_settle(&dev->rnic);
	err = xiw_conn_ask(conn, XIW_ADM_CONNECT, conn->qp->stream,
			   XIW_CS_CONNECTING);
	if (!err)
		return 0;
	if (conn->handler) {
		/*
		 * iw_cm already has a CONNECT_REPLY, so report the error by CLOSE and not by the
		 * return value.
		 */
		xiw_conn_move(conn, XIW_CS_HELD, XIW_CS_ANSWERED);
		xiw_cm_conclude(conn, NULL, XIW_ERR_GONE, err);
		return 0;
	}
unattach:
	xiw_cm_unattach(conn);
fail:
	xiw_conn_put(conn);
	return err;
}

int xiw_iw_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param)
{
	return xiw_cm_connect(cm_id, param, NULL, xiw_share_caller());
}

int xiw_cm_connect_peer(struct xiw_peer *peer, const struct iw_cm_conn_param *param)
{
	return xiw_cm_connect(&peer->cm_id, param, peer, peer->qp->share);
}

/*
 * Send the Reply. For a user's QP, wait until iw_cm has handled ESTABLISHED (cm.h). iw_cm gets
 * ESTABLISHED when the RNIC answers or the device fails.
 */
static int xiw_cm_send_reply(struct xiw_conn *conn)
{
	bool user = xiw_cm_of_user(conn);
	int err;

	if (user) {
		refcount_inc(&conn->refs);
		xiw_conn_watch(conn);
	}
	err = xiw_conn_ask(conn, XIW_ADM_ACCEPT, conn->qp->stream, XIW_CS_ACCEPTING);
	if (!user)
		return err;
	if (err)
		xiw_conn_unwatch(conn);
	else
		wait_for_completion(&conn->established);
	xiw_conn_put(conn);
	return err;
}

/*
 * Handle the failure of a connection that was accepted. If the peer is named by number and the
 * stream has not ended, let the stream wait for another connection. Otherwise, end the stream.
 * Return: true if the stream waits for another connection.
 */
static bool xiw_cm_not_opened(struct xiw_conn *conn)
{
	if (conn->peer && xiw_stream_not_opened(conn->qp))
		return true;
	xiw_stream_abort(conn->qp);
	return false;
}

static int xiw_cm_accept(struct iw_cm_id *cm_id, const struct iw_cm_conn_param *param,
			 struct xiw_peer *peer)
{
	struct xiw_device *dev = to_xiw_device(cm_id->device);
	struct xiw_conn *conn = xiw_conn_take(dev, cm_id->provider_data);
	u32 ird, ord, peer_ird, peer_ord;
	struct xiw_conn_buf *buf;
	int err;

	if (!conn)
		return -ECONNABORTED;
	xiw_cm_set_peer(conn, peer);
	buf = conn->buf;
	peer_ird = le16_to_cpu(buf->peer_ird);
	peer_ord = le16_to_cpu(buf->peer_ord);
	err = xiw_cm_check_param(dev, param);
	/*
	 * The listener for peers that are named by number serves all users, so its slots are
	 * charged to no user. Charge the slot to the user of the QP.
	 */
	if (!err && peer)
		err = xiw_conn_charge(conn, peer->qp->share);
	if (err)
		goto refuse;
	/*
	 * Calculate the depths that the negotiation should agree on ("Depths" in docs/states.md).
	 * XIW_CONN_ACCEPTED reports the agreed depths.
	 */
	ird = peer_ord == XIW_MPA_DEPTH_NONE ? param->ird :
					       max(min(peer_ord, xiw_max_ird(dev)), param->ird);
	ord = min(param->ord, peer_ird);
	err = peer && !ord ? -EPROTO : xiw_cm_alloc_inbound(conn, ird);
	if (err)
		goto refuse;
	err = xiw_cm_attach(conn, param->qpn, cm_id);
	if (err)
		goto refuse;
	xiw_cm_params(conn, cm_id, peer);
	err = xiw_stream_bound(conn->qp, &buf->params, true, conn->inbound_depth, ord,
			       conn->inbound);
	if (err)
		goto detach;
	conn->inbound = NULL;

	buf->params.ird = cpu_to_le16(param->ird);
	buf->params.ord = cpu_to_le16(param->ord);
	xiw_cm_set_private(conn, param->private_data, param->private_data_len);
	xiw_cm_set_offered(conn);
	err = xiw_cm_send_reply(conn);
	if (!err)
		return 0;
	xiw_cm_not_opened(conn);
detach:
	xiw_conn_detach(conn);
refuse:
	conn->refuse = true;
	xiw_conn_put(conn);
	return err;
}

int xiw_iw_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param)
{
	return xiw_cm_accept(cm_id, param, NULL);
}

int xiw_cm_accept_peer(struct xiw_peer *peer, void *id, const struct iw_cm_conn_param *param)
{
	peer->cm_id.provider_data = id;
	return xiw_cm_accept(&peer->cm_id, param, peer);
}

int xiw_cm_reject(struct xiw_device *dev, const void *id, const void *data, u8 length)
{
	struct xiw_conn *conn = xiw_conn_take(dev, id);
	int err;

	if (!conn)
		return -ECONNABORTED;
	xiw_cm_set_private(conn, data, length);
	err = xiw_conn_reject(conn);
	xiw_conn_put(conn);
	return err;
}

int xiw_iw_reject(struct iw_cm_id *cm_id, const void *data, u8 length)
{
	return xiw_cm_reject(to_xiw_device(cm_id->device), cm_id->provider_data, data, length);
}

/* --------------------------------------------------------------- RNIC events */

static void xiw_cm_outcome(struct xiw_conn *conn, int status)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	conn->news |= XIW_NEWS_OUTCOME;
	conn->status = status;
	spin_unlock_irqrestore(&conn->lock, flags);
	xiw_conn_deliver(conn);
}

/*
 * Deliver ESTABLISHED and CLOSE for a connection that has failed. The stream of the QP waits for
 * another connection, so no event reports that the stream has stopped.
 */
static void xiw_cm_over(struct xiw_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	conn->news |= XIW_NEWS_OUTCOME | XIW_NEWS_STOPPED;
	spin_unlock_irqrestore(&conn->lock, flags);
	xiw_conn_deliver(conn);
}

/*
 * Count and log an impossible value or event that the RNIC has reported for a connection. Other
 * connections continue.
 */
static void xiw_cm_broken(struct xiw_device *dev, const char *why)
{
	ibdev_err_ratelimited(&dev->ibdev, "%s\n", why);
	xiw_count(dev, XIW_CNT_RNIC_ERROR);
}

/*
 * Copy the agreed parameters from the buffer once, because the RNIC may still write to the buffer.
 * Return: false if the parameters are impossible; the caller then ends the connection.
 */
static bool xiw_cm_agreed(struct xiw_conn *conn, struct xiw_conn_params *params)
{
	struct xiw_device *dev = conn->dev;

	memcpy(params, &conn->buf->params, sizeof(*params));
	/* Do not let the compiler read the buffer again. */
	barrier();
	if (le16_to_cpu(params->ird) <= xiw_max_ird(dev) &&
	    le16_to_cpu(params->ord) <= xiw_max_ord(dev))
		return true;
	xiw_cm_broken(dev, "RNIC agreed on more IRD or ORD than it supports");
	return false;
}

/*
 * Return: true if the failure of a connect must end the QP, because the peer has already sent a
 * positive Reply. If the RNIC itself has refused this Reply, the QP must end only if the peer is
 * named by number: the refusal ends the QP of the peer, and another connect would end that QP
 * again. @rnic_status: enum xiw_status of the event
 */
static bool xiw_cm_replied(const struct xiw_conn *conn, u8 rnic_status)
{
	const struct xiw_conn_buf *buf = conn->buf;

	if (rnic_status == XIW_OK)
		return true;
	return conn->peer && rnic_status != XIW_ERR_REJECTED && READ_ONCE(buf->peer_rev) &&
	       !(READ_ONCE(buf->peer_flags) & XIW_MPA_F_REJECT);
}

/*
 * Count and report a failed connect. For a peer that is named by number, the driver connects again,
 * so do not count or report the failed attempts. Exceptions:
 *
 * * a lack of encryption, because all further attempts are likely to fail
 * * a failure after a positive Reply, because this failure ends the stream
 *
 * @rnic_status: enum xiw_status of the event
 * @replied: result of xiw_cm_replied()
 * @status: negative errno
 */
static void xiw_cm_count_failure(struct xiw_conn *conn, u8 rnic_status, bool replied, int status)
{
	if (rnic_status == XIW_ERR_UNENCRYPTED)
		conn->why = XIW_WHY_UNENCRYPTED;
	else if (conn->peer && !replied)
		return;
	xiw_count(conn->dev, XIW_CNT_CONNECT_FAILED);
	if (rnic_status == XIW_ERR_REJECTED)
		xiw_notice_reject(conn, XIW_NL_ORIGIN_REMOTE);
	else
		xiw_notice_connect_error(conn, status);
}

/*
 * Complete a connect after a Reply or a failure: open the stream, or report the failure.
 * @params: agreed parameters; not used if @status is not 0
 * @rnic_status: enum xiw_status of the event
 * @status: 0 or a negative errno
 */
static void xiw_cm_conclude(struct xiw_conn *conn, const struct xiw_conn_params *params,
			    u8 rnic_status, int status)
{
	u32 flags = status ? 0 : le32_to_cpu(params->flags);
	struct xiw_device *dev = conn->dev;
	bool p2p = flags & XIW_CONNF_P2P;
	struct xiw_qp *qp = conn->qp;

	if (!status)
		status = xiw_stream_bound(qp, params, false, conn->inbound_depth,
					  le16_to_cpu(params->ord), conn->inbound);
	if (status) {
		/* Read the buffer once, because the RNIC may still write to it. */
		bool replied = xiw_cm_replied(conn, rnic_status);

		xiw_cm_count_failure(conn, rnic_status, replied, status);
		/*
		 * If the RNIC has accepted the Reply, send a Terminate and end the stream. If the
		 * RNIC has refused the Reply of a peer that is named by number, the RNIC ends the
		 * TCP connection, so only end the stream. In all other cases, the QP was never
		 * connected and keeps its state.
		 */
		if (rnic_status == XIW_OK)
			xiw_stream_unopened(qp);
		else if (replied)
			xiw_stream_abort(qp);
		xiw_cm_outcome(conn, status == -ENOTCONN ? -ECONNABORTED : status);
		return;
	}
	conn->inbound = NULL;
	xiw_count(dev, XIW_CNT_CONNECT_OK);
	xiw_notice_connect(conn);
	xiw_qp_get(qp);
	xiw_sq_open(qp, p2p && flags & XIW_CONNF_RTR_WRITE, p2p && flags & XIW_CONNF_RTR_READ,
		    p2p && flags & XIW_CONNF_RTR_SEND);
	/*
	 * The array for requests of the peer is now allocated, so let the RNIC begin to receive.
	 * The peer may have sent requests directly after its Reply.
	 */
	xiw_doorbell(&dev->rnic, XIW_DB_STREAM, qp->stream, XIW_ORDER_RECEIVE);
	xiw_qp_put(qp);
	xiw_cm_outcome(conn, 0);
}

/* Handle the event XIW_CONN_REPLY. Softirq. @rnic_status: enum xiw_status of the event */
static void xiw_cm_reply(struct xiw_conn *conn, u8 rnic_status)
{
	int status = xiw_status_errno(rnic_status), private_length = 0;
	struct xiw_conn_params params;

	if (!status && !xiw_cm_agreed(conn, &params))
		status = -EPROTO;
	/* Without a Reply, the buffer still contains the private data that this end sent. */
	if (rnic_status == XIW_OK || rnic_status == XIW_ERR_REJECTED)
		private_length = xiw_private_length(conn->buf);
	if (!status && private_length < 0) {
		status = private_length;
		conn->why = XIW_WHY_PRIVATE_DATA;
	}
	WRITE_ONCE(conn->private_received, max(private_length, 0));
	/*
	 * If the peer is named by number, a posted Read may already wait. With an ORD of 0, this
	 * Read would never complete, so fail the connect.
	 */
	if (!status && conn->peer && (!params.ord || !xiw_peer_accepted(conn->peer, conn->buf)))
		status = -EPROTO;
	if (!status && conn->inbound_depth < xiw_cm_inbound_depth(le16_to_cpu(params.ird))) {
		refcount_inc(&conn->refs);
		queue_work(xiw_share_wq(conn->dev, conn->user), &conn->grow);
		return;
	}
	xiw_cm_conclude(conn, &params, rnic_status, status);
}

/*
 * Enlarge the array for requests of the peer (RFC 6581 §9.1), because the agreed IRD exceeds the
 * offered IRD. Then complete the connect. Requests of the peer wait meanwhile, because the stream
 * does not receive before XIW_ORDER_RECEIVE.
 */
static void xiw_cm_grow(struct work_struct *work)
{
	struct xiw_conn *conn = container_of(work, struct xiw_conn, grow);
	struct mem_cgroup *before = set_active_memcg(conn->memcg);
	struct xiw_conn_params params;
	int status = -EPROTO;

	if (xiw_cm_agreed(conn, &params))
		status = xiw_cm_alloc_inbound(conn, le16_to_cpu(params.ird));
	set_active_memcg(before);
	xiw_cm_conclude(conn, &params, XIW_OK, status);
	xiw_conn_put(conn);
}

static void xiw_cm_accepted(struct xiw_conn *conn)
{
	struct xiw_conn_params params;
	unsigned long flags;

	if (xiw_cm_agreed(conn, &params)) {
		spin_lock_irqsave(&conn->qp->sq_lock, flags);
		conn->qp->orq.depth = le16_to_cpu(params.ord);
		spin_unlock_irqrestore(&conn->qp->sq_lock, flags);
		xiw_count(conn->dev, XIW_CNT_ACCEPT_OK);
		xiw_notice_connect(conn);
	} else {
		xiw_stream_abort(conn->qp);
	}
	xiw_cm_outcome(conn, 0);
}

/* Return: true if the connection lacks the encryption that the setting requires. */
static bool xiw_cm_unencrypted(const struct xiw_conn *conn)
{
	return READ_ONCE(conn->dev->config.require_encryption) &&
	       !(le32_to_cpu(conn->buf->params.flags) & XIW_CONNF_ENCRYPTED);
}

static void xiw_cm_request(struct xiw_conn *conn)
{
	struct xiw_listener *listener = xiw_listener_leave(conn);
	struct xiw_device *dev = conn->dev;
	struct xiw_conn_buf *buf = conn->buf;
	int private_length = xiw_private_length(buf);
	struct iw_cm_event event = {
		.event = IW_CM_EVENT_CONNECT_REQUEST,
		.ird = xiw_depth_u8(le16_to_cpu(buf->peer_ird), xiw_max_ord(dev)),
		.ord = xiw_depth_u8(le16_to_cpu(buf->peer_ord), xiw_max_ird(dev)),
		.private_data = private_length > 0 ? buf->private_data : NULL,
		.private_data_len = max(private_length, 0),
		.provider_data = xiw_conn_id(conn),
	};

	WRITE_ONCE(conn->private_received, event.private_data_len);
	xiw_addr_to_sockaddr(&event.local_addr, &buf->local);
	xiw_addr_to_sockaddr(&event.remote_addr, &buf->remote);
	xiw_conn_trace(conn, &event);
	if (xiw_cm_unencrypted(conn))
		conn->why = XIW_WHY_UNENCRYPTED;
	else if (private_length < 0)
		conn->why = XIW_WHY_PRIVATE_DATA;
	if (conn->why) {
		conn->refuse = true;
		xiw_conn_put(conn);
		xiw_listener_used(listener);
		return;
	}
	xiw_conn_offer(conn);
	/*
	 * Reject the request if the listener is closing. Also reject the request if the handler
	 * refuses the event, for example because iw_cm has no free work entry.
	 */
	if ((READ_ONCE(listener->closing) ||
	     listener->cm_id->event_handler(listener->cm_id, &event)) &&
	    xiw_conn_withdraw(conn)) {
		conn->refuse = true;
		xiw_conn_put(conn);
	}
	xiw_listener_used(listener);
}

static void xiw_cm_conn_told(struct xiw_conn *conn, const struct xiw_event *event)
{
	struct xiw_device *dev = conn->dev;
	u8 what = event->conn.what;
	bool known = false;

	switch (what) {
	case XIW_CONN_REQUEST:
		known = xiw_conn_move(conn, XIW_CS_POSTED, XIW_CS_HELD);
		if (known)
			xiw_cm_request(conn);
		break;
	case XIW_CONN_REPLY:
		known = xiw_conn_answered(conn, XIW_CS_CONNECTING);
		if (known && event->status == XIW_ERR_REJECTED)
			xiw_count(dev, XIW_CNT_REJECT_RECEIVED);
		if (known)
			xiw_cm_reply(conn, event->status);
		break;
	case XIW_CONN_ACCEPTED:
		known = xiw_conn_answered(conn, XIW_CS_ACCEPTING);
		if (known)
			xiw_cm_accepted(conn);
		break;
	case XIW_CONN_FAILED:
		known = true;
		/*
		 * After a successful iw_accept(), iw_cm expects ESTABLISHED and CLOSE even if the
		 * connection fails.
		 */
		if (xiw_conn_answered(conn, XIW_CS_ACCEPTING)) {
			if (event->status == XIW_ERR_UNENCRYPTED)
				xiw_notice_abort(conn->qp, XIW_NL_ORIGIN_LOCAL,
						 XIW_WHY_UNENCRYPTED);
			if (xiw_cm_not_opened(conn))
				xiw_cm_over(conn);
			else
				xiw_cm_outcome(conn, 0);
		} else if (xiw_conn_withdraw(conn)) {
			/*
			 * iw_cm has not accepted or rejected the request yet. A later accept or
			 * reject fails.
			 */
			xiw_conn_put(conn);
		}
		break;
	}
	/*
	 * If the device has failed, the driver may have ended the connection before this event.
	 * Otherwise, only a broken RNIC reports an event that does not match the state of the
	 * connection.
	 */
	if (!known && !atomic_read(&dev->failed))
		xiw_cm_broken(dev, "unexpected connection event");
}

void xiw_cm_conn_event(struct xiw_vector *vec, const struct xiw_event *event)
{
	struct xiw_conn *conn;

	/*
	 * Hold vec->lookup until the reference is taken, because the release of a connection waits
	 * for this lock before it frees the connection.
	 */
	spin_lock(&vec->lookup);
	conn = xa_load(&vec->dev->conns, le32_to_cpu(event->conn.conn));
	if (conn && !refcount_inc_not_zero(&conn->refs))
		conn = NULL;
	spin_unlock(&vec->lookup);
	if (!conn)
		return;	/* the connection is being freed, or has never existed */
	xiw_cm_conn_told(conn, event);
	xiw_conn_put(conn);
}

/* ------------------------------------------------------------- stream events */

static void xiw_cm_stream_news(struct xiw_qp *qp, enum xiw_conn_news news)
{
	struct xiw_conn *conn = xiw_conn_of(qp);
	unsigned long flags;

	if (!conn)
		return;
	spin_lock_irqsave(&conn->lock, flags);
	conn->news |= news;
	spin_unlock_irqrestore(&conn->lock, flags);
	xiw_conn_deliver(conn);
	xiw_conn_put(conn);
}

void xiw_cm_stream_disconnect(struct xiw_qp *qp)
{
	xiw_cm_stream_news(qp, XIW_NEWS_DISCONNECT);
}

void xiw_cm_stream_stopped(struct xiw_qp *qp)
{
	xiw_cm_stream_news(qp, XIW_NEWS_STOPPED);
}

void xiw_cm_given_up(struct xiw_qp *qp)
{
	struct xiw_conn *conn = xiw_conn_of(qp);

	if (!conn)
		return;
	mutex_lock(&conn->announcing);
	conn->given_up = true;
	mutex_unlock(&conn->announcing);
	xiw_conn_put(conn);
}

/* Call @visit for each connection, with a reference held and the lock of the table released. */
static void xiw_cm_each(struct xiw_device *dev, void (*visit)(struct xiw_conn *conn))
{
	struct xiw_conn *conn;
	unsigned long slot;

	xa_lock_bh(&dev->conns);
	xa_for_each(&dev->conns, slot, conn) {
		if (!refcount_inc_not_zero(&conn->refs))
			continue;
		xa_unlock_bh(&dev->conns);
		visit(conn);
		xiw_conn_put(conn);
		xa_lock_bh(&dev->conns);
	}
	xa_unlock_bh(&dev->conns);
}

static void xiw_cm_unanswered(struct xiw_conn *conn)
{
	if (xiw_conn_answered(conn, XIW_CS_CONNECTING) ||
	    xiw_conn_answered(conn, XIW_CS_ACCEPTING))
		xiw_cm_outcome(conn, conn->active ? -EIO : 0);
}

void xiw_cm_device_failed(struct xiw_device *dev)
{
	xiw_cm_each(dev, xiw_cm_unanswered);
}

static void xiw_cm_lapse(struct xiw_conn *conn)
{
	if (xiw_conn_withdraw(conn))
		xiw_conn_put(conn);
}

void xiw_cm_device_stops(struct xiw_device *dev)
{
	xiw_cm_each(dev, xiw_cm_lapse);
}
