// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "core/solicited.h"

static struct xiw_solicited_entry *push(struct xiw_solicited *s, u8 kind, u32 stag, u64 to,
					u32 cookie)
{
	struct xiw_solicited_entry *e;
	u32 at = s->head + s->count;

	if (s->count == s->size)
		return NULL;
	e = &s->entry[at < s->size ? at : at - s->size];
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->stag = stag;
	e->to = to;
	e->cookie = cookie;
	s->count++;
	return e;
}

bool xiw_solicited_push_read(struct xiw_solicited *s, u32 stag, u64 to, u32 length, u32 cookie,
			     u8 flags)
{
	struct xiw_solicited_entry *e = push(s, XIW_SOLICITED_READ, stag, to, cookie);

	if (!e)
		return false;
	e->length = length;
	e->flags = flags;
	return true;
}

bool xiw_solicited_push_queue3(struct xiw_solicited *s, u32 stag, u64 to, u32 cookie)
{
	if (!push(s, XIW_SOLICITED_QUEUE3, stag, to, cookie))
		return false;
	s->queue3++;
	return true;
}

static enum xiw_fault check_read(const struct xiw_solicited_entry *e,
				 const struct xiw_ddp_header *h)
{
	if (!e || e->kind != XIW_SOLICITED_READ)
		return XIW_FAULT_RDMA_OPCODE;
	if (xiw_ddp_is_empty(h))	/* DEC-46: STag and TO are not checked */
		return e->length ? XIW_FAULT_RDMA_STREAM : XIW_FAULT_NONE;
	if (h->stag != e->stag)
		return XIW_FAULT_DDP_STAG;
	if (h->to != e->to + e->received || h->payload_len > e->length - e->received)
		return XIW_FAULT_DDP_BOUNDS;
	if (xiw_ddp_is_last(h) && h->payload_len < e->length - e->received)
		return XIW_FAULT_RDMA_STREAM;
	return XIW_FAULT_NONE;
}

enum xiw_fault xiw_solicited_check(struct xiw_solicited *s, const struct xiw_ddp_header *h)
{
	const struct xiw_solicited_entry *e = xiw_solicited_oldest(s);

	if (xiw_ddp_is_tagged(h))
		return check_read(e, h);
	if (!e)
		return XIW_FAULT_DDP_NO_BUFFER;
	return e->kind == XIW_SOLICITED_QUEUE3 ? XIW_FAULT_NONE : XIW_FAULT_RDMA_STREAM;
}

struct xiw_solicited_entry *xiw_solicited_placed(struct xiw_solicited *s,
						 const struct xiw_ddp_header *h)
{
	struct xiw_solicited_entry *e = &s->entry[s->head];

	e->received += h->payload_len;
	if (!xiw_ddp_is_last(h))
		return NULL;
	if (e->kind == XIW_SOLICITED_QUEUE3)
		s->queue3--;
	s->head = s->head + 1 < s->size ? s->head + 1 : 0;
	s->count--;
	return e;
}
