/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Requester's side of Reads and Atomics: ORD credits, fences, Request Identifiers
 * (RFC 5040 §5.2, RFC 7306 §5.2). Reads and Atomics share one pool (DEC-10). The
 * requests themselves stay where the caller has them; they are answered in order.
 */
#ifndef XIW_CORE_ORQ_H
#define XIW_CORE_ORQ_H

#include "core/fault.h"
#include "core/rdmap.h"

/**
 * struct xiw_orq - requests without an answer
 * @depth: ORD; 0: Reads and Atomics are refused when posted (DEC-29)
 * @count: out now
 * @request_id: of the next Atomic Request
 */
struct xiw_orq {
	u32 depth;
	u32 count;
	u32 request_id;
};

static inline void xiw_orq_init(struct xiw_orq *orq, u32 depth, u32 first_id)
{
	orq->depth = depth;
	orq->count = 0;
	orq->request_id = first_id;
}

/**
 * xiw_orq_take - a Read or Atomic Request wants to go out
 * @orq: credits
 *
 * Return: false if it must wait, with everything behind it.
 */
static inline bool xiw_orq_take(struct xiw_orq *orq)
{
	if (orq->count >= orq->depth)
		return false;
	orq->count++;
	return true;
}

/**
 * xiw_orq_next_id - Request Identifier for an Atomic Request (DEC-11)
 * @orq: credits
 *
 * Return: a value not used by a request that is still out.
 */
static inline u32 xiw_orq_next_id(struct xiw_orq *orq)
{
	return orq->request_id++;
}

/**
 * xiw_orq_answered - the oldest request has its whole answer
 * @orq: credits
 */
static inline void xiw_orq_answered(struct xiw_orq *orq)
{
	orq->count--;
}

/**
 * xiw_orq_idle - may a fenced request go?
 * @orq: credits
 *
 * Return: true if nothing is out.
 */
static inline bool xiw_orq_idle(const struct xiw_orq *orq)
{
	return !orq->count;
}

/**
 * xiw_orq_check_atomic - is this the answer to the oldest request?
 * @is_atomic: the oldest request is an Atomic
 * @request_id: its identifier
 * @rsp: Atomic Response
 *
 * DEC-11.
 *
 * Return: XIW_FAULT_NONE or XIW_FAULT_RDMA_STREAM.
 */
static inline enum xiw_fault xiw_orq_check_atomic(bool is_atomic, u32 request_id,
						  const struct xiw_atomic_rsp *rsp)
{
	return is_atomic && rsp->req_id == request_id ? XIW_FAULT_NONE : XIW_FAULT_RDMA_STREAM;
}

#endif
