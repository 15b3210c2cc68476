// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Work requests of users. The driver reads a work request from shared memory once, checks it, and
 * converts it to the work request that a kernel consumer would post. So a user's work request
 * passes the same checks as that of a kernel consumer. In addition, a user cannot access memory by
 * STag 0 (XIW_STAG_NOBODY).
 */
#include "queue/user.h"

#include <linux/nospec.h>
#include <linux/string.h>

#include "core/wire.h"
#include "queue/srq.h"
#include "queue/wr.h"
#include "ring/order.h"
#include "verbs/qp.h"
#include "xiw.h"

/*
 * Max slots of a queue that are read in one batch. A batch is short, because interrupts are off.
 * The value is at least XIW_USER_LOW (user.c). So after a full batch of receives, posts to the
 * receive queue of a QP need no doorbell. For an SRQ, see xiw_user_srq_low().
 */
#define XIW_USER_BATCH 64U

union xiw_user_wr {
	struct ib_send_wr send;
	struct ib_rdma_wr rdma;
	struct ib_atomic_wr atomic;
	struct xiw_bind_wr bind;
};

static const enum ib_wr_opcode xiw_user_opcodes[] = {
	[XIW_ABI_OP_SEND] = IB_WR_SEND,
	[XIW_ABI_OP_SEND_INV] = IB_WR_SEND_WITH_INV,
	[XIW_ABI_OP_WRITE] = IB_WR_RDMA_WRITE,
	[XIW_ABI_OP_WRITE_IMM] = IB_WR_RDMA_WRITE_WITH_IMM,
	[XIW_ABI_OP_READ] = IB_WR_RDMA_READ,
	[XIW_ABI_OP_FETCH_ADD] = IB_WR_ATOMIC_FETCH_AND_ADD,
	[XIW_ABI_OP_CMP_SWAP] = IB_WR_ATOMIC_CMP_AND_SWP,
	[XIW_ABI_OP_MASKED_FETCH_ADD] = IB_WR_MASKED_ATOMIC_FETCH_AND_ADD,
	[XIW_ABI_OP_MASKED_CMP_SWAP] = IB_WR_MASKED_ATOMIC_CMP_AND_SWP,
	[XIW_ABI_OP_LOCAL_INV] = IB_WR_LOCAL_INV,
	[XIW_ABI_OP_BIND] = XIW_WR_BIND,
	[XIW_ABI_OP_SEND_IMM] = IB_WR_SEND_WITH_IMM,
};

#define XIW_USER_BIND_RIGHTS (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ | \
			      IB_ACCESS_REMOTE_ATOMIC)

#define XIW_USER_SEND_FLAGS (XIW_ABI_SEND_SIGNALED | XIW_ABI_SEND_FENCE | \
			     XIW_ABI_SEND_SOLICITED | XIW_ABI_SEND_INLINE)

/*
 * Read each word once, because the user may still write to the slot. In an SGE, STag 0 means all
 * memory. So if an SGE of a user is not empty, XIW_STAG_NOBODY replaces STag 0.
 */
static void xiw_user_sges(struct ib_sge *to, const struct xiw_abi_sge *from, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		to[i].addr = READ_ONCE(from[i].addr);
		to[i].length = READ_ONCE(from[i].length);
		to[i].lkey = READ_ONCE(from[i].lkey);
		if (to[i].length && to[i].lkey == XIW_STAG_LOCAL_DMA)
			to[i].lkey = XIW_STAG_NOBODY;
	}
}

static void xiw_user_copy(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	/* Do not let the compiler read the slot again. */
	barrier();
}

/* ------------------------------------------------------------------------ sending */

static int xiw_user_payload(struct xiw_qp *qp, const struct xiw_abi_send *from,
			    struct xiw_abi_send *slot, struct ib_send_wr *wr)
{
	struct ib_sge *sges = qp->user_sq->sges;

	if (!(from->flags & XIW_ABI_SEND_INLINE)) {
		if (from->inline_length || from->num_sge > qp->max_send_sge)
			return -EINVAL;
		xiw_user_sges(sges, (struct xiw_abi_sge *)(slot + 1), from->num_sge);
		wr->num_sge = from->num_sge;
		return 0;
	}
	if (from->num_sge || from->inline_length > qp->max_inline)
		return -EINVAL;
	/*
	 * The user may change its inline data until the driver copies the data. Such a change harms
	 * only the user.
	 */
	sges->addr = (uintptr_t)(slot + 1);
	sges->length = from->inline_length;
	sges->lkey = 0;
	wr->num_sge = 1;
	wr->send_flags |= IB_SEND_INLINE;
	return 0;
}

static int xiw_user_send(struct xiw_qp *qp, struct xiw_abi_send *slot)
{
	union xiw_user_wr wr = {};
	u32 entry = qp->sq_tail.slot;
	struct xiw_abi_send from;
	int err;

	xiw_user_copy(&from, slot, sizeof(from));
	if (from.flags & ~XIW_USER_SEND_FLAGS || from.rsvd)
		return -EINVAL;
	if (from.opcode >= ARRAY_SIZE(xiw_user_opcodes))
		return -EOPNOTSUPP;
	from.opcode = array_index_nospec(from.opcode, ARRAY_SIZE(xiw_user_opcodes));
	wr.send.opcode = xiw_user_opcodes[from.opcode];
	wr.send.wr_id = from.wr_id;
	wr.send.sg_list = qp->user_sq->sges;
	if (from.flags & XIW_ABI_SEND_SIGNALED)
		wr.send.send_flags |= IB_SEND_SIGNALED;
	if (from.flags & XIW_ABI_SEND_FENCE)
		wr.send.send_flags |= IB_SEND_FENCE;
	if (from.flags & XIW_ABI_SEND_SOLICITED)
		wr.send.send_flags |= IB_SEND_SOLICITED;
	err = xiw_user_payload(qp, &from, slot, &wr.send);
	if (err)
		return err;

	switch (from.opcode) {
	case XIW_ABI_OP_SEND:
		break;
	case XIW_ABI_OP_LOCAL_INV:
		if (wr.send.num_sge)
			return -EINVAL;
		fallthrough;
	case XIW_ABI_OP_SEND_INV:
		wr.send.ex.invalidate_rkey = from.invalidate;
		break;
	case XIW_ABI_OP_SEND_IMM:
		if (memchr_inv(from.imm + sizeof(wr.send.ex.imm_data), 0,
			       sizeof(from.imm) - sizeof(wr.send.ex.imm_data)))
			return -EINVAL;
		memcpy(&wr.send.ex.imm_data, from.imm, sizeof(wr.send.ex.imm_data));
		break;
	case XIW_ABI_OP_WRITE:
	case XIW_ABI_OP_WRITE_IMM:
	case XIW_ABI_OP_READ:
		wr.rdma.remote_addr = from.remote_addr;
		wr.rdma.rkey = from.rkey;
		break;
	case XIW_ABI_OP_BIND:
		if (wr.send.num_sge || from.rights & ~(u64)XIW_USER_BIND_RIGHTS)
			return -EINVAL;
		wr.bind.rkey = from.rkey;
		wr.bind.region = from.region;
		wr.bind.base = from.remote_addr;
		wr.bind.length = from.length;
		wr.bind.access = from.rights;
		break;
	default:
		wr.atomic.remote_addr = from.remote_addr;
		wr.atomic.rkey = from.rkey;
		wr.atomic.swap = from.data;
		wr.atomic.swap_mask = from.mask;
		wr.atomic.compare_add = from.compare;
		wr.atomic.compare_add_mask = from.compare_mask;
		if (from.opcode == XIW_ABI_OP_FETCH_ADD ||
		    from.opcode == XIW_ABI_OP_MASKED_FETCH_ADD) {
			wr.atomic.compare_add = from.data;
			wr.atomic.compare_add_mask = from.mask;
		}
		break;
	}
	err = xiw_sq_post_one(qp, &wr.send);
	/* A kernel work request has room for only four of the eight octets of Immediate Data. */
	if (!err && from.opcode == XIW_ABI_OP_WRITE_IMM)
		memcpy(xiw_sqe(qp, entry)->imm, from.imm, sizeof(from.imm));
	return err;
}

int xiw_user_sq_take(struct xiw_qp *qp, u32 most)
{
	struct xiw_user_area *area = qp->user_sq;
	/* pairs with the user's release: the slots are written before the index */
	u32 producer = smp_load_acquire(&area->ring->producer);
	u32 end = qp->sq_tail.index + min(most, XIW_USER_BATCH);
	int err = 0;

	if (producer - qp->sq_head.index > area->depth ||
	    producer - qp->sq_tail.index > area->depth)
		return -EINVAL;
	while (!err && qp->sq_tail.index != producer && qp->sq_tail.index != end)
		err = xiw_user_send(qp, xiw_user_slot(area, qp->sq_tail.index));
	WRITE_ONCE(area->ring->taken, qp->sq_tail.index);
	return err ?: producer - qp->sq_tail.index;
}

void xiw_user_sq_connection(struct xiw_qp *qp, bool up)
{
	u32 told = up ? XIW_ABI_CONN_UP : 0;

	if (!qp->user_sq)
		return;
	if (up && qp->conn_flags & XIW_CONNF_ATOMICS)
		told |= XIW_ABI_CONN_ATOMICS;
	if (up && qp->conn_flags & XIW_CONNF_IMMEDIATE)
		told |= XIW_ABI_CONN_IMMEDIATE;
	if (up && qp->conn_flags & XIW_CONNF_SEND_IMM)
		told |= XIW_ABI_CONN_SEND_IMM;
	WRITE_ONCE(qp->user_sq->ring->connection, told);
}

/* ---------------------------------------------------------------------- receiving */

static int xiw_user_recv(struct xiw_user_area *area, u32 index, u32 max_sge, struct ib_recv_wr *wr)
{
	const struct xiw_abi_recv *slot = xiw_user_slot(area, index);
	struct xiw_abi_recv from;

	xiw_user_copy(&from, slot, sizeof(from));
	if (from.num_sge > max_sge || from.rsvd)
		return -EINVAL;
	xiw_user_sges(area->sges, (const struct xiw_abi_sge *)(slot + 1), from.num_sge);
	wr->next = NULL;
	wr->wr_id = from.wr_id;
	wr->sg_list = area->sges;
	wr->num_sge = from.num_sge;
	return 0;
}

static void xiw_user_set_bell(struct xiw_user_area *area, bool bell)
{
	if (area->bell == bell)
		return;
	area->bell = bell;
	WRITE_ONCE(area->ring->bell, bell);
	if (!bell)
		return;
	/*
	 * pairs with the barrier of the user, who writes producer and then reads bell: at least one
	 * of user and kernel sees the write of the other
	 */
	smp_mb();
}

void xiw_user_want_bell(struct xiw_user_area *area)
{
	area->bell = false;
	xiw_user_set_bell(area, true);
}

static int xiw_user_rq_once(struct xiw_qp *qp, u32 most)
{
	struct xiw_user_area *area = qp->user_rq;
	/* pairs with the user's release: the slots are written before the index */
	u32 producer = smp_load_acquire(&area->ring->producer);
	u32 left = min(most, XIW_USER_BATCH);
	struct ib_recv_wr wr;
	int err = 0;

	if (producer - qp->rq_head > area->depth || producer - qp->rq_tail > area->depth)
		return -EINVAL;
	while (qp->rq_tail != producer && qp->rq_tail - qp->rq_head <= qp->rq_mask && left--) {
		u32 slot = qp->rq_tail & qp->rq_mask;

		err = xiw_user_recv(area, qp->rq_tail, qp->max_recv_sge, &wr) ?:
		      xiw_rx_encode(xiw_rq_slot(qp, slot), slot, &wr, &qp->rq_wr[slot]);
		if (err)
			break;
		/* pairs with READ_ONCE() in callers that ring the doorbell without rq_lock */
		WRITE_ONCE(qp->rq_tail, qp->rq_tail + 1);
	}
	WRITE_ONCE(area->ring->taken, qp->rq_tail);
	return err ?: producer - qp->rq_tail;
}

int xiw_user_rq_take(struct xiw_qp *qp, u32 most)
{
	struct xiw_user_area *area = qp->user_rq;
	int left = xiw_user_rq_once(qp, most);

	/*
	 * After the request for doorbells, read the queue again. The user may have posted before
	 * the request, without ringing a doorbell.
	 */
	if (!left && !area->bell && qp->rq_tail - qp->rq_head < area->low) {
		xiw_user_set_bell(area, true);
		left = xiw_user_rq_once(qp, most);
	}
	if (!qp->rq_flush && qp->rq_tail - qp->rq_head >= area->low)
		xiw_user_set_bell(area, false);
	return left;
}

bool xiw_user_receives(const struct xiw_qp *qp)
{
	return qp->user_rq || (qp->srq && qp->srq->user);
}

/*
 * Return: number of free slots of the ring, or the depth of the SRQ if the ring cannot overflow. A
 * slot is free when the RNIC has read the slot, even if the receive is not complete yet. If the
 * RNIC's index is invalid, the ring counts as full. SRQ.lock is held.
 */
static u32 xiw_user_srq_room(const struct xiw_srq *srq)
{
	u32 used;

	/* The ring cannot overflow if it has a slot for each cookie. */
	if (srq->depth <= srq->mask + 1)
		return srq->depth;
	used = srq->tail - le32_to_cpu(xiw_observe(&srq->ctx->rx_head));
	return used <= srq->mask ? srq->mask + 1 - used : 0;
}

static int xiw_user_srq_once(struct xiw_srq *srq, u32 most)
{
	struct xiw_user_area *area = srq->user;
	/* pairs with the user's release: the slots are written before the index */
	u32 producer = smp_load_acquire(&area->ring->producer);
	u32 left = min3(most, XIW_USER_BATCH, xiw_user_srq_room(srq));
	struct ib_recv_wr wr;
	int err = 0;

	/*
	 * Each posted receive needs a cookie, so the user may post at most as many receives as
	 * there are free cookies.
	 */
	if (producer - srq->tail > srq->free_count)
		return -EINVAL;
	while (srq->tail != producer && left--) {
		err = xiw_user_recv(area, srq->tail, srq->max_sge, &wr) ?:
		      xiw_srq_put(srq, &wr);
		if (err)
			break;
	}
	WRITE_ONCE(area->ring->taken, srq->tail);
	srq->unread = producer - srq->tail;
	return err ?: srq->unread;
}

/*
 * Return: true if a post must ring a doorbell, because the ring contains few receives. Before a
 * completion causes the next check, each QP may take one receive. So the ring needs at least one
 * receive for each QP. Receives that QPs have taken are no longer in the ring, even if they are not
 * complete. If the RNIC's index is invalid, the ring counts as empty. SRQ.lock is held.
 */
static bool xiw_user_srq_low(const struct xiw_srq *srq)
{
	u32 ready = srq->tail - le32_to_cpu(xiw_observe(&srq->ctx->rx_head));

	return ready > srq->mask + 1 || ready < max(srq->user->low, srq->qps);
}

int xiw_user_srq_take(struct xiw_srq *srq, u32 most)
{
	struct xiw_user_area *area = srq->user;
	int left = xiw_user_srq_once(srq, most);

	if (!left && !area->bell && xiw_user_srq_low(srq)) {
		xiw_user_set_bell(area, true);
		left = xiw_user_srq_once(srq, most);
	}
	if (!xiw_user_srq_low(srq))
		xiw_user_set_bell(area, false);
	return left;
}
