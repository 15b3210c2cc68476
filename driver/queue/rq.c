// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The receive queue is the RNIC's RX ring. A post writes a slot and publishes the producer index. A
 * post rings a doorbell only if the RNIC has reported that it waits for a receive. The driver
 * writes the index, and then checks whether the RNIC waits. The RNIC reports the wait, and then
 * reads the index again. Driver and RNIC both use a full barrier between their two accesses, so at
 * least one of them sees the write of the other.
 *
 * A user posts to a queue mapping, which may be longer than the ring. After each completion, the
 * driver refills the ring from the queue mapping.
 */
#include "queue/srq.h"
#include "queue/user.h"
#include "rdmap/stream.h"
#include "verbs/qp.h"
#include "xiw.h"

/**
 * xiw_rx_encode - fill an RX descriptor
 * @desc: slot of the ring; the caller has checked that the slot has room for wr->num_sge entries
 * @cookie: cookie that the RNIC returns
 * @wr: receive work request
 * @rqe: the driver's record of the receive
 *
 * Return: 0 or -EINVAL.
 */
int xiw_rx_encode(struct xiw_rx_desc *desc, u32 cookie, const struct ib_recv_wr *wr,
		  struct xiw_rqe *rqe)
{
	u32 sges = 0;
	u64 total = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (!sge->length)
			continue;
		desc->sge[sges].addr = cpu_to_le64(sge->addr);
		desc->sge[sges].length = cpu_to_le32(sge->length);
		desc->sge[sges].stag = cpu_to_le32(sge->lkey);
		total += sge->length;
		sges++;
	}
	if (total > U32_MAX)
		return -EINVAL;
	desc->cookie = cpu_to_le32(cookie);
	desc->sges = cpu_to_le32(sges);
	desc->length = cpu_to_le32(total);
	desc->rsvd = 0;
	rqe->wr_id = wr->wr_id;
	rqe->length = total;
	rqe->posted = true;
	return 0;
}

/*
 * Return: true if the message fits into the receive. ULPs rely on byte_len, but the length from the
 * RNIC is untrusted.
 */
bool xiw_rx_fits(const struct xiw_rqe *rqe, const struct xiw_cqe *cqe)
{
	return cqe->status != IB_WC_SUCCESS || cqe->opcode != IB_WC_RECV ||
	       cqe->byte_len <= rqe->length;
}

/*
 * Flush the oldest receives up to the index @end, but at most one batch. rq_lock is held, and the
 * stream has stopped. Return: true if no receive before @end is left.
 */
static bool xiw_rq_flush_some(struct xiw_qp *qp, u32 end)
{
	u32 left = XIW_FLUSH_BATCH;

	while (qp->rq_head != qp->rq_tail && (s32)(end - qp->rq_head) > 0 && left--) {
		struct xiw_cqe cqe = {
			.wr_id = qp->rq_wr[qp->rq_head++ & qp->rq_mask].wr_id,
			.qp = &qp->ibqp,
			.status = qp->rq_error ?: IB_WC_WR_FLUSH_ERR,
			.opcode = IB_WC_RECV,
		};

		qp->rq_error = IB_WC_SUCCESS;
		xiw_user_consumed(qp->user_rq, qp->rq_head);
		xiw_cq_push(to_xiw_cq(qp->ibqp.recv_cq), &cqe, false);
	}
	return qp->rq_head == qp->rq_tail || (s32)(end - qp->rq_head) <= 0;
}

/*
 * Flush the remaining receives up to the index @end. No lock is held. Other contexts may post and
 * flush at the same time. Each of them flushes the oldest receives under rq_lock, so the receives
 * complete in order. A reset of the QP ends the flush.
 */
static void xiw_rq_flush_rest(struct xiw_qp *qp, u32 end)
{
	unsigned long flags;
	bool done;

	do {
		spin_lock_irqsave(&qp->rq_lock, flags);
		done = !qp->rq_flush || xiw_rq_flush_some(qp, end);
		spin_unlock_irqrestore(&qp->rq_lock, flags);
	} while (!done);
}

/*
 * Publish posted receives to the RNIC. rq_lock is held. Return: true if the RNIC needs a
 * doorbell.
 */
static bool xiw_rq_publish(struct xiw_qp *qp)
{
	/* The RNIC must see the slots before the index. */
	xiw_publish(&qp->ctx->rx_tail, cpu_to_le32(qp->rq_tail));
	/*
	 * pairs with the barrier of the RNIC, which sets rx_starved and then reads the index again
	 */
	dma_mb();
	return READ_ONCE(qp->ctx->rx_starved);
}

/*
 * Accept more receives that a user has posted. rq_lock is held. Set @bad if one of them is invalid.
 * Return: true if the RNIC needs a doorbell.
 */
static bool xiw_rq_refill(struct xiw_qp *qp, bool *bad)
{
	u32 before = qp->rq_tail;

	if (!qp->user_rq || qp->rq_bad)
		return false;
	qp->rq_bad = xiw_user_rq_take(qp, XIW_MAX_QP_WR) < 0;
	*bad = qp->rq_bad;
	return qp->rq_tail != before && !qp->rq_flush && xiw_rq_publish(qp);
}

/*
 * Post at most one batch of the list @next. Set @next to the first receive that was not posted.
 * rq_lock is held. Return: 0 or an errno.
 */
static int xiw_rq_post(struct xiw_qp *qp, const struct ib_recv_wr **next)
{
	const struct ib_recv_wr *wr;
	u32 left = XIW_FLUSH_BATCH;
	int err = 0;

	for (wr = *next; wr && left--; wr = wr->next) {
		u32 slot = qp->rq_tail & qp->rq_mask;

		/* In ERROR, a full queue must not refuse a post, so flush to make room. */
		if (qp->rq_tail - qp->rq_head >= qp->rq_depth && qp->rq_flush)
			xiw_rq_flush_some(qp, qp->rq_tail);
		err = -ENOMEM;
		if (qp->rq_tail - qp->rq_head >= qp->rq_depth)
			break;
		err = -EINVAL;
		if (wr->num_sge < 0 || wr->num_sge > qp->max_recv_sge)
			break;
		err = xiw_rx_encode(xiw_rq_slot(qp, slot), slot, wr, &qp->rq_wr[slot]);
		if (err)
			break;
		/* pairs with READ_ONCE() in callers that ring the doorbell without rq_lock */
		WRITE_ONCE(qp->rq_tail, qp->rq_tail + 1);
	}
	*next = wr;
	return err;
}

/*
 * Publish or flush the posted receives, and release rq_lock. Return: true if the RNIC needs a
 * doorbell.
 */
static bool xiw_rq_move(struct xiw_qp *qp, unsigned long flags)
	__releases(&qp->rq_lock)
{
	bool starved = false, flushed = true;
	u32 end = qp->rq_tail;

	if (qp->rq_flush)
		flushed = xiw_rq_flush_some(qp, end);
	else
		starved = xiw_rq_publish(qp);
	spin_unlock_irqrestore(&qp->rq_lock, flags);
	if (!flushed)
		xiw_rq_flush_rest(qp, end);
	return starved;
}

/*
 * Accept receives that a user has posted, in batches. Accept at most as many as the queue holds,
 * and stop when the ring is full. A thread that posts more receives in the meantime rings the
 * doorbell itself if bell is set in the queue mapping. Set @starved if the RNIC needs a doorbell.
 * Return: 0 or -EINVAL.
 */
static int xiw_rq_take_user(struct xiw_qp *qp, bool *starved)
{
	u32 room = qp->rq_depth, taken;
	unsigned long flags;
	int waiting;
	bool full;

	do {
		spin_lock_irqsave(&qp->rq_lock, flags);
		taken = qp->rq_tail;
		waiting = xiw_user_rq_take(qp, room);
		taken = qp->rq_tail - taken;
		room -= min(room, taken);
		/*
		 * Stop if the ring is full, because completions refill it later. Do not stop in a
		 * flush, which empties the ring.
		 */
		full = !taken && !qp->rq_flush;
		*starved |= xiw_rq_move(qp, flags);
	} while (waiting > 0 && room && !full);
	return min(waiting, 0);
}

int xiw_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	bool starved = false;
	unsigned long flags;
	int err;

	/* A user posts to the queue mapping, so the call must contain no work request. */
	if (qp->srq || (qp->user_sq && (wr || !qp->user_rq))) {
		*bad_wr = wr;
		return -EINVAL;
	}

	if (qp->user_rq) {
		err = xiw_rq_take_user(qp, &starved);
	} else {
		do {
			spin_lock_irqsave(&qp->rq_lock, flags);
			err = xiw_rq_post(qp, &wr);
			starved |= xiw_rq_move(qp, flags);
		} while (wr && !err);
	}
	if (err)
		*bad_wr = wr;
	if (starved)
		xiw_doorbell(&qp->dev->rnic, XIW_DB_RX, qp->stream, READ_ONCE(qp->rq_tail));
	return err;
}

/**
 * xiw_rq_name - set the status of the receive that caused the end of the stream
 * @qp: QP
 * @status: completion status of the receive that the RNIC has taken for the refused message
 *
 * In the QP's own queue, this receive is the oldest one. In a shared queue, the RNIC reports the
 * receive when the stream stops. The receive completes in the flush, when the RNIC no longer
 * accesses the memory of the receives.
 *
 * Context: softirq, no lock held.
 */
void xiw_rq_name(struct xiw_qp *qp, enum ib_wc_status status)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->rq_lock, flags);
	/* A receive that is posted after the flush must not get the status. */
	if (!qp->rq_flush && (qp->srq || qp->rq_head != qp->rq_tail))
		WRITE_ONCE(qp->rq_error, status);	/* pairs with xiw_stream_flush_taken() */
	spin_unlock_irqrestore(&qp->rq_lock, flags);
}

/**
 * xiw_rq_flush - flush all receives, and all receives that are posted later
 * @qp: QP whose stream has stopped
 *
 * Context: any, no lock held. On return, all receives that were posted before the call are
 * complete.
 */
void xiw_rq_flush(struct xiw_qp *qp)
{
	unsigned long flags;
	bool starved = false;

	spin_lock_irqsave(&qp->rq_lock, flags);
	qp->rq_flush = true;
	if (qp->user_rq)
		xiw_user_want_bell(qp->user_rq);
	xiw_rq_move(qp, flags);
	if (qp->user_rq)
		xiw_rq_take_user(qp, &starved);
}

/**
 * xiw_rq_complete - complete a receive that a message has used
 * @qp: QP
 * @cookie: cookie from the RNIC
 * @cqe: completion; this function sets wr_id
 * @solicited: true if the sender has requested a solicited event
 *
 * If no posted receive has the cookie, or the message is longer than the receive, the RNIC is
 * broken, and the stream ends. In the QP's own queue, only the oldest receive may complete.
 *
 * Context: softirq, no lock held.
 */
void xiw_rq_complete(struct xiw_qp *qp, u32 cookie, struct xiw_cqe *cqe, bool solicited)
{
	bool ok, starved = false, bad = false;
	unsigned long flags;

	if (qp->srq) {
		ok = xiw_srq_consumed(qp->srq, cookie, cqe);
		if (ok)
			xiw_cq_push(to_xiw_cq(qp->ibqp.recv_cq), cqe, solicited);
	} else {
		spin_lock_irqsave(&qp->rq_lock, flags);
		ok = qp->rq_head != qp->rq_tail && cookie == (qp->rq_head & qp->rq_mask) &&
		     xiw_rx_fits(&qp->rq_wr[cookie], cqe);
		if (ok) {
			cqe->wr_id = qp->rq_wr[cookie].wr_id;
			qp->rq_head++;
			xiw_user_consumed(qp->user_rq, qp->rq_head);
			xiw_cq_push(to_xiw_cq(qp->ibqp.recv_cq), cqe, solicited);
			starved = xiw_rq_refill(qp, &bad);
		}
		spin_unlock_irqrestore(&qp->rq_lock, flags);
	}
	if (starved)
		xiw_doorbell(&qp->dev->rnic, XIW_DB_RX, qp->stream, READ_ONCE(qp->rq_tail));
	/* The user has posted an invalid receive. End the stream, which flushes all receives. */
	if (bad)
		xiw_stream_abort(qp);
	if (!ok)
		xiw_stream_broken(qp, "bogus receive completion");
}
