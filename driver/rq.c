// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The receive queue is the RNIC's RX ring: a post writes the slot and publishes
 * it. No doorbell, unless the RNIC has said that it starves (full barrier on both
 * sides, so that one of us always sees the other).
 */
#include "qp.h"
#include "srq.h"
#include "vector.h"
#include "xiw.h"

/**
 * xiw_rx_encode - fill an RX descriptor
 * @desc: slot, large enough for the limit that the caller checked
 * @cookie: what the RNIC gives back
 * @wr: receive work request
 * @rqe: what is remembered of it
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

/* A ULP relies on it that no more came than it posted room for. */
bool xiw_rx_fits(const struct xiw_rqe *rqe, const struct xiw_cqe *cqe)
{
	return cqe->status != IB_WC_SUCCESS || cqe->opcode != IB_WC_RECV ||
	       cqe->byte_len <= rqe->length;
}

static void xiw_rq_flush_locked(struct xiw_qp *qp)
{
	for (; qp->rq_head != qp->rq_tail; qp->rq_head++) {
		struct xiw_cqe cqe = {
			.wr_id = qp->rq_wr[qp->rq_head & qp->rq_mask].wr_id,
			.qp = &qp->ibqp,
			.status = IB_WC_WR_FLUSH_ERR,
			.opcode = IB_WC_RECV,
		};

		xiw_cq_push(to_xiw_cq(qp->ibqp.recv_cq), &cqe, false);
	}
}

/**
 * xiw_rq_flush - complete all receives, and every post from now on
 * @qp: QP whose stream has stopped
 */
void xiw_rq_flush(struct xiw_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->rq_lock, flags);
	qp->rq_flush = true;
	xiw_rq_flush_locked(qp);
	spin_unlock_irqrestore(&qp->rq_lock, flags);
}

int xiw_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr)
{
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	unsigned long flags;
	bool starved, flushed;
	int err = 0;

	if (qp->srq || (READ_ONCE(qp->state) == XIW_QPS_IDLE && !READ_ONCE(qp->init))) {
		*bad_wr = wr;
		return -EINVAL;
	}

	spin_lock_irqsave(&qp->rq_lock, flags);
	for (; wr; wr = wr->next) {
		u32 slot = qp->rq_tail & qp->rq_mask;

		err = -ENOMEM;
		if (qp->rq_tail - qp->rq_head >= qp->rq_depth)
			break;
		err = -EINVAL;
		if (wr->num_sge < 0 || wr->num_sge > qp->max_recv_sge)
			break;
		err = xiw_rx_encode((struct xiw_rx_desc *)(qp->rq + (slot << qp->rq_log2_slot)),
				    slot, wr, &qp->rq_wr[slot]);
		if (err)
			break;
		qp->rq_tail++;
	}
	if (err)
		*bad_wr = wr;
	flushed = qp->rq_flush;
	if (flushed)
		xiw_rq_flush_locked(qp);
	else
		/* The RNIC sees the slots before the index. */
		xiw_publish(&qp->ctx->rx_tail, cpu_to_le32(qp->rq_tail));
	/* pairs with the RNIC's: it says starved, then looks at the index again */
	dma_mb();
	starved = !flushed && READ_ONCE(qp->ctx->rx_starved);
	spin_unlock_irqrestore(&qp->rq_lock, flags);
	if (starved)
		xiw_doorbell(&qp->dev->rnic, XIW_DB_RX, qp->stream, qp->rq_tail);
	else if (flushed)
		xiw_vector_run();
	return err;
}

/**
 * xiw_rq_complete - a receive was used
 * @qp: QP
 * @cookie: from the RNIC
 * @cqe: completion, wr_id is filled in here
 * @solicited: the sender asked for an event
 *
 * Context: softirq, no lock held. A cookie that is not the oldest receive's, or more
 * octets than that has, is the fault of the RNIC.
 */
void xiw_rq_complete(struct xiw_qp *qp, u32 cookie, struct xiw_cqe *cqe, bool solicited)
{
	unsigned long flags;
	bool ok;

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
			xiw_cq_push(to_xiw_cq(qp->ibqp.recv_cq), cqe, solicited);
		}
		spin_unlock_irqrestore(&qp->rq_lock, flags);
	}
	if (!ok)
		xiw_device_fail(qp->dev, "completion of a receive that was not posted like that");
}
