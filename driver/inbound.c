// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "inbound.h"

#include "core/atomic.h"
#include "core/rdmap.h"
#include "core/stag.h"
#include "counters.h"
#include "mr.h"
#include "stag_table.h"
#include "stream.h"
#include "trace.h"
#include "tx_ring.h"
#include "xiw.h"

/* The segment as it was received, for a Terminate about it. */
static void xiw_inbound_keep_header(struct xiw_inbound *in, const struct xiw_ev_message *msg)
{
	xiw_stream_header(in->header, msg);
	in->header_length = XIW_DDP_UNTAGGED_LEN;
	in->ulpdu_length = le16_to_cpu(msg->ulpdu_length);
	if (in->kind == XIW_WR_READ) {
		memcpy(in->header + XIW_DDP_UNTAGGED_LEN, msg->data, XIW_READ_REQ_LEN);
		in->header_length += XIW_READ_REQ_LEN;
	}
}

static enum xiw_fault xiw_inbound_read(struct xiw_qp *qp, const u8 *data)
{
	struct xiw_stag_found found;
	struct xiw_read_req req;

	xiw_read_req_get(&req, data);
	xiw_stag_find(qp->dev, req.src_stag, &found);
	return xiw_read_req_check(found.present ? &found.view : NULL,
				  found.has_parent ? &found.parent : NULL, &req,
				  to_xiw_pd(qp->ibqp.pd)->id, qp->stream);
}

static enum xiw_fault xiw_inbound_atomic(struct xiw_qp *qp, struct xiw_inbound *in,
					 const u8 *data)
{
	struct xiw_stag_found found;

	xiw_atomic_req_get(&in->atomic, data);
	xiw_stag_find(qp->dev, in->atomic.stag, &found);
	return xiw_atomic_req_check(found.present ? &found.view : NULL,
				    found.has_parent ? &found.parent : NULL, found.first,
				    &in->atomic, to_xiw_pd(qp->ibqp.pd)->id, qp->stream);
}

/* sq_lock is held. The responses before @index are out. False: it is none of ours. */
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
	in->state = XIW_WR_QUEUED;
	xiw_inbound_keep_header(in, msg);
	fault = in->kind == XIW_WR_ATOMIC ? xiw_inbound_atomic(qp, in, msg->data) :
					    xiw_inbound_read(qp, msg->data);
	if (fault != XIW_FAULT_NONE)
		return fault;

	spin_lock_irqsave(&qp->sq_lock, flags);
	/* Who asks again has an answer, of which no event may have spoken. */
	known = xiw_response_catch_up(qp);
	/* The RNIC counts the credits; one that does not is not to hurt us. */
	index = qp->inbound ? xiw_irrq_push(&qp->irrq) : XIW_IRRQ_NONE;
	if (index != XIW_IRRQ_NONE)
		qp->inbound[index] = *in;
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	if (!known)
		xiw_device_fail(qp->dev, "responses done that it was not given");
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
	desc->flags = XIW_TXF_REMOTE_READ | xiw_tx_quiet(qp, XIW_TXQ_RESPONSE);
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
	in->tx_end = qp->tx_tail[XIW_TXQ_RESPONSE];
	in->state = XIW_WR_POSTED;
}

/* The RNIC applies an Atomic of the peer to memory, or stores the result of ours. */
static void xiw_response_put_operation(struct xiw_qp *qp, u32 aop,
				       const struct xiw_atomic_req *req, u32 cookie)
{
	struct xiw_tx_atomic op = {
		.head.op = XIW_TX_ATOMIC,
		.head.units = sizeof(op) / XIW_TX_UNIT,
		.head.flags = xiw_tx_quiet(qp, XIW_TXQ_RESPONSE),
		.head.stag = cpu_to_le32(req->stag),
		.head.to = cpu_to_le64(req->to),
		.head.cookie = cpu_to_le32(cookie),
		.aop = cpu_to_le32(aop),
		.data = cpu_to_le64(req->data),
		.mask = cpu_to_le64(req->mask),
		.compare = cpu_to_le64(req->compare),
		.compare_mask = cpu_to_le64(req->compare_mask),
	};

	xiw_tx_put(qp, XIW_TXQ_RESPONSE, &op, sizeof(op));
}

static void xiw_response_put_atomic(struct xiw_qp *qp, struct xiw_inbound *in)
{
	struct xiw_atomic_rsp rsp = { .req_id = in->atomic.req_id, .value = in->original };
	u8 image[XIW_TX_UNIT] __aligned(16) = {};
	struct xiw_tx_desc *desc = (struct xiw_tx_desc *)image;

	desc->op = XIW_TX_UNTAGGED;
	desc->units = 1;
	desc->flags = xiw_tx_quiet(qp, XIW_TXQ_RESPONSE);
	desc->queue = XIW_QN_RESPONSE;
	desc->rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_ATOMIC_RESPONSE);
	desc->header_length = XIW_ATOMIC_RSP_LEN;
	xiw_atomic_rsp_put((u8 *)(desc + 1), &rsp);
	xiw_tx_put(qp, XIW_TXQ_RESPONSE, image, sizeof(image));
	in->tx_end = qp->tx_tail[XIW_TXQ_RESPONSE];
	in->state = XIW_WR_POSTED;
}

/* sq_lock is held. An Atomic has been executed: its response, if there is room. */
static bool xiw_response_executed(struct xiw_qp *qp)
{
	struct xiw_inbound *in = &qp->inbound[qp->irrq.next % qp->irrq.depth];

	if (in->state != XIW_WR_SENT || !xiw_tx_room(qp, XIW_TXQ_RESPONSE, 1, false))
		return false;
	xiw_irrq_executed(&qp->irrq);
	xiw_response_put_atomic(qp, in);
	xiw_irrq_begun(&qp->irrq);
	return true;
}

/* sq_lock is held. The request whose turn it is; false if it has to wait. */
static bool xiw_response_next(struct xiw_qp *qp)
{
	struct xiw_inbound *in;
	u32 index;

	if (!qp->inbound)
		return false;
	if (qp->irrq.executing)
		return xiw_response_executed(qp);
	index = xiw_irrq_next(&qp->irrq);
	if (index == XIW_IRRQ_NONE || !xiw_tx_room(qp, XIW_TXQ_RESPONSE, 2, false))
		return false;
	in = &qp->inbound[index];
	if (in->kind == XIW_WR_READ) {
		xiw_response_put_read(qp, in);
		xiw_irrq_begun(&qp->irrq);
		return true;
	}
	xiw_response_put_operation(qp, in->atomic.aop, &in->atomic, XIW_COOKIE_INBOUND | index);
	in->state = XIW_WR_STORING;
	xiw_irrq_execute(&qp->irrq);
	return false;
}

/* sq_lock is held. Results of our own atomics, on their way to the buffers. */
static void xiw_response_stores(struct xiw_qp *qp)
{
	struct xiw_cursor at = qp->sq_head;
	struct xiw_atomic_req store = {};

	for (; qp->stores && at.index != qp->sq_next.index; xiw_sq_advance(qp, &at)) {
		struct xiw_sqe *sqe = xiw_sqe(qp, at.slot);

		if (sqe->state != XIW_WR_STORING || !sqe->store_pending)
			continue;
		if (!xiw_tx_room(qp, XIW_TXQ_RESPONSE, 2, false))
			break;
		sqe->store_pending = 0;
		qp->stores--;
		store.stag = sqe->sink_lkey;
		store.to = sqe->sink_addr;
		store.data = sqe->result;
		xiw_response_put_operation(qp, XIW_ATOMIC_STORE, &store,
					   XIW_COOKIE_STORE | at.slot);
	}
}

void xiw_response_pump(struct xiw_qp *qp)
{
	unsigned long flags;
	bool moved = false;
	u32 tail;

	spin_lock_irqsave(&qp->sq_lock, flags);
	tail = qp->tx_tail[XIW_TXQ_RESPONSE];
	if (!qp->sq_flush) {
		xiw_response_stores(qp);
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
		xiw_device_fail(qp->dev, "responses done that it was not given");
}

enum xiw_fault xiw_inbound_executed(struct xiw_qp *qp, u32 index, const struct xiw_event *event)
{
	enum xiw_fault fault = XIW_FAULT_NONE;
	struct xiw_inbound *in;
	unsigned long flags;
	bool known;

	spin_lock_irqsave(&qp->sq_lock, flags);
	in = qp->inbound && index < qp->irrq.depth ? &qp->inbound[index] : NULL;
	known = in && qp->irrq.executing && in->kind == XIW_WR_ATOMIC &&
		in->state == XIW_WR_STORING;
	if (!known) {
		fault = XIW_FAULT_RDMA_LOCAL;
	} else if (event->status != XIW_OK) {
		fault = xiw_stag_status_fault(event->status);
	} else {
		in->original = le64_to_cpu(event->atomic.value);
		in->state = XIW_WR_SENT;
	}
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	if (!known)
		xiw_device_fail(qp->dev, "atomic executed that it was not given");
	if (fault == XIW_FAULT_NONE)
		xiw_response_pump(qp);
	return fault;
}

struct xiw_inbound *xiw_inbound_at(struct xiw_qp *qp, u32 index)
{
	u32 oldest;

	xiw_response_tx_done(qp, index);
	oldest = qp->inbound ? xiw_irrq_oldest(&qp->irrq) : XIW_IRRQ_NONE;
	return oldest == XIW_IRRQ_NONE ? NULL : &qp->inbound[oldest];
}
