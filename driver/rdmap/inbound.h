/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Requests of the peer: Read and Atomic Requests, which are answered in order.
 *
 * Message events fill the inbound queue. The driver moves the requests to the response ring, which
 * is separate from the send queue and the request ring. So an end whose own requests wait for
 * credits still sends its responses. An Atomic and its response are one descriptor. The RNIC
 * executes each Atomic once, in ring order, and before any later Atomic (RFC 7306 §7).
 */
#ifndef XIW_INBOUND_H
#define XIW_INBOUND_H

#include "core/fault.h"
#include "verbs/qp.h"

/**
 * xiw_inbound_request - handle a message on queue 1
 * @qp: QP
 * @msg: event; the RNIC has checked the lengths against the match table
 * @in: result, including the header; set even if the request is refused
 *
 * Context: softirq, no lock held.
 *
 * Return: XIW_FAULT_NONE, or the fault for the Terminate; the first check that fails determines the
 * fault ("Requests of the peer" in docs/states.md).
 */
enum xiw_fault xiw_inbound_request(struct xiw_qp *qp, const struct xiw_ev_message *msg,
				   struct xiw_inbound *in);

/* Move requests to the response ring as far as possible. Any context, no lock held. */
void xiw_response_pump(struct xiw_qp *qp);

/*
 * Read from the stream context how many responses the RNIC has sent, and free their entries. Most
 * responses raise no event. sq_lock is held. Return: false if the RNIC reports more responses than
 * the ring contains.
 */
bool xiw_response_catch_up(struct xiw_qp *qp);

/* Free the array of requests, after the stream has ended. Process context, no lock held. */
void xiw_inbound_drop(struct xiw_qp *qp);

/* Handle an event: the RNIC has sent all responses before @index. Softirq, no lock held. */
void xiw_response_tx_done(struct xiw_qp *qp, u32 index);

/**
 * xiw_inbound_failed - find the request whose response failed
 * @qp: QP
 * @index: ring index of the response
 * @in: result: a copy of the request, because a reset may free the array of requests at any time
 *
 * Context: softirq, no lock held.
 *
 * Return: false if no response is outstanding.
 */
bool xiw_inbound_failed(struct xiw_qp *qp, u32 index, struct xiw_inbound *in);

#endif
