/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * States of a stream (queue pair) and their legal transitions (RFC 5040 §6). The caller performs
 * the actions that a transition requires. This file also lists the states of an MPA negotiation
 * (RFC 5044 §7, RFC 6581 §9), which are reported for connections.
 */
#ifndef XIW_CORE_STATE_H
#define XIW_CORE_STATE_H

#include "core/types.h"

/* States of a stream. Each comment begins with the state as verbs report it. */
enum xiw_qps {
	XIW_QPS_IDLE,			/* RESET, INIT */
	XIW_QPS_NAMED,			/* RTR, RTS: peer named by number; no connection yet */
	XIW_QPS_RTR,			/* RTR: waits for the first FPDU before it sends */
	XIW_QPS_RTS,			/* RTS */
	XIW_QPS_LEFT,			/* RTS: the peer, named by number, has ended its QP */
	XIW_QPS_CLOSING,		/* SQD: a FIN is ordered; waits for XIW_QPE_CLOSED */
	XIW_QPS_TERMINATE,		/* SQE: a Terminate was ordered or received */
	XIW_QPS_ERROR,			/* ERR */
	XIW_QPS_COUNT,
	XIW_QPS_ILLEGAL = XIW_QPS_COUNT,
};

/* Events of a stream. "By number" means that the peer is named by number (number.h). */
enum xiw_qpe {
	XIW_QPE_NAME,			/* modify to RTR with the peer's address and number */
	XIW_QPE_OPEN_ACTIVE,		/* the initiator's stream is bound to a connection */
	XIW_QPE_OPEN_PASSIVE,		/* the responder's stream is bound to a connection */
	XIW_QPE_NOT_OPENED,		/* responder, by number: the connection failed */
	XIW_QPE_UNANSWERED,		/* by number: pending work cannot be sent, because no
					 * connection was set up in time, or because the peer's
					 * QP has ended
					 */
	XIW_QPE_FIRST_FPDU,		/* responder: the first valid FPDU has arrived */
	XIW_QPE_CLOSE,			/* modify to SQD, and no work is pending */
	XIW_QPE_ABORT,			/* the driver ends the stream, see docs/states.md */
	XIW_QPE_FAULT,			/* an error of the peer, or a failed local operation */
	XIW_QPE_TERM_RECEIVED,
	XIW_QPE_PEER_LEFT,		/* by number: the peer's QP has ended, no work is pending */
	XIW_QPE_PEER_CLOSED,		/* FIN of the peer; no work is pending */
	XIW_QPE_PEER_CLOSED_BUSY,	/* FIN of the peer; work is pending */
	XIW_QPE_LOST,			/* TCP connection lost; no first FPDU in time; required
					 * encryption missing; invalid event of the RNIC
					 */
	XIW_QPE_CLOSED,			/* the RNIC has stopped the stream, for any reason */
	XIW_QPE_RESET,			/* modify to RESET; all work has been flushed */
	XIW_QPE_COUNT,
};

/* States of an MPA negotiation and of the connection after it. */
enum xiw_mpas {
	XIW_MPAS_CLOSED,
	XIW_MPAS_TCP_UP,
	XIW_MPAS_REQ_SENT,		/* initiator */
	XIW_MPAS_WAIT_REQ,		/* responder */
	XIW_MPAS_ULP_DECIDE,		/* responder */
	XIW_MPAS_WAIT_RTR,		/* responder: waits for the first FPDU */
	XIW_MPAS_SEND_RTR,		/* initiator: the RTR is the next FPDU */
	XIW_MPAS_FULL,
	XIW_MPAS_CLOSING,
	XIW_MPAS_TERM,
	XIW_MPAS_COUNT,
};

extern const char *const xiw_qps_name[XIW_QPS_COUNT];
extern const char *const xiw_qpe_name[XIW_QPE_COUNT];
extern const char *const xiw_mpas_name[XIW_MPAS_COUNT];

/**
 * xiw_qps_next - get the next state of a stream after an event
 * @state: current state
 * @event: event
 *
 * Return: next state, which may be @state; XIW_QPS_ILLEGAL if the event is illegal in @state.
 */
enum xiw_qps xiw_qps_next(enum xiw_qps state, enum xiw_qpe event);

#endif
