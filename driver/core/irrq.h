/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Responder's side of Reads and Atomics: the peer's requests in order of delivery
 * (RFC 5040 §5.2, RFC 7306 §5.2). Here are the indexes and the checks; the entries
 * are an array of the caller, depth long.
 *
 *	head <= next <= tail
 *	response   response   delivered
 *	under way  to begin
 *
 * Responses begin in order, each when those before it are ordered from the RNIC. It carries
 * them out one after the other, an Atomic together with its response, so memory effects
 * and responses keep the order of the requests.
 */
#ifndef XIW_CORE_IRRQ_H
#define XIW_CORE_IRRQ_H

#include "core/fault.h"
#include "core/rdmap.h"
#include "core/stag.h"

#define XIW_IRRQ_NONE 0xffffffffU

/**
 * struct xiw_irrq - queue of inbound requests
 * @depth: IRD
 * @head: oldest entry still in use, free running
 * @next: first entry whose response has not begun
 * @tail: behind the youngest
 */
struct xiw_irrq {
	u32 depth;
	u32 head;
	u32 next;
	u32 tail;
};

void xiw_irrq_init(struct xiw_irrq *q, u32 depth);

/**
 * xiw_irrq_used - requests that are not answered
 * @q: queue
 *
 * Return: 0 to @depth.
 */
u32 xiw_irrq_used(const struct xiw_irrq *q);

/**
 * xiw_irrq_push - a request has been delivered and checked
 * @q: queue
 *
 * Return: array index for it, XIW_IRRQ_NONE if full (XIW_FAULT_DDP_NO_BUFFER).
 */
u32 xiw_irrq_push(struct xiw_irrq *q);

/**
 * xiw_irrq_next - request whose turn it is
 * @q: queue
 *
 * Return: array index; XIW_IRRQ_NONE if there is none.
 */
u32 xiw_irrq_next(const struct xiw_irrq *q);

/**
 * xiw_irrq_begun - the response of the request whose turn it was is on its way
 * @q: queue
 */
void xiw_irrq_begun(struct xiw_irrq *q);

/**
 * xiw_irrq_oldest - request whose response is the oldest under way
 * @q: queue
 *
 * Return: array index, XIW_IRRQ_NONE if no response is under way.
 */
u32 xiw_irrq_oldest(const struct xiw_irrq *q);

/**
 * xiw_irrq_done - its last octet has been handed to TCP: the slot is the peer's again
 * @q: queue
 */
void xiw_irrq_done(struct xiw_irrq *q);

static inline bool xiw_irrq_idle(const struct xiw_irrq *q)
{
	return q->head == q->tail;
}

/**
 * xiw_read_req_check - may the peer read this?
 * @view: entry of the source STag, NULL if there is none
 * @parent: its parent if it is a window, else NULL
 * @req: Read Request
 * @pd: protection domain of the stream
 * @stream: the stream
 *
 * A zero-length Read passes unchecked.
 *
 * Return: XIW_FAULT_NONE or a layer 0 fault.
 */
enum xiw_fault xiw_read_req_check(const struct xiw_stag_view *view,
				  const struct xiw_stag_view *parent,
				  const struct xiw_read_req *req, u32 pd, u32 stream);

/**
 * xiw_atomic_req_check - may the peer do this?
 * @view: entry of the STag, NULL if there is none
 * @parent: its parent if it is a window, else NULL
 * @req: Atomic Request
 * @pd: protection domain of the stream
 * @stream: the stream
 *
 * AOpCode, STag, stream, right, wrap, bounds, alignment, in this order (DEC-23). Aligned
 * is the address in memory (DEC-22): through a window, by the translation of its region.
 *
 * Return: XIW_FAULT_NONE or a layer 0 fault.
 */
enum xiw_fault xiw_atomic_req_check(const struct xiw_stag_view *view,
				    const struct xiw_stag_view *parent,
				    const struct xiw_atomic_req *req, u32 pd, u32 stream);

#endif
