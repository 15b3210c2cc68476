/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Responder of Reads and Atomics: the peer's requests in order of delivery (RFC 5040 §5.2,
 * RFC 7306 §5.2). This file contains the indexes and the checks. The caller stores the requests in
 * an array of xiw_irrq.depth entries.
 *
 *	head <= next <= tail
 *
 *	from head to next: the response has been posted to the RNIC
 *	from next to tail: the request has been delivered, but its response has not been posted
 *
 * Responses are posted to the RNIC in order. The RNIC executes one response after the other, and
 * executes an Atomic when it sends the response. So memory accesses and responses keep the order of
 * the requests.
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
 * @head: oldest entry in use; all indexes wrap at twice @depth
 * @next: first entry whose response has not been posted
 * @tail: index after the youngest entry
 */
struct xiw_irrq {
	u32 depth;
	u32 head;
	u32 next;
	u32 tail;
};

void xiw_irrq_init(struct xiw_irrq *q, u32 depth);

/**
 * xiw_irrq_used - count the requests whose entries are in use
 * @q: queue
 *
 * Return: 0 to @q->depth.
 */
u32 xiw_irrq_used(const struct xiw_irrq *q);

/**
 * xiw_irrq_answering - count the requests whose responses have been posted and are not complete
 * @q: queue
 *
 * Return: 0 to xiw_irrq_used().
 */
u32 xiw_irrq_answering(const struct xiw_irrq *q);

/**
 * xiw_irrq_push - add a request that has been delivered and checked
 * @q: queue
 *
 * Return: array index of the request; XIW_IRRQ_NONE if the queue is full. The caller then reports
 * XIW_FAULT_DDP_NO_BUFFER.
 */
u32 xiw_irrq_push(struct xiw_irrq *q);

/**
 * xiw_irrq_next - get the next request to answer
 * @q: queue
 *
 * Return: array index; XIW_IRRQ_NONE if there is none.
 */
u32 xiw_irrq_next(const struct xiw_irrq *q);

/**
 * xiw_irrq_begun - advance past the request of xiw_irrq_next()
 * @q: queue
 *
 * Call this function when the response to this request has been posted.
 */
void xiw_irrq_begun(struct xiw_irrq *q);

/**
 * xiw_irrq_oldest - get the request with the oldest posted response
 * @q: queue
 *
 * Return: array index; XIW_IRRQ_NONE if no response is posted.
 */
u32 xiw_irrq_oldest(const struct xiw_irrq *q);

/**
 * xiw_irrq_done - free the oldest entry
 * @q: queue
 *
 * Call this function when TCP has accepted the last octet of the response.
 */
void xiw_irrq_done(struct xiw_irrq *q);

static inline bool xiw_irrq_idle(const struct xiw_irrq *q)
{
	return q->head == q->tail;
}

/**
 * xiw_read_req_check - check the peer's rights for a Read Request
 * @view: entry of the source STag, NULL if there is none
 * @region: entry of @view->parent, NULL if there is none
 * @req: Read Request
 * @pd: protection domain of the stream
 * @stream: stream on which the request arrived
 *
 * A Read of length zero is not checked.
 *
 * Return: XIW_FAULT_NONE or a layer 0 fault.
 */
enum xiw_fault xiw_read_req_check(const struct xiw_stag_view *view,
				  const struct xiw_stag_view *region,
				  const struct xiw_read_req *req, u32 pd, u32 stream);

/**
 * xiw_atomic_req_check - check the peer's rights for an Atomic Request
 * @view: entry of the STag, NULL if there is none
 * @region: entry of @view->parent, NULL if there is none
 * @req: Atomic Request
 * @pd: protection domain of the stream
 * @stream: stream on which the request arrived
 *
 * Checks AOpCode, STag, protection domain and stream, access right, wrap, bounds and alignment, in
 * this order (DEC-23). The memory address must be aligned (DEC-22). For an MW, the entry of its MR
 * determines this address.
 *
 * Return: XIW_FAULT_NONE or a layer 0 fault.
 */
enum xiw_fault xiw_atomic_req_check(const struct xiw_stag_view *view,
				    const struct xiw_stag_view *region,
				    const struct xiw_atomic_req *req, u32 pd, u32 stream);

#endif
