/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A queue mapping (rdma/xiw-abi.h) in user space. Indexes are free-running. Each function reads an
 * index in shared memory once. No function reads the size or the number of the entries from shared
 * memory: `stride` and `mask` come from struct xiw_abi_queue in the kernel's response.
 *
 * The caller holds the lock of the queue, except for xiw_ring_attach() and xiw_ring_arm().
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
	uint32_t next;		/* index of the next entry to write (work queues) or read (CQ) */
	uint32_t seen;		/* the kernel's index, as it was read last */
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
 * xiw_ring_attach - begin to use a queue mapping
 *
 * Return: false if @queue is invalid: the number of entries is not a power of two or is less than
 * the depth, the stride is not a multiple of 8, or the entries exceed the mapping.
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

/* ---------------------------------------- work queues: user space is the producer */

/*
 * Check for room for a slot at `index`. Return: true if slot `index` may be written, because fewer
 * than `depth` earlier slots are in use.
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
 * Check whether the kernel needs a doorbell for a receive queue. Call this after
 * xiw_ring_produce(). Return: true if the kernel needs a doorbell.
 */
static inline bool xiw_ring_wants_bell(const struct xiw_ring *ring)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&ring->shared->bell, __ATOMIC_RELAXED) != 0;
}

/*
 * xiw_ring_take_back - remove the refused slots after a failed doorbell
 * @first: index of the first slot of the list that was posted
 *
 * Return: number of slots of the list that the kernel has accepted.
 */
static inline uint32_t xiw_ring_take_back(struct xiw_ring *ring, uint32_t first)
{
	uint32_t taken = __atomic_load_n(&ring->shared->taken, __ATOMIC_ACQUIRE) - first;

	/* If `taken` has wrapped, the kernel has not reached @first, and has accepted no slot. */
	if (taken > ring->next - first)
		taken = 0;
	xiw_ring_produce(ring, first + taken);
	return taken;
}

/* ---------------------------------------- completions: the kernel is the producer */

/* Return: true if there is an unread completion. */
static inline bool xiw_ring_has_entry(struct xiw_ring *ring)
{
	if (ring->next == ring->seen)
		ring->seen = __atomic_load_n(&ring->shared->producer, __ATOMIC_ACQUIRE);
	return ring->next != ring->seen;
}

/* Get the oldest unread completion. The pointer is valid until xiw_ring_consumed(). */
static inline const struct xiw_abi_cqe *xiw_ring_next(const struct xiw_ring *ring)
{
	return (const struct xiw_abi_cqe *)xiw_ring_entry(ring, ring->next);
}

/* Return the entries before `next` to the kernel. */
static inline void xiw_ring_consumed(struct xiw_ring *ring)
{
	__atomic_store_n(&ring->shared->consumer, ring->next, __ATOMIC_RELEASE);
}

/*
 * xiw_ring_forget - remove the unread completions of a QP that was destroyed or reset
 *
 * Another QP may use the same number later. The completions of other QPs keep their order.
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
 * The caller holds the lock for arming the CQ, and not necessarily the lock of the queue.
 *
 * The fence ensures that a later poll sees all completions that precede the request.
 */
static inline void xiw_ring_arm(struct xiw_ring *ring, bool solicited)
{
	uint32_t none = XIW_ABI_ARM_NONE;

	if (solicited)	/* keep a pending request for the next completion */
		__atomic_compare_exchange_n(&ring->shared->arm, &none, XIW_ABI_ARM_SOLICITED, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	else
		__atomic_store_n(&ring->shared->arm, XIW_ABI_ARM_NEXT, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif
