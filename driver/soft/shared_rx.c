// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Receive buffers. At the first segment of a queue 0 message, a stream takes a receive from its
 * private ring or from a shared ring. The stream copies the scatter list, so that the driver can
 * reuse the slot immediately. If the ring is empty, the stream sets rx_starved to request a
 * doorbell, and reads the producer index again after a full barrier. So either the RNIC sees the
 * new receive, or the driver sees the request for a doorbell.
 */
#include <linux/slab.h>

#include "soft/shared_rx.h"

#define XIW_ROUSED_AT_ONCE 256		/* max streams that are woken with interrupts disabled */

static void take(struct xiw_soft_stream *s, const u8 *slot, u8 log2_slot)
{
	const struct xiw_rx_desc *desc = (const struct xiw_rx_desc *)slot;
	u32 i, places = ((1U << log2_slot) - sizeof(*desc)) / sizeof(desc->sge[0]);
	struct xiw_soft_receive *recv = &s->rx.recv;

	recv->cookie = le32_to_cpu(desc->cookie);
	recv->sges = min3(le32_to_cpu(desc->sges), places, (u32)XIW_SOFT_MAX_GATHER);
	recv->room = le32_to_cpu(desc->length);
	for (i = 0; i < recv->sges; i++)
		recv->sge[i] = desc->sge[i];
	recv->sge_at = 0;
	recv->sge_off = 0;
	recv->taken = true;
}

/* Get the number of posted receives. It is 0 if the producer index is invalid. */
static u32 posted(u32 head, u32 mask, const __le32 *tail)
{
	/* acquire: slots are read after the index that publishes them */
	u32 there = le32_to_cpu(smp_load_acquire(tail)) - head;

	return likely(there <= mask + 1) ? there : 0;
}

/*
 * Check that @want receives are posted. If not, request a doorbell and check again. Return: false
 * if fewer receives are posted.
 */
static bool avail(u32 head, u32 mask, u32 want, const __le32 *tail, __le32 *starved)
{
	if (likely(posted(head, mask, tail) >= want))
		return true;
	WRITE_ONCE(*starved, cpu_to_le32(1));
	/*
	 * pairs with xiw_rq_publish() and xiw_srq_publish(). Write starved, then read the index
	 * again.
	 */
	smp_mb();
	return posted(head, mask, tail) >= want;
}

/*
 * Wake one waiting stream for each posted receive, in order. If there are enough receives for all
 * waiting streams, withdraw the request for a doorbell. shared->lock is held. Return: true if the
 * caller must call this again to wake more streams.
 */
static bool wake_some(struct xiw_soft_shared_rx *shared)
{
	u32 there = posted(shared->head, shared->mask, &shared->ctx->rx_tail), n = 0;
	struct xiw_soft_stream *s;

	if (there >= shared->waiting)
		WRITE_ONCE(shared->ctx->rx_starved, 0);
	while (there > shared->woken && !list_empty(&shared->parked)) {
		if (n++ == XIW_ROUSED_AT_ONCE)
			return true;
		s = list_first_entry(&shared->parked, struct xiw_soft_stream, parked);
		list_move_tail(&s->parked, &shared->roused);
		s->roused = true;
		shared->woken++;
		xiw_soft_stream_defer(s, XIW_PEND_RUN);
	}
	return false;
}

/* The caller holds the RCU read lock, or runs a stream that uses the ring. */
static void wake(struct xiw_soft_shared_rx *shared)
{
	unsigned long flags;
	bool more;

	do {
		spin_lock_irqsave(&shared->lock, flags);
		more = wake_some(shared);
		spin_unlock_irqrestore(&shared->lock, flags);
	} while (more);
}

/*
 * Remove a stream from the waiting streams. shared->lock is held. The caller has another reference.
 */
static void leave(struct xiw_soft_stream *s)
{
	if (s->roused)
		s->shared->woken--;
	s->roused = false;
	list_del_init(&s->parked);
	s->shared->waiting--;
	xiw_soft_stream_put(s);
}

/*
 * Get the number of receives that must be posted before the stream may take one. Each waiting
 * stream has a claim on one receive, in the order in which the streams began to wait. A woken
 * stream may take one receive at once. A stream that waits and was not woken must wait until it is
 * woken. A stream that does not wait takes only receives that are not claimed, so a busy stream
 * does not starve the waiting streams. shared->lock is held.
 */
static u32 wanted(const struct xiw_soft_stream *s)
{
	if (s->roused)
		return 1;
	return list_empty(&s->parked) ? s->shared->waiting + 1 : U32_MAX;
}

/* Take a receive from the shared ring, or wait for one. Return: false if the stream must wait. */
static bool take_shared(struct xiw_soft_stream *s)
{
	struct xiw_soft_shared_rx *shared = s->shared;
	unsigned long flags;
	bool got, waits, more = false;

	spin_lock_irqsave(&shared->lock, flags);
	waits = !list_empty(&s->parked);
	/* The driver may have posted receives, but not rung the doorbell for them yet. */
	if (waits && !s->roused)
		more = wake_some(shared);
	got = shared->ring && avail(shared->head, shared->mask, wanted(s),
				    &shared->ctx->rx_tail, &shared->ctx->rx_starved);
	if (got) {
		take(s, shared->ring +
		     ((size_t)(shared->head & shared->mask) << shared->log2_slot),
		     shared->log2_slot);
		shared->head++;
		/* release: the slot was copied before the driver uses the slot again */
		smp_store_release(&shared->ctx->rx_head, cpu_to_le32(shared->head));
		if (waits)
			leave(s);
	} else if (!waits) {
		refcount_inc(&s->refs);
		list_add_tail(&s->parked, &shared->parked);
		shared->waiting++;
	}
	spin_unlock_irqrestore(&shared->lock, flags);
	if (more)
		wake(shared);
	return got;
}

/**
 * xiw_soft_receive_take - take the next posted receive
 * @s: stream that has not taken a receive yet
 *
 * Context: socket lock.
 *
 * Return: false if no receive is available; the driver rings a doorbell when it posts one.
 */
bool xiw_soft_receive_take(struct xiw_soft_stream *s)
{
	struct xiw_soft_rx *rx = &s->rx;

	if (s->shared)
		return take_shared(s);
	if (!s->rx_ring ||
	    !avail(rx->head, s->rx_mask, 1, &s->ctx->rx_tail, &s->ctx->rx_starved))
		return false;
	take(s, s->rx_ring + ((size_t)(rx->head & s->rx_mask) << s->log2_slot), s->log2_slot);
	rx->head++;
	/* release: the slot was copied before the driver uses the slot again */
	smp_store_release(&s->ctx->rx_head, cpu_to_le32(rx->head));
	if (unlikely(s->ctx->rx_starved))
		WRITE_ONCE(s->ctx->rx_starved, 0);
	return true;
}

/* End the wait of the stream for a receive of its shared ring. Socket lock. */
void xiw_soft_receive_unpark(struct xiw_soft_stream *s)
{
	struct xiw_soft_shared_rx *shared = s->shared;
	unsigned long flags;
	bool waited;

	if (!shared)
		return;
	spin_lock_irqsave(&shared->lock, flags);
	waited = !list_empty(&s->parked);
	if (waited)
		leave(s);
	spin_unlock_irqrestore(&shared->lock, flags);
	/* Let another stream take the receive for which this stream was woken. */
	if (waited)
		wake(shared);
}

/**
 * xiw_soft_shared_rx_rung - handle XIW_DB_SHARED_RX
 * @soft: the RNIC
 * @index: index of the ring
 *
 * Wakes one waiting stream for each posted receive, in order.
 */
void xiw_soft_shared_rx_rung(struct xiw_soft *soft, u32 index)
{
	struct xiw_soft_shared_rx *shared;

	rcu_read_lock();
	shared = xa_load(&soft->shared_rx, index);
	if (shared)
		wake(shared);
	rcu_read_unlock();
}

int xiw_soft_shared_rx_create(struct xiw_soft *soft, u32 index, const struct xiw_adm_ring *ring)
{
	struct xiw_soft_shared_rx *shared;
	unsigned long flags;
	int err;

	if (index >= XIW_SOFT_MAX_SHARED_RX || !ring->ring || !ring->ctx ||
	    !IS_ALIGNED(le64_to_cpu(ring->ctx), sizeof(u64)) ||
	    ring->log2_entries > 24 || ring->log2_slot < 4 || ring->log2_slot > 12)
		return XIW_ERR_INVALID;
	shared = kzalloc(sizeof(*shared), GFP_ATOMIC);
	if (!shared)
		return XIW_ERR_NOMEM;
	spin_lock_init(&shared->lock);
	INIT_LIST_HEAD(&shared->parked);
	INIT_LIST_HEAD(&shared->roused);
	shared->ring = xiw_soft_va(ring->ring);
	shared->ctx = xiw_soft_va(ring->ctx);
	shared->mask = (1U << ring->log2_entries) - 1;
	shared->log2_slot = ring->log2_slot;
	shared->pd = le32_to_cpu(ring->pd);
	xa_lock_irqsave(&soft->shared_rx, flags);
	err = __xa_insert(&soft->shared_rx, index, shared, GFP_ATOMIC);
	xa_unlock_irqrestore(&soft->shared_rx, flags);
	if (err) {
		kfree(shared);
		return err == -EBUSY ? XIW_ERR_BUSY : XIW_ERR_NOMEM;
	}
	return XIW_OK;
}

/* Destroy a shared ring. The driver has already destroyed the streams that use the ring. */
int xiw_soft_shared_rx_destroy(struct xiw_soft *soft, u32 index)
{
	struct xiw_soft_shared_rx *shared;
	unsigned long flags;

	xa_lock_irqsave(&soft->shared_rx, flags);
	shared = __xa_erase(&soft->shared_rx, index);
	xa_unlock_irqrestore(&soft->shared_rx, flags);
	if (!shared)
		return XIW_ERR_INVALID;
	kfree_rcu(shared, rcu);
	return XIW_OK;
}

void xiw_soft_shared_rx_free(struct xiw_soft *soft)
{
	struct xiw_soft_shared_rx *shared;
	unsigned long index;

	xa_for_each(&soft->shared_rx, index, shared)
		xiw_soft_shared_rx_destroy(soft, index);
}
