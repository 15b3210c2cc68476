// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Execute TX descriptors in the order that core/send.h determines. An atomic or an STag change is
 * executed after the payload of all earlier descriptors has been copied into FPDUs.
 */
#include "core/atomic.h"
#include "diag/trace.h"
#include "soft/stream.h"

static u32 tail_of(const struct xiw_soft_stream *s, u8 queue)
{
	/* acquire: pairs with xiw_publish(), by which the driver publishes descriptors */
	return le32_to_cpu(smp_load_acquire(&s->ctx->tx_tail[queue]));
}

/* Return: true if a ring contains a descriptor that has not been executed. */
bool xiw_soft_tx_pending(struct xiw_soft_stream *s)
{
	const struct xiw_send_ring *ring = s->tx.core.ring;

	return tail_of(s, XIW_TXQ_REQUEST) != ring[XIW_TXQ_REQUEST].head ||
	       tail_of(s, XIW_TXQ_RESPONSE) != ring[XIW_TXQ_RESPONSE].head;
}

/* Return: true if the ring contains nothing to execute now. */
static bool idle(struct xiw_soft_stream *s, u8 queue)
{
	return tail_of(s, queue) == s->tx.core.ring[queue].head || xiw_soft_inject_held(s, queue);
}

static const struct xiw_tx_desc *desc_at(const struct xiw_soft_tx *tx, u8 queue)
{
	u32 at = tx->core.ring[queue].head & tx->core.mask;

	return (const struct xiw_tx_desc *)(tx->ring[queue] + (size_t)at * XIW_TX_UNIT);
}

/* Finish the current message, whose last octet has been copied. */
void xiw_soft_tx_message_done(struct xiw_soft_stream *s)
{
	u8 opcode = xiw_send_done(&s->tx.core, &s->rx.core);

	xiw_soft_count(s->soft, tx_messages[opcode], 1);
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

	verdict = xiw_soft_stag_check(s, &s->tx.ref, s->pd, stag, to, sizeof(u64),
				      XIW_ACCESS_REMOTE_ATOMIC);
	if (verdict)
		return xiw_stag_status(verdict);
	/* Check the alignment again, because the STag may now refer to other memory (DEC-74). */
	if (xiw_soft_stag_span(&s->tx.ref, to, sizeof(u64), &word) < sizeof(u64) ||
	    xiw_atomic_aligned((uintptr_t)word))
		return XIW_ERR_INVALID;
	*orig = atomic_execute(a, word);
	return XIW_OK;
}

static enum xiw_status atomic_start(struct xiw_soft_stream *s, u8 queue,
				    const struct xiw_tx_desc *desc)
{
	const struct xiw_tx_atomic *a = (const struct xiw_tx_atomic *)desc;
	enum xiw_status status;
	u64 orig = 0;

	status = atomic_run(s, a, &orig);
	trace_xiw_atomic(s->index, le32_to_cpu(a->aop), le32_to_cpu(desc->stag),
			 le64_to_cpu(desc->to), status, orig);
	if (!status)
		xiw_send_answer(&s->tx.core, queue, desc, orig);
	return status;
}

/*
 * Invalidate an STag for a descriptor. TX of this stream has copied all earlier payload, and drops
 * its reference here. RX of this stream holds a reference only during an RX pass. So only
 * references of other streams can delay the invalidation. Return: as execute().
 */
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

/* Return: enum xiw_status, or -EINPROGRESS if an invalidation must wait for other streams. */
static int execute(struct xiw_soft_stream *s, enum xiw_send_step step, u8 queue,
		   const struct xiw_tx_desc *desc)
{
	u32 stag = le32_to_cpu(desc->stag);

	if (step == XIW_SEND_ATOMIC)
		return atomic_start(s, queue, desc);
	if (step == XIW_SEND_STAG_SET)
		return xiw_soft_stag_set(s->soft, stag,
					 (const struct xiw_stag_entry *)(desc + 1), s);
	return invalidate(s, stag);
}

/* Return: enum xiw_tx_queue, or XIW_TXQ_COUNT if there is nothing to execute. */
static u8 next_ring(struct xiw_soft_stream *s)
{
	u8 queue = s->tx.core.turn;

	if (!idle(s, queue))
		return queue;
	queue = xiw_send_other(&s->tx.core);
	return queue < XIW_TXQ_COUNT && !idle(s, queue) ? queue : XIW_TXQ_COUNT;
}

/**
 * xiw_soft_tx_next - execute descriptors up to the next message
 * @s: stream without a current message
 *
 * Return: true if tx.core.msg is ready to be sent.
 */
bool xiw_soft_tx_next(struct xiw_soft_stream *s)
{
	struct xiw_sender *core = &s->tx.core;
	const struct xiw_tx_desc *desc;
	enum xiw_send_step step;
	u8 queue;
	int status;

	while (!core->failed) {
		queue = next_ring(s);
		if (queue == XIW_TXQ_COUNT)
			return false;
		desc = desc_at(&s->tx, queue);
		if (unlikely(!xiw_send_fits(core, queue, desc->units, tail_of(s, queue)))) {
			xiw_send_fail(core, queue, XIW_ERR_INVALID, 0);
			return false;
		}
		if (xiw_send_is_message(desc) && xiw_soft_inject_hold(s, queue))
			continue;
		step = xiw_send_next(core, &s->rx.core.fifo, queue, desc);
		if (likely(step == XIW_SEND_MESSAGE))
			return true;
		if (step == XIW_SEND_AGAIN || step == XIW_SEND_FAILED)
			continue;
		status = execute(s, step, queue, desc);
		if (status < 0) {
			core->turn = queue;	/* begin the next pass with this queue */
			return false;
		}
		if (status) {
			xiw_send_fail(core, queue, status, 0);
			return false;
		}
		if (step == XIW_SEND_ATOMIC)
			return true;
		xiw_send_executed(core, queue, desc);
	}
	return false;
}
