// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Event rings: producer side.
 *
 * TX and RX reserve room for an event before the action that the event reports. State events and
 * control events (admin, connection) wait for room instead. So no event is ever dropped or
 * overwritten. If a stream finds no room, it leaves its work pending and is added to the stalled
 * list. When there is room, streams of that list are woken, the oldest first, and each gets a claim
 * on room. Until these streams have run, no other stream can take their room.
 *
 * Control events are few. They wait as notices in a queue, and the poster owns the memory of its
 * notices.
 */
#include "soft/stream.h"

static u8 phase(const struct xiw_soft_vector *vec)
{
	return vec->prod & (vec->mask + 1) ? 0 : XIW_EVENT_PHASE;
}

/*
 * Append an event. vec->lock is held, and room is reserved. Return: true if the vector must be
 * raised.
 */
static bool write_event(struct xiw_soft_vector *vec, const struct xiw_event *ev, size_t size)
{
	const size_t body = offsetof(struct xiw_event, status);
	struct xiw_event *slot;
	bool raise = vec->armed;

	if (!vec->ring)
		return false;
	slot = &vec->ring[vec->prod & vec->mask];
	slot->type = ev->type;
	memcpy((u8 *)slot + body, (const u8 *)ev + body, size - body);
	/* release: the phase publishes the event written above */
	smp_store_release(&slot->flags, phase(vec));
	vec->prod++;
	vec->armed = false;
	return raise;
}

/*
 * Take room for @n events, if room for @spare more events is left afterwards. Return: false if
 * there is not enough room.
 */
static bool take_room(struct xiw_soft_vector *vec, unsigned int n, unsigned int spare)
{
	int room = atomic_read(&vec->room);

	do {
		if (room < (int)(n + spare))
			return false;
	} while (!atomic_try_cmpxchg(&vec->room, &room, room - n));
	return true;
}

/**
 * xiw_soft_event_reserve - reserve room for events
 * @vec: the vector
 * @n: number of events, at least 1
 *
 * The caller must commit or cancel each reserved event.
 *
 * Context: any.
 *
 * Return: false if there is not room for both the @n events and the claims of woken streams.
 */
bool xiw_soft_event_reserve(struct xiw_soft_vector *vec, unsigned int n)
{
	return take_room(vec, n, atomic_read(&vec->claims));
}

/* vec->lock is held. Return: the first stalled stream if there is room for it; otherwise NULL. */
static struct xiw_soft_stream *next_stalled(struct xiw_soft_vector *vec)
{
	struct xiw_soft_stream *s = list_first_entry_or_null(&vec->stalled, struct xiw_soft_stream,
							     stalled);

	if (!s || atomic_read(&vec->room) < atomic_read(&vec->claims) + (int)s->want)
		return NULL;
	return s;
}

/*
 * Wake stalled streams while there is room. vec->lock is held. Return: true if the vector must be
 * raised.
 */
static bool wake_stalled(struct xiw_soft_vector *vec)
{
	struct xiw_soft_stream *s;
	bool raise = false;

	while ((s = next_stalled(vec))) {
		list_del_init(&s->stalled);
		if (!s->claim) {
			WRITE_ONCE(s->claim, s->want);
			atomic_add(s->want, &vec->claims);
		}
		set_bit(XIW_PEND_RUN, &s->pending);
		/* The reference of the stalled list moves to the work list. */
		if (test_and_set_bit(XIW_PEND_QUEUED, &s->pending))
			xiw_soft_stream_put(s);
		else
			llist_add(&s->work, &vec->work);
		raise = true;
	}
	return raise;
}

/* Write notices to the ring. vec->lock is held. Return: true if the vector must be raised. */
static bool write_notices(struct xiw_soft_vector *vec)
{
	struct xiw_soft_notice *notice, *next;
	bool raise = false;

	list_for_each_entry_safe(notice, next, &vec->notices, node) {
		/* There are few notices, and they must not wait for streams, so ignore claims. */
		if (!take_room(vec, 1, 0))
			break;
		raise |= write_event(vec, &notice->ev, sizeof(notice->ev));
		list_del_init(&notice->node);
		notice->queued = false;
		if (notice->written)
			notice->written(vec->soft, notice);
	}
	return raise;
}

/**
 * xiw_soft_event_wake - use room that has become available
 * @vec: the vector
 *
 * This function writes waiting notices to the ring, and wakes streams that found no room.
 *
 * Call this whenever room may have become available: when reserved room or a claim is returned, and
 * after woken streams have run, because these streams may have left room unused. No call is needed
 * when the consumer index changes, because xiw_soft_event_consumed() writes the notices and wakes
 * the streams itself.
 *
 * The caller executes a full barrier between its change of room or claims and this call. The
 * barrier pairs with that of xiw_soft_event_stall(): either this call sees the stalled stream, or
 * xiw_soft_event_stall() sees the change. In the same way, the barrier pairs with that of
 * xiw_soft_notify(): either this call sees the notice, or xiw_soft_notify() sees the change.
 *
 * Context: any except hard interrupts.
 */
void xiw_soft_event_wake(struct xiw_soft_vector *vec)
{
	unsigned long flags;
	bool raise;

	if (likely(list_empty_careful(&vec->stalled) && list_empty_careful(&vec->notices)))
		return;
	spin_lock_irqsave(&vec->lock, flags);
	raise = write_notices(vec);
	raise |= wake_stalled(vec);
	spin_unlock_irqrestore(&vec->lock, flags);
	if (raise)
		xiw_rnic_interrupt(vec->soft->rnic, vec->index);
}

/* Drop the claim of a woken stream. The stream runs now, and can take the room of the claim. */
void xiw_soft_event_claimed(struct xiw_soft_vector *vec, struct xiw_soft_stream *s)
{
	unsigned long flags;

	if (likely(!READ_ONCE(s->claim)))
		return;
	spin_lock_irqsave(&vec->lock, flags);
	atomic_sub(s->claim, &vec->claims);
	WRITE_ONCE(s->claim, 0);
	spin_unlock_irqrestore(&vec->lock, flags);
	/*
	 * Pairs with the barrier in xiw_soft_event_stall(). The caller calls xiw_soft_event_wake()
	 * after the stream has run.
	 */
	smp_mb();
}

/* Release reserved room, so that the notices and streams that found no room can use it. */
void xiw_soft_event_cancel(struct xiw_soft_vector *vec, unsigned int n)
{
	atomic_add(n, &vec->room);
	/* Pairs with the barrier in xiw_soft_event_stall(). */
	smp_mb__after_atomic();
	xiw_soft_event_wake(vec);
}

/**
 * xiw_soft_event_commit - append an event to reserved room
 * @vec: the vector
 * @ev: the event; flags are ignored
 * @size: octets of @ev that are used
 *
 * Context: any except hard interrupts.
 */
void xiw_soft_event_commit(struct xiw_soft_vector *vec, const struct xiw_event *ev, size_t size)
{
	unsigned long flags;
	bool raise;

	spin_lock_irqsave(&vec->lock, flags);
	raise = write_event(vec, ev, size);
	spin_unlock_irqrestore(&vec->lock, flags);
	if (raise)
		xiw_rnic_interrupt(vec->soft->rnic, vec->index);
}

/* Run the stream again when there is room for @n events. */
void xiw_soft_event_stall(struct xiw_soft_vector *vec, struct xiw_soft_stream *s, unsigned int n)
{
	unsigned long flags;
	bool raise;

	xiw_soft_count(vec->soft, event_stalls, 1);
	spin_lock_irqsave(&vec->lock, flags);
	s->want = n;
	if (list_empty(&s->stalled)) {
		refcount_inc(&s->refs);
		list_add_tail(&s->stalled, &vec->stalled);
	}
	/*
	 * Pairs with the barrier before xiw_soft_event_wake(). Add the stream to the list, then
	 * read room.
	 */
	smp_mb();
	raise = wake_stalled(vec);
	spin_unlock_irqrestore(&vec->lock, flags);
	if (raise)
		xiw_rnic_interrupt(vec->soft->rnic, vec->index);
}

/* Remove the stream from the stalled list and drop its claim. */
void xiw_soft_event_unstall(struct xiw_soft_vector *vec, struct xiw_soft_stream *s)
{
	unsigned long flags;
	bool stalled;

	spin_lock_irqsave(&vec->lock, flags);
	stalled = !list_empty(&s->stalled);
	list_del_init(&s->stalled);
	atomic_sub(s->claim, &vec->claims);
	WRITE_ONCE(s->claim, 0);
	spin_unlock_irqrestore(&vec->lock, flags);
	if (stalled)
		xiw_soft_stream_put(s);
	/* Pairs with the barrier in xiw_soft_event_stall(). */
	smp_mb();
	xiw_soft_event_wake(vec);
}

/**
 * xiw_soft_event_consumed - handle XIW_DB_EVENT and XIW_DB_EVENT_ARM
 * @soft: the RNIC
 * @vector: index of the vector
 * @cons: consumer index, free-running
 * @arm: whether to raise the vector at the next event
 */
void xiw_soft_event_consumed(struct xiw_soft *soft, u32 vector, u32 cons, bool arm)
{
	struct xiw_soft_vector *vec;
	unsigned long flags;
	bool raise = false;

	if (vector >= soft->nr_vectors)
		return;
	vec = &soft->vector[vector];
	spin_lock_irqsave(&vec->lock, flags);
	if (!vec->ring || (s32)(cons - vec->prod) > 0) {
		spin_unlock_irqrestore(&vec->lock, flags);
		return;
	}
	/* Ignore the index of a late doorbell, but not its request to arm. */
	if (cons - vec->cons <= vec->prod - vec->cons) {
		atomic_add(cons - vec->cons, &vec->room);
		vec->cons = cons;
	}
	if (arm) {
		vec->armed = vec->prod == vec->cons;
		raise = !vec->armed;
	}
	raise |= write_notices(vec);
	raise |= wake_stalled(vec);
	spin_unlock_irqrestore(&vec->lock, flags);
	if (raise)
		xiw_rnic_interrupt(soft->rnic, vector);
	xiw_soft_admin_resume(soft);
}

/**
 * xiw_soft_notify - post a control event on vector 0
 * @soft: the RNIC
 * @notice: notice that contains the event, and is not queued. The poster must not access the notice
 *          while it is queued, and must not free the notice before xiw_soft_notice_cancel()
 *
 * No notice is lost, and notices keep their order.
 *
 * Context: any except hard interrupts.
 */
void xiw_soft_notify(struct xiw_soft *soft, struct xiw_soft_notice *notice)
{
	struct xiw_soft_vector *vec = &soft->vector[0];
	unsigned long flags;
	bool raise = false;

	spin_lock_irqsave(&vec->lock, flags);
	if (!WARN_ON_ONCE(notice->queued)) {
		notice->queued = true;
		list_add_tail(&notice->node, &vec->notices);
		/*
		 * Pairs with the barrier before xiw_soft_event_wake(). Add the notice to the list,
		 * then read room.
		 */
		smp_mb();
		raise = write_notices(vec);
	}
	spin_unlock_irqrestore(&vec->lock, flags);
	if (raise)
		xiw_rnic_interrupt(soft->rnic, 0);
	xiw_soft_admin_resume(soft);
}

/* Remove the notice from the queue if its event is not in the ring yet. */
void xiw_soft_notice_cancel(struct xiw_soft *soft, struct xiw_soft_notice *notice)
{
	struct xiw_soft_vector *vec = &soft->vector[0];
	unsigned long flags;

	spin_lock_irqsave(&vec->lock, flags);
	if (notice->queued) {
		list_del_init(&notice->node);
		notice->queued = false;
	}
	spin_unlock_irqrestore(&vec->lock, flags);
}

int xiw_soft_event_create(struct xiw_soft *soft, u32 vector, const struct xiw_adm_ring *ring)
{
	struct xiw_soft_vector *vec;
	unsigned long flags;
	int status = XIW_ERR_BUSY;

	if (vector >= soft->nr_vectors || !ring->ring || ring->log2_entries < 4 ||
	    ring->log2_entries > 24)
		return XIW_ERR_INVALID;
	vec = &soft->vector[vector];
	spin_lock_irqsave(&vec->lock, flags);
	if (!vec->ring) {
		vec->ring = xiw_soft_va(ring->ring);
		vec->mask = (1U << ring->log2_entries) - 1;
		vec->prod = 0;
		vec->cons = 0;
		vec->armed = true;
		atomic_set(&vec->room, vec->mask + 1);
		atomic_set(&vec->claims, 0);
		status = XIW_OK;
	}
	spin_unlock_irqrestore(&vec->lock, flags);
	return status;
}

/* Destroy the event ring of a vector, after the driver has destroyed the streams of the vector. */
void xiw_soft_event_destroy(struct xiw_soft *soft, u32 vector)
{
	struct xiw_soft_vector *vec = &soft->vector[vector];
	unsigned long flags;

	spin_lock_irqsave(&vec->lock, flags);
	vec->ring = NULL;
	atomic_set(&vec->room, 0);
	spin_unlock_irqrestore(&vec->lock, flags);
}
