// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cm/peer.h"

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/ib_addr.h>

#include "cm/cm.h"
#include "core/number.h"
#include "core/opcode.h"
#include "rdmap/stream.h"
#include "ring/share.h"
#include "verbs/qp.h"
#include "xiw.h"

/* Shortest and longest pause between connects, in jiffies. The pause doubles each time. */
#define XIW_PEER_PAUSE_FIRST (HZ / 50 ?: 1)
#define XIW_PEER_PAUSE_MAX (5UL * HZ)
/* Minimum ORD to request, because the ULP sets its ORD only later, in the transition to RTS. */
#define XIW_PEER_ORD 16U

static void xiw_peer_put(struct xiw_peer *peer)
{
	if (!refcount_dec_and_test(&peer->refs))
		return;
	mem_cgroup_put(peer->memcg);
	kfree(peer);
}

/*
 * Return: the peer of the QP, with a reference for the caller; NULL if the QP has no peer. Any
 * context, QP.lock not held.
 */
static struct xiw_peer *xiw_peer_of(struct xiw_qp *qp)
{
	struct xiw_peer *peer;
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	peer = qp->peer;
	if (peer)
		refcount_inc(&peer->refs);
	spin_unlock_irqrestore(&qp->lock, flags);
	return peer;
}

/*
 * Return: the peer of the QP with number @qpn, with a reference for the caller; NULL if there is no
 * such QP, or if the QP has no peer. The lock of the array of QPs is held, so the QP is not freed.
 */
static struct xiw_peer *__xiw_peer_of_number(struct xiw_device *dev, u32 qpn)
{
	struct xiw_qp *qp = xa_load(&dev->qps, qpn);

	return qp ? xiw_peer_of(qp) : NULL;
}

static struct xiw_peer *xiw_peer_of_number(struct xiw_device *dev, u32 qpn)
{
	struct xiw_peer *peer;

	xa_lock_bh(&dev->qps);
	peer = __xiw_peer_of_number(dev, qpn);
	xa_unlock_bh(&dev->qps);
	return peer;
}

static bool xiw_peer_is_initiator(const struct xiw_peer *peer)
{
	return !peer->port;
}

/* ------------------------------------------------------------- the work item */

static unsigned long xiw_peer_until(unsigned long when, unsigned long now)
{
	return time_after(when, now) ? when - now : 0;
}

/* Queue the work item for the time of the next action. PEER.lock is held. */
static void xiw_peer_arm(struct xiw_peer *peer)
{
	unsigned long now = jiffies, delay = MAX_JIFFY_OFFSET;

	if (peer->over)
		return;
	if (!peer->busy && xiw_peer_is_initiator(peer))
		delay = xiw_peer_until(peer->attempt, now);
	else if (!peer->busy && peer->wake)
		delay = 0;
	if (peer->awaited)
		delay = min(delay, xiw_peer_until(peer->deadline, now));
	if (delay != MAX_JIFFY_OFFSET)
		mod_delayed_work(xiw_share_wq(peer->qp->dev, peer->qp->share), &peer->work,
				 delay);
}

/* Handle the failure or the end of a connection. The work item checks whether to connect again. */
static void xiw_peer_idle(struct xiw_peer *peer)
{
	unsigned long flags;

	spin_lock_irqsave(&peer->lock, flags);
	peer->busy = false;
	peer->wake = true;
	peer->attempt = jiffies + peer->pause;
	peer->pause = min(2 * peer->pause, XIW_PEER_PAUSE_MAX);
	xiw_peer_arm(peer);
	spin_unlock_irqrestore(&peer->lock, flags);
}

static void xiw_peer_param(const struct xiw_peer *peer, u8 kind, u8 *octets,
			   struct iw_cm_conn_param *param)
{
	struct xiw_number number = {
		.kind = kind,
		.source = peer->qp->stream,
		.destination = peer->qpn,
	};

	xiw_number_put(octets, &number);
	*param = (struct iw_cm_conn_param){
		.private_data = octets,
		.private_data_len = XIW_NUMBER_LEN,
		.ird = peer->ird,
		.ord = peer->ord,
		.qpn = peer->qp->stream,
	};
}

static int xiw_peer_connect(struct xiw_peer *peer)
{
	struct iw_cm_conn_param param;
	u8 octets[XIW_NUMBER_LEN];

	xiw_peer_param(peer, XIW_NUMBER_OPEN, octets, &param);
	return xiw_cm_connect_peer(peer, &param);
}

static int xiw_peer_accept(struct xiw_peer *peer)
{
	void *id = xiw_peer_port_take(peer->port, peer, peer->qp->stream);
	struct iw_cm_conn_param param;
	u8 octets[XIW_NUMBER_LEN];

	if (!id)
		return -ENOENT;
	xiw_peer_param(peer, XIW_NUMBER_ACCEPT, octets, &param);
	return xiw_cm_accept_peer(peer, id, &param);
}

/* Start the time limit for the peer to answer, because a work request waits. PEER.lock is held. */
static void xiw_peer_await(struct xiw_peer *peer)
{
	const struct xiw_config *config = &peer->qp->dev->config;

	if (peer->awaited || peer->over)
		return;
	peer->awaited = true;
	peer->deadline = jiffies + msecs_to_jiffies(READ_ONCE(config->startup_ms));
	/* Connect now, even during a pause. */
	peer->attempt = jiffies;
	peer->pause = XIW_PEER_PAUSE_FIRST;
}

/* Return: true if the work item must begin a connection. PEER.lock is held. */
static bool xiw_peer_begins(const struct xiw_peer *peer)
{
	if (peer->busy)
		return false;
	return !xiw_peer_is_initiator(peer) || time_after_eq(jiffies, peer->attempt);
}

static void xiw_peer_begin(struct xiw_peer *peer)
{
	struct mem_cgroup *before = set_active_memcg(peer->memcg);
	unsigned long flags;
	int err = xiw_peer_is_initiator(peer) ? xiw_peer_connect(peer) : xiw_peer_accept(peer);

	set_active_memcg(before);
	if (!err)
		return;
	if (xiw_peer_is_initiator(peer)) {
		xiw_peer_idle(peer);
		return;
	}
	spin_lock_irqsave(&peer->lock, flags);
	peer->busy = false;
	xiw_peer_arm(peer);
	spin_unlock_irqrestore(&peer->lock, flags);
	/*
	 * The QP may have been in RTR during the failed accept. While the QP is in RTR,
	 * xiw_sq_move() does not call xiw_peer_awaited(). So call xiw_peer_awaited() here if work
	 * requests wait.
	 */
	if (xiw_sq_look(peer->qp))
		xiw_peer_awaited(peer->qp);
}

static void xiw_peer_work(struct work_struct *work)
{
	struct xiw_peer *peer = container_of(to_delayed_work(work), struct xiw_peer, work);
	enum xiw_qps state = READ_ONCE(peer->qp->state);
	bool named = state == XIW_QPS_NAMED, left = state == XIW_QPS_LEFT, late, begins, waits;
	unsigned long flags;

	/* Report finished work requests, so that they do not count as waiting. */
	if (left)
		xiw_sq_look(peer->qp);
	spin_lock_irqsave(&peer->lock, flags);
	/*
	 * A post inserts the work request first, and calls xiw_peer_awaited() afterwards. So this
	 * check misses no work request.
	 */
	spin_lock(&peer->qp->sq_lock);
	waits = (named || left) && xiw_sq_used(peer->qp);
	spin_unlock(&peer->qp->sq_lock);
	/*
	 * Waiting work requests stay in the queue until the stream opens or ends. So the time limit
	 * applies as long as the queue contains work requests.
	 */
	if (waits)
		xiw_peer_await(peer);
	else
		peer->awaited = false;
	late = waits && (left || time_after_eq(jiffies, peer->deadline));
	begins = named && !late && xiw_peer_begins(peer);
	peer->wake = false;
	if (begins)
		peer->busy = true;
	if (named && !late)
		xiw_peer_arm(peer);
	spin_unlock_irqrestore(&peer->lock, flags);
	if (late)
		xiw_stream_unanswered(peer->qp);
	else if (begins)
		xiw_peer_begin(peer);
}

void xiw_peer_awaited(struct xiw_qp *qp)
{
	struct xiw_peer *peer = xiw_peer_of(qp);
	unsigned long flags;

	if (!peer)
		return;
	spin_lock_irqsave(&peer->lock, flags);
	xiw_peer_await(peer);
	/* A peer that has left does not come back, so the time limit expires now. */
	if (READ_ONCE(qp->state) == XIW_QPS_LEFT)
		peer->deadline = jiffies;
	xiw_peer_arm(peer);
	spin_unlock_irqrestore(&peer->lock, flags);
	xiw_peer_put(peer);
}

void xiw_peer_wake(struct xiw_device *dev, u32 qpn)
{
	struct xiw_peer *peer = xiw_peer_of_number(dev, qpn);
	unsigned long flags;

	if (!peer)
		return;
	spin_lock_irqsave(&peer->lock, flags);
	peer->wake = true;
	xiw_peer_arm(peer);
	spin_unlock_irqrestore(&peer->lock, flags);
	xiw_peer_put(peer);
}

bool xiw_peer_expects(struct xiw_device *dev, const struct xiw_peer_port *port,
		      const struct xiw_number *number, const union ib_gid *gid)
{
	struct xiw_peer *peer;
	bool expects = false;

	xa_lock_bh(&dev->qps);
	peer = __xiw_peer_of_number(dev, number->destination);
	if (peer)
		expects = READ_ONCE(peer->qp->state) == XIW_QPS_NAMED && peer->port == port &&
			  peer->qpn == number->source &&
			  !memcmp(&peer->gid, gid, sizeof(*gid));
	xa_unlock_bh(&dev->qps);
	if (peer)
		xiw_peer_put(peer);
	return expects;
}

/* ----------------------------------------------------- callbacks of connections */

static struct xiw_peer *xiw_peer_of_id(struct iw_cm_id *cm_id)
{
	return container_of(cm_id, struct xiw_peer, cm_id);
}

static void xiw_peer_id_get(struct iw_cm_id *cm_id)
{
	refcount_inc(&xiw_peer_of_id(cm_id)->refs);
}

static void xiw_peer_id_put(struct iw_cm_id *cm_id)
{
	xiw_peer_put(xiw_peer_of_id(cm_id));
}

/*
 * Handle the last event of a connection: CLOSE, or a CONNECT_REPLY that reports a failure. The
 * connection holds a reference on the peer.
 */
static int xiw_peer_event(struct iw_cm_id *cm_id, struct iw_cm_event *event)
{
	if (event->event == IW_CM_EVENT_CLOSE ||
	    (event->event == IW_CM_EVENT_CONNECT_REPLY && event->status))
		xiw_peer_idle(xiw_peer_of_id(cm_id));
	return 0;
}

/*
 * Only MPA frames of revision 2 contain IRD and ORD, and can request an RTR. Request an RTR,
 * because either end may send the first message. Without an RTR, the responder could not send
 * before the first message of the initiator.
 */
void xiw_peer_port_params(struct xiw_conn_params *params)
{
	params->mpa_rev = 2;
	params->flags |= cpu_to_le32(XIW_CONNF_P2P);
}

/*
 * Posted work requests may have any opcode that was allowed when the peer was named, so the present
 * configuration does not matter.
 */
void xiw_peer_params(const struct xiw_peer *peer, struct xiw_conn_params *params)
{
	u32 flags = le32_to_cpu(params->flags) & ~XIW_CONNF_OPCODES;

	params->flags = cpu_to_le32(flags | peer->opcodes);
	xiw_peer_port_params(params);
	/*
	 * The time limit of the connect should be longer than the time for which the responder
	 * keeps the Request as an offer. Otherwise, the responder might accept the offer of a
	 * connect that has ended. If the setup of TCP takes longer than XIW_PEER_OFFER_MS, the
	 * responder might still do so, because the time limit includes this setup.
	 */
	params->startup_ms = cpu_to_le32(max_t(u32, le32_to_cpu(params->startup_ms),
					       2 * XIW_PEER_OFFER_MS));
}

bool xiw_peer_accepted(const struct xiw_peer *peer, const struct xiw_conn_buf *buf)
{
	u16 length = le16_to_cpu(READ_ONCE(buf->private_length));
	struct xiw_number number;
	u8 octets[XIW_NUMBER_LEN];

	/* Copy the octets, because the RNIC may still write to the buffer. */
	memcpy(octets, buf->private_data, sizeof(octets));
	barrier();
	return xiw_number_get(&number, octets, length) && number.kind == XIW_NUMBER_ACCEPT &&
	       number.source == peer->qpn && number.destination == peer->qp->stream;
}

/* ------------------------------------------------------------------ attributes */

int xiw_peer_address(const struct xiw_device *dev, const union ib_gid *gid, u16 port,
		     struct sockaddr_storage *ss)
{
	const struct in6_addr *in6 = (const struct in6_addr *)gid->raw;
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *sin = (struct sockaddr_in *)ss;

	memset(ss, 0, sizeof(*ss));
	rdma_gid2ip((struct sockaddr *)ss, gid);
	if (ipv6_addr_v4mapped(in6)) {
		sin->sin_port = htons(port);
		if (ipv4_is_zeronet(sin->sin_addr.s_addr) ||
		    ipv4_is_multicast(sin->sin_addr.s_addr) ||
		    ipv4_is_lbcast(sin->sin_addr.s_addr))
			return -EINVAL;
		return 0;
	}
	if (ipv6_addr_any(in6) || ipv6_addr_is_multicast(in6))
		return -EINVAL;
	sin6->sin6_port = htons(port);
	if (ipv6_addr_type(in6) & IPV6_ADDR_LINKLOCAL)
		sin6->sin6_scope_id = dev->netdev->ifindex;
	return 0;
}

/* Copy the attributes that query_qp returns. */
static void xiw_peer_copy(struct ib_qp_attr *to, const struct ib_qp_attr *from, int mask)
{
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = from->path_mtu;
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = from->rq_psn;
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = from->sq_psn;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = from->dest_qp_num;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = from->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = from->max_dest_rd_atomic;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = from->min_rnr_timer;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = from->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = from->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = from->rnr_retry;
	if (mask & IB_QP_AV) {
		to->ah_attr = from->ah_attr;
		to->ah_attr.grh.sgid_attr = NULL;
	}
}

bool xiw_peer_query(struct xiw_qp *qp, struct ib_qp_attr *attr)
{
	const int all = IB_QP_AV | IB_QP_PATH_MTU | IB_QP_RQ_PSN | IB_QP_SQ_PSN | IB_QP_DEST_QPN |
			IB_QP_MAX_QP_RD_ATOMIC | IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER |
			IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY;
	unsigned long flags;
	bool named;

	spin_lock_irqsave(&qp->lock, flags);
	named = qp->peer;
	if (named)
		xiw_peer_copy(attr, &qp->peer->attr, all);
	spin_unlock_irqrestore(&qp->lock, flags);
	return named;
}

int xiw_peer_modify(struct xiw_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	bool to_rts = mask & IB_QP_STATE && attr->qp_state == IB_QPS_RTS;
	struct xiw_peer *peer = xiw_peer_of(qp);
	unsigned long flags;
	int err = 0;

	if (!peer)
		return -EINVAL;
	spin_lock_irqsave(&qp->lock, flags);
	if (to_rts && !ib_modify_qp_is_ok(qp->sends ? IB_QPS_RTS : IB_QPS_RTR, IB_QPS_RTS,
					  IB_QPT_RC, mask)) {
		err = -EINVAL;
	} else {
		xiw_peer_copy(&peer->attr, attr, mask);
		if (to_rts)
			WRITE_ONCE(qp->sends, true);
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	xiw_peer_put(peer);
	return err;
}

/* -------------------------------------------------------------- begin and end */

/* Get the addresses of both ends. ib_core has found the local address in the GID table. */
static int xiw_peer_addresses(struct xiw_peer *peer, const struct ib_global_route *grh)
{
	const struct xiw_device *dev = peer->qp->dev;
	struct iw_cm_id *cm_id = &peer->cm_id;
	int err;

	if (!grh->sgid_attr)
		return -EINVAL;
	err = xiw_peer_address(dev, &grh->sgid_attr->gid, 0, &cm_id->local_addr);
	if (!err)
		err = xiw_peer_address(dev, &grh->dgid, XIW_NUMBER_PORT, &cm_id->remote_addr);
	if (!err && cm_id->local_addr.ss_family != cm_id->remote_addr.ss_family)
		err = -EINVAL;
	cm_id->m_local_addr = cm_id->local_addr;
	cm_id->m_remote_addr = cm_id->remote_addr;
	if (grh->traffic_class) {
		cm_id->tos = grh->traffic_class;
		cm_id->tos_set = true;
	}
	return err;
}

static struct xiw_peer *xiw_peer_new(struct xiw_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(&attr->ah_attr);
	struct xiw_device *dev = qp->dev;
	struct xiw_peer *peer;
	int err, order;

	peer = kzalloc(sizeof(*peer), xiw_share_gfp(qp->share));
	if (!peer)
		return ERR_PTR(-ENOMEM);
	peer->qp = qp;
	peer->memcg = xiw_share_memcg(qp->share);
	peer->gid = grh->dgid;
	peer->qpn = attr->dest_qp_num;
	peer->ird = clamp_t(u32, attr->max_dest_rd_atomic, 1, xiw_max_ird(dev));
	peer->ord = clamp_t(u32, peer->ird, min(XIW_PEER_ORD, xiw_max_ord(dev)),
			    xiw_max_ord(dev));
	peer->cm_id.device = &dev->ibdev;
	peer->cm_id.event_handler = xiw_peer_event;
	peer->cm_id.add_ref = xiw_peer_id_get;
	peer->cm_id.rem_ref = xiw_peer_id_put;
	refcount_set(&peer->refs, 1);
	spin_lock_init(&peer->lock);
	INIT_DELAYED_WORK(&peer->work, xiw_peer_work);
	peer->wake = true;
	peer->attempt = jiffies;
	peer->pause = XIW_PEER_PAUSE_FIRST;
	xiw_peer_copy(&peer->attr, attr, mask);
	err = xiw_peer_addresses(peer, grh);
	if (err)
		goto free;
	order = xiw_number_order(grh->sgid_attr->gid.raw, qp->stream, grh->dgid.raw, peer->qpn);
	err = -EINVAL;
	if (!order)
		goto free;
	if (order > 0) {
		peer->port = xiw_peer_port_get(dev, &grh->sgid_attr->gid);
		err = PTR_ERR_OR_ZERO(peer->port);
		if (err)
			goto free;
	}
	return peer;

free:
	xiw_peer_put(peer);
	return ERR_PTR(err);
}

static void xiw_peer_drop(struct xiw_peer *peer)
{
	if (peer->port)
		xiw_peer_port_put(peer->port);
	xiw_peer_put(peer);
}

int xiw_peer_name(struct xiw_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct xiw_conn_params wish;
	struct xiw_peer *peer;
	unsigned long flags;
	int err = -EINVAL;

	if (!(rdma_ah_get_ah_flags(&attr->ah_attr) & IB_AH_GRH))
		return -EINVAL;
	/*
	 * Do not listen if the QP cannot have a peer. The check is repeated below, under QP.lock.
	 */
	if (READ_ONCE(qp->state) != XIW_QPS_IDLE || READ_ONCE(qp->conn))
		return -EINVAL;
	/*
	 * Wait here until the RNIC has the addresses of the interface, because the work item of a
	 * peer must not wait. If an address changes later, a connect may fail, and the work item
	 * tries again.
	 */
	xiw_rnic_settle(&qp->dev->rnic);
	peer = xiw_peer_new(qp, attr, mask);
	if (IS_ERR(peer))
		return PTR_ERR(peer);
	xiw_conn_wish(qp->dev, &wish);
	peer->opcodes = le32_to_cpu(wish.flags) & XIW_CONNF_OPCODES;
	spin_lock_irqsave(&qp->lock, flags);
	if (!qp->conn && !qp->peer && xiw_stream_named(qp, le32_to_cpu(wish.flags))) {
		qp->peer = peer;
		qp->sends = false;
		spin_lock(&peer->lock);
		xiw_peer_arm(peer);
		spin_unlock(&peer->lock);
		err = 0;
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	if (err)
		xiw_peer_drop(peer);
	return err;
}

void xiw_peer_end(struct xiw_qp *qp)
{
	struct xiw_peer *peer;
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	peer = qp->peer;
	WRITE_ONCE(qp->peer, NULL);
	spin_unlock_irqrestore(&qp->lock, flags);
	if (!peer)
		return;
	spin_lock_irqsave(&peer->lock, flags);
	peer->over = true;
	spin_unlock_irqrestore(&peer->lock, flags);
	cancel_delayed_work_sync(&peer->work);
	xiw_peer_drop(peer);
}
