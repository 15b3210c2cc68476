// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * TX descriptors. Requests and responses have separate rings and take turns message by
 * message. So a long Read Response does not delay the requests of this end, and requests do
 * not delay responses. CHAIN ties descriptors of one ring together.
 *
 * This file executes atomics and STag changes in their turn, when the payload of all
 * earlier descriptors has been copied.
 */
#include "core/atomic.h"
#include "diag/trace.h"
#include "soft/stream.h"

static u32 tail_of(const struct xiw_soft_stream *s, u8 queue)
{
	/* Pairs with the driver's release of the index after the descriptors. */
	return le32_to_cpu(smp_load_acquire(&s->ctx->tx_tail[queue]));
}

/* Is there a descriptor that has not been executed? */
bool xiw_soft_tx_pending(struct xiw_soft_stream *s)
{
	return tail_of(s, XIW_TXQ_REQUEST) != s->tx.q[XIW_TXQ_REQUEST].head ||
	       tail_of(s, XIW_TXQ_RESPONSE) != s->tx.q[XIW_TXQ_RESPONSE].head;
}

/* Is there nothing to execute in a ring, or not yet? */
static bool idle(struct xiw_soft_stream *s, u8 queue)
{
	return tail_of(s, queue) == s->tx.q[queue].head || xiw_soft_inject_held(s, queue);
}

static const struct xiw_tx_desc *desc_at(const struct xiw_soft_tx *tx, u8 queue, u32 at)
{
	return (const struct xiw_tx_desc *)(tx->q[queue].ring +
					    (size_t)(at & tx->mask) * XIW_TX_UNIT);
}

static bool is_message(const struct xiw_tx_desc *desc)
{
	return desc->op == XIW_TX_UNTAGGED || desc->op == XIW_TX_TAGGED ||
	       desc->op == XIW_TX_ATOMIC;
}

static bool desc_fits(const struct xiw_soft_stream *s, u8 queue, const struct xiw_tx_desc *desc)
{
	const struct xiw_soft_txq *q = &s->tx.q[queue];
	u32 there = tail_of(s, queue) - q->head;

	return desc->units && desc->units <= XIW_TX_MAX_UNITS &&
	       desc->units <= there && there <= s->tx.mask + 1 &&
	       (q->head & s->tx.mask) + desc->units <= s->tx.mask + 1;
}

/* Advance past the descriptor at the head; the other ring is next. */
static void advance(struct xiw_soft_stream *s, u8 queue, const struct xiw_tx_desc *desc)
{
	struct xiw_soft_tx *tx = &s->tx;

	tx->chained = desc->flags & XIW_TXF_CHAIN;
	tx->turn = tx->chained ? queue : queue ^ 1;
	tx->q[queue].head += desc->units;
	tx->q[queue].built = tx->q[queue].head;
	if (!(desc->flags & XIW_TXF_QUIET))
		tx->q[queue].loud = tx->q[queue].head;
}

/* The last octet of the current message has been copied. */
void xiw_soft_tx_message_done(struct xiw_soft_stream *s)
{
	struct xiw_soft_msg *msg = &s->tx.msg;

	xiw_soft_count(s->soft, tx_messages[msg->desc->rdmap_ctrl & XIW_RDMAP_OPCODE_MASK], 1);
	advance(s, msg->queue, msg->desc);
	/* A response returns the credit of its request as soon as the response may leave. */
	if (msg->queue == XIW_TXQ_RESPONSE)
		xiw_ddp_rx_credit(&s->rx.core.ddp);
	msg->desc = NULL;
}

static bool message_parts(struct xiw_soft_msg *msg, const struct xiw_tx_desc *desc,
			  const struct xiw_tx_sink **sink)
{
	u32 size = desc->units * XIW_TX_UNIT, at = sizeof(*desc);
	const u8 *base = (const u8 *)desc;

	*sink = NULL;
	if (desc->flags & (XIW_TXF_SOLICIT_TAGGED | XIW_TXF_SOLICIT_QUEUE3)) {
		*sink = (const struct xiw_tx_sink *)(base + at);
		at += sizeof(**sink);
	}
	msg->header = base + at;
	at += ALIGN(desc->header_length, 16);
	if (at > size)
		return false;
	if (desc->flags & XIW_TXF_INLINE) {
		msg->inline_data = base + at;
		return le32_to_cpu(desc->length) <= size - at;
	}
	msg->sge = (const struct xiw_sge *)(base + at);
	return desc->sges <= XIW_SOFT_MAX_GATHER && desc->sges * sizeof(*msg->sge) <= size - at;
}

static bool solicit(struct xiw_soft_stream *s, const struct xiw_tx_desc *desc,
		    const struct xiw_tx_sink *sink)
{
	u32 stag = le32_to_cpu(sink->stag), length = le32_to_cpu(sink->length);
	u32 cookie = le32_to_cpu(desc->cookie);
	u64 to = le64_to_cpu(sink->to);

	if (!(desc->flags & XIW_TXF_SOLICIT_QUEUE3))
		return xiw_solicited_push_read(&s->rx.core.fifo, stag, to, length, cookie,
					       desc->sink_flags);
	return !(desc->flags & XIW_TXF_SOLICIT_TAGGED) && length == sizeof(u64) &&
	       xiw_solicited_push_queue3(&s->rx.core.fifo, stag, to, cookie);
}

static enum xiw_status message_start(struct xiw_soft_stream *s, u8 queue,
				     const struct xiw_tx_desc *desc)
{
	u32 length = le32_to_cpu(desc->length) + desc->header_length;
	struct xiw_soft_msg *msg = &s->tx.msg;
	const struct xiw_tx_sink *sink;

	memset(msg, 0, sizeof(*msg));
	msg->queue = queue;
	if (length < desc->header_length || desc->header_length > XIW_RDMAP_HDR_MAX ||
	    !message_parts(msg, desc, &sink))
		return XIW_ERR_INVALID;
	if (desc->op == XIW_TX_TAGGED) {
		xiw_ddp_seg_tagged(&msg->seg, desc->rdmap_ctrl, le32_to_cpu(desc->stag),
				   le64_to_cpu(desc->to), length);
	} else {
		if (desc->queue >= XIW_QN_COUNT)
			return XIW_ERR_INVALID;
		xiw_ddp_seg_untagged(&msg->seg, desc->rdmap_ctrl, le32_to_cpu(desc->stag),
				     desc->queue, s->tx.msn[desc->queue], length);
	}
	/* Do this before the request can leave: its response may arrive at once. */
	if (sink && !solicit(s, desc, sink))
		return XIW_ERR_INVALID;
	if (desc->op == XIW_TX_UNTAGGED)
		s->tx.msn[desc->queue]++;
	msg->desc = desc;
	return XIW_OK;
}

static u64 atomic_execute(const struct xiw_tx_atomic *a, u64 *word)
{
	u64 orig = READ_ONCE(*word), result;

	do {
		if (!xiw_atomic_apply(le32_to_cpu(a->aop), orig, le64_to_cpu(a->data),
				      le64_to_cpu(a->mask), le64_to_cpu(a->compare),
				      le64_to_cpu(a->compare_mask), &result))
			break;
	} while (!try_cmpxchg64(word, &orig, result));
	return orig;
}

static enum xiw_status atomic_run(struct xiw_soft_stream *s, const struct xiw_tx_atomic *a,
				  u64 *orig)
{
	u32 stag = le32_to_cpu(a->head.stag);
	u64 to = le64_to_cpu(a->head.to);
	enum xiw_stag_verdict verdict;
	void *word;

	verdict = xiw_soft_stag_check(s, &s->tx.ref, stag, to, sizeof(u64),
				      XIW_ACCESS_REMOTE_ATOMIC);
	if (verdict)
		return xiw_stag_status(verdict);
	/* All of this was refused at delivery. */
	if (xiw_soft_stag_span(&s->tx.ref, to, sizeof(u64), &word) < sizeof(u64) ||
	    xiw_atomic_supported(le32_to_cpu(a->aop)) || xiw_atomic_aligned((uintptr_t)word))
		return XIW_ERR_INVALID;
	*orig = atomic_execute(a, word);
	return XIW_OK;
}

/* RFC 7306 §5.1. Execute the atomic once; it is the current message until that has left. */
static enum xiw_status atomic_start(struct xiw_soft_stream *s, u8 queue,
				    const struct xiw_tx_desc *desc)
{
	const struct xiw_tx_atomic *a = (const struct xiw_tx_atomic *)desc;
	struct xiw_soft_msg *msg = &s->tx.msg;
	enum xiw_status status;
	u64 orig = 0;

	if (desc->units < sizeof(*a) / XIW_TX_UNIT || desc->queue >= XIW_QN_COUNT ||
	    desc->header_length != sizeof(msg->answer))
		return XIW_ERR_INVALID;
	status = atomic_run(s, a, &orig);
	trace_xiw_atomic(s->index, le32_to_cpu(a->aop), le32_to_cpu(desc->stag),
			 le64_to_cpu(desc->to), status, orig);
	if (status)
		return status;
	memset(msg, 0, sizeof(*msg));
	msg->queue = queue;
	memcpy(msg->answer, a->answer, sizeof(a->answer));
	put_unaligned_be64(orig, msg->answer + sizeof(a->answer));
	msg->header = msg->answer;
	xiw_ddp_seg_untagged(&msg->seg, desc->rdmap_ctrl, 0, desc->queue,
			     s->tx.msn[desc->queue]++, sizeof(msg->answer));
	msg->desc = desc;
	return XIW_OK;
}

/* This stream has copied what it read through the STag, so only others can delay this. */
static int invalidate(struct xiw_soft_stream *s, u32 stag)
{
	struct xiw_soft_tx *tx = &s->tx;
	int status;

	if (tx->wait_inv) {
		if (!test_and_clear_bit(XIW_PEND_INV_TX, &s->pending))
			return -EINPROGRESS;
		tx->wait_inv = false;
		return XIW_OK;
	}
	xiw_soft_stag_put(s->soft, &tx->ref);
	clear_bit(XIW_PEND_INV_TX, &s->pending);
	tx->inv_stag = stag;
	status = xiw_soft_stag_invalidate(s, stag, false, XIW_PEND_INV_TX);
	tx->wait_inv = status == -EINPROGRESS;
	return status;
}

/* Returns XIW_OK, an error, or -EINPROGRESS if it must be retried or awaited. */
static int operation(struct xiw_soft_stream *s, const struct xiw_tx_desc *desc)
{
	u32 stag = le32_to_cpu(desc->stag);

	switch (desc->op) {
	case XIW_TX_STAG_SET:
		if (desc->units * XIW_TX_UNIT < sizeof(*desc) + sizeof(struct xiw_stag_entry))
			return XIW_ERR_INVALID;
		return xiw_soft_stag_set(s->soft, stag,
					 (const struct xiw_stag_entry *)(desc + 1), s);
	case XIW_TX_STAG_INVALIDATE:
		return invalidate(s, stag);
	default:
		return XIW_ERR_INVALID;
	}
}

/**
 * xiw_soft_tx_next - execute descriptors up to the next message
 * @s: stream without a current message
 *
 * Return: true if tx.msg is ready to be sent.
 */
bool xiw_soft_tx_next(struct xiw_soft_stream *s)
{
	struct xiw_soft_tx *tx = &s->tx;
	const struct xiw_tx_desc *desc;
	u8 queue;
	int status;

	while (!tx->failed) {
		queue = tx->turn;
		if (idle(s, queue)) {
			if (tx->chained)
				return false;
			queue ^= 1;
			if (idle(s, queue))
				return false;
		}
		desc = desc_at(tx, queue, tx->q[queue].head);
		if (unlikely(!desc_fits(s, queue, desc))) {
			xiw_soft_tx_fail(s, queue, XIW_ERR_INVALID, 0);
			return false;
		}
		if (is_message(desc)) {
			if (xiw_soft_inject_hold(s, queue))
				continue;
			status = desc->op == XIW_TX_ATOMIC ? atomic_start(s, queue, desc) :
							     message_start(s, queue, desc);
			if (likely(status == XIW_OK))
				return true;
			xiw_soft_tx_fail(s, queue, status, 0);
			return false;
		}
		if (desc->op == XIW_TX_NOP) {	/* takes no turn and ends no chain */
			tx->q[queue].head += desc->units;
			tx->q[queue].built = tx->q[queue].head;
			continue;
		}
		status = operation(s, desc);
		if (status < 0) {
			tx->turn = queue;	/* the same one next time */
			return false;
		}
		if (status) {
			xiw_soft_tx_fail(s, queue, status, 0);
			return false;
		}
		advance(s, queue, desc);
	}
	return false;
}
