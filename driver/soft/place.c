// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Place payload into memory, after the checks of core/receive.h. STags are checked here. */
#include "soft/stream.h"

static void copy(const struct xiw_soft_source *from, u32 at, void *to, u32 len)
{
	at += from->at;
	if (likely(at + len <= from->spans[0].len))
		memcpy(to, from->spans[0].p + at, len);
	else
		xiw_spans_copy(to, from->spans, from->count, at, len);
}

/* Place octets at @to in the memory of s->rx.ref. The caller has checked the whole range. */
static void place_spans(struct xiw_soft_stream *s, const struct xiw_soft_source *from, u64 to)
{
	u32 at = 0, n;
	void *va;

	while (at < from->len) {
		n = xiw_soft_stag_span(&s->rx.ref, to + at, from->len - at, &va);
		copy(from, at, va, n);
		at += n;
	}
}

/**
 * xiw_soft_place_tagged - place payload at (STag, TO)
 * @s: stream
 * @from: payload, may be empty
 * @stag: STag
 * @to: TO of the first octet
 * @access: required right
 *
 * Return: XIW_FAULT_NONE; or a fault of layer 1 (DDP), after which nothing was placed.
 */
enum xiw_fault xiw_soft_place_tagged(struct xiw_soft_stream *s, const struct xiw_soft_source *from,
				     u32 stag, u64 to, u8 access)
{
	enum xiw_stag_verdict verdict;

	verdict = xiw_soft_stag_check(s, &s->rx.ref, s->pd, stag, to, from->len, access);
	if (unlikely(verdict))
		return xiw_stag_placement_fault(verdict);
	place_spans(s, from, to);
	return XIW_FAULT_NONE;
}

/* Place payload at a bus address, which is the sink of a Read or Atomic of this end. */
void xiw_soft_place_bus(const struct xiw_soft_source *from, u64 to)
{
	copy(from, 0, (void *)(uintptr_t)to, from->len);
}

/**
 * xiw_soft_place_value - place the value of an Atomic Response into its sink
 * @s: stream
 * @from: the message, which ends with the value
 * @sink: entry of the expected response, which names the sink
 *
 * The sink may cross the end of a page.
 *
 * Return: XIW_OK, or the reason why nothing was placed.
 */
enum xiw_status xiw_soft_place_value(struct xiw_soft_stream *s,
				     const struct xiw_soft_source *from,
				     const struct xiw_solicited_entry *sink)
{
	u64 value;
	struct xiw_span octets = { .p = (const u8 *)&value, .len = sizeof(value) };
	struct xiw_soft_source host = { .spans = &octets, .count = 1, .len = sizeof(value) };
	enum xiw_stag_verdict verdict;
	__be64 wire;

	copy(from, from->len - sizeof(wire), &wire, sizeof(wire));
	value = be64_to_cpu(wire);
	if (sink->stag == XIW_STAG_LOCAL_DMA) {
		xiw_soft_place_bus(&host, sink->to);
		return XIW_OK;
	}
	verdict = xiw_soft_stag_check(s, &s->rx.ref, s->pd, sink->stag, sink->to, sizeof(value),
				      XIW_ACCESS_LOCAL_WRITE);
	if (unlikely(verdict))
		return xiw_stag_status(verdict);
	place_spans(s, &host, sink->to);
	return XIW_OK;
}

/**
 * xiw_soft_place_receive - append payload to the current receive
 * @s: stream
 * @from: payload, may be empty; xiw_ddp_rx_untagged() has checked that it fits
 *
 * Return: XIW_FAULT_NONE; XIW_FAULT_RDMA_LOCAL if the receive is not usable.
 */
enum xiw_fault xiw_soft_place_receive(struct xiw_soft_stream *s,
				      const struct xiw_soft_source *from)
{
	struct xiw_soft_receive *recv = &s->rx.recv;
	u32 at = 0, n, stag, room;
	void *va;
	u64 to;

	while (at < from->len) {
		if (unlikely(recv->sge_at == recv->sges))
			return XIW_FAULT_RDMA_LOCAL;
		room = le32_to_cpu(recv->sge[recv->sge_at].length) - recv->sge_off;
		if (!room) {
			recv->sge_at++;
			recv->sge_off = 0;
			continue;
		}
		n = min(from->len - at, room);
		to = le64_to_cpu(recv->sge[recv->sge_at].addr) + recv->sge_off;
		stag = le32_to_cpu(recv->sge[recv->sge_at].stag);
		if (stag == XIW_STAG_LOCAL_DMA) {
			va = (void *)(uintptr_t)to;
		} else {
			if (xiw_soft_stag_check(s, &s->rx.ref, s->receive_pd, stag, to, n,
						XIW_ACCESS_LOCAL_WRITE))
				return XIW_FAULT_RDMA_LOCAL;
			n = xiw_soft_stag_span(&s->rx.ref, to, n, &va);
		}
		copy(from, at, va, n);
		recv->sge_off += n;
		at += n;
	}
	return XIW_FAULT_NONE;
}
