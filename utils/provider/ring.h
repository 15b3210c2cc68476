/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A queue mapping (rdma/xiw-abi.h) as the user sees it. Indexes are free-running. Shared memory is
 * read once, and no address is computed from it: `mask` and `stride` are copies that were made when
 * the queue was mapped.
 *
 * The caller holds the lock of the queue.
 */
#ifndef XIW_PROVIDER_RING_H
#define XIW_PROVIDER_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rdma/xiw-abi.h>

struct xiw_ring {
	struct xiw_abi_ring *shared;
	uint8_t *entries;
	size_t length;		/* length of the mapping */
	uint32_t mask, stride, depth;
	uint32_t next;		/* index of the next slot to write (work queues) or read (CQ) */
	uint32_t seen;		/* other side's index, as read last */
};

static inline void *xiw_ring_entry(const struct xiw_ring *ring, uint32_t index)
{
	return ring->entries + (size_t)(index & ring->mask) * ring->stride;
}

/* Restart a work queue at its current indexes, which the kernel may have reset. */
static inline void xiw_ring_restart(struct xiw_ring *ring)
{
	ring->next = __atomic_load_n(&ring->shared->producer, __ATOMIC_RELAXED);
	ring->seen = __atomic_load_n(&ring->shared->consumer, __ATOMIC_RELAXED);
}

/*
 * xiw_ring_attach - use a queue mapping
 *
 * Return: false if the driver's description is invalid: the number of entries is not a power of
 * two, is less than the number that may be in use, or the entries exceed the memory.
 */
static inline bool xiw_ring_attach(struct xiw_ring *ring, void *area,
				   const struct xiw_abi_queue *queue)
{
	if (!queue->entries || queue->entries & (queue->entries - 1) ||
	    queue->depth > queue->entries || !queue->stride || queue->stride % 8 ||
	    queue->length < XIW_ABI_RING_SIZE ||
	    queue->length - XIW_ABI_RING_SIZE < (uint64_t)queue->entries * queue->stride)
		return false;
	ring->shared = (struct xiw_abi_ring *)area;
	ring->entries = (uint8_t *)area + XIW_ABI_RING_SIZE;
	ring->length = queue->length;
	ring->mask = queue->entries - 1;
	ring->stride = queue->stride;
	ring->depth = queue->depth;
	ring->next = 0;
	ring->seen = 0;
	return true;
}

/*
 * ---------------------------------------------------------- work queues: user space is the
 * producer
 */

/*
 * Return: true if slot `index` may be written. The slot is `index - consumer` slots after the
 * oldest one.
 */
static inline bool xiw_ring_has_room(struct xiw_ring *ring, uint32_t index)
{
	if (index - ring->seen < ring->depth)
		return true;
	ring->seen = __atomic_load_n(&ring->shared->consumer, __ATOMIC_ACQUIRE);
	return index - ring->seen < ring->depth;
}

/* Pass all slots before `index` to the kernel. */
static inline void xiw_ring_produce(struct xiw_ring *ring, uint32_t index)
{
	ring->next = index;
	__atomic_store_n(&ring->shared->producer, index, __ATOMIC_RELEASE);
}

/*
 * Call this after the slots are written. Return: true if the kernel needs a doorbell (receive
 * queues).
 */
static inline bool xiw_ring_wants_bell(const struct xiw_ring *ring)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&ring->shared->bell, __ATOMIC_RELAXED) != 0;
}

/*
 * xiw_ring_take_back - remove slots that were not accepted, after a failed doorbell
 * @first: index of the first slot of this posting
 *
 * Return: number of slots that were accepted, counted from `first`.
 */
static inline uint32_t xiw_ring_take_back(struct xiw_ring *ring, uint32_t first)
{
	uint32_t taken = __atomic_load_n(&ring->shared->taken, __ATOMIC_ACQUIRE) - first;

	/* Slots before `first` were posted earlier. */
	if (taken > ring->next - first)
		taken = 0;
	xiw_ring_produce(ring, first + taken);
	return taken;
}

/*
 * ------------------------------------------------------- completions: the kernel is the producer
 */

/* Return: true if there is an unread completion. */
static inline bool xiw_ring_has_entry(struct xiw_ring *ring)
{
	if (ring->next == ring->seen)
		ring->seen = __atomic_load_n(&ring->shared->producer, __ATOMIC_ACQUIRE);
	return ring->next != ring->seen;
}

/* Get the oldest unread completion. It is valid until xiw_ring_consumed(). */
static inline const struct xiw_abi_cqe *xiw_ring_next(const struct xiw_ring *ring)
{
	return (const struct xiw_abi_cqe *)xiw_ring_entry(ring, ring->next);
}

/* Release the completions before `next`. */
static inline void xiw_ring_consumed(struct xiw_ring *ring)
{
	__atomic_store_n(&ring->shared->consumer, ring->next, __ATOMIC_RELEASE);
}

/*
 * xiw_ring_forget - remove unread completions of a QP
 *
 * Another QP may use the same number later. Other completions keep their order.
 */
static inline void xiw_ring_forget(struct xiw_ring *ring, uint32_t qp_num)
{
	uint32_t end = __atomic_load_n(&ring->shared->producer, __ATOMIC_ACQUIRE);
	uint32_t from = end, to = end;

	if (end - ring->next > ring->mask + 1)
		return;
	while (from != ring->next) {
		const struct xiw_abi_cqe *cqe =
			(const struct xiw_abi_cqe *)xiw_ring_entry(ring, --from);

		if (cqe->qp_num == qp_num)
			continue;
		to--;
		if (to != from)
			memcpy(xiw_ring_entry(ring, to), cqe, sizeof(*cqe));
	}
	ring->next = to;
	ring->seen = end;
	xiw_ring_consumed(ring);
}

/*
 * xiw_ring_arm - request an event
 *
 * The fence ensures that a later poll sees all completions that precede the request.
 */
static inline void xiw_ring_arm(struct xiw_ring *ring, bool solicited)
{
	uint32_t none = XIW_ABI_ARM_NONE;

	if (solicited)	/* keep a pending request for any completion */
		__atomic_compare_exchange_n(&ring->shared->arm, &none, XIW_ABI_ARM_SOLICITED, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	else
		__atomic_store_n(&ring->shared->arm, XIW_ABI_ARM_NEXT, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif
