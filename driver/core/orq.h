/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Requester of Reads and Atomics: ORD credits, fences, Request Identifiers (RFC 5040 §5.2,
 * RFC 7306 §5.2). Reads and Atomics share the ORD credits (DEC-10). The caller stores the
 * requests. The peer answers requests in order.
 */
#ifndef XIW_CORE_ORQ_H
#define XIW_CORE_ORQ_H

#include "core/fault.h"
#include "core/rdmap.h"

/**
 * struct xiw_orq - outstanding requests
 * @depth: ORD; if 0, Reads and Atomics are refused when they are posted (DEC-29)
 * @count: number of outstanding requests
 * @request_id: Request Identifier of the next Atomic Request
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
 * xiw_orq_take - take a credit for a Read or Atomic Request
 * @orq: credits
 *
 * Return: false if the request and all later work requests must wait.
 */
static inline bool xiw_orq_take(struct xiw_orq *orq)
{
	if (orq->count >= orq->depth)
		return false;
	orq->count++;
	return true;
}

/**
 * xiw_orq_next_id - assign the Request Identifier of an Atomic Request (DEC-11)
 * @orq: credits
 *
 * Return: a value that no outstanding request uses.
 */
static inline u32 xiw_orq_next_id(struct xiw_orq *orq)
{
	return orq->request_id++;
}

/**
 * xiw_orq_answered - free the credit of the oldest request after its response has arrived
 * @orq: credits
 */
static inline void xiw_orq_answered(struct xiw_orq *orq)
{
	orq->count--;
}

/**
 * xiw_orq_idle - check whether a fenced work request may be sent
 * @orq: credits
 *
 * Return: true if no request is outstanding.
 */
static inline bool xiw_orq_idle(const struct xiw_orq *orq)
{
	return !orq->count;
}

/**
 * xiw_orq_check_atomic - check that an Atomic Response matches the oldest request (DEC-11)
 * @is_atomic: the oldest request is an Atomic
 * @request_id: Request Identifier of the oldest request
 * @rsp: Atomic Response
 *
 * Return: XIW_FAULT_NONE or XIW_FAULT_RDMA_STREAM.
 */
static inline enum xiw_fault xiw_orq_check_atomic(bool is_atomic, u32 request_id,
						  const struct xiw_atomic_rsp *rsp)
{
	return is_atomic && rsp->req_id == request_id ? XIW_FAULT_NONE : XIW_FAULT_RDMA_STREAM;
}

#endif
