// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Error injection into the software RNIC. */
#include "soft/inject.h"
#include "soft/stream.h"

static bool passes(struct xiw_soft_stream *s, enum xiw_nl_inject kind, struct xiw_injection *struck)
{
	return xiw_inject_passes(&s->soft->rnic->injector, s->index, kind, struck);
}

static void drop(struct xiw_soft_stream *s, u32 start)
{
	struct xiw_soft_tx *tx = &s->tx;
	u32 octets = tx->batch.len - start;

	xiw_soft_batch_cut(s, start);
	/* Subtract the dropped octets from the stream position: the peer never receives them. */
	if (tx->framing.markers)
		tx->framing.pos = (tx->framing.pos - octets) % XIW_MARKER_SPACING;
}

/* Change the CRC field, the last field of the FPDU. TCP does not have these octets yet. */
static void flip(struct xiw_soft_stream *s)
{
	const struct xiw_soft_batch *batch = &s->tx.batch;
	const struct bio_vec *bv = &batch->bv[batch->bv_nr - 1];
	u8 *octets = page_address(bv->bv_page);

	octets[bv->bv_offset + bv->bv_len - 1] ^= 1;
}

/*
 * Truncate the FPDU at @start to @octets octets, and abort the stream. The truncated FPDU is
 * sent if TCP has room for it. Afterwards, the poll executes the abort.
 */
static void reset(struct xiw_soft_stream *s, u32 start, u32 octets)
{
	struct xiw_soft_tx *tx = &s->tx;

	xiw_soft_batch_cut(s, start + min(octets, tx->batch.len - start));
	tx->core.msg.seg.done = false;
	tx->core.msg.desc = NULL;
	tx->core.failed = true;
	xiw_soft_stream_abort(s);
}

bool xiw_soft_inject_fpdu(struct xiw_soft_stream *s, u32 start)
{
	struct xiw_injection struck;
	bool again = s->injected.again;

	s->injected.again = false;
	if (s->tx.term_due)
		return false;
	if (passes(s, XIW_NL_INJECT_DROP, &struck)) {
		drop(s, start);
		return false;
	}
	if (passes(s, XIW_NL_INJECT_RESET, &struck)) {
		reset(s, start, struck.octets);
		return false;
	}
	if (s->tx.framing.crc && passes(s, XIW_NL_INJECT_CRC, &struck))
		flip(s);
	if (!again)
		s->injected.again = passes(s, XIW_NL_INJECT_DUPLICATE, &struck);
	return s->injected.again;
}

bool xiw_soft_inject_emptied(struct xiw_soft_stream *s)
{
	if (!s->tx.batch.fpdus)
		return false;
	memset_startat(&s->tx.batch, 0, len);
	return s->tx.core.msg.desc || xiw_soft_tx_pending(s);
}

static void hold(struct xiw_soft_stream *s, u8 queue, u32 ms)
{
	s->injected.q[queue].held = true;
	s->injected.q[queue].until = jiffies + max(1UL, msecs_to_jiffies(ms));
}

bool xiw_soft_inject_held(struct xiw_soft_stream *s, u8 queue)
{
	unsigned long now = jiffies, until = s->injected.q[queue].until;

	if (!s->injected.q[queue].held)
		return false;
	if (time_before(now, until)) {
		xiw_soft_stream_retry_in(s, until - now);
		return true;
	}
	s->injected.q[queue].held = false;
	return false;
}

/* Apply injections to each message only once, so that a message that has waited is sent. */
bool xiw_soft_inject_hold(struct xiw_soft_stream *s, u8 queue)
{
	u32 head = s->tx.core.ring[queue].head;
	struct xiw_injection struck;
	u8 q;

	if (s->injected.q[queue].looked && s->injected.q[queue].head == head)
		return false;
	s->injected.q[queue].looked = true;
	s->injected.q[queue].head = head;
	if (queue == XIW_TXQ_RESPONSE && passes(s, XIW_NL_INJECT_DELAY, &struck))
		hold(s, queue, struck.time);
	if (passes(s, XIW_NL_INJECT_STALL, &struck))
		for (q = 0; q < XIW_TXQ_COUNT; q++)
			hold(s, q, struck.time);
	return xiw_soft_inject_held(s, queue);
}

/* Check the header again, as an RNIC without atomics does. */
enum xiw_fault xiw_soft_inject_header(struct xiw_soft_stream *s, const u8 *ulpdu, u32 ulpdu_len,
				      const struct xiw_ddp_header *h)
{
	struct xiw_ddp_rx without = s->rx.core.ddp;
	struct xiw_injection struck;
	struct xiw_ddp_header same;
	enum xiw_fault fault;

	if (xiw_ddp_is_tagged(h) || h->qn != XIW_QN_REQUEST)
		return XIW_FAULT_NONE;
	without.conn_flags &= ~XIW_CONNF_ATOMICS;
	fault = xiw_ddp_rx_header(&without, s->soft->match, ulpdu, ulpdu_len, &same);
	if (!fault || !passes(s, XIW_NL_INJECT_REFUSE_ATOMIC, &struck))
		return XIW_FAULT_NONE;
	return fault;
}
