// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Transitions of a stream. If a state has no entry for an event, the event is illegal in that state
 * and changes nothing. An omitted entry is zero, so the other entries contain the next state
 * plus one.
 *
 * Every stream ends in ERROR, even if both ends have closed the stream. In ERROR, the queues of the
 * QP are flushed, and a modify to RESET leads back to IDLE. If the peer is named by number, and its
 * QP ends without an error while no work is pending, the local QP waits in LEFT. The local QP
 * reports the end of the peer only when the ULP posts to the send queue.
 */
#include "core/state.h"

#define TO(state) (XIW_QPS_##state + 1)

static const u8 qps_table[XIW_QPS_COUNT][XIW_QPE_COUNT] = {
	[XIW_QPS_IDLE] = {
		[XIW_QPE_NAME] = TO(NAMED),
		[XIW_QPE_OPEN_ACTIVE] = TO(RTS),
		[XIW_QPE_OPEN_PASSIVE] = TO(RTR),
		[XIW_QPE_ABORT] = TO(ERROR),
		[XIW_QPE_CLOSED] = TO(ERROR),
		[XIW_QPE_RESET] = TO(IDLE),
	},
	[XIW_QPS_NAMED] = {
		[XIW_QPE_OPEN_ACTIVE] = TO(RTS),
		[XIW_QPE_OPEN_PASSIVE] = TO(RTR),
		[XIW_QPE_UNANSWERED] = TO(ERROR),
		[XIW_QPE_ABORT] = TO(ERROR),
		[XIW_QPE_LOST] = TO(ERROR),
		[XIW_QPE_CLOSED] = TO(ERROR),
	},
	[XIW_QPS_RTR] = {
		[XIW_QPE_NOT_OPENED] = TO(NAMED),
		[XIW_QPE_FIRST_FPDU] = TO(RTS),
		[XIW_QPE_ABORT] = TO(ERROR),
		[XIW_QPE_FAULT] = TO(TERMINATE),
		[XIW_QPE_TERM_RECEIVED] = TO(TERMINATE),
		[XIW_QPE_PEER_LEFT] = TO(LEFT),
		[XIW_QPE_PEER_CLOSED] = TO(CLOSING),
		[XIW_QPE_PEER_CLOSED_BUSY] = TO(ERROR),
		[XIW_QPE_LOST] = TO(ERROR),
		[XIW_QPE_CLOSED] = TO(ERROR),
	},
	[XIW_QPS_RTS] = {
		[XIW_QPE_CLOSE] = TO(CLOSING),
		[XIW_QPE_ABORT] = TO(ERROR),
		[XIW_QPE_FAULT] = TO(TERMINATE),
		[XIW_QPE_TERM_RECEIVED] = TO(TERMINATE),
		[XIW_QPE_PEER_LEFT] = TO(LEFT),
		[XIW_QPE_PEER_CLOSED] = TO(CLOSING),
		[XIW_QPE_PEER_CLOSED_BUSY] = TO(ERROR),
		[XIW_QPE_LOST] = TO(ERROR),
		[XIW_QPE_CLOSED] = TO(ERROR),
	},
	[XIW_QPS_LEFT] = {
		[XIW_QPE_UNANSWERED] = TO(ERROR),
		[XIW_QPE_ABORT] = TO(ERROR),
		[XIW_QPE_CLOSED] = TO(LEFT),
	},
	[XIW_QPS_CLOSING] = {
		[XIW_QPE_ABORT] = TO(ERROR),
		[XIW_QPE_FAULT] = TO(ERROR),
		[XIW_QPE_TERM_RECEIVED] = TO(ERROR),
		[XIW_QPE_CLOSED] = TO(ERROR),
	},
	[XIW_QPS_TERMINATE] = {
		[XIW_QPE_CLOSED] = TO(ERROR),
	},
	[XIW_QPS_ERROR] = {
		[XIW_QPE_CLOSED] = TO(ERROR),
		[XIW_QPE_RESET] = TO(IDLE),
	},
};

#undef TO

const char *const xiw_qps_name[XIW_QPS_COUNT] = {
	[XIW_QPS_IDLE] = "idle",
	[XIW_QPS_NAMED] = "named",
	[XIW_QPS_RTR] = "rtr",
	[XIW_QPS_RTS] = "rts",
	[XIW_QPS_LEFT] = "left",
	[XIW_QPS_CLOSING] = "closing",
	[XIW_QPS_TERMINATE] = "terminate",
	[XIW_QPS_ERROR] = "error",
};

const char *const xiw_qpe_name[XIW_QPE_COUNT] = {
	[XIW_QPE_NAME] = "name",
	[XIW_QPE_OPEN_ACTIVE] = "open active",
	[XIW_QPE_OPEN_PASSIVE] = "open passive",
	[XIW_QPE_NOT_OPENED] = "not opened",
	[XIW_QPE_UNANSWERED] = "unanswered",
	[XIW_QPE_FIRST_FPDU] = "first fpdu",
	[XIW_QPE_CLOSE] = "close",
	[XIW_QPE_ABORT] = "abort",
	[XIW_QPE_FAULT] = "fault",
	[XIW_QPE_TERM_RECEIVED] = "term received",
	[XIW_QPE_PEER_LEFT] = "peer left",
	[XIW_QPE_PEER_CLOSED] = "peer closed",
	[XIW_QPE_PEER_CLOSED_BUSY] = "peer closed busy",
	[XIW_QPE_LOST] = "lost",
	[XIW_QPE_CLOSED] = "closed",
	[XIW_QPE_RESET] = "reset",
};

const char *const xiw_mpas_name[XIW_MPAS_COUNT] = {
	[XIW_MPAS_CLOSED] = "closed",
	[XIW_MPAS_TCP_UP] = "tcp up",
	[XIW_MPAS_REQ_SENT] = "req sent",
	[XIW_MPAS_WAIT_REQ] = "wait req",
	[XIW_MPAS_ULP_DECIDE] = "ulp decide",
	[XIW_MPAS_WAIT_RTR] = "wait rtr",
	[XIW_MPAS_SEND_RTR] = "send rtr",
	[XIW_MPAS_FULL] = "full",
	[XIW_MPAS_CLOSING] = "closing",
	[XIW_MPAS_TERM] = "term",
};

enum xiw_qps xiw_qps_next(enum xiw_qps state, enum xiw_qpe event)
{
	u8 next = qps_table[state][event];

	return next ? (enum xiw_qps)(next - 1) : XIW_QPS_ILLEGAL;
}
