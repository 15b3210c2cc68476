/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * What the peer asks of us: Read and Atomic Requests, answered in order.
 *
 * The inbound queue is filled by message events and drained into the response
 * ring, which the RNIC serves beside the request ring: an initiator that waits for
 * credits never holds up its own answers. An atomic and its response are one
 * descriptor: the RNIC executes it in its turn, once, and nothing behind it starts
 * before (RFC 7306 §7).
 */
#ifndef XIW_INBOUND_H
#define XIW_INBOUND_H

#include "core/fault.h"
#include "verbs/qp.h"

/**
 * xiw_inbound_request - a queue 1 message was delivered
 * @qp: QP
 * @msg: the event; lengths were checked by the RNIC against the match table
 * @in: filled in, header and all, also if it is refused
 *
 * Context: softirq, no lock held. Return: XIW_FAULT_NONE, or what to terminate the
 * stream with, by the first check that fails ("Requests of the peer" in docs/states.md).
 */
enum xiw_fault xiw_inbound_request(struct xiw_qp *qp, const struct xiw_ev_message *msg,
				   struct xiw_inbound *in);

/* Move what can go into the response ring. Any context, no lock held. */
void xiw_response_pump(struct xiw_qp *qp);

/*
 * Learn from the stream context how many responses are out: most of them are quiet.
 * sq_lock is held. Return: false if the RNIC claims what it never got.
 */
bool xiw_response_catch_up(struct xiw_qp *qp);

/* Forget all requests: the stream is over. Process context, no lock held. */
void xiw_inbound_drop(struct xiw_qp *qp);

void xiw_response_tx_done(struct xiw_qp *qp, u32 index);

/**
 * xiw_inbound_failed - find the request whose response failed
 * @qp: QP
 * @index: ring index of the response
 * @in: a copy of the request; a reset may free the array of requests at any time
 *
 * Context: softirq, no lock held. Return: false if no response is under way.
 */
bool xiw_inbound_failed(struct xiw_qp *qp, u32 index, struct xiw_inbound *in);

#endif
