/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * User-space consumers: their queues and their memory. uapi/rdma/xiw-abi.h defines the interface.
 * Except for queues and memory, the driver treats user-space consumers like kernel consumers.
 *
 * A user's queue is a queue mapping: memory that kernel and process share. The contents are
 * untrusted: the driver reads an index or a slot into kernel memory once, and checks the copy. The
 * queues that the RNIC reads are separate, and only the kernel writes them.
 *
 * Lifetime: a queue has its struct xiw_user_area until the queue is destroyed. The process may keep
 * the mmap() longer, because the mmap() holds references to the pages, and not to struct
 * xiw_user_area. The lock of the queue (QP.sq_lock, QP.rq_lock, SRQ.lock or CQ.lock) protects all
 * members of struct xiw_user_area, but not the contents of the pages.
 *
 * The pages of an MR are pinned until the RNIC has dropped the STag of the MR. RLIMIT_MEMLOCK
 * applies to these pages.
 */
#ifndef XIW_USER_H
#define XIW_USER_H

#include <rdma/ib_verbs.h>
#include <rdma/xiw-abi.h>

struct xiw_cqe;
struct xiw_mr;
struct xiw_qp;
struct xiw_rqe;
struct xiw_srq;

/*
 * Minimum of park_ms, in milliseconds, for a connection if a user posts its receives. A message may
 * wait for a receive that the user has already posted, because the driver does not pass each
 * receive to the RNIC at once. On a busy machine, the driver may pass it late.
 */
#define XIW_USER_PARK_MS 1000

struct xiw_ucontext {
	struct ib_ucontext ibucontext;
};

struct xiw_user_area {
	struct rdma_user_mmap_entry entry;
	struct xiw_abi_ring *ring;	/* start of the shared memory */
	u8 *slots;
	size_t size;
	u32 mask, stride, depth;
	u32 low;			/* if the RNIC has fewer receives, posts ring a doorbell */
	bool bell;			/* last value written to ring->bell */
	struct ib_sge *sges;		/* gather list of the current work request */
};

/* ------------------------------------------------------------------------- user.c */

/*
 * Check the udata of a command: comp_mask and the reserved octets must be 0, because this ABI
 * defines no options. Return: 0 or an errno.
 */
int xiw_user_request(struct ib_udata *udata);

int xiw_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata);
void xiw_dealloc_ucontext(struct ib_ucontext *ibuc);
void xiw_disassociate_ucontext(struct ib_ucontext *ibuc);
int xiw_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma);
void xiw_mmap_free(struct rdma_user_mmap_entry *entry);

/**
 * xiw_user_area_new - allocate the queue mapping of a user's queue
 * @udata: udata of the command that creates or resizes the queue
 * @depth: max number of entries in use, at least 1
 * @stride: octets of one entry
 * @max_sge: max gather list entries of a work request; 0 if the queue contains no work requests
 *
 * Context: process.
 *
 * Return: the mapping, zeroed, or an error pointer. The memory is charged to the user's cgroup.
 */
struct xiw_user_area *xiw_user_area_new(struct ib_udata *udata, u32 depth, u32 stride,
					u32 max_sge);

/* Drop the queue's reference to a mapping, which may be NULL. Process context. */
void xiw_user_area_free(struct xiw_user_area *area);

/* Fill in @queue for user space: the key, length and geometry of a queue mapping. */
void xiw_user_area_tell(const struct xiw_user_area *area, struct xiw_abi_queue *queue);

static inline void *xiw_user_slot(const struct xiw_user_area *area, u32 index)
{
	return area->slots + (size_t)(index & area->mask) * area->stride;
}

/*
 * Report to the user that all slots before @index are free. Call this function before the
 * completion that frees these slots is written. @area may be NULL.
 */
static inline void xiw_user_consumed(struct xiw_user_area *area, u32 index)
{
	if (!area)
		return;
	/* pairs with the user's acquire: the driver has read the slots before it frees them */
	smp_store_release(&area->ring->consumer, index);
}

static inline u32 xiw_user_send_stride(u32 max_sge, u32 max_inline)
{
	return ALIGN(sizeof(struct xiw_abi_send) +
		     max_t(u32, max_sge * sizeof(struct xiw_abi_sge), max_inline), 64);
}

static inline u32 xiw_user_recv_stride(u32 max_sge)
{
	return sizeof(struct xiw_abi_recv) + max_sge * sizeof(struct xiw_abi_sge);
}

/* Reset a mapping to its initial state. */
void xiw_user_area_reset(struct xiw_user_area *area);

/* -------------------------------------------------------------------- user_queue.c */

/**
 * xiw_user_sq_take - accept work requests that a user has put into the send queue
 * @qp: QP of a user, its sq_lock is held
 * @most: max number of slots; the function accepts at most one batch, because interrupts are off
 *
 * Return: number of slots left for the next call, or a negative errno if the slot at sq_tail or the
 * user's index is invalid. Earlier slots have been accepted.
 */
int xiw_user_sq_take(struct xiw_qp *qp, u32 most);

/*
 * Report to the user whether the connection is open, and which optional opcodes it supports. @up:
 * true if the connection is open. sq_lock is held.
 */
void xiw_user_sq_connection(struct xiw_qp *qp, bool up);

/**
 * xiw_user_rq_take - accept receives that a user has posted
 * @qp: QP of a user with a receive queue, its rq_lock is held
 * @most: max number of receives; the function accepts at most one batch, because interrupts are off
 *
 * The function writes the accepted receives to the RNIC's ring, and the caller publishes them. If
 * receives are left, the RNIC has at least one batch of receives, or the ring is full. The next
 * completion then triggers the next call.
 *
 * Return: number of receives left, or -EINVAL if a slot or the user's index is invalid. After
 * -EINVAL, the stream of the QP must end.
 */
int xiw_user_rq_take(struct xiw_qp *qp, u32 most);

/* Return: true if a user posts the receives of the QP, to its receive queue or to its SRQ. */
bool xiw_user_receives(const struct xiw_qp *qp);

/*
 * Request that the user rings the doorbell with every post, until the RNIC has enough receives. The
 * lock of the queue is held.
 */
void xiw_user_want_bell(struct xiw_user_area *area);

/* As xiw_user_rq_take(), but for a shared receive queue. Also sets SRQ.unread. SRQ.lock is held. */
int xiw_user_srq_take(struct xiw_srq *srq, u32 most);

/* ----------------------------------------------------------------------- user_cq.c */

/* Write the entry with the index @index, and publish it to the user. CQ.lock is held. */
void xiw_user_cq_put(struct xiw_user_area *area, u32 index, const struct xiw_cqe *cqe);
/* Read and clear the arm word of the user. CQ.lock is held. Return: XIW_ABI_ARM_*. */
u32 xiw_user_cq_armed(struct xiw_user_area *area);

/* ----------------------------------------------------------------------- user_mr.c */

struct ib_mr *xiw_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 va,
				int access, struct ib_pd *ibpd, struct ib_udata *udata);

/* Unpin the pages of an MR, after the RNIC has dropped the STag. Context: process. */
void xiw_user_mr_release(struct xiw_mr *mr);

#endif
