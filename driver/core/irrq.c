// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "core/irrq.h"
#include "core/atomic.h"

void xiw_irrq_init(struct xiw_irrq *q, u32 depth)
{
	memset(q, 0, sizeof(*q));
	q->depth = depth;
}

/*
 * Get the next index. Indexes wrap at twice the depth, so that a full queue differs from an empty
 * one.
 */
static u32 after(const struct xiw_irrq *q, u32 index)
{
	return index + 1 < 2 * q->depth ? index + 1 : 0;
}

static u32 slot(const struct xiw_irrq *q, u32 index)
{
	return index < q->depth ? index : index - q->depth;
}

/* Count the entries from the oldest entry in use to the entry before @index. */
static u32 from_head(const struct xiw_irrq *q, u32 index)
{
	return index >= q->head ? index - q->head : index + 2 * q->depth - q->head;
}

u32 xiw_irrq_used(const struct xiw_irrq *q)
{
	return from_head(q, q->tail);
}

u32 xiw_irrq_answering(const struct xiw_irrq *q)
{
	return from_head(q, q->next);
}

u32 xiw_irrq_push(struct xiw_irrq *q)
{
	u32 index = q->tail;

	if (!q->depth || (q->tail != q->head && slot(q, q->tail) == slot(q, q->head)))
		return XIW_IRRQ_NONE;
	q->tail = after(q, index);
	return slot(q, index);
}

u32 xiw_irrq_next(const struct xiw_irrq *q)
{
	return q->next == q->tail ? XIW_IRRQ_NONE : slot(q, q->next);
}

void xiw_irrq_begun(struct xiw_irrq *q)
{
	q->next = after(q, q->next);
}

u32 xiw_irrq_oldest(const struct xiw_irrq *q)
{
	return q->head == q->next ? XIW_IRRQ_NONE : slot(q, q->head);
}

void xiw_irrq_done(struct xiw_irrq *q)
{
	q->head = after(q, q->head);
}

enum xiw_fault xiw_read_req_check(const struct xiw_stag_view *view,
				  const struct xiw_stag_view *region,
				  const struct xiw_read_req *req, u32 pd, u32 stream)
{
	struct xiw_stag_use use = {
		.stag = req->src_stag,
		.pd = pd,
		.stream = stream,
		.access = XIW_ACCESS_REMOTE_READ,
		.to = req->src_to,
		.length = req->size,
	};

	if (!req->size)
		return XIW_FAULT_NONE;
	return xiw_stag_request_fault(xiw_stag_judge(view, region, &use));
}

enum xiw_fault xiw_atomic_req_check(const struct xiw_stag_view *view,
				    const struct xiw_stag_view *region,
				    const struct xiw_atomic_req *req, u32 pd, u32 stream)
{
	struct xiw_stag_use use = {
		.stag = req->stag,
		.pd = pd,
		.stream = stream,
		.access = XIW_ACCESS_REMOTE_ATOMIC,
		.to = req->to,
		.length = XIW_ATOMIC_LEN,
	};
	enum xiw_fault fault = xiw_atomic_supported(req->aop);

	if (!fault)
		fault = xiw_stag_request_fault(xiw_stag_judge(view, region, &use));
	if (!fault) {
		if (view->flags & XIW_STAGF_WINDOW)
			view = region;
		fault = xiw_atomic_aligned(view->first + req->to - view->base);
	}
	return fault;
}
