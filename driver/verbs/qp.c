// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "verbs/qp.h"

#include <linux/vmalloc.h>
#include <linux/wait_bit.h>
#include <rdma/uverbs_ioctl.h>

#include "cm/cm.h"
#include "cm/peer.h"
#include "queue/array.h"
#include "queue/srq.h"
#include "queue/user.h"
#include "queue/wr.h"
#include "rdmap/inbound.h"
#include "rdmap/stream.h"
#include "ring/admin.h"
#include "ring/vector.h"
#include "verbs/gid.h"
#include "verbs/mr.h"
#include "verbs/qp_counter.h"
#include "xiw.h"

/*
 * Smallest QP number. InfiniBand reserves 0 and 1 for special QPs, so tools do not expect
 * these numbers for other QPs.
 */
#define XIW_MIN_STREAM 2

static const enum ib_qp_state xiw_qps_to_ib[XIW_QPS_COUNT] = {
	/* IDLE is reported as INIT: both states accept receives, and RESET does not. */
	[XIW_QPS_IDLE] = IB_QPS_INIT,
	[XIW_QPS_NAMED] = IB_QPS_RTR,
	[XIW_QPS_RTR] = IB_QPS_RTR,
	[XIW_QPS_RTS] = IB_QPS_RTS,
	[XIW_QPS_LEFT] = IB_QPS_RTS,
	[XIW_QPS_CLOSING] = IB_QPS_SQD,
	[XIW_QPS_TERMINATE] = IB_QPS_SQE,
	[XIW_QPS_ERROR] = IB_QPS_ERR,
};

/*
 * A program that names its peer by number modifies the QP to RTR and RTS itself, and gets no event
 * when the connection opens. So report the state to which the program has modified the QP.
 */
static enum ib_qp_state xiw_qp_ib_state(const struct xiw_qp *qp)
{
	enum xiw_qps state = READ_ONCE(qp->state);

	if (READ_ONCE(qp->peer) && state != XIW_QPS_IDLE && state <= XIW_QPS_LEFT)
		return READ_ONCE(qp->sends) ? IB_QPS_RTS : IB_QPS_RTR;
	return xiw_qps_to_ib[state];
}

static void xiw_qp_free_memory(struct xiw_qp *qp)
{
	size_t ring = (size_t)qp->tx_units * XIW_TX_UNIT;
	struct xiw_rnic *rnic = &qp->dev->rnic;
	int q;

	for (q = 0; q < XIW_TXQ_COUNT; q++)
		if (qp->tx_ring[q])
			rnic->ops->free(rnic, ring, qp->tx_ring[q], qp->tx_bus[q]);
	if (qp->rq)
		rnic->ops->free(rnic, (size_t)(qp->rq_mask + 1) << qp->rq_log2_slot, qp->rq,
				qp->rq_bus);
	if (qp->ctx)
		rnic->ops->free(rnic, sizeof(*qp->ctx), qp->ctx, qp->ctx_bus);
	kvfree(qp->rq_wr);
	xiw_array_free(qp->sq, qp->sq_depth, qp->sq_stride);
	xa_destroy(&qp->bound);
	kvfree(qp->inbound);
	xiw_recorder_free(&qp->recorder);
	xiw_user_area_free(qp->user_sq);
	xiw_user_area_free(qp->user_rq);
	xiw_owner_clear(&qp->owner);
}

static int xiw_qp_alloc_memory(struct xiw_qp *qp, gfp_t gfp)
{
	size_t ring = (size_t)qp->tx_units * XIW_TX_UNIT;
	struct xiw_rnic *rnic = &qp->dev->rnic;
	int q;

	qp->sq = xiw_array_alloc(qp->sq_depth, qp->sq_stride, gfp);
	qp->ctx = rnic->ops->alloc(rnic, sizeof(*qp->ctx), &qp->ctx_bus, gfp);
	if (!qp->sq || !qp->ctx)
		return -ENOMEM;
	if (!rnic->ops->recording && xiw_recorder_init(&qp->recorder, gfp))
		return -ENOMEM;
	for (q = 0; q < XIW_TXQ_COUNT; q++) {
		qp->tx_ring[q] = rnic->ops->alloc(rnic, ring, &qp->tx_bus[q], gfp);
		if (!qp->tx_ring[q])
			return -ENOMEM;
	}
	if (qp->srq || !qp->rq_depth)
		return 0;
	qp->rq = rnic->ops->alloc(rnic, (size_t)(qp->rq_mask + 1) << qp->rq_log2_slot,
				  &qp->rq_bus, gfp);
	qp->rq_wr = kvcalloc(qp->rq_mask + 1, sizeof(*qp->rq_wr), gfp);
	return qp->rq && qp->rq_wr ? 0 : -ENOMEM;
}

/* Initialise the send queue. sq_lock is held. */
static void xiw_qp_start_sq(struct xiw_qp *qp)
{
	qp->sq_head = (struct xiw_cursor){};
	qp->sq_sent = qp->sq_head;
	qp->sq_next = qp->sq_head;
	qp->sq_tail = qp->sq_head;
	memset(qp->tx_head, 0, sizeof(qp->tx_head));
	memset(qp->tx_tail, 0, sizeof(qp->tx_tail));
	qp->msn[XIW_QN_SEND] = XIW_DDP_FIRST_MSN;
	qp->msn[XIW_QN_REQUEST] = XIW_DDP_FIRST_MSN;
	qp->orq_next = qp->sq_head;
	memset(&qp->sent, 0, sizeof(qp->sent));
	if (qp->recorder.record)
		xiw_recorder_clear(&qp->recorder);
	qp->tx_open = false;
	qp->sq_flush = false;
	qp->sq_error = IB_WC_SUCCESS;
	xiw_orq_init(&qp->orq, 0, 1);
	if (qp->user_sq)
		xiw_user_area_reset(qp->user_sq);
}

/* Initialise the receive queue. rq_lock is held. */
static void xiw_qp_start_rq(struct xiw_qp *qp)
{
	qp->rq_head = 0;
	qp->rq_tail = 0;
	qp->rq_flush = false;
	qp->rq_bad = false;
	qp->rq_error = IB_WC_SUCCESS;
	if (qp->user_rq)
		xiw_user_area_reset(qp->user_rq);
}

/*
 * Initialise a new QP, or a QP that is being reset, for a new stream. A user may post while this
 * function runs. Until the state is IDLE, the posts are flushed. This function resets all members
 * that the posts have changed.
 */
static void xiw_qp_start(struct xiw_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	spin_lock(&qp->sq_lock);
	xiw_qp_start_sq(qp);
	spin_unlock(&qp->sq_lock);
	spin_lock(&qp->rq_lock);
	xiw_qp_start_rq(qp);
	spin_unlock(&qp->rq_lock);
	WRITE_ONCE(qp->stopped, false);
	qp->term_sent = 0;
	qp->term_received = 0;
	xiw_stream_move(qp, XIW_QPE_RESET);
	spin_unlock_irqrestore(&qp->lock, flags);
}

/* Clear memory that netlink may read at the same time without a lock. */
static void xiw_qp_clear(void *what, size_t size)
{
	u64 *word;

	for (word = what; size; word++, size -= sizeof(*word))
		WRITE_ONCE(*word, 0);
}

/* Clear the stream context before the RNIC creates the stream. */
static void xiw_qp_clear_context(struct xiw_qp *qp)
{
	BUILD_BUG_ON(sizeof(*qp->ctx) % sizeof(u64) || sizeof(qp->received) % sizeof(u64));
	xiw_qp_clear(qp->ctx, sizeof(*qp->ctx));
	xiw_qp_clear(&qp->received, sizeof(qp->received));
	WRITE_ONCE(qp->stream_bits, 0);
}

static int xiw_qp_stream_create(struct xiw_qp *qp)
{
	struct xiw_admin_cmd cmd = {
		.op = XIW_ADM_STREAM_CREATE,
		.index = cpu_to_le32(qp->stream),
		.stream = {
			.ctx = cpu_to_le64(qp->ctx_bus),
			.tx = { cpu_to_le64(qp->tx_bus[0]), cpu_to_le64(qp->tx_bus[1]) },
			.rx = cpu_to_le64(qp->rq_bus),
			.pd = cpu_to_le32(to_xiw_pd(qp->ibqp.pd)->id),
			.shared_rx = cpu_to_le32(qp->srq ? qp->srq->index : XIW_RX_NONE),
			.vector = cpu_to_le16(qp->vector->index),
			.log2_units = qp->dev->rnic.ops->tx_log2_units,
			.log2_rx = qp->rq ? ilog2(qp->rq_mask + 1) : 0,
			.log2_slot = qp->rq_log2_slot,
		},
	};
	int err;

	err = xiw_admin_exec(qp->dev, &cmd);
	qp->created = !err;
	return err;
}

/* Destroy the stream, unless the reset of the QP could not create it. */
static void xiw_qp_stream_destroy(struct xiw_qp *qp)
{
	struct xiw_admin_cmd cmd = {
		.op = XIW_ADM_STREAM_DESTROY,
		.index = cpu_to_le32(qp->stream),
	};

	if (qp->created)
		xiw_admin_revoke(qp->dev, &cmd);
	qp->created = false;
	/* Wait until the events that the RNIC wrote earlier are handled. */
	xiw_vector_flush(qp->vector);
}

static int xiw_qp_limits(struct xiw_qp *qp, struct ib_qp_init_attr *attr, bool user)
{
	const struct xiw_rnic_caps *caps = &qp->dev->rnic.caps;
	struct ib_qp_cap *cap = &attr->cap;

	if (cap->max_send_wr > XIW_MAX_QP_WR || cap->max_recv_wr > XIW_MAX_QP_WR ||
	    cap->max_send_sge > caps->max_gather || cap->max_recv_sge > caps->max_gather ||
	    cap->max_inline_data > le16_to_cpu(caps->max_inline))
		return -EINVAL;

	qp->max_send_sge = max(cap->max_send_sge, 1U);
	qp->max_recv_sge = max(cap->max_recv_sge, 1U);
	/*
	 * Inline data replaces the gather list, so allow at least as many octets as the gather list
	 * occupies.
	 */
	qp->max_inline = max_t(u32, cap->max_inline_data,
			       qp->max_send_sge * sizeof(struct xiw_sge));
	qp->sq_depth = max(cap->max_send_wr, 1U);
	qp->sq_stride = sizeof(struct xiw_sqe) +
			xiw_wr_image_size(qp->max_send_sge, qp->max_inline);
	if (!attr->srq && cap->max_recv_wr) {
		qp->rq_depth = cap->max_recv_wr;
		qp->rq_log2_slot = xiw_rx_log2_slot(qp->max_recv_sge);
		qp->rq_mask = xiw_rx_slots(&qp->dev->rnic, qp->rq_depth, qp->rq_log2_slot,
					   user) - 1;
	}
	cap->max_inline_data = qp->max_inline;
	cap->max_send_sge = qp->max_send_sge;
	cap->max_recv_sge = qp->max_recv_sge;
	return 0;
}

/* Allocate the queue mappings of a user's QP, and return their locations to the user. */
static int xiw_qp_user(struct xiw_qp *qp, struct ib_udata *udata)
{
	struct xiw_abi_create_qp_resp resp = {};
	struct xiw_user_area *area;
	int err;

	err = xiw_user_request(udata);
	if (err)
		return err;
	area = xiw_user_area_new(udata, qp->sq_depth,
				 xiw_user_send_stride(qp->max_send_sge, qp->max_inline),
				 qp->max_send_sge);
	if (IS_ERR(area))
		return PTR_ERR(area);
	qp->user_sq = area;
	xiw_user_area_tell(area, &resp.sq);
	if (qp->rq_depth) {
		area = xiw_user_area_new(udata, qp->rq_depth,
					 xiw_user_recv_stride(qp->max_recv_sge), qp->max_recv_sge);
		if (IS_ERR(area))
			return PTR_ERR(area);
		qp->user_rq = area;
		xiw_user_area_tell(area, &resp.rq);
	}
	return ib_respond_udata(udata, resp);
}

/*
 * Remove a QP from the array of QPs, and wait until its last reference is dropped. Until then, the
 * number of the QP stays reserved, because holders of a reference still pass the number to the
 * RNIC.
 */
static void xiw_qp_unlist(struct xiw_qp *qp)
{
	xa_store_bh(&qp->dev->qps, qp->stream, XA_ZERO_ENTRY, GFP_KERNEL);
	xiw_vectors_pass(qp->dev);
	xiw_qp_put(qp);
	wait_for_completion(&qp->released);
	xa_erase_bh(&qp->dev->qps, qp->stream);
}

static void xiw_qp_join_cqs(struct xiw_qp *qp)
{
	struct xiw_cq *send = to_xiw_cq(qp->ibqp.send_cq), *recv = to_xiw_cq(qp->ibqp.recv_cq);

	mutex_lock(&send->walk);
	list_add(&qp->send_link, &send->senders);
	mutex_unlock(&send->walk);
	mutex_lock(&recv->walk);
	list_add(&qp->recv_link, &recv->receivers);
	mutex_unlock(&recv->walk);
}

static void xiw_qp_leave_cqs(struct xiw_qp *qp)
{
	struct xiw_cq *send = to_xiw_cq(qp->ibqp.send_cq), *recv = to_xiw_cq(qp->ibqp.recv_cq);

	mutex_lock(&send->walk);
	list_del(&qp->send_link);
	mutex_unlock(&send->walk);
	mutex_lock(&recv->walk);
	list_del(&qp->recv_link);
	mutex_unlock(&recv->walk);
}

/* Remove the completions of a QP that is being destroyed from its CQs. */
static void xiw_qp_clean_cqs(struct xiw_qp *qp)
{
	struct xiw_cq *send = to_xiw_cq(qp->ibqp.send_cq), *recv = to_xiw_cq(qp->ibqp.recv_cq);

	xiw_cq_clean(send, &qp->ibqp);
	if (recv != send)
		xiw_cq_clean(recv, &qp->ibqp);
	xiw_cqs_settle(send, recv);
}

int xiw_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct xiw_device *dev = to_xiw_device(ibqp->device);
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	u32 max = le32_to_cpu(dev->rnic.caps.max_streams) - 1;
	int err;

	if (attr->qp_type != IB_QPT_RC || attr->create_flags)
		return -EOPNOTSUPP;
	if (!attr->send_cq || !attr->recv_cq)
		return -EINVAL;

	qp->dev = dev;
	qp->vector = to_xiw_cq(attr->send_cq)->vector;
	qp->tx_units = BIT(dev->rnic.ops->tx_log2_units);
	refcount_set(&qp->refs, 1);
	init_completion(&qp->released);
	mutex_init(&qp->reset);
	INIT_DELAYED_WORK(&qp->overdue, xiw_stream_overdue);
	spin_lock_init(&qp->lock);
	spin_lock_init(&qp->sq_lock);
	spin_lock_init(&qp->rq_lock);
	xa_init_flags(&qp->bound, XA_FLAGS_LOCK_IRQ | XA_FLAGS_ACCOUNT);
	qp->sq_sig_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->srq = attr->srq ? to_xiw_srq(attr->srq) : NULL;
	err = xiw_qp_limits(qp, attr, udata);
	if (err)
		return err;
	qp->share = udata ? xiw_share_caller() : XIW_SHARE_NOBODY;
	err = xiw_share_take(dev, qp->share, XIW_SHARED_QP);
	if (err)
		return err;
	xiw_owner_set(&qp->owner, udata);
	err = xiw_qp_alloc_memory(qp, udata ? GFP_KERNEL_ACCOUNT : GFP_KERNEL);
	if (!err && udata)
		err = xiw_qp_user(qp, udata);
	if (err)
		goto free;
	xiw_qp_clear_context(qp);
	xiw_qp_start(qp);
	/*
	 * Allocate numbers cyclically, so that a new stream does not get an event of an old stream.
	 */
	err = xa_alloc_cyclic_bh(&dev->qps, &qp->stream, qp, XA_LIMIT(XIW_MIN_STREAM, max),
				 &dev->next_qp, GFP_KERNEL);
	if (err < 0)
		goto free;
	err = xiw_qp_stream_create(qp);
	if (err)
		goto erase;
	xiw_stream_created(qp);
	xiw_qp_join_cqs(qp);
	if (qp->srq)
		xiw_srq_join(qp->srq);
	ibqp->qp_num = qp->stream;
	atomic_inc(&dev->objects[XIW_OBJ_QP]);
	return 0;

erase:
	WRITE_ONCE(qp->going, true);
	/*
	 * Another task may have ordered the RNIC to end the stream. The stream does not exist, so
	 * cancel the time limit of this order.
	 */
	xiw_stream_gone(qp);
	xiw_qp_unlist(qp);
free:
	xiw_qp_free_memory(qp);
	xiw_share_give(dev, qp->share, XIW_SHARED_QP);
	return err;
}

/*
 * Create a new stream for a QP whose stream the RNIC has destroyed. QP.reset is held. The old
 * stream has ended, and the RNIC no longer uses its memory.
 */
static int xiw_qp_renew(struct xiw_qp *qp)
{
	int err;

	xiw_mws_unbind(qp);
	/*
	 * A modify to SQD or a netlink dump may read members of the QP at the same time, so clear
	 * these members under locks or by WRITE_ONCE().
	 */
	xiw_inbound_drop(qp);
	xiw_qp_counter_settle(qp);
	xiw_qp_clear_context(qp);
	err = xiw_qp_stream_create(qp);
	if (err)
		return err;
	mutex_lock(&qp->dev->counted_lock);
	xiw_qp_start(qp);
	xiw_qp_counter_restart(qp);
	mutex_unlock(&qp->dev->counted_lock);
	/* A late order to the old stream may have stopped the new stream before xiw_qp_start(). */
	if (xiw_stream_bits(qp) & XIW_ST_STOPPED)
		xiw_stream_dead(qp);
	/*
	 * The device may have failed in the meantime, and the reset of the device may have skipped
	 * this QP, because the QP was stopped. In that case, end the new stream here.
	 */
	if (!atomic_read(&qp->dev->failed))
		return 0;
	wait_for_completion(&qp->dev->reset);
	xiw_stream_dead(qp);
	return -EIO;
}

/*
 * End the stream of a QP that is being reset or destroyed, and empty its queues. As in InfiniBand,
 * the work requests in the queues do not complete: a program need not provide room for them in the
 * CQ. Process context.
 */
static void xiw_qp_end_stream(struct xiw_qp *qp)
{
	WRITE_ONCE(qp->discards, true);
	xiw_stream_abort(qp);
	xiw_peer_end(qp);
	xiw_stream_await_stopped(qp);
	xiw_qp_stream_destroy(qp);
	/* Flush now, in case a broken RNIC has not reported STOPPED. */
	xiw_stream_dead(qp);
}

/*
 * End the connection and the stream of a QP that has named its peer by number. QP.reset is held. As
 * in InfiniBand, a QP that has named its peer can be reset in any state.
 */
static void xiw_qp_part(struct xiw_qp *qp)
{
	xiw_qp_end_stream(qp);
	/*
	 * This wait is finite: the RNIC answers a pending command, or the device fails. Then the
	 * work items of the connection end. The work items of a user's connection may first wait
	 * for memory that is charged to the user.
	 */
	wait_var_event(&qp->conn, !READ_ONCE(qp->conn));
}

/*
 * Drop the posted receives of a QP that has no connection. QP.lock is held. Without a connection,
 * the RNIC reads no receives.
 */
static void xiw_qp_drop_receives(struct xiw_qp *qp)
{
	spin_lock(&qp->rq_lock);
	xiw_qp_start_rq(qp);
	xiw_publish(&qp->ctx->rx_tail, 0);
	spin_unlock(&qp->rq_lock);
}

/*
 * Reset a QP for a new connection. A QP that has named its peer by number can be reset in any
 * state. Any other QP must have no connection. In addition, it must be in IDLE, or it must be in
 * ERROR and its stream must have stopped. Return: 0; -EBUSY if the QP cannot be reset now; or
 * another errno.
 */
static int xiw_qp_reset(struct xiw_qp *qp)
{
	bool idle, over, parted;
	unsigned long flags;
	int err = 0;

	mutex_lock(&qp->reset);
	parted = READ_ONCE(qp->peer);
	if (parted)
		xiw_qp_part(qp);
	spin_lock_irqsave(&qp->lock, flags);
	over = qp->state == XIW_QPS_ERROR && qp->stopped && !qp->conn;
	idle = qp->state == XIW_QPS_IDLE && !qp->conn;
	if (idle)
		xiw_qp_drop_receives(qp);
	else if (!over)
		err = -EBUSY;
	spin_unlock_irqrestore(&qp->lock, flags);
	if (over) {
		if (!parted)
			xiw_qp_stream_destroy(qp);
		err = xiw_qp_renew(qp);
	}
	WRITE_ONCE(qp->discards, false);
	mutex_unlock(&qp->reset);
	return err;
}

/* Attributes that name a peer by number. With rdma_cm, the connection determines these values. */
#define XIW_QP_RTR_MASK (IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN | \
			 IB_QP_MAX_DEST_RD_ATOMIC)
#define XIW_QP_NUMBER_MASK (XIW_QP_RTR_MASK | IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC)
/* InfiniBand's timers have no meaning over TCP. Accept them, because programs set them. */
#define XIW_QP_MASK (XIW_QP_NUMBER_MASK | IB_QP_STATE | IB_QP_CUR_STATE | \
		     IB_QP_ACCESS_FLAGS | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_TIMEOUT | \
		     IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MIN_RNR_TIMER)

/*
 * Handle the attributes by which InfiniBand connects QPs. The attributes of XIW_QP_RTR_MASK name
 * the peer, and are valid only in a transition to RTR. The other attributes are only stored.
 */
static int xiw_qp_by_number(struct xiw_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	if (!(mask & XIW_QP_RTR_MASK))
		return xiw_peer_modify(qp, attr, mask);
	if (!(mask & IB_QP_STATE) || attr->qp_state != IB_QPS_RTR ||
	    !ib_modify_qp_is_ok(IB_QPS_INIT, IB_QPS_RTR, IB_QPT_RC, mask))
		return -EINVAL;
	/* This GID is the MAC address, and not an IP address. */
	if (rdma_ah_read_grh(&attr->ah_attr)->sgid_index == XIW_GID_MAC)
		return -EINVAL;
	return xiw_peer_name(qp, attr, mask);
}

/*
 * End the stream of a QP by calling @end. A QP that has named its peer by number can be reset in
 * any state. For such a QP, take QP.reset, so that a reset does not reinitialise the queues before
 * they are flushed. Other QPs can be reset only after the flush. For them, take no mutex: the
 * caller may have bottom halves disabled.
 */
static void xiw_qp_end(struct xiw_qp *qp, void (*end)(struct xiw_qp *qp))
{
	bool named = READ_ONCE(qp->peer);

	if (named)
		mutex_lock(&qp->reset);
	end(qp);
	if (named)
		mutex_unlock(&qp->reset);
}

void xiw_qp_abort(struct xiw_qp *qp)
{
	xiw_qp_end(qp, xiw_stream_abort);
}

static int xiw_qp_move(struct xiw_qp *qp, enum ib_qp_state to)
{
	switch (to) {
	case IB_QPS_RESET:
		return xiw_qp_reset(qp);
	case IB_QPS_INIT:
		return READ_ONCE(qp->state) == XIW_QPS_IDLE ? 0 : -EINVAL;
	case IB_QPS_RTR:
	case IB_QPS_RTS:
		/*
		 * Check the request, but do not change the state. rdma_cm requests RTR and RTS
		 * before the setup of the connection is complete. The setup changes the state.
		 */
		if (READ_ONCE(qp->state) > XIW_QPS_LEFT ||
		    (to == IB_QPS_RTR && READ_ONCE(qp->state) == XIW_QPS_RTS))
			return -EINVAL;
		return 0;
	case IB_QPS_SQD:
		if (READ_ONCE(qp->state) == XIW_QPS_IDLE)
			return -EINVAL;
		xiw_qp_end(qp, xiw_stream_close);
		return 0;
	case IB_QPS_SQE:
	case IB_QPS_ERR:
		xiw_qp_abort(qp);
		return 0;
	default:
		return -EINVAL;
	}
}

int xiw_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	int err;

	if (mask & ~XIW_QP_MASK)
		return -EOPNOTSUPP;
	if (mask & XIW_QP_NUMBER_MASK && !READ_ONCE(qp->peer) &&
	    !READ_ONCE(qp->dev->config.by_number))
		return -EOPNOTSUPP;
	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != xiw_qp_ib_state(qp))
		return -EINVAL;
	if (mask & IB_QP_PORT && attr->port_num != 1)
		return -EINVAL;
	if (mask & IB_QP_ACCESS_FLAGS)
		WRITE_ONCE(qp->access, attr->qp_access_flags);
	if (!udata && qp->owner.user)
		xiw_cm_given_up(qp);
	if (mask & XIW_QP_NUMBER_MASK || READ_ONCE(qp->peer)) {
		err = xiw_qp_by_number(qp, attr, mask);
		if (err || mask & XIW_QP_RTR_MASK)
			return err;
	}
	return mask & IB_QP_STATE ? xiw_qp_move(qp, attr->qp_state) : 0;
}

int xiw_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	unsigned long flags;

	memset(attr, 0, sizeof(*attr));
	attr->qp_state = xiw_qp_ib_state(qp);
	attr->cur_qp_state = attr->qp_state;
	/* pairs with xiw_modify_qp(), which may run at the same time */
	attr->qp_access_flags = READ_ONCE(qp->access);
	attr->port_num = 1;
	if (!xiw_peer_query(qp, attr)) {
		attr->path_mtu = ib_mtu_int_to_enum(READ_ONCE(qp->dev->netdev->mtu));
		spin_lock_irqsave(&qp->sq_lock, flags);
		attr->max_rd_atomic = min(qp->orq.depth, 255U);
		/* QP.inbound has two entries for each credit, see xiw_cm_inbound_depth(). */
		attr->max_dest_rd_atomic = qp->inbound ? min(qp->irrq.depth / 2, 255U) : 0;
		spin_unlock_irqrestore(&qp->sq_lock, flags);
	}
	attr->cap.max_send_wr = qp->sq_depth;
	attr->cap.max_recv_wr = qp->rq_depth;
	attr->cap.max_send_sge = qp->max_send_sge;
	attr->cap.max_recv_sge = qp->max_recv_sge;
	attr->cap.max_inline_data = qp->max_inline;

	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = attr->cap;
	init->sq_sig_type = qp->sq_sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = IB_QPT_RC;
	init->port_num = 1;
	return 0;
}

int xiw_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	struct xiw_device *dev = qp->dev;

	WRITE_ONCE(qp->going, true);
	/* In some kernels, ib_core may have bound the QP to a counter after unbinding it. */
	xiw_counter_unbind_qp(ibqp, 1);
	xiw_qp_end_stream(qp);
	/* Unbind the MWs, because another stream may get the number of this stream later. */
	xiw_mws_unbind(qp);
	/*
	 * After an overrun of a CQ, the driver passes the numbers of the CQ's QPs to the RNIC, and
	 * holds no references to the QPs. So remove the QP from its CQs before its number becomes
	 * free.
	 */
	xiw_qp_leave_cqs(qp);
	xiw_qp_unlist(qp);
	xiw_qp_clean_cqs(qp);
	if (qp->srq)
		xiw_srq_leave(qp->srq);
	xiw_qp_free_memory(qp);
	xiw_share_give(dev, qp->share, XIW_SHARED_QP);
	atomic_dec(&dev->objects[XIW_OBJ_QP]);
	return 0;
}

/*
 * iw_cm looks up a QP by xiw_get_qp(), and takes a reference by xiw_add_ref(). The QP must not be
 * freed between the two calls, so xiw_get_qp() already takes the reference. iw_cm makes both calls
 * under its own spinlock, so the same task makes both calls. Another task that looks up the QP
 * between the two calls gets NULL. This is correct: a QP has at most one connection.
 */
struct ib_qp *xiw_get_qp(struct ib_device *ibdev, int qpn)
{
	struct xiw_device *dev = to_xiw_device(ibdev);
	struct xiw_qp *qp;

	xa_lock(&dev->qps);
	qp = xa_load(&dev->qps, qpn);
	if (qp && (READ_ONCE(qp->going) || READ_ONCE(qp->looked_up_by)))
		qp = NULL;
	/* The array holds a reference on each QP that it contains. */
	if (qp) {
		WRITE_ONCE(qp->looked_up_by, current);
		xiw_qp_get(qp);
	}
	xa_unlock(&dev->qps);
	return qp ? &qp->ibqp : NULL;
}

/* Take a reference, unless xiw_get_qp() of the same task has already taken the reference. */
void xiw_add_ref(struct ib_qp *ibqp)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);

	if (READ_ONCE(qp->looked_up_by) == current)
		WRITE_ONCE(qp->looked_up_by, NULL);
	else
		xiw_qp_get(qp);
}

void xiw_rem_ref(struct ib_qp *ibqp)
{
	xiw_qp_put(to_xiw_qp(ibqp));
}

struct xiw_qp *xiw_qp_next(struct xiw_device *dev, unsigned long *index)
{
	struct xiw_qp *qp;

	xa_lock_bh(&dev->qps);
	qp = xa_find(&dev->qps, index, ULONG_MAX, XA_PRESENT);
	/* The array holds a reference on each QP that it contains. */
	if (qp)
		xiw_qp_get(qp);
	xa_unlock_bh(&dev->qps);
	++*index;
	return qp;
}

void xiw_qps_end(struct xiw_device *dev, void (*end)(struct xiw_qp *qp))
{
	unsigned long index = 0;
	struct xiw_qp *qp;

	while ((qp = xiw_qp_next(dev, &index))) {
		end(qp);
		xiw_qp_put(qp);
		cond_resched();
	}
}
