/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The RDMAP stream of a QP: what happens to it, and what it is told to do.
 *
 * Every stream ends the same way, whatever the cause: an order to the RNIC, the
 * RNIC's STOPPED, then the flush of both queues, then iw_cm's CLOSE. So nothing is
 * completed while the RNIC may still touch its memory.
 */
#ifndef XIW_STREAM_H
#define XIW_STREAM_H

#include "core/fault.h"
#include "verbs/qp.h"

struct xiw_vector;

/*
 * The state of a stream comes from its XIW_EV_STATE events alone, in their order. What
 * the RNIC writes to the context is read at any time, and may be ahead of the events:
 * the indexes, cumulative, and figures to show (docs/rnic/streams.md, "Context").
 */

/**
 * xiw_stream_bits - what the RNIC has reported of a stream
 * @qp: its QP, which the caller keeps
 *
 * Context: any. Return: enum xiw_stream_state.
 */
static inline u32 xiw_stream_bits(const struct xiw_qp *qp)
{
	/* acquire: pairs with the release in xiw_stream_state() */
	return smp_load_acquire(&qp->stream_bits);
}

/* Softirq: an event of a stream. */
void xiw_stream_event(struct xiw_vector *vec, const struct xiw_event *event);

/**
 * xiw_stream_bound - the QP's stream has a connection
 * @qp: QP in IDLE
 * @params: of the connection
 * @passive: responder: RTR until the first FPDU; else RTS
 * @ird: agreed, as given to the RNIC
 * @ord: agreed
 * @inbound: array for ird requests, the QP's from now on; NULL if ird is 0
 *
 * Context: any. Return: 0 or -ENOTCONN if the QP is not in IDLE any more; the array
 * stays the caller's then.
 */
int xiw_stream_bound(struct xiw_qp *qp, const struct xiw_conn_params *params, bool passive,
		     u32 ird, u32 ord, struct xiw_inbound *inbound);

/* Modify to ERR: Terminate 0/0 if there is somebody to tell. Any context. */
void xiw_stream_abort(struct xiw_qp *qp);

/*
 * The peer has replied, and this end cannot go on: Terminate 2/0/0x05. For a stream that
 * was not bound. Any context.
 */
void xiw_stream_unopened(struct xiw_qp *qp);

/* Modify to SQD: graceful if nothing is open, else an abort. Any context. */
void xiw_stream_close(struct xiw_qp *qp);

/**
 * xiw_stream_broken - the RNIC has reported of a stream what cannot be
 * @qp: its QP
 * @why: for the log and the notice
 *
 * That stream ends: it is reset, counted in rnic_errors, and the log says so, at a
 * limited rate. Other streams go on. xiw_device_fail() is for what no stream can have
 * caused.
 *
 * Context: any, no lock held.
 */
void xiw_stream_broken(struct xiw_qp *qp, const char *why);

/* The RNIC is gone: end the stream without it. Any context. */
void xiw_stream_dead(struct xiw_qp *qp);

/* End the stream because of the peer. Softirq. */
void xiw_stream_terminate(struct xiw_qp *qp, enum xiw_fault fault, const u8 *header,
			  u32 header_length, u32 ulpdu_length);

/* terminate.c: a Terminate message was delivered. Softirq. */
void xiw_stream_terminated(struct xiw_qp *qp, const struct xiw_ev_message *msg);

/**
 * xiw_stream_move - the state of a stream follows upon an event
 * @qp: its QP, QP.lock is held
 * @what: event
 *
 * The new state, as core/state.h has it, is traced and told to who listens.
 *
 * Return: false if the event cannot be in this state; nothing has changed.
 */
bool xiw_stream_move(struct xiw_qp *qp, enum xiw_qpe what);

/* One async event at the end of a QP. */
void xiw_stream_raise(struct xiw_qp *qp, enum ib_event_type type);

#endif
