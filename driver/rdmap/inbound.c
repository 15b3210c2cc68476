// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "rdmap/inbound.h"

#include <linux/mm.h>

#include "core/atomic.h"
#include "core/ddp_header.h"
#include "core/rdmap.h"
#include "core/stag.h"
#include "diag/counters.h"
#include "diag/trace.h"
#include "queue/tx_ring.h"
#include "rdmap/stream.h"
#include "ring/stag_table.h"
#include "verbs/mr.h"
#include "xiw.h"

/*
 * Keep the headers of the received segment: a Terminate may return them, and the response to a Read
 * Request is built from them.
 */
static void xiw_inbound_keep_header(struct xiw_inbound *in, const struct xiw_ev_message *msg)
{
	xiw_ddp_put_message(in->header, msg);
	in->header_length = XIW_DDP_UNTAGGED_LEN;
	in->ulpdu_length = le16_to_cpu(msg->ulpdu_length);
	if (in->kind == XIW_WR_READ) {
		memcpy(in->header + XIW_DDP_UNTAGGED_LEN, msg->data, XIW_READ_REQ_LEN);
		in->header_length += XIW_READ_REQ_LEN;
	}
}

/*
 * Check the whole request now. The RNIC checks it again later, for each segment of the response
 * (DEC-74).
 */
static enum xiw_fault xiw_inbound_check(struct xiw_qp *qp, struct xiw_inbound *in,
					const u8 *data)
{
	u32 pd = to_xiw_pd(qp->ibqp.pd)->id;
	struct xiw_stag_found found;
	struct xiw_read_req req;

	if (in->kind == XIW_WR_ATOMIC) {
		xiw_atomic_req_get(&in->atomic, data);
		xiw_stag_find(qp->dev, in->atomic.stag, &found);
		return xiw_atomic_req_check(&found.view, &found.region, &in->atomic, pd,
					    qp->stream);
	}
	xiw_read_req_get(&req, data);
	xiw_stag_find(qp->dev, req.src_stag, &found);
	return xiw_read_req_check(&found.view, &found.region, &req, pd, qp->stream);
}

/* Retire the responses before @index. sq_lock is held. Return: false for an impossible index. */
static bool xiw_response_retire(struct xiw_qp *qp, u32 index)
{
	u32 oldest;

	if (!xiw_tx_retire(qp, XIW_TXQ_RESPONSE, index))
		return false;
	while (qp->inbound && (oldest = xiw_irrq_oldest(&qp->irrq)) != XIW_IRRQ_NONE &&
	       (s32)(qp->tx_head[XIW_TXQ_RESPONSE] - qp->inbound[oldest].tx_end) >= 0)
		xiw_irrq_done(&qp->irrq);
	return true;
}

bool xiw_response_catch_up(struct xiw_qp *qp)
{
	return xiw_response_retire(qp, xiw_tx_done(qp, XIW_TXQ_RESPONSE));
}

enum xiw_fault xiw_inbound_request(struct xiw_qp *qp, const struct xiw_ev_message *msg,
				   struct xiw_inbound *in)
{
	enum xiw_fault fault;
	unsigned long flags;
	bool known;
	u32 index;

	memset(in, 0, sizeof(*in));
	in->kind = (msg->rdmap_ctrl & XIW_RDMAP_OPCODE_MASK) == XIW_OP_ATOMIC_REQUEST ?
			   XIW_WR_ATOMIC : XIW_WR_READ;
	xiw_inbound_keep_header(in, msg);
	fault = xiw_inbound_check(qp, in, msg->data);
	if (fault != XIW_FAULT_NONE)
		return fault;

	spin_lock_irqsave(&qp->sq_lock, flags);
	/*
	 * The RNIC may have sent responses without raising an event. Free their entries for the new
	 * request.
	 */
	known = xiw_response_catch_up(qp);
	/* The RNIC enforces the credits, but check them in case the RNIC is broken. */
	index = qp->inbound ? xiw_irrq_push(&qp->irrq) : XIW_IRRQ_NONE;
	if (index != XIW_IRRQ_NONE)
		qp->inbound[index] = *in;
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	if (!known)
		xiw_stream_broken(qp, "bogus index of completed responses");
	if (index == XIW_IRRQ_NONE)
		return XIW_FAULT_DDP_NO_BUFFER;
	xiw_response_pump(qp);
	return XIW_FAULT_NONE;
}

static void xiw_response_put_read(struct xiw_qp *qp, struct xiw_inbound *in)
{
	u8 image[XIW_TX_UNIT] __aligned(16) = {};
	struct xiw_tx_desc *desc = (struct xiw_tx_desc *)image;
	struct xiw_sge *source = (struct xiw_sge *)(desc + 1);
	struct xiw_read_req req;

	xiw_read_req_get(&req, in->header + XIW_DDP_UNTAGGED_LEN);
	desc->op = XIW_TX_TAGGED;
	desc->units = 1;
	desc->flags = XIW_TXF_REMOTE_READ | xiw_tx_quiet(qp, XIW_TXQ_RESPONSE, 1);
	desc->rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_READ_RESPONSE);
	desc->stag = cpu_to_le32(req.sink_stag);
	desc->to = cpu_to_le64(req.sink_to);
	desc->length = cpu_to_le32(req.size);
	if (req.size) {
		desc->sges = 1;
		source->addr = cpu_to_le64(req.src_to);
		source->length = cpu_to_le32(req.size);
		source->stag = cpu_to_le32(req.src_stag);
	}
	xiw_tx_put(qp, XIW_TXQ_RESPONSE, image, sizeof(image));
}

/* The RNIC executes the atomic operation and responds with the original value. */
static void xiw_response_put_atomic(struct xiw_qp *qp, struct xiw_inbound *in)
{
	const struct xiw_atomic_req *req = &in->atomic;
	struct xiw_tx_atomic op = {
		.head.op = XIW_TX_ATOMIC,
		.head.units = sizeof(op) / XIW_TX_UNIT,
		.head.flags = xiw_tx_quiet(qp, XIW_TXQ_RESPONSE, sizeof(op) / XIW_TX_UNIT),
		.head.rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_ATOMIC_RESPONSE),
		.head.queue = XIW_QN_RESPONSE,
		.head.header_length = XIW_TX_ANSWER_LEN,
		.head.stag = cpu_to_le32(req->stag),
		.head.to = cpu_to_le64(req->to),
		.aop = cpu_to_le32(req->aop),
		.data = cpu_to_le64(req->data),
		.mask = cpu_to_le64(req->mask),
		.compare = cpu_to_le64(req->compare),
		.compare_mask = cpu_to_le64(req->compare_mask),
	};

	BUILD_BUG_ON(XIW_TX_ANSWER_LEN != XIW_ATOMIC_RSP_LEN);
	put_unaligned_be32(req->req_id, op.answer);
	xiw_tx_put(qp, XIW_TXQ_RESPONSE, &op, sizeof(op));
}

/*
 * Put the response to the next request into the ring. sq_lock is held. Return: false if there is no
 * request, or if the response must wait for room.
 */
static bool xiw_response_next(struct xiw_qp *qp)
{
	u32 index = qp->inbound ? xiw_irrq_next(&qp->irrq) : XIW_IRRQ_NONE;
	struct xiw_inbound *in;

	if (index == XIW_IRRQ_NONE || !xiw_tx_room(qp, XIW_TXQ_RESPONSE, 2, false))
		return false;
	in = &qp->inbound[index];
	if (in->kind == XIW_WR_READ)
		xiw_response_put_read(qp, in);
	else
		xiw_response_put_atomic(qp, in);
	in->tx_end = qp->tx_tail[XIW_TXQ_RESPONSE];
	xiw_irrq_begun(&qp->irrq);
	return true;
}

void xiw_response_pump(struct xiw_qp *qp)
{
	unsigned long flags;
	bool moved = false;
	u32 tail;

	spin_lock_irqsave(&qp->sq_lock, flags);
	tail = qp->tx_tail[XIW_TXQ_RESPONSE];
	if (!qp->sq_flush) {
		while (xiw_response_next(qp))
			;
		moved = qp->tx_tail[XIW_TXQ_RESPONSE] != tail;
		if (moved)
			xiw_tx_publish(qp, XIW_TXQ_RESPONSE);
		tail = qp->tx_tail[XIW_TXQ_RESPONSE];
	}
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	if (moved)
		xiw_doorbell(&qp->dev->rnic, XIW_DB_TX_RESPONSE, qp->stream, tail);
}

void xiw_response_tx_done(struct xiw_qp *qp, u32 index)
{
	unsigned long flags;
	bool known;

	spin_lock_irqsave(&qp->sq_lock, flags);
	known = xiw_response_retire(qp, index);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	if (known)
		xiw_response_pump(qp);
	else
		xiw_stream_broken(qp, "bogus index of completed responses");
}

bool xiw_inbound_failed(struct xiw_qp *qp, u32 index, struct xiw_inbound *in)
{
	unsigned long flags;
	u32 oldest;

	xiw_response_tx_done(qp, index);
	spin_lock_irqsave(&qp->sq_lock, flags);
	oldest = qp->inbound ? xiw_irrq_oldest(&qp->irrq) : XIW_IRRQ_NONE;
	if (oldest != XIW_IRRQ_NONE)
		*in = qp->inbound[oldest];
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	return oldest != XIW_IRRQ_NONE;
}

void xiw_inbound_drop(struct xiw_qp *qp)
{
	struct xiw_inbound *inbound;
	unsigned long flags;

	spin_lock_irqsave(&qp->sq_lock, flags);
	inbound = qp->inbound;
	qp->inbound = NULL;
	xiw_irrq_init(&qp->irrq, 0);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	kvfree(inbound);
}
