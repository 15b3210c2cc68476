// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Handle a Terminate message of the peer (RFC 5040 §4.8): find the work request to which the
 * Terminate refers, and set the status of this work request. If the work request has already
 * completed, only the async event reports the cause.
 */
#include "core/term.h"
#include "diag/counters.h"
#include "diag/notice.h"
#include "diag/trace.h"
#include "rdmap/stream.h"
#include "ring/order.h"
#include "xiw.h"

static const u8 xiw_term_wc_status[] = {
	[XIW_TERM_REM_ACCESS] = IB_WC_REM_ACCESS_ERR,
	[XIW_TERM_REM_INV_REQ] = IB_WC_REM_INV_REQ_ERR,
	[XIW_TERM_REM_OP] = IB_WC_REM_OP_ERR,
	[XIW_TERM_RNR] = IB_WC_RNR_RETRY_EXC_ERR,
	[XIW_TERM_FATAL] = IB_WC_FATAL_ERR,
};

/* Return: true if the DDP header in the Terminate belongs to a segment of this work request. */
static bool xiw_term_names(const struct xiw_sqe *sqe, const struct xiw_term_info *info)
{
	const struct xiw_tx_desc *desc = (const struct xiw_tx_desc *)sqe->image;
	const u8 *header = info->ddp_hdr;
	u64 at;

	if (header[XIW_DDP_CTRL_AT] & XIW_DDP_T) {
		at = get_unaligned_be64(header + XIW_DDP_TO_AT) - le64_to_cpu(desc->to);
		return desc->op == XIW_TX_TAGGED &&
		       get_unaligned_be32(header + XIW_DDP_STAG_AT) == le32_to_cpu(desc->stag) &&
		       (at < sqe->byte_len || !at);
	}
	if (get_unaligned_be32(header + XIW_DDP_MSN_AT) != sqe->msn)
		return false;
	if (sqe->flags & XIW_WRF_IMM)
		return get_unaligned_be32(header + XIW_DDP_QN_AT) == XIW_QN_SEND;
	return desc->op == XIW_TX_UNTAGGED &&
	       get_unaligned_be32(header + XIW_DDP_QN_AT) == desc->queue;
}

/*
 * Find the work request, if any, to which a Terminate without a DDP header refers. sq_lock is held.
 */
static struct xiw_sqe *xiw_term_oldest(struct xiw_qp *qp)
{
	struct xiw_sqe *sqe = xiw_sq_oldest_request(qp);

	if (!sqe && qp->sq_head.index != qp->sq_next.index)
		sqe = xiw_sqe(qp, qp->sq_head.slot);
	return sqe;
}

/*
 * Search one batch of the pending work requests that were moved to the ring. Start at @at, and
 * advance @at. sq_lock is held. Return: the work request to which the Terminate refers; NULL if the
 * batch does not contain it.
 */
static struct xiw_sqe *xiw_term_find(struct xiw_qp *qp, const struct xiw_term_info *info,
				     struct xiw_cursor *at)
{
	u32 left = XIW_FLUSH_BATCH;

	/* Other contexts may have completed work requests since the previous batch. */
	if ((s32)(qp->sq_head.index - at->index) > 0)
		*at = qp->sq_head;
	for (; at->index != qp->sq_next.index && left; xiw_sq_advance(qp, at), left--) {
		struct xiw_sqe *sqe = xiw_sqe(qp, at->slot);

		if (sqe->kind != XIW_WR_LOCAL && xiw_term_names(sqe, info))
			return sqe;
	}
	return NULL;
}

/*
 * Stop transmission, and set the status of the work request to which the Terminate refers. No lock
 * is held. @code: layer << 16 | etype << 8 | code of the Terminate
 */
static void xiw_term_name(struct xiw_qp *qp, const struct xiw_term_info *info, u32 code)
{
	struct xiw_cursor at;
	struct xiw_sqe *sqe;
	unsigned long flags;

	xiw_sq_lock_settled(qp, &flags);
	qp->tx_open = false;
	at = qp->sq_head;
	sqe = info->ddp_hdr ? xiw_term_find(qp, info, &at) : xiw_term_oldest(qp);
	while (!sqe && info->ddp_hdr && at.index != qp->sq_next.index) {
		spin_unlock_irqrestore(&qp->sq_lock, flags);
		spin_lock_irqsave(&qp->sq_lock, flags);
		sqe = xiw_term_find(qp, info, &at);
	}
	if (sqe)
		xiw_sq_name(qp, sqe, xiw_term_wc_status[info->row->status], code);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
}

void xiw_stream_terminated(struct xiw_qp *qp, const struct xiw_ev_message *msg)
{
	u32 length = min_t(u32, le32_to_cpu(msg->length), sizeof(msg->data));
	struct xiw_term_info info;
	unsigned long flags;
	bool full, news, left;
	u32 code;

	full = READ_ONCE(qp->state) != XIW_QPS_RTR;
	/*
	 * Only a broken RNIC delivers a Terminate that is too short, because the match table
	 * contains the shortest legal length. Do not answer such a Terminate (DEC-42).
	 */
	if (!xiw_term_parse(&info, msg->data, length, full)) {
		xiw_stream_terminate(qp, XIW_FAULT_SILENT, NULL, 0, 0);
		return;
	}
	code = info.code.layer << 16 | info.code.etype << 8 | info.code.code;
	trace_xiw_terminate(qp->stream, false, info.code.layer << 4 | info.code.etype,
			    info.code.code);
	xiw_notice_terminate(qp, XIW_NL_ORIGIN_REMOTE, msg->data, length);
	if (info.row->status == XIW_TERM_REM_ACCESS)
		xiw_count(qp->dev, XIW_CNT_REQ_REMOTE_ACCESS);

	/* True if the peer has ended its QP without an error, and no work is pending. */
	left = info.row == &xiw_term_table[XIW_FAULT_RDMA_LOCAL] && !xiw_stream_busy(qp);
	xiw_term_name(qp, &info, code);

	spin_lock_irqsave(&qp->lock, flags);
	left &= !!qp->peer;
	qp->term_received = BIT(31) | code;
	/*
	 * In TERMINATE and ERROR, the stream context may already contain a Terminate of this end
	 * for the RNIC to send. Do not remove this Terminate. In other states, answer the Terminate
	 * of the peer by a FIN, and not by another Terminate (DEC-42).
	 */
	news = xiw_stream_move(qp, left ? XIW_QPE_PEER_LEFT : XIW_QPE_TERM_RECEIVED);
	if (news)
		xiw_publish(&qp->ctx->term_length, 0);
	spin_unlock_irqrestore(&qp->lock, flags);
	if (!news)
		return;	/* the stream was already ending */
	xiw_stream_order(qp, XIW_ORDER_TERMINATE);
	if (!left)
		xiw_stream_raise_term(qp, info.row);
}
