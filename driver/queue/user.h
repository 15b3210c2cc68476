/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Users outside the kernel: their queues, their memory. What they see is in
 * uapi/rdma/xiw-abi.h; below this they are like the users inside.
 *
 * A user's queue is an area that both sides have mapped. Nothing in it is believed: an
 * index or a slot is read once, into memory of our own, and checked there. The queues
 * that the RNIC sees are others, which only the kernel writes.
 *
 * Lifetime: whoever creates a queue has its area until it is destroyed; a mapping holds
 * the pages and not the area, so that a process may keep it for as long as it likes.
 * All of an area but the pages is used under the lock of its queue: QP.sq_lock,
 * QP.rq_lock, SRQ.lock, CQ.lock.
 *
 * A region's pages are pinned (RLIMIT_MEMLOCK counts them) until the RNIC has forgotten
 * its STag.
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

struct xiw_ucontext {
	struct ib_ucontext ibucontext;
};

struct xiw_user_area {
	struct rdma_user_mmap_entry entry;
	struct xiw_abi_ring *ring;	/* beginning of the shared memory */
	u8 *slots;
	size_t size;
	u32 mask, stride, depth;
	u32 low;			/* with fewer receives at the RNIC we want a bell */
	bool bell;			/* what ring->bell should say */
	struct ib_sge *sges;		/* a work request in translation */
};

/* ------------------------------------------------------------------------- user.c */

/* Driver data of a command that asks for nothing. Return: 0, or an errno: it does. */
int xiw_user_request(struct ib_udata *udata);

int xiw_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata);
void xiw_dealloc_ucontext(struct ib_ucontext *ibuc);
void xiw_disassociate_ucontext(struct ib_ucontext *ibuc);
int xiw_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma);
void xiw_mmap_free(struct rdma_user_mmap_entry *entry);

/**
 * xiw_user_area_new - shared memory for a queue of a user
 * @udata: of the command that creates the queue
 * @depth: entries that may be in use, 1 or more
 * @stride: octets of one
 * @max_sge: of a work request, 0: they are no work requests
 *
 * Context: process. Return: the area, zeroed, or an error. It costs the user's cgroup.
 */
struct xiw_user_area *xiw_user_area_new(struct ib_udata *udata, u32 depth, u32 stride,
					u32 max_sge);

/* The area may be NULL. Process context. */
void xiw_user_area_free(struct xiw_user_area *area);

/* Where user space finds it. */
void xiw_user_area_tell(const struct xiw_user_area *area, struct xiw_abi_queue *queue);

static inline void *xiw_user_slot(const struct xiw_user_area *area, u32 index)
{
	return area->slots + (size_t)(index & area->mask) * area->stride;
}

/* Tell the user that slots may be written anew; before the completion that says so. */
static inline void xiw_user_consumed(struct xiw_user_area *area, u32 index)
{
	if (!area)
		return;
	/* pairs with the user's acquire: the slots have been read */
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

/* An area as it was made. */
void xiw_user_area_reset(struct xiw_user_area *area);

/* -------------------------------------------------------------------- user_queue.c */

/**
 * xiw_user_sq_take - accept some of what a user has put into the send queue
 * @qp: QP of a user, its sq_lock is held
 * @most: slots at most; the rest of a batch is left, too, as interrupts are off
 *
 * Return: how many slots wait for the next call, or why the slot at sq_tail is refused;
 * those before it are accepted.
 */
int xiw_user_sq_take(struct xiw_qp *qp, u32 most);

/* Tell the user what the ends of the connection have agreed on. sq_lock is held. */
void xiw_user_sq_connection(struct xiw_qp *qp, bool up);

/**
 * xiw_user_rq_take - accept some of the receives that a user has posted
 * @qp: QP of a user with a receive queue, its rq_lock is held
 * @most: receives at most; the rest of a batch is left, too, as interrupts are off
 *
 * They stand in the RNIC's ring then; the caller publishes them. If some are left, the RNIC
 * has a batch, and the completion of one of these is the next occasion. Return: how many are
 * left, or -EINVAL: what stands there is no receive, and the QP has to end.
 */
int xiw_user_rq_take(struct xiw_qp *qp, u32 most);

/* Every post rings until the RNIC has enough receives. The queue's lock is held. */
void xiw_user_want_bell(struct xiw_user_area *area);

/* The same for a shared receive queue; SRQ.lock is held. */
int xiw_user_srq_take(struct xiw_srq *srq, u32 most);

/* ----------------------------------------------------------------------- user_cq.c */

/* CQ.lock is held for both: write the entry of an index; look whether it is armed. */
void xiw_user_cq_put(struct xiw_user_area *area, u32 index, const struct xiw_cqe *cqe);
u32 xiw_user_cq_armed(struct xiw_user_area *area);

/* ----------------------------------------------------------------------- user_mr.c */

struct ib_mr *xiw_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 va,
				int access, struct ib_pd *ibpd, struct ib_udata *udata);

/* Once the RNIC has forgotten the STag. Process context. */
void xiw_user_mr_release(struct xiw_mr *mr);

#endif
