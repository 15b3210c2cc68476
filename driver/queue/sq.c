// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The send queue: posting, the pump, and completion in order. The pump moves work requests to the
 * RNIC's request ring.
 *
 * The pump obeys ORD and fences (RFC 5040 §5.5). A work request that must wait for a response
 * stays in the send queue. So no descriptor in the ring waits for a response.
 *
 * Until the ring is half full, the RNIC raises no event for a Read, for an Atomic, or for an
 * unsignaled work request whose latency is not measured. A response completes a Read or Atomic. The
 * next event, or xiw_sq_catch_up(), completes an unsignaled Send or Write.
 */
#include <linux/sched/signal.h>

#include "cm/peer.h"
#include "core/opcode.h"
#include "diag/latency.h"
#include "queue/tx_ring.h"
#include "queue/user.h"
#include "queue/wr.h"
#include "rdmap/stream.h"
#include "ring/vector.h"
#include "verbs/qp.h"
#include "xiw.h"

static bool xiw_sqe_is_request(const struct xiw_sqe *sqe)
{
	return sqe->kind == XIW_WR_READ || sqe->kind == XIW_WR_ATOMIC;
}

static void xiw_sq_report(struct xiw_qp *qp, const struct xiw_sqe *sqe)
{
	struct xiw_cqe cqe = {
		.wr_id = sqe->wr_id,
		.qp = &qp->ibqp,
		.byte_len = sqe->byte_len,
		.vendor_err = sqe->vendor_err,
		.status = sqe->status,
		.opcode = sqe->opcode,
	};

	if (sqe->flags & XIW_WRF_SIGNALED || sqe->status != IB_WC_SUCCESS)
		xiw_cq_push(to_xiw_cq(qp->ibqp.send_cq), &cqe, false);
}

/*
 * Return: true if the oldest work request has finished without an error, and so can be reported.
 * sq_lock is held. If a work request has failed, the flush reports it and all later work requests,
 * even if the RNIC reports the later ones as done.
 */
static bool xiw_sq_due(struct xiw_qp *qp)
{
	const struct xiw_sqe *sqe = xiw_sqe(qp, qp->sq_head.slot);

	return qp->sq_head.index != qp->sq_next.index && sqe->state == XIW_WR_DONE &&
	       sqe->status == IB_WC_SUCCESS;
}

/*
 * Report at most one batch of finished work requests from the head of the queue. sq_lock is held.
 * Work requests after a Read are reported only after the Read. So after the response to the Read,
 * there may be many work requests to report.
 */
static void xiw_sq_complete(struct xiw_qp *qp)
{
	u32 left = XIW_FLUSH_BATCH;

	while (left-- && xiw_sq_due(qp)) {
		struct xiw_sqe *sqe = xiw_sqe(qp, qp->sq_head.slot);

		if (unlikely(sqe->posted))
			xiw_latency_count(qp->dev, sqe);
		/* Free the entry first: a consumer that polls the completion may post at once. */
		xiw_sq_advance(qp, &qp->sq_head);
		xiw_user_consumed(qp->user_sq, qp->sq_head.index);
		xiw_sq_report(qp, sqe);
	}
	if ((s32)(qp->sq_sent.index - qp->sq_head.index) < 0)
		qp->sq_sent = qp->sq_head;
	if ((s32)(qp->orq_next.index - qp->sq_head.index) < 0)
		qp->orq_next = qp->sq_head;
}

/*
 * Report all remaining finished work requests, in batches. No lock is held. Only event handlers
 * call this function.
 */
static void xiw_sq_complete_rest(struct xiw_qp *qp)
{
	unsigned long flags;
	bool due;

	do {
		spin_lock_irqsave(&qp->sq_lock, flags);
		xiw_sq_complete(qp);
		due = xiw_sq_due(qp);
		spin_unlock_irqrestore(&qp->sq_lock, flags);
	} while (due);
}

/*
 * If a work request has an untagged message, store the MSN that the RNIC will assign to the
 * message.
 */
static void xiw_sq_number(struct xiw_qp *qp, struct xiw_sqe *sqe)
{
	const struct xiw_tx_desc *desc = (const struct xiw_tx_desc *)sqe->image;

	if (sqe->flags & XIW_WRF_IMM)
		sqe->msn = qp->msn[XIW_QN_SEND]++;
	else if (desc->op == XIW_TX_UNTAGGED)
		sqe->msn = qp->msn[desc->queue]++;
}

/* Mark all work requests whose descriptors end at or before @index as sent. sq_lock is held. */
static void xiw_sq_sent(struct xiw_qp *qp, u32 index)
{
	while (qp->sq_sent.index != qp->sq_next.index) {
		struct xiw_sqe *sqe = xiw_sqe(qp, qp->sq_sent.slot);

		if ((s32)(index - sqe->tx_end) < 0)
			break;
		if (sqe->state == XIW_WR_POSTED)
			sqe->state = xiw_sqe_is_request(sqe) ? XIW_WR_SENT : XIW_WR_DONE;
		xiw_sq_advance(qp, &qp->sq_sent);
	}
}

/* Retire the descriptors before @index. sq_lock is held. Return: false if @index is invalid. */
static bool xiw_sq_retire(struct xiw_qp *qp, u32 index)
{
	if (!xiw_tx_retire(qp, XIW_TXQ_REQUEST, index))
		return false;
	xiw_sq_sent(qp, index);
	return true;
}

/**
 * xiw_sq_catch_up - update the queue from the RNIC's progress in the stream context
 * @qp: QP, its sq_lock is held
 *
 * Ignores an invalid index in the context. If an event contains an invalid index,
 * xiw_sq_tx_done() ends the stream.
 *
 * Return: true if finished work requests remain to be reported.
 */
bool xiw_sq_catch_up(struct xiw_qp *qp)
{
	xiw_sq_retire(qp, xiw_tx_done(qp, XIW_TXQ_REQUEST));
	xiw_sq_complete(qp);
	return xiw_sq_due(qp);
}

/**
 * xiw_sq_lock_settled - report all finished work requests, and take sq_lock
 * @qp: QP
 * @flags: as for spin_lock_irqsave()
 *
 * Context: any, no lock held.
 */
void xiw_sq_lock_settled(struct xiw_qp *qp, unsigned long *flags)
	__acquires(&qp->sq_lock)
{
	spin_lock_irqsave(&qp->sq_lock, *flags);
	while (xiw_sq_catch_up(qp)) {
		spin_unlock_irqrestore(&qp->sq_lock, *flags);
		spin_lock_irqsave(&qp->sq_lock, *flags);
	}
}

/**
 * xiw_sq_look - get the number of work requests that are not complete
 * @qp: QP
 *
 * Context: any, no lock held.
 *
 * Return: 0 to the depth of the send queue.
 */
u32 xiw_sq_look(struct xiw_qp *qp)
{
	unsigned long flags;
	u32 used;

	xiw_sq_lock_settled(qp, &flags);
	used = xiw_sq_used(qp);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	return used;
}

/*
 * Return: true if the work request needs no event. A response finishes a Read or Atomic. An
 * unsignaled work request has no completion, but needs the event if its latency is measured
 * (sqe->posted).
 */
static bool xiw_sq_quiet(const struct xiw_sqe *sqe)
{
	return xiw_sqe_is_request(sqe) || (!(sqe->flags & XIW_WRF_SIGNALED) && !sqe->posted);
}

/*
 * Put one work request into the ring. sq_lock is held. Return: false if the work request must wait.
 */
static bool xiw_sq_submit(struct xiw_qp *qp, struct xiw_sqe *sqe)
{
	struct xiw_tx_desc imm[2] __uninitialized;
	bool with_imm = sqe->flags & XIW_WRF_IMM;
	u8 quiet = 0;

	if (sqe->flags & XIW_WRF_FENCE && !xiw_orq_idle(&qp->orq))
		return false;
	if (!xiw_tx_room(qp, XIW_TXQ_REQUEST, xiw_tx_units(sqe->length), with_imm))
		return false;
	if (xiw_sqe_is_request(sqe) && !xiw_orq_take(&qp->orq))
		return false;

	if (xiw_sq_quiet(sqe))
		quiet = xiw_tx_quiet(qp, XIW_TXQ_REQUEST, xiw_tx_units(sqe->length) + with_imm);
	((struct xiw_tx_desc *)sqe->image)->flags |= quiet;
	xiw_tx_put(qp, XIW_TXQ_REQUEST, sqe->image, sqe->length);
	if (with_imm) {
		BUILD_BUG_ON(sizeof(imm) != XIW_TX_UNIT);
		xiw_wr_encode_immediate(imm, sqe->imm, sqe->flags & XIW_WRF_SOLICITED);
		imm->flags |= quiet;
		xiw_tx_put(qp, XIW_TXQ_REQUEST, imm, sizeof(imm));
	}
	xiw_sq_number(qp, sqe);
	sqe->tx_end = qp->tx_tail[XIW_TXQ_REQUEST];
	sqe->state = XIW_WR_POSTED;
	return true;
}

/*
 * Move work requests to the ring. sq_lock is held. In a state after RTS, move no work request: the
 * work requests must be flushed, but the RNIC would send them until the stream has stopped. The
 * check of the state does not need QP.lock. If a post finds the old state while the state changes,
 * the driver treats the post as one before the change. Return: true if a work request was moved.
 */
static bool xiw_sq_pump(struct xiw_qp *qp)
{
	u32 before = qp->tx_tail[XIW_TXQ_REQUEST];

	if (!qp->tx_open || READ_ONCE(qp->state) > XIW_QPS_RTS)
		return false;
	while (qp->sq_next.index != qp->sq_tail.index &&
	       xiw_sq_submit(qp, xiw_sqe(qp, qp->sq_next.slot)))
		xiw_sq_advance(qp, &qp->sq_next);
	if (qp->tx_tail[XIW_TXQ_REQUEST] == before)
		return false;
	xiw_tx_publish(qp, XIW_TXQ_REQUEST);
	return true;
}

static void xiw_sq_doorbell(struct xiw_qp *qp)
{
	xiw_doorbell(&qp->dev->rnic, XIW_DB_TX_REQUEST, qp->stream,
		     le32_to_cpu(READ_ONCE(qp->ctx->tx_tail[XIW_TXQ_REQUEST])));
}

/* Return: enum xiw_conn_flag that a connection must have to send the messages of a work request. */
static u32 xiw_sqe_needs(const struct xiw_sqe *sqe)
{
	const struct xiw_tx_desc *desc = (const struct xiw_tx_desc *)sqe->image;
	u32 needs = xiw_opcode_of(desc->rdmap_ctrl)->needs;

	return sqe->flags & XIW_WRF_IMM ? needs | xiw_opcode_of(XIW_OP_IMM)->needs : needs;
}

/*
 * Check whether the connection supports a work request. sq_lock is held. In a state after RTS,
 * accept every work request, because it is flushed. Return: 0, -EOPNOTSUPP or -EINVAL.
 */
static int xiw_sq_refuse(const struct xiw_qp *qp, const struct xiw_sqe *sqe)
{
	if (READ_ONCE(qp->state) > XIW_QPS_RTS)
		return 0;
	/* Do not send a message that this end would refuse to receive. */
	if (xiw_sqe_needs(sqe) & ~qp->conn_flags)
		return -EOPNOTSUPP;
	/* DEC-29: if ORD is 0, a request could never be sent. */
	return xiw_sqe_is_request(sqe) && !qp->orq.depth ? -EINVAL : 0;
}

/*
 * Return: true if the flush completion of a work request has no consumer. A ULP whose CQ ib_core
 * polls (ib_alloc_cq()) may post unsignaled work requests without a callback, as rdma_rw does for
 * the RDMA Writes before its last one. ib_core ignores the completions of these work requests, and
 * ULPs such as nvmet have no room for them in their CQs.
 */
static bool xiw_sqe_ignored(const struct xiw_qp *qp, const struct xiw_sqe *sqe)
{
	return !sqe->wr_id && !(sqe->flags & XIW_WRF_SIGNALED) && qp->ibqp.send_cq->wc;
}

/*
 * Flush the oldest work requests up to the index @end, but at most one batch. sq_lock is held, and
 * the stream has stopped. xiw_sq_complete() has reported all finished work requests before the
 * first one that failed. Work requests after the failed one are flushed, even if they have been
 * sent. Return: true if no work request before @end is left.
 */
static bool xiw_sq_flush_some(struct xiw_qp *qp, u32 end)
{
	u32 left = XIW_FLUSH_BATCH;

	while (xiw_sq_used(qp) && (s32)(end - qp->sq_head.index) > 0 && left--) {
		struct xiw_sqe *sqe = xiw_sqe(qp, qp->sq_head.slot);

		xiw_sq_advance(qp, &qp->sq_head);
		xiw_user_consumed(qp->user_sq, qp->sq_head.index);
		if (sqe->status == IB_WC_SUCCESS) {
			if (xiw_sqe_ignored(qp, sqe))
				continue;
			sqe->status = IB_WC_WR_FLUSH_ERR;
		}
		xiw_sq_report(qp, sqe);
	}
	/* Between two batches, other contexts must not find an outstanding request. */
	qp->sq_sent = qp->sq_head;
	qp->sq_next = qp->sq_head;
	qp->orq_next = qp->sq_head;
	qp->orq.count = 0;
	return !xiw_sq_used(qp) || (s32)(end - qp->sq_head.index) <= 0;
}

/*
 * Flush the remaining work requests up to the index @end. No lock is held. Other contexts may post
 * and flush at the same time. Each of them flushes the oldest work requests under sq_lock, so the
 * work requests complete in order. A reset of the QP ends the flush.
 */
static void xiw_sq_flush_rest(struct xiw_qp *qp, u32 end)
{
	unsigned long flags;
	bool done;

	do {
		spin_lock_irqsave(&qp->sq_lock, flags);
		done = !qp->sq_flush || xiw_sq_flush_some(qp, end);
		spin_unlock_irqrestore(&qp->sq_lock, flags);
	} while (!done);
}

/*
 * Add one work request. sq_lock is held. In ERROR, the caller then flushes the queue, which
 * completes the work request after all earlier ones.
 */
int xiw_sq_post_one(struct xiw_qp *qp, const struct ib_send_wr *wr)
{
	struct xiw_sqe *sqe;
	int err;

	if (xiw_sq_used(qp) >= qp->sq_depth) {
		xiw_sq_catch_up(qp);
		/* In ERROR, a full queue must not refuse a post, so flush to make room. */
		if (qp->sq_flush)
			xiw_sq_flush_some(qp, qp->sq_tail.index);
		if (xiw_sq_used(qp) >= qp->sq_depth)
			return -ENOMEM;
	}
	sqe = xiw_sqe(qp, qp->sq_tail.slot);
	err = xiw_wr_encode(qp, sqe, wr, qp->sq_tail.slot);
	if (!err)
		err = xiw_sq_refuse(qp, sqe);
	if (err)
		return err;
	xiw_sq_advance(qp, &qp->sq_tail);
	return 0;
}

/*
 * Ring the doorbell after a post. The system call of a user holds no lock of a ULP. But a kernel
 * ULP may hold a lock that its handlers take, so its doorbell must not run the handlers (vector.h).
 */
static void xiw_sq_doorbell_of_post(struct xiw_qp *qp)
{
	if (qp->user_sq)
		xiw_sq_doorbell(qp);
	else
		xiw_vector_request(&qp->dev->rnic, qp->stream,
				   le32_to_cpu(READ_ONCE(qp->ctx->tx_tail[XIW_TXQ_REQUEST])));
}

/* Return: true if the peer is named by number (cm/peer.h), and no connection is open. */
static bool xiw_sq_waits(const struct xiw_qp *qp)
{
	enum xiw_qps state = READ_ONCE(qp->state);

	return unlikely(state == XIW_QPS_NAMED || state == XIW_QPS_LEFT);
}

/* Send or flush the posted work requests, and release sq_lock. */
static void xiw_sq_move(struct xiw_qp *qp, unsigned long flags)
	__releases(&qp->sq_lock)
{
	bool moved = false, flushed = true, waits = xiw_sq_waits(qp) && xiw_sq_used(qp);
	u32 end = qp->sq_tail.index;

	if (qp->sq_flush)
		flushed = xiw_sq_flush_some(qp, end);
	else
		moved = xiw_sq_pump(qp);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	if (moved)
		xiw_sq_doorbell_of_post(qp);
	if (waits)
		xiw_peer_awaited(qp);
	if (!flushed)
		xiw_sq_flush_rest(qp, end);
}

/*
 * Handle a doorbell in the system call of a process. The removal of the device waits for this call,
 * so accept at most as many work requests as the queue holds. A thread that adds more work requests
 * rings the doorbell itself.
 */
static int xiw_sq_post_user(struct xiw_qp *qp)
{
	u32 room = qp->sq_depth, before;
	unsigned long flags;
	int waiting;

	for (;;) {
		spin_lock_irqsave(&qp->sq_lock, flags);
		/*
		 * The user may find the queue full because the RNIC has not reported finished work
		 * requests. So read the RNIC's progress.
		 */
		if (xiw_sq_used(qp) > qp->sq_depth / 2)
			xiw_sq_catch_up(qp);
		before = qp->sq_tail.index;
		waiting = xiw_user_sq_take(qp, room);
		room -= min(room, qp->sq_tail.index - before);
		xiw_sq_move(qp, flags);
		if (waiting <= 0 || !room || fatal_signal_pending(current))
			return min(waiting, 0);
		cond_resched();
	}
}

int xiw_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	unsigned long flags;
	int err = 0;
	u32 left;

	/* A user posts to the queue mapping, so the call must contain no work request. */
	if (READ_ONCE(qp->state) == XIW_QPS_IDLE || (qp->user_sq && wr)) {
		*bad_wr = wr;
		return -EINVAL;
	}
	if (qp->user_sq)
		return xiw_sq_post_user(qp);

	do {
		spin_lock_irqsave(&qp->sq_lock, flags);
		for (left = XIW_FLUSH_BATCH; wr && left; wr = wr->next, left--) {
			err = xiw_sq_post_one(qp, wr);
			if (err)
				break;
		}
		xiw_sq_move(qp, flags);
	} while (wr && !err);
	if (err)
		*bad_wr = wr;
	return err;
}

/*
 * Put an RTR (RFC 6581 §9.2) into the ring: a Write, a Read, or else a Send. sq_lock is held. An
 * RTR is not a work request and has no completion.
 */
static void xiw_sq_put_rtr(struct xiw_qp *qp, bool write, bool read)
{
	u8 image[2 * XIW_TX_UNIT] __aligned(16) = {};
	struct xiw_tx_desc *desc = (struct xiw_tx_desc *)image;

	desc->flags = XIW_TXF_RTR;
	desc->units = 1;
	desc->cookie = cpu_to_le32(XIW_COOKIE_RTR);
	if (write) {
		desc->op = XIW_TX_TAGGED;
		desc->rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_WRITE);
	} else if (read) {
		desc->op = XIW_TX_UNTAGGED;
		desc->queue = XIW_QN_REQUEST;
		desc->rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_READ_REQUEST);
		desc->flags |= XIW_TXF_SOLICIT_TAGGED;
		desc->header_length = XIW_READ_REQ_LEN;
		desc->units = 2;	/* the sink and the header are zero */
	} else {
		desc->op = XIW_TX_UNTAGGED;
		desc->queue = XIW_QN_SEND;
		desc->rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_SEND);
	}
	if (desc->op == XIW_TX_UNTAGGED)
		qp->msn[desc->queue]++;
	xiw_tx_put(qp, XIW_TXQ_REQUEST, image, desc->units * XIW_TX_UNIT);
	xiw_tx_publish(qp, XIW_TXQ_REQUEST);
}

/**
 * xiw_sq_open - start transmission on a stream that is open
 * @qp: QP, which the caller has moved to RTS
 * @rtr_write: the agreed RTR is a Write; at most one of @rtr_write, @rtr_read and @rtr_send is set
 * @rtr_read: the agreed RTR is a Read
 * @rtr_send: the agreed RTR is a Send
 *
 * Context: softirq.
 */
void xiw_sq_open(struct xiw_qp *qp, bool rtr_write, bool rtr_read, bool rtr_send)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->sq_lock, flags);
	if (rtr_write || rtr_read || rtr_send)
		xiw_sq_put_rtr(qp, rtr_write, rtr_read);
	/* An RTR that is a Read uses an ORD credit until its response arrives. */
	if (rtr_read)
		qp->orq.count++;
	qp->rtr_due = rtr_read;
	qp->tx_open = true;
	xiw_sq_pump(qp);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	xiw_sq_doorbell(qp);
}

/**
 * xiw_sq_tx_done - handle the event that reports finished descriptors of the request ring
 * @qp: QP
 * @index: number of finished units, free-running
 *
 * Context: softirq, no lock held.
 */
void xiw_sq_tx_done(struct xiw_qp *qp, u32 index)
{
	unsigned long flags;
	bool moved, due;

	spin_lock_irqsave(&qp->sq_lock, flags);
	if (!xiw_sq_retire(qp, index)) {
		spin_unlock_irqrestore(&qp->sq_lock, flags);
		xiw_stream_broken(qp, "bogus index of completed descriptors");
		return;
	}
	xiw_sq_complete(qp);
	due = xiw_sq_due(qp);
	moved = xiw_sq_pump(qp);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	if (moved)
		xiw_sq_doorbell(qp);
	if (due)
		xiw_sq_complete_rest(qp);
}

static u8 xiw_sq_local_status(const struct xiw_sqe *sqe, u8 rnic_status)
{
	switch (rnic_status) {
	case XIW_ERR_LENGTH:
		return IB_WC_LOC_LEN_ERR;
	case XIW_ERR_STAG:
	case XIW_ERR_ACCESS:
	case XIW_ERR_BOUNDS:
	case XIW_ERR_WRAP:
	case XIW_ERR_PD:
		return sqe->kind == XIW_WR_LOCAL ? IB_WC_MW_BIND_ERR : IB_WC_LOC_PROT_ERR;
	default:
		return IB_WC_LOC_QP_OP_ERR;
	}
}

/**
 * xiw_sq_tx_failed - handle a local failure of a descriptor of the request ring
 * @qp: QP
 * @index: index of the first unit of the descriptor, free-running
 * @rnic_status: enum xiw_status
 *
 * Stores the status in the work request. The flush reports the status.
 *
 * Context: softirq, no lock held.
 */
void xiw_sq_tx_failed(struct xiw_qp *qp, u32 index, u8 rnic_status)
{
	struct xiw_cursor at;
	unsigned long flags;

	xiw_sq_tx_done(qp, index);
	spin_lock_irqsave(&qp->sq_lock, flags);
	/* All work requests before sq_sent have been sent. */
	for (at = qp->sq_sent; at.index != qp->sq_next.index; xiw_sq_advance(qp, &at)) {
		struct xiw_sqe *sqe = xiw_sqe(qp, at.slot);

		if ((s32)(index - sqe->tx_end) < 0 && sqe->state == XIW_WR_POSTED) {
			sqe->status = xiw_sq_local_status(sqe, rnic_status);
			break;
		}
	}
	spin_unlock_irqrestore(&qp->sq_lock, flags);
}

/*
 * Handle the response to a request, or a local failure to place the response or to invalidate the
 * sink. sq_lock is held. @sqe: the request; NULL for the RTR. Return: true if a work request was
 * moved to the ring.
 *
 * The response proves that the peer has received all earlier messages. The RNIC may not have
 * reported these messages as sent, because it reports an unsignaled descriptor late, after TCP has
 * accepted a whole batch. So this function marks the messages as sent.
 */
static bool xiw_sq_answer(struct xiw_qp *qp, struct xiw_sqe *sqe, u8 rnic_status)
{
	if (rnic_status != XIW_OK) {
		if (sqe)
			sqe->status = xiw_sq_local_status(sqe, rnic_status);
		return false;
	}
	if (sqe) {
		xiw_sq_sent(qp, sqe->tx_end);
		sqe->state = XIW_WR_DONE;
	}
	xiw_orq_answered(&qp->orq);
	xiw_sq_catch_up(qp);
	return xiw_sq_pump(qp);
}

/**
 * xiw_sq_oldest_request - find the Read or Atomic that the peer must answer next
 * @qp: QP, its sq_lock is held
 *
 * Return: the entry, NULL if no request is outstanding.
 */
struct xiw_sqe *xiw_sq_oldest_request(struct xiw_qp *qp)
{
	for (; qp->orq_next.index != qp->sq_next.index; xiw_sq_advance(qp, &qp->orq_next)) {
		struct xiw_sqe *sqe = xiw_sqe(qp, qp->orq_next.slot);

		if (xiw_sqe_is_request(sqe) &&
		    (sqe->state == XIW_WR_POSTED || sqe->state == XIW_WR_SENT))
			return sqe;
	}
	return NULL;
}

/*
 * Get the outstanding Read or Atomic in the slot @cookie; NULL if there is none. sq_lock is held.
 */
static struct xiw_sqe *xiw_sq_request(struct xiw_qp *qp, u32 cookie)
{
	u32 ahead = cookie - qp->sq_head.slot;
	struct xiw_sqe *sqe;

	if (cookie >= qp->sq_depth)
		return NULL;
	if (cookie < qp->sq_head.slot)
		ahead += qp->sq_depth;
	if (ahead >= qp->sq_next.index - qp->sq_head.index)
		return NULL;
	sqe = xiw_sqe(qp, cookie);
	if (!xiw_sqe_is_request(sqe) || sqe->state < XIW_WR_POSTED || sqe->state > XIW_WR_SENT)
		return NULL;
	return sqe;
}

/**
 * xiw_sq_answered - complete a Read after its data has been placed
 * @qp: QP
 * @cookie: slot of the work request, or XIW_COOKIE_RTR
 * @rnic_status: XIW_OK, or the reason why the RNIC could not invalidate the sink's STag
 *
 * Context: softirq, no lock held.
 *
 * Return: true; false if the stream must end, because the Read was not outstanding or @rnic_status
 * is an error.
 */
bool xiw_sq_answered(struct xiw_qp *qp, u32 cookie, u8 rnic_status)
{
	bool known, due, moved = false;
	struct xiw_sqe *sqe = NULL;
	unsigned long flags;

	spin_lock_irqsave(&qp->sq_lock, flags);
	if (cookie == XIW_COOKIE_RTR) {
		known = qp->rtr_due;
		qp->rtr_due = false;
	} else {
		sqe = xiw_sq_request(qp, cookie);
		known = sqe;
	}
	if (known)
		moved = xiw_sq_answer(qp, sqe, rnic_status);
	due = xiw_sq_due(qp);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	if (!known)
		xiw_stream_broken(qp, "response without an outstanding request");
	if (moved)
		xiw_sq_doorbell(qp);
	if (due)
		xiw_sq_complete_rest(qp);
	return known && rnic_status == XIW_OK;
}

/**
 * xiw_sq_atomic_answered - complete an atomic after its original value has been placed
 * @qp: QP
 * @rsp: the response
 * @rnic_status: XIW_OK, or the reason why the value could not be placed
 *
 * Context: softirq, no lock held.
 *
 * Return: XIW_FAULT_NONE, or the fault for the Terminate (DEC-11).
 */
enum xiw_fault xiw_sq_atomic_answered(struct xiw_qp *qp, const struct xiw_atomic_rsp *rsp,
				      u8 rnic_status)
{
	enum xiw_fault fault = XIW_FAULT_RDMA_STREAM;
	struct xiw_sqe *sqe;
	unsigned long flags;
	bool due, moved = false;

	spin_lock_irqsave(&qp->sq_lock, flags);
	sqe = xiw_sq_oldest_request(qp);
	if (sqe)
		fault = xiw_orq_check_atomic(sqe->kind == XIW_WR_ATOMIC, sqe->request_id, rsp);
	if (fault == XIW_FAULT_NONE)
		moved = xiw_sq_answer(qp, sqe, rnic_status);
	due = xiw_sq_due(qp);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	if (moved)
		xiw_sq_doorbell(qp);
	if (due)
		xiw_sq_complete_rest(qp);
	return fault;
}

/**
 * xiw_sq_name - set the status of the work request that caused the end of the stream
 * @qp: QP, its sq_lock is held
 * @sqe: work request that has not been reported
 * @status: enum ib_wc_status
 * @vendor_err: layer << 16 | etype << 8 | code of a received Terminate, or 0
 *
 * Does nothing if the work request already has an error status.
 */
void xiw_sq_name(struct xiw_qp *qp, struct xiw_sqe *sqe, u8 status, u32 vendor_err)
{
	if (sqe->status == IB_WC_SUCCESS) {
		sqe->status = status;
		sqe->vendor_err = vendor_err;
	}
}

/**
 * xiw_sq_sink_refused - set the status of a Read if the RNIC has refused its sink
 * @qp: QP
 * @stag: STag of the refused segment
 * @to: TO of the refused segment
 * @length: octets of the payload of the refused segment
 *
 * If the segment is outside the sink of the oldest Read, the peer has caused the error, and the
 * function sets no status.
 *
 * Context: softirq, no lock held.
 */
void xiw_sq_sink_refused(struct xiw_qp *qp, u32 stag, u64 to, u32 length)
{
	const struct xiw_tx_sink *sink;
	struct xiw_sqe *sqe;
	unsigned long flags;

	spin_lock_irqsave(&qp->sq_lock, flags);
	sqe = xiw_sq_oldest_request(qp);
	if (sqe && sqe->kind == XIW_WR_READ) {
		sink = (struct xiw_tx_sink *)(sqe->image + sizeof(struct xiw_tx_desc));
		to -= le64_to_cpu(sink->to);
		if (stag == le32_to_cpu(sink->stag) && to <= sqe->byte_len &&
		    length <= sqe->byte_len - to)
			xiw_sq_name(qp, sqe, IB_WC_LOC_PROT_ERR, 0);
	}
	spin_unlock_irqrestore(&qp->sq_lock, flags);
}

/**
 * xiw_sq_flush - flush all pending work requests, and all work requests that are posted later
 * @qp: QP whose stream has stopped
 *
 * Context: any, no lock held. On return, all work requests that were posted before the call are
 * complete.
 */
void xiw_sq_flush(struct xiw_qp *qp)
{
	unsigned long flags;
	bool done;
	u32 end;

	/* First report the finished work requests, so that they are not flushed. */
	xiw_sq_lock_settled(qp, &flags);
	if (qp->sq_error && xiw_sq_used(qp))
		xiw_sq_name(qp, xiw_sqe(qp, qp->sq_head.slot), qp->sq_error, 0);
	qp->tx_open = false;
	qp->sq_flush = true;
	xiw_user_sq_connection(qp, false);
	end = qp->sq_tail.index;
	done = xiw_sq_flush_some(qp, end);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	if (!done)
		xiw_sq_flush_rest(qp, end);
}
