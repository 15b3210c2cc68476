// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "rdmap/stream.h"

#include "cm/cm.h"
#include "core/ddp_header.h"
#include "core/rdmap.h"
#include "core/term.h"
#include "diag/counters.h"
#include "diag/notice.h"
#include "diag/trace.h"
#include "queue/srq.h"
#include "queue/tx_ring.h"
#include "queue/user.h"
#include "rdmap/inbound.h"
#include "ring/vector.h"
#include "xiw.h"

/* End the time limit of an order. The stream has stopped, so no order starts the limit again. */
static void xiw_stream_unlimit(struct xiw_qp *qp)
{
	if (cancel_delayed_work(&qp->overdue))
		xiw_qp_put(qp);
}

void xiw_stream_order(struct xiw_qp *qp, enum xiw_stream_order order)
{
	unsigned int seconds = qp->dev->rnic.ops->admin_seconds;
	unsigned long flags;

	if (!seconds) {
		xiw_doorbell(&qp->dev->rnic, XIW_DB_STREAM, qp->stream, order);
		return;
	}
	/*
	 * Another task may reset the QP at any time. Hold QP.lock, so that the time limit applies
	 * to the stream that gets the order. Give the order before the time limit starts, because
	 * this task may lose its CPU at any time. A close waits for the peer, so it has no limit.
	 */
	spin_lock_irqsave(&qp->lock, flags);
	xiw_doorbell(&qp->dev->rnic, XIW_DB_STREAM, qp->stream, order);
	if (order != XIW_ORDER_CLOSE && qp->state > XIW_QPS_RTS && !qp->stopped) {
		xiw_qp_get(qp);
		if (!queue_delayed_work(qp->dev->wq, &qp->overdue, seconds * HZ))
			xiw_qp_put(qp);
	}
	spin_unlock_irqrestore(&qp->lock, flags);
}

void xiw_stream_overdue(struct work_struct *work)
{
	struct xiw_qp *qp = container_of(to_delayed_work(work), struct xiw_qp, overdue);

	/* Only a broken RNIC does not stop a stream in time. */
	if (!READ_ONCE(qp->stopped))
		xiw_device_fail(qp->dev, "RNIC did not stop a stream");
	xiw_qp_put(qp);
}

bool xiw_stream_move(struct xiw_qp *qp, enum xiw_qpe what)
{
	enum xiw_qps next = xiw_qps_next(qp->state, what);

	if (next == XIW_QPS_ILLEGAL)
		return false;
	/*
	 * Do not trace or report creation and reset, which happen without a connection
	 * (docs/tracing.md).
	 */
	if (what != XIW_QPE_RESET) {
		trace_xiw_qp_state(qp->stream, qp->state, next, what);
		if (qp->state != next)
			xiw_notice_state(qp, next);
	}
	WRITE_ONCE(qp->state, next);
	return true;
}

static void xiw_stream_raise(struct xiw_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ibqp.device,
		.element.qp = &qp->ibqp,
		.event = type,
	};

	if (qp->ibqp.event_handler)
		qp->ibqp.event_handler(&event, qp->ibqp.qp_context);
}

void xiw_stream_raise_term(struct xiw_qp *qp, const struct xiw_term_row *row)
{
	static const enum ib_event_type types[] = {
		[XIW_TERM_EV_FATAL] = IB_EVENT_QP_FATAL,
		[XIW_TERM_EV_ACCESS] = IB_EVENT_QP_ACCESS_ERR,
		[XIW_TERM_EV_REQ] = IB_EVENT_QP_REQ_ERR,
	};

	xiw_stream_raise(qp, types[row->event]);
}

/* Return: true if the header belongs to an untagged message on queue 0, which needs a receive. */
static bool xiw_stream_is_receive(const u8 *header, u32 header_length)
{
	return header_length == XIW_DDP_UNTAGGED_LEN &&
	       get_unaligned_be32(header + XIW_DDP_QN_AT) == XIW_QN_SEND;
}

/* Report a Terminate that the RNIC sends. No lock is held. */
static void xiw_stream_report(struct xiw_qp *qp, struct xiw_term_code code, const u8 *term,
			      u32 length)
{
	trace_xiw_terminate(qp->stream, true, code.layer << 4 | code.etype, code.code);
	xiw_notice_terminate(qp, XIW_NL_ORIGIN_LOCAL, term, length);
}

bool xiw_stream_terminate(struct xiw_qp *qp, enum xiw_fault fault, const u8 *header,
			  u32 header_length, u32 ulpdu_length)
{
	struct xiw_term_code code = xiw_fault_code(fault);
	enum xiw_stream_order order = XIW_ORDER_TERMINATE;
	u8 term[XIW_TERM_LEN_MAX];
	unsigned long flags;
	u32 length = 0;
	bool first;

	spin_lock_irqsave(&qp->lock, flags);
	first = xiw_stream_move(qp, XIW_QPE_FAULT);
	if (first) {
		if (code.flags & XIW_TERM_SILENT) {
			order = XIW_ORDER_ABORT;
		} else {
			length = xiw_term_build(term, code, header, header_length, ulpdu_length);
			memcpy(qp->ctx->term, term, length);
			qp->term_sent = BIT(31) | code.layer << 16 | code.etype << 8 | code.code;
			/*
			 * Publish the length last, so that the RNIC sees the message before its
			 * length.
			 */
			xiw_publish(&qp->ctx->term_length, cpu_to_le32(length));
		}
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	if (!first)
		return false;	/* a later error changes nothing (docs/states.md) */

	if (fault == XIW_FAULT_LLP_CRC)
		xiw_notice_crc_error(qp);
	if (length)
		xiw_stream_report(qp, code, term, length);
	else
		xiw_notice_abort(qp, XIW_NL_ORIGIN_LOCAL, "fault without a Terminate code");
	/*
	 * A missing receive has the same fault as a Read Request or Atomic beyond the IRD, but its
	 * own counters.
	 */
	if (fault == XIW_FAULT_DDP_NO_BUFFER && xiw_stream_is_receive(header, header_length))
		/* pairs with the RNIC, which counts waits for a receive */
		xiw_count(qp->dev, READ_ONCE(qp->ctx->parked) ? XIW_CNT_PARK_TIMEOUT :
								XIW_CNT_NO_RECEIVE);
	else
		xiw_count_fault(qp->dev, fault);
	xiw_stream_order(qp, order);
	xiw_stream_raise_term(qp, &xiw_term_table[fault]);
	return true;
}

/*
 * Flush the receive that the RNIC has taken from the SRQ for an incomplete message. @cookie: cookie
 * of the receive; XIW_RX_NONE: none
 */
static void xiw_stream_flush_taken(struct xiw_qp *qp, u32 cookie)
{
	struct xiw_cqe cqe = {
		.qp = &qp->ibqp,
		/*
		 * With a broken RNIC, the handler of an event may write rq_error during the flush.
		 */
		.status = READ_ONCE(qp->rq_error) ?: IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
	};

	if (qp->srq && cookie != XIW_RX_NONE)
		xiw_rq_complete(qp, cookie, &cqe, false);
}

/*
 * Flush the queues of a stream that has stopped. No lock is held.
 * @rx_taken: as in struct xiw_ev_state
 */
static void xiw_stream_flush(struct xiw_qp *qp, u32 rx_taken)
{
	xiw_sq_flush(qp);
	xiw_stream_flush_taken(qp, rx_taken);
	xiw_rq_flush(qp);
	if (qp->srq)
		xiw_stream_raise(qp, IB_EVENT_QP_LAST_WQE_REACHED);
}

/*
 * End a stream by a Terminate if the peer can receive one, otherwise by an abort. @replied: true if
 * the peer has sent a positive Reply. Such a peer can receive a Terminate with the reason, even if
 * the stream is not bound (RFC 6581 §9.3).
 */
static void xiw_stream_end(struct xiw_qp *qp, bool replied)
{
	enum xiw_stream_order order = XIW_ORDER_ABORT;
	enum xiw_fault fault = XIW_FAULT_RDMA_LOCAL;
	u8 term[XIW_TERM_LEN_MAX];
	unsigned long flags;
	u32 length = 0;

	spin_lock_irqsave(&qp->lock, flags);
	switch (qp->state) {
	case XIW_QPS_IDLE:
	case XIW_QPS_NAMED:
		if (!replied)
			break;
		fault = XIW_FAULT_LLP_LOCAL;
		fallthrough;
	case XIW_QPS_RTR:
	case XIW_QPS_RTS:
		length = xiw_term_build(term, xiw_fault_code(fault), NULL, 0, 0);
		memcpy(qp->ctx->term, term, length);
		order = XIW_ORDER_TERMINATE;
		break;
	case XIW_QPS_LEFT:
		if (qp->stopped) {
			xiw_stream_move(qp, XIW_QPE_ABORT);
			spin_unlock_irqrestore(&qp->lock, flags);
			xiw_stream_flush(qp, XIW_RX_NONE);
			return;
		}
		fallthrough;
	case XIW_QPS_CLOSING:
		/*
		 * The RNIC has the order to send a FIN, but the peer may not have accepted the
		 * octets before the FIN. Order a Terminate without a message: TCP sends the octets
		 * that it has, and the RNIC no longer accesses local memory.
		 */
		order = XIW_ORDER_TERMINATE;
		break;
	default:
		spin_unlock_irqrestore(&qp->lock, flags);
		return;
	}
	xiw_stream_move(qp, XIW_QPE_ABORT);
	/* Publish the length last, so that the RNIC sees the message before its length. */
	xiw_publish(&qp->ctx->term_length, cpu_to_le32(length));
	spin_unlock_irqrestore(&qp->lock, flags);
	/* Report the Terminate only if there is a connection on which the RNIC sends it. */
	if (length && xiw_stream_bits(qp) & XIW_ST_OPEN)
		xiw_stream_report(qp, xiw_fault_code(fault), term, length);
	xiw_stream_order(qp, order);
}

void xiw_stream_created(struct xiw_qp *qp)
{
	unsigned long flags;
	bool ended;

	spin_lock_irqsave(&qp->lock, flags);
	ended = qp->state != XIW_QPS_IDLE;
	spin_unlock_irqrestore(&qp->lock, flags);
	if (ended)
		xiw_stream_order(qp, XIW_ORDER_ABORT);
}

void xiw_stream_gone(struct xiw_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	WRITE_ONCE(qp->stopped, true);
	spin_unlock_irqrestore(&qp->lock, flags);
	xiw_stream_unlimit(qp);
}

void xiw_stream_abort(struct xiw_qp *qp)
{
	xiw_stream_end(qp, false);
}

void xiw_stream_await_stopped(struct xiw_qp *qp)
{
	/* Nothing wakes this function when the device fails. */
	while (!wait_var_event_timeout(&qp->stopped,
				       READ_ONCE(qp->stopped) || atomic_read(&qp->dev->failed),
				       HZ))
		;
}

void xiw_stream_unopened(struct xiw_qp *qp)
{
	xiw_stream_end(qp, true);
}

bool xiw_stream_busy(struct xiw_qp *qp)
{
	unsigned long flags;
	bool busy;

	xiw_sq_lock_settled(qp, &flags);
	xiw_response_catch_up(qp);
	busy = xiw_sq_used(qp) || !xiw_orq_idle(&qp->orq) ||
	       (qp->inbound && !xiw_irrq_idle(&qp->irrq));
	spin_unlock_irqrestore(&qp->sq_lock, flags);
	return busy;
}

void xiw_stream_close(struct xiw_qp *qp)
{
	bool busy = xiw_stream_busy(qp), closing = false;
	unsigned long flags;

	if (!busy) {
		spin_lock_irqsave(&qp->lock, flags);
		closing = xiw_stream_move(qp, XIW_QPE_CLOSE);
		spin_unlock_irqrestore(&qp->lock, flags);
	}
	if (closing)
		xiw_stream_order(qp, XIW_ORDER_CLOSE);
	else if (READ_ONCE(qp->state) != XIW_QPS_CLOSING)
		xiw_stream_abort(qp);
}

int xiw_stream_bound(struct xiw_qp *qp, const struct xiw_conn_params *params, bool passive,
		     u32 ird, u32 ord, struct xiw_inbound *inbound)
{
	unsigned long flags;
	bool ok, named;

	spin_lock_irqsave(&qp->lock, flags);
	named = qp->state == XIW_QPS_NAMED;
	ok = xiw_stream_move(qp, passive ? XIW_QPE_OPEN_PASSIVE : XIW_QPE_OPEN_ACTIVE);
	if (ok) {
		spin_lock(&qp->sq_lock);
		/*
		 * Work requests that wait in NAMED already have Request Identifiers, so continue
		 * with the next identifier.
		 */
		xiw_orq_init(&qp->orq, ord, named ? qp->orq.request_id : 1);
		qp->conn_flags = le32_to_cpu(params->flags);
		if (inbound)
			xiw_irrq_init(&qp->irrq, ird);
		qp->inbound = inbound;
		xiw_user_sq_connection(qp, true);
		spin_unlock(&qp->sq_lock);
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	return ok ? 0 : -ENOTCONN;
}

/*
 * Accept posts while the stream waits for a peer that is named by number. sq_lock is held. If ORD
 * is 0, posts of Reads and Atomics fail (DEC-29), so set ORD to 1. When the stream opens, the
 * agreed ORD replaces this value. The agreed ORD of such a stream is never 0.
 */
static void xiw_stream_await(struct xiw_qp *qp, u32 flags, u32 request_id)
{
	qp->conn_flags = flags;
	xiw_orq_init(&qp->orq, 1, request_id);
	xiw_user_sq_connection(qp, false);
}

bool xiw_stream_named(struct xiw_qp *qp, u32 flags)
{
	if (!xiw_stream_move(qp, XIW_QPE_NAME))
		return false;
	spin_lock(&qp->sq_lock);
	xiw_stream_await(qp, flags, 1);
	spin_unlock(&qp->sq_lock);
	return true;
}

bool xiw_stream_not_opened(struct xiw_qp *qp)
{
	struct xiw_inbound *inbound = NULL;
	unsigned long flags;
	bool again;

	spin_lock_irqsave(&qp->lock, flags);
	again = xiw_stream_move(qp, XIW_QPE_NOT_OPENED);
	if (again) {
		spin_lock(&qp->sq_lock);
		inbound = qp->inbound;
		qp->inbound = NULL;
		xiw_irrq_init(&qp->irrq, 0);
		xiw_stream_await(qp, qp->conn_flags, qp->orq.request_id);
		spin_unlock(&qp->sq_lock);
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	kvfree(inbound);
	return again;
}

void xiw_stream_unanswered(struct xiw_qp *qp)
{
	bool late, stopped;
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	late = xiw_stream_move(qp, XIW_QPE_UNANSWERED);
	if (late) {
		/*
		 * Set the status under QP.lock. In the state ERROR, xiw_stream_stopped() may flush
		 * the queues as soon as this function releases QP.lock.
		 */
		spin_lock(&qp->sq_lock);
		qp->sq_error = IB_WC_RETRY_EXC_ERR;
		spin_unlock(&qp->sq_lock);
	}
	stopped = qp->stopped;
	spin_unlock_irqrestore(&qp->lock, flags);
	if (!late)
		return;
	xiw_notice_abort(qp, XIW_NL_ORIGIN_LOCAL, "no connection to the peer that is named");
	if (stopped)
		xiw_stream_flush(qp, XIW_RX_NONE);
	else
		xiw_stream_order(qp, XIW_ORDER_ABORT);
}

/* @rx_taken: as in struct xiw_ev_state */
static void xiw_stream_stopped(struct xiw_qp *qp, u32 rx_taken)
{
	unsigned long flags;
	bool again, left;

	spin_lock_irqsave(&qp->lock, flags);
	again = qp->stopped;
	WRITE_ONCE(qp->stopped, true);
	xiw_stream_move(qp, XIW_QPE_CLOSED);
	left = qp->state == XIW_QPS_LEFT;
	spin_unlock_irqrestore(&qp->lock, flags);
	xiw_stream_unlimit(qp);
	if (again)
		return;

	/* In the state LEFT, the function that ends the stream will flush the queues. */
	if (left) {
		spin_lock_irqsave(&qp->sq_lock, flags);
		xiw_user_sq_connection(qp, false);
		spin_unlock_irqrestore(&qp->sq_lock, flags);
		xiw_stream_flush_taken(qp, rx_taken);
	} else {
		xiw_stream_flush(qp, rx_taken);
	}
	smp_mb();	/* either the waiter sees stopped, or the wake-up sees the waiter */
	wake_up_var(&qp->stopped);
	xiw_cm_stream_stopped(qp);
}

void xiw_stream_dead(struct xiw_qp *qp)
{
	/* A QP in LEFT normally ends when its ULP posts. End the QP now, without a post. */
	if (READ_ONCE(qp->state) == XIW_QPS_LEFT)
		xiw_stream_abort(qp);
	xiw_stream_stopped(qp, XIW_RX_NONE);
}

/* Handle the peer's FIN. The peer neither receives nor responds after its FIN. */
static void xiw_stream_peer_closed(struct xiw_qp *qp)
{
	bool busy = xiw_stream_busy(qp), news;
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	if (busy)
		news = xiw_stream_move(qp, XIW_QPE_PEER_CLOSED_BUSY);
	else
		news = xiw_stream_move(qp, qp->peer ? XIW_QPE_PEER_LEFT : XIW_QPE_PEER_CLOSED);
	spin_unlock_irqrestore(&qp->lock, flags);
	if (!news)
		return;	/* the stream is not open, or already has an order to end */
	if (busy) {
		xiw_notice_abort(qp, XIW_NL_ORIGIN_REMOTE, "closed with pending work");
		xiw_stream_order(qp, XIW_ORDER_ABORT);
		xiw_stream_raise(qp, IB_EVENT_QP_FATAL);
	} else {
		xiw_cm_stream_disconnect(qp);
		xiw_stream_order(qp, XIW_ORDER_CLOSE);
	}
}

/*
 * Order an abort. If the stream is open or waits for a connection, move it to ERROR. Return: true
 * if the stream has moved to ERROR.
 */
static bool xiw_stream_cut(struct xiw_qp *qp, enum xiw_nl_origin origin, const char *why)
{
	unsigned long flags;
	bool news;

	spin_lock_irqsave(&qp->lock, flags);
	news = xiw_stream_move(qp, XIW_QPE_LOST);
	spin_unlock_irqrestore(&qp->lock, flags);
	if (news)
		xiw_notice_abort(qp, origin, why);
	xiw_stream_order(qp, XIW_ORDER_ABORT);
	return news;
}

static void xiw_stream_lost(struct xiw_qp *qp, const char *why)
{
	if (xiw_stream_cut(qp, XIW_NL_ORIGIN_REMOTE, why)) {
		xiw_count(qp->dev, XIW_CNT_CONN_LOST);
		xiw_stream_raise(qp, IB_EVENT_QP_FATAL);
	}
}

void xiw_stream_broken(struct xiw_qp *qp, const char *why)
{
	ibdev_err_ratelimited(&qp->dev->ibdev, "QP %u: %s\n", qp->stream, why);
	xiw_count(qp->dev, XIW_CNT_RNIC_ERROR);
	if (xiw_stream_cut(qp, XIW_NL_ORIGIN_LOCAL, why))
		xiw_stream_raise(qp, IB_EVENT_QP_FATAL);
}

static void xiw_stream_first_fpdu(struct xiw_qp *qp)
{
	unsigned long flags;
	bool open;

	spin_lock_irqsave(&qp->lock, flags);
	open = xiw_stream_move(qp, XIW_QPE_FIRST_FPDU);
	spin_unlock_irqrestore(&qp->lock, flags);
	if (open)
		xiw_sq_open(qp, false, false, false);
}

static void xiw_stream_state(struct xiw_qp *qp, const struct xiw_ev_state *state)
{
	u32 bits = qp->stream_bits | le32_to_cpu(state->bits);
	u32 news = bits & ~qp->stream_bits;

	/* release: pairs with xiw_stream_bits() */
	smp_store_release(&qp->stream_bits, bits);
	if (news & XIW_ST_FIRST_FPDU)
		xiw_stream_first_fpdu(qp);
	if (news & XIW_ST_RTR_TIMEOUT)
		xiw_stream_lost(qp, "timed out waiting for the first message");
	if (news & XIW_ST_UNENCRYPTED &&
	    xiw_stream_cut(qp, XIW_NL_ORIGIN_LOCAL, XIW_WHY_UNENCRYPTED))
		xiw_stream_raise(qp, IB_EVENT_QP_FATAL);
	if (news & XIW_ST_LOST)
		xiw_stream_lost(qp, "TCP connection lost");
	else if (news & XIW_ST_PEER_CLOSED)
		xiw_stream_peer_closed(qp);
	if (news & XIW_ST_STOPPED)
		xiw_stream_stopped(qp, le32_to_cpu(state->rx_taken));
}

/*
 * Return: true if messages must be dropped. When the driver finds an error, the RNIC may already
 * have reported more messages. The driver drops these messages like all later messages
 * (docs/states.md). If a dropped message has used a receive, the receive is flushed.
 */
static bool xiw_stream_drops(const struct xiw_qp *qp)
{
	return qp->term_sent || READ_ONCE(qp->state) == XIW_QPS_TERMINATE;
}

/*
 * Refuse a Send with Immediate whose header has the reserved bit set. The Terminate returns the
 * header of the last segment. The event does not contain the message offset of this segment, so
 * compute the offset from the lengths.
 */
static void xiw_stream_refuse_imm(struct xiw_qp *qp, const struct xiw_ev_message *msg)
{
	u16 ulpdu_length = le16_to_cpu(msg->ulpdu_length);
	u8 header[XIW_DDP_UNTAGGED_LEN];

	xiw_ddp_put_message(header, msg);
	put_unaligned_be32(le32_to_cpu(msg->length) + XIW_DDP_UNTAGGED_LEN - ulpdu_length,
			   header + XIW_DDP_MO_AT);
	xiw_stream_terminate(qp, XIW_FAULT_RDMA_OPCODE, header, sizeof(header), ulpdu_length);
}

static void xiw_stream_receive(struct xiw_qp *qp, const struct xiw_ev_message *msg)
{
	u8 opcode = msg->rdmap_ctrl & XIW_RDMAP_OPCODE_MASK;
	bool solicited = false;
	struct xiw_cqe cqe = {
		.qp = &qp->ibqp,
		.status = IB_WC_SUCCESS,
		.opcode = IB_WC_RECV,
		.byte_len = le32_to_cpu(msg->length),
	};

	switch (opcode) {
	case XIW_OP_SEND_SE_INV:
	case XIW_OP_SEND_INV:
		cqe.flags |= IB_WC_WITH_INVALIDATE;
		cqe.invalidated = le32_to_cpu(msg->rsvdulp);
		solicited = opcode == XIW_OP_SEND_SE_INV;
		break;
	case XIW_OP_SEND_SE:
		solicited = true;
		break;
	case XIW_OP_IMM_SE:
		solicited = true;
		fallthrough;
	case XIW_OP_IMM:
		/* An Immediate does not change the memory of the receive (DEC-16, DEC-17). */
		cqe.opcode = IB_WC_RECV_RDMA_WITH_IMM;
		cqe.flags |= IB_WC_WITH_IMM;
		cqe.byte_len = le32_to_cpu(msg->write_length);
		memcpy(cqe.imm, msg->data, sizeof(cqe.imm));
		break;
	case XIW_OP_SEND_IMM:
		if (msg->rdmap_ctrl & XIW_RDMAP_RESERVED) {
			xiw_stream_refuse_imm(qp, msg);
			cqe.status = IB_WC_WR_FLUSH_ERR;
		}
		solicited = msg->rdmap_ctrl & XIW_RDMAP_SOLICITED;
		cqe.flags |= IB_WC_WITH_IMM;
		put_unaligned_be32(le32_to_cpu(msg->rsvdulp), cqe.imm);
		break;
	}
	if (xiw_stream_drops(qp))
		cqe.status = IB_WC_WR_FLUSH_ERR;
	xiw_rq_complete(qp, le32_to_cpu(msg->cookie), &cqe, solicited);
}

static void xiw_stream_atomic_response(struct xiw_qp *qp, const struct xiw_ev_message *msg,
				       u8 status)
{
	u8 header[XIW_DDP_UNTAGGED_LEN];
	struct xiw_atomic_rsp rsp;
	enum xiw_fault fault;

	xiw_atomic_rsp_get(&rsp, msg->data);
	fault = xiw_sq_atomic_answered(qp, &rsp, status);
	if (fault != XIW_FAULT_NONE) {
		xiw_ddp_put_message(header, msg);
		xiw_stream_terminate(qp, fault, header, sizeof(header),
				     le16_to_cpu(msg->ulpdu_length));
	} else if (status != XIW_OK) {
		xiw_stream_terminate(qp, XIW_FAULT_RDMA_LOCAL, NULL, 0, 0);
	}
}

static void xiw_stream_message(struct xiw_qp *qp, const struct xiw_ev_message *msg, u8 status)
{
	struct xiw_inbound in __uninitialized;
	enum xiw_fault fault;

	switch (msg->queue) {
	case XIW_QN_SEND:
		xiw_stream_receive(qp, msg);
		break;
	case XIW_QN_REQUEST:
		if (xiw_stream_drops(qp))
			break;
		fault = xiw_inbound_request(qp, msg, &in);
		if (fault != XIW_FAULT_NONE)
			xiw_stream_terminate(qp, fault, in.header, in.header_length,
					     in.ulpdu_length);
		break;
	case XIW_QN_TERMINATE:
		xiw_stream_terminated(qp, msg);
		break;
	case XIW_QN_RESPONSE:
		if (!xiw_stream_drops(qp))
			xiw_stream_atomic_response(qp, msg, status);
		break;
	default:
		xiw_stream_broken(qp, "message on an invalid queue");
		break;
	}
}

static void xiw_stream_tx_error(struct xiw_qp *qp, const struct xiw_event *event)
{
	u32 index = le32_to_cpu(event->tx.index);
	struct xiw_inbound in __uninitialized;

	if (event->queue == XIW_TXQ_REQUEST) {
		xiw_sq_tx_failed(qp, index, event->status);
		xiw_stream_terminate(qp, XIW_FAULT_RDMA_LOCAL, NULL, 0, 0);
		return;
	}
	/*
	 * A response has failed, usually because the requested memory became invalid before the
	 * response was sent, or while it was being sent (docs/states.md).
	 */
	if (!xiw_inbound_failed(qp, index, &in)) {
		xiw_stream_terminate(qp, XIW_FAULT_RDMA_LOCAL, NULL, 0, 0);
		return;
	}
	if (in.kind == XIW_WR_READ)
		xiw_term_advance(in.header + XIW_DDP_UNTAGGED_LEN, le32_to_cpu(event->tx.done));
	xiw_stream_terminate(qp, xiw_stag_status_fault(event->status), in.header,
			     in.header_length, in.ulpdu_length);
}

/*
 * If the RNIC has refused a segment of a Read Response, set the status of the Read, because the
 * lkey of the Read may be wrong.
 */
static void xiw_stream_sink_refused(struct xiw_qp *qp, const struct xiw_ev_error *error)
{
	struct xiw_ddp_header h;

	if (error->header_length == XIW_DDP_TAGGED_LEN &&
	    xiw_ddp_parse(&h, error->header, le16_to_cpu(error->ulpdu_length)) &&
	    xiw_ddp_is_tagged(&h) &&
	    xiw_ddp_opcode(&h) == XIW_OP_READ_RESPONSE)
		xiw_sq_sink_refused(qp, h.stag, h.to, h.payload_len);
}

/*
 * Return: status for the receive of the refused segment; IB_WC_SUCCESS if the segment needs no
 * receive, or the receive is not the cause of the error.
 */
static enum ib_wc_status xiw_stream_receive_status(enum xiw_fault fault,
						   const struct xiw_ev_error *error)
{
	if (!xiw_stream_is_receive(error->header, error->header_length))
		return IB_WC_SUCCESS;
	switch (fault) {
	case XIW_FAULT_DDP_TOO_LONG:
		return IB_WC_LOC_LEN_ERR;
	case XIW_FAULT_RDMA_LOCAL:
		/* The memory of the receive is not accessible. */
		return IB_WC_LOC_PROT_ERR;
	default:
		return IB_WC_SUCCESS;
	}
}

static void xiw_stream_error(struct xiw_qp *qp, const struct xiw_ev_error *error)
{
	enum xiw_fault fault = error->silent ? XIW_FAULT_SILENT :
			       xiw_term_fault(error->layer, error->etype, error->code);
	enum ib_wc_status status = xiw_stream_receive_status(fault, error);

	if (fault == XIW_FAULT_NONE)
		fault = XIW_FAULT_RDMA_LOCAL;
	if (xiw_term_table[fault].status == XIW_TERM_REM_ACCESS)
		xiw_stream_sink_refused(qp, error);
	if (xiw_stream_terminate(qp, fault, error->header,
				 min_t(u32, error->header_length, sizeof(error->header)),
				 le16_to_cpu(error->ulpdu_length)) &&
	    status != IB_WC_SUCCESS)
		xiw_rq_name(qp, status);
}

/* Record an event in the driver's flight recorder, for an RNIC that records no segments. */
static void xiw_stream_record(struct xiw_qp *qp, const struct xiw_event *event)
{
	const struct xiw_ev_message *message = &event->message;
	u32 known = min_t(u32, message->inline_length, sizeof(message->data));
	unsigned long flags;

	spin_lock_irqsave(&qp->sq_lock, flags);
	if (xiw_recorder_event(&qp->recorder, event) && xiw_capturing(&qp->dev->rnic))
		xiw_capture_message(&qp->dev->rnic, qp->stream, &qp->recorder, message->data,
				    event->type == XIW_EV_MESSAGE ? known : 0);
	spin_unlock_irqrestore(&qp->sq_lock, flags);
}

static void xiw_stream_handle(struct xiw_qp *qp, const struct xiw_event *event)
{
	/* After STOPPED, the driver flushes the queues. So handle only state events then. */
	if (event->type != XIW_EV_STATE && READ_ONCE(qp->stopped))
		return;
	if (qp->recorder.record)
		xiw_stream_record(qp, event);
	switch (event->type) {
	case XIW_EV_TX_DONE:
		if (event->queue == XIW_TXQ_REQUEST)
			xiw_sq_tx_done(qp, le32_to_cpu(event->tx.index));
		else
			xiw_response_tx_done(qp, le32_to_cpu(event->tx.index));
		break;
	case XIW_EV_TX_ERROR:
		xiw_stream_tx_error(qp, event);
		break;
	case XIW_EV_MESSAGE:
		xiw_traffic_count(&qp->received, event->message.rdmap_ctrl,
				  le32_to_cpu(event->message.length));
		xiw_stream_message(qp, &event->message, event->status);
		break;
	case XIW_EV_SOLICITED:
		xiw_traffic_count(&qp->received, XIW_OP_READ_RESPONSE,
				  le32_to_cpu(event->solicited.length));
		if (!xiw_stream_drops(qp) &&
		    !xiw_sq_answered(qp, le32_to_cpu(event->solicited.cookie),
				     event->solicited.status))
			xiw_stream_terminate(qp, XIW_FAULT_RDMA_LOCAL, NULL, 0, 0);
		break;
	case XIW_EV_ERROR:
		xiw_stream_error(qp, &event->error);
		break;
	case XIW_EV_STATE:
		xiw_stream_state(qp, &event->state);
		break;
	}
}

void xiw_stream_event(struct xiw_vector *vec, const struct xiw_event *event)
{
	u32 stream = le32_to_cpu(event->stream);
	struct xiw_qp *qp;

	/* Only a broken RNIC reports an unknown event type or an invalid stream index. */
	if (event->type > XIW_EV_STATE || !event->type ||
	    stream >= le32_to_cpu(vec->dev->rnic.caps.max_streams)) {
		xiw_device_fail(vec->dev, "invalid event");
		return;
	}
	/*
	 * Hold vec->lookup until the reference is taken, because the destruction of a QP waits for
	 * this lock before it frees the QP.
	 */
	spin_lock(&vec->lookup);
	qp = xa_load(&vec->dev->qps, stream);
	if (qp)
		xiw_qp_get(qp);
	spin_unlock(&vec->lookup);
	if (!qp)
		return;
	/* All events of a stream must come from the vector of its QP. */
	if (qp->vector == vec)
		xiw_stream_handle(qp, event);
	else
		xiw_stream_broken(qp, "event on the wrong vector");
	xiw_qp_put(qp);
}
