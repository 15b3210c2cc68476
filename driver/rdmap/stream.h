/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The RDMAP stream of a QP: the events of the stream, and the orders of the driver to the RNIC.
 *
 * Every stream ends in the same way, whatever the cause: an order to the RNIC, the event STOPPED
 * from the RNIC, the flush of both queues, and CLOSE for iw_cm. So no work request is flushed while
 * the RNIC may still access the memory of the work request. The sequence differs in two cases. If
 * the RNIC was reset, the driver does not wait for STOPPED (xiw_stream_dead()). In the state LEFT,
 * the queues are flushed later, when this end ends the QP.
 */
#ifndef XIW_STREAM_H
#define XIW_STREAM_H

#include "core/fault.h"
#include "verbs/qp.h"

struct xiw_term_row;
struct xiw_vector;

/*
 * The driver takes the state bits of a stream only from XIW_EV_STATE events, in their order. The
 * RNIC also writes to the stream context, which may be ahead of the events. So the driver takes
 * from the context only values that are harmless if they are read early, such as indexes and
 * statistics (docs/rnic/streams.md, "Context").
 */

/**
 * xiw_stream_bits - get the state bits that the RNIC has reported for a stream
 * @qp: QP of the stream; the caller has a reference
 *
 * Context: any.
 *
 * Return: enum xiw_stream_state.
 */
static inline u32 xiw_stream_bits(const struct xiw_qp *qp)
{
	/* acquire: pairs with the release in xiw_stream_state() */
	return smp_load_acquire(&qp->stream_bits);
}

/**
 * xiw_stream_order - order the RNIC to end a stream
 * @qp: QP of the stream; the caller has a reference
 * @order: order
 *
 * After an order other than XIW_ORDER_CLOSE, the RNIC must report XIW_ST_STOPPED at once. If the
 * RNIC has a time limit for admin commands, this limit also applies to this event. When the limit
 * expires, the device fails, because the drains of kernel ULPs wait for the event.
 *
 * Context: any, no lock held.
 */
void xiw_stream_order(struct xiw_qp *qp, enum xiw_stream_order order);

/* Fail the device if a stream has not stopped in time after an order. QP.overdue calls this. */
void xiw_stream_overdue(struct work_struct *work);

/* Handle an event of a stream. Softirq. */
void xiw_stream_event(struct xiw_vector *vec, const struct xiw_event *event);

/**
 * xiw_stream_bound - connect the stream of a QP
 * @qp: QP in IDLE or NAMED
 * @params: parameters of the connection
 * @passive: true for the responder, which is in RTR until the first FPDU; false for the initiator,
 *	which is in RTS immediately
 * @ird: number of entries of @inbound, at least the agreed IRD
 * @ord: agreed ORD; for the responder the expected ORD, until XIW_CONN_ACCEPTED reports the agreed
 *	ORD
 * @inbound: array for the requests of the peer, which the QP then owns; may be NULL
 *
 * Context: any.
 *
 * Return: 0, or -ENOTCONN if the QP is in another state; in this case, the caller still owns the
 * array.
 */
int xiw_stream_bound(struct xiw_qp *qp, const struct xiw_conn_params *params, bool passive,
		     u32 ird, u32 ord, struct xiw_inbound *inbound);

/*
 * Return: true if a work request of this end is pending, or a request of the peer is not answered.
 * Any context, no lock held.
 */
bool xiw_stream_busy(struct xiw_qp *qp);

/**
 * xiw_stream_named - let the stream of a QP wait for a peer that is named by number
 * @qp: QP without a connection; QP.lock is held
 * @flags: enum xiw_conn_flag from the configuration, for each connection of the QP
 *
 * From now on, posted work requests wait for the connection.
 *
 * Context: any.
 *
 * Return: false if the QP is not in IDLE; nothing has changed.
 */
bool xiw_stream_named(struct xiw_qp *qp, u32 flags);

/**
 * xiw_stream_not_opened - let a stream wait for another connection
 * @qp: responder whose peer is named by number; its connection has failed
 *
 * Context: process or softirq, no lock held.
 *
 * Return: false if the stream has ended in the meantime; nothing has changed.
 */
bool xiw_stream_not_opened(struct xiw_qp *qp);

/**
 * xiw_stream_unanswered - end a stream whose peer has not answered in time, or has left
 * @qp: QP whose peer is named by number
 *
 * Does nothing if the stream is open or has ended. The oldest work request fails with
 * IB_WC_RETRY_EXC_ERR, and the others are flushed.
 *
 * Context: process, no lock held.
 */
void xiw_stream_unanswered(struct xiw_qp *qp);

/*
 * Handle the creation of the stream of a new QP. The QP was in the table of QPs before the RNIC
 * created the stream, so the RNIC may have ignored an order to abort. If the QP has ended, repeat
 * the order. Process context.
 */
void xiw_stream_created(struct xiw_qp *qp);

/*
 * Mark the stream of a QP as stopped, because the RNIC could not create it. If the driver has
 * ordered the RNIC to end the stream, cancel the time limit of this order. Any context.
 */
void xiw_stream_gone(struct xiw_qp *qp);

/* Handle a modify to ERR: send Terminate 0/0/0x00 if the peer can receive it. Any context. */
void xiw_stream_abort(struct xiw_qp *qp);

/**
 * xiw_stream_await_stopped - wait until an aborted stream has stopped
 * @qp: QP; the caller has aborted its stream
 *
 * Call this function before the stream is destroyed, for two reasons. The RNIC may execute an admin
 * command before an earlier order. If it destroyed the stream first, it would reset the connection,
 * and the peer would lose the Terminate and the octets that TCP still has (RFC 5040 §6.2.1). The
 * RNIC still resets the connection if TCP has no room for the Terminate (docs/rnic/streams.md). In
 * addition, the event STOPPED names the receive, if any, that the RNIC has taken from an SRQ for an
 * incomplete message. STOPPED may have to wait for room in the event ring. The time limit of
 * xiw_stream_order() ends this wait.
 *
 * Context: process, may sleep.
 */
void xiw_stream_await_stopped(struct xiw_qp *qp);

/*
 * Send Terminate 2/0/0x05 and end the stream, which is not bound. Call this function if this end
 * cannot continue after the Reply of the peer. Any context.
 */
void xiw_stream_unopened(struct xiw_qp *qp);

/*
 * Handle a modify to SQD: close gracefully if the stream is in RTS and no work is pending.
 * Otherwise abort, unless the stream is already in CLOSING. Any context.
 */
void xiw_stream_close(struct xiw_qp *qp);

/**
 * xiw_stream_broken - end a stream for which the RNIC has reported an impossible event
 * @qp: QP of the stream
 * @why: reason, for the log and the event
 *
 * Aborts this stream, counts the error in rnic_errors and logs the reason, rate-limited. Other
 * streams continue. Use xiw_device_fail() for errors that no single stream can have caused.
 *
 * Context: any, no lock held.
 */
void xiw_stream_broken(struct xiw_qp *qp, const char *why);

/*
 * End the stream after the RNIC was reset or has destroyed the stream: flush the queues without
 * waiting for STOPPED. Any context.
 */
void xiw_stream_dead(struct xiw_qp *qp);

/**
 * xiw_stream_terminate - terminate a stream because of a fault
 * @qp: QP of the stream
 * @fault: fault that the Terminate reports; XIW_FAULT_SILENT: abort without a Terminate
 * @header: header of the segment that the Terminate returns, or NULL
 * @header_length: octets of @header
 * @ulpdu_length: octets of the ULPDU of the segment
 *
 * Context: softirq, no lock held.
 *
 * Return: false if the stream was ending already; nothing has changed.
 */
bool xiw_stream_terminate(struct xiw_qp *qp, enum xiw_fault fault, const u8 *header,
			  u32 header_length, u32 ulpdu_length);

/* terminate.c: handle a Terminate message of the peer. Softirq. */
void xiw_stream_terminated(struct xiw_qp *qp, const struct xiw_ev_message *msg);

/**
 * xiw_stream_move - change the state of a stream because of an event
 * @qp: QP of the stream; QP.lock is held
 * @what: event
 *
 * This is the only function that changes the state. The table in core/state.c determines the new
 * state. The change is traced and reported to netlink subscribers, unless @what is XIW_QPE_RESET.
 *
 * Return: false if the event is illegal in this state; nothing has changed.
 */
bool xiw_stream_move(struct xiw_qp *qp, enum xiw_qpe what);

/*
 * Raise the async event for the code of a Terminate that was sent or received. Any context, no lock
 * held.
 */
void xiw_stream_raise_term(struct xiw_qp *qp, const struct xiw_term_row *row);

#endif
