// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * ibv_wr_*: build work requests directly in the queue. wr_start takes the lock of the SQ, and
 * wr_complete or wr_abort releases it. wr_complete returns the first error. After an error, work
 * requests are built in a scratch slot, and wr_complete posts nothing.
 */
#include "provider.h"

#include <errno.h>

static struct xiw_qp *xiw_qp_of_ex(struct ibv_qp_ex *ibqp)
{
	return to_xiw_qp(&ibqp->qp_base);
}

static void xiw_wr_fail(struct xiw_qp *qp, int err)
{
	if (err && !qp->sq_err)
		qp->sq_err = err;
}

struct xiw_abi_send *xiw_wr_slot(struct ibv_qp_ex *ibqp, uint8_t opcode, uint32_t rkey,
				 uint64_t remote_addr)
{
	struct xiw_qp *qp = xiw_qp_of_ex(ibqp);

	if (!xiw_sq_has_room(qp, qp->sq_next))
		xiw_wr_fail(qp, ENOMEM);
	qp->slot = qp->sq_err ? qp->scratch : xiw_ring_entry(&qp->sq, qp->sq_next++);
	xiw_slot_init(qp->slot, ibqp->wr_id, opcode, xiw_slot_flags(ibqp->wr_flags));
	if (qp->signal_all)
		qp->slot->flags |= XIW_ABI_SEND_SIGNALED;
	qp->slot->rkey = rkey;
	qp->slot->remote_addr = remote_addr;
	return qp->slot;
}

static void xiw_wr_start(struct ibv_qp_ex *ibqp)
{
	struct xiw_qp *qp = xiw_qp_of_ex(ibqp);

	pthread_mutex_lock(&qp->sq_lock);
	qp->sq_next = qp->sq.next;
	qp->sq_err = 0;
	qp->slot = qp->scratch;
}

static int xiw_wr_complete(struct ibv_qp_ex *ibqp)
{
	struct xiw_qp *qp = xiw_qp_of_ex(ibqp);
	uint32_t start = qp->sq.next;
	int err = qp->sq_err;

	if (!err && qp->sq_next != start) {
		xiw_ring_produce(&qp->sq, qp->sq_next);
		err = xiw_doorbell_ring(&qp->sq_bell);
		if (err)
			xiw_ring_take_back(&qp->sq, start);
	}
	pthread_mutex_unlock(&qp->sq_lock);
	return err;
}

static void xiw_wr_abort(struct ibv_qp_ex *ibqp)
{
	pthread_mutex_unlock(&xiw_qp_of_ex(ibqp)->sq_lock);
}

/* ---------------------------------------------------------------------- operations */

static void xiw_wr_send(struct ibv_qp_ex *ibqp)
{
	xiw_wr_slot(ibqp, XIW_ABI_OP_SEND, 0, 0);
}

static void xiw_wr_send_inv(struct ibv_qp_ex *ibqp, uint32_t rkey)
{
	xiw_wr_slot(ibqp, XIW_ABI_OP_SEND_INV, 0, 0)->invalidate = rkey;
}

static void xiw_wr_send_imm(struct ibv_qp_ex *ibqp, __be32 imm)
{
	xiw_slot_imm(xiw_wr_slot(ibqp, XIW_ABI_OP_SEND_IMM, 0, 0), imm);
}

static void xiw_wr_write(struct ibv_qp_ex *ibqp, uint32_t rkey, uint64_t remote_addr)
{
	xiw_wr_slot(ibqp, XIW_ABI_OP_WRITE, rkey, remote_addr);
}

static void xiw_wr_write_imm(struct ibv_qp_ex *ibqp, uint32_t rkey, uint64_t remote_addr,
			     __be32 imm)
{
	xiw_slot_imm(xiw_wr_slot(ibqp, XIW_ABI_OP_WRITE_IMM, rkey, remote_addr), imm);
}

static void xiw_wr_read(struct ibv_qp_ex *ibqp, uint32_t rkey, uint64_t remote_addr)
{
	xiw_wr_slot(ibqp, XIW_ABI_OP_READ, rkey, remote_addr);
}

static void xiw_wr_fetch_add(struct ibv_qp_ex *ibqp, uint32_t rkey, uint64_t remote_addr,
			     uint64_t add)
{
	xiw_wr_slot(ibqp, XIW_ABI_OP_FETCH_ADD, rkey, remote_addr)->data = add;
}

static void xiw_wr_cmp_swp(struct ibv_qp_ex *ibqp, uint32_t rkey, uint64_t remote_addr,
			   uint64_t compare, uint64_t swap)
{
	struct xiw_abi_send *slot = xiw_wr_slot(ibqp, XIW_ABI_OP_CMP_SWAP, rkey, remote_addr);

	slot->compare = compare;
	slot->data = swap;
}

static void xiw_wr_local_inv(struct ibv_qp_ex *ibqp, uint32_t rkey)
{
	xiw_wr_slot(ibqp, XIW_ABI_OP_LOCAL_INV, 0, 0)->invalidate = rkey;
}

static void xiw_wr_bind(struct ibv_qp_ex *ibqp, struct ibv_mw *mw, uint32_t rkey,
			const struct ibv_mw_bind_info *info)
{
	struct xiw_abi_send *slot = xiw_wr_slot(ibqp, XIW_ABI_OP_BIND, 0, 0);

	xiw_wr_fail(xiw_qp_of_ex(ibqp), xiw_slot_bind(slot, mw, rkey, info));
}

/* ----------------------------------------------------------------------------- data */

static void xiw_wr_sge_list(struct ibv_qp_ex *ibqp, size_t count, const struct ibv_sge *sges)
{
	struct xiw_qp *qp = xiw_qp_of_ex(ibqp);

	xiw_wr_fail(qp, count > UINT16_MAX ? EINVAL :
			xiw_slot_sges(qp->slot, sges, count, &qp->limits));
}

static void xiw_wr_sge(struct ibv_qp_ex *ibqp, uint32_t lkey, uint64_t addr, uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	xiw_wr_sge_list(ibqp, 1, &sge);
}

static void xiw_wr_inline(struct ibv_qp_ex *ibqp, void *data, size_t length)
{
	struct xiw_qp *qp = xiw_qp_of_ex(ibqp);

	xiw_wr_fail(qp, xiw_slot_inline(qp->slot, data, length, &qp->limits));
}

static void xiw_wr_inline_list(struct ibv_qp_ex *ibqp, size_t count,
			       const struct ibv_data_buf *list)
{
	struct xiw_qp *qp = xiw_qp_of_ex(ibqp);
	size_t i;

	/* This call sets the inline flag, even if the list is empty. */
	xiw_wr_fail(qp, xiw_slot_inline(qp->slot, NULL, 0, &qp->limits));
	for (i = 0; i < count && !qp->sq_err; i++)
		xiw_wr_inline(ibqp, list[i].addr, list[i].length);
}

/* Operations that every device supports. A device without MWs refuses to allocate one. */
#define XIW_SEND_OPS                                                                    \
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |               \
	 IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_READ |                               \
	 IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_LOCAL_INV |                      \
	 IBV_QP_EX_WITH_BIND_MW)
#define XIW_ATOMIC_OPS                                                                  \
	(IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

int xiw_wr_ops(struct xiw_qp *qp, uint32_t caps, uint64_t send_ops)
{
	struct ibv_qp_ex *ex = &qp->base.qp_ex;
	uint64_t supported = XIW_SEND_OPS;

	if (caps & XIW_ABI_CAP_ATOMICS)
		supported |= XIW_ATOMIC_OPS;
	if (caps & XIW_ABI_CAP_SEND_IMM)
		supported |= IBV_QP_EX_WITH_SEND_WITH_IMM;
	if (send_ops & ~supported)
		return EOPNOTSUPP;
	if (send_ops & IBV_QP_EX_WITH_SEND)
		ex->wr_send = xiw_wr_send;
	if (send_ops & IBV_QP_EX_WITH_SEND_WITH_INV)
		ex->wr_send_inv = xiw_wr_send_inv;
	if (send_ops & IBV_QP_EX_WITH_SEND_WITH_IMM)
		ex->wr_send_imm = xiw_wr_send_imm;
	if (send_ops & IBV_QP_EX_WITH_LOCAL_INV)
		ex->wr_local_inv = xiw_wr_local_inv;
	if (send_ops & IBV_QP_EX_WITH_BIND_MW)
		ex->wr_bind_mw = xiw_wr_bind;
	if (send_ops & IBV_QP_EX_WITH_RDMA_WRITE)
		ex->wr_rdma_write = xiw_wr_write;
	if (send_ops & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
		ex->wr_rdma_write_imm = xiw_wr_write_imm;
	if (send_ops & IBV_QP_EX_WITH_RDMA_READ)
		ex->wr_rdma_read = xiw_wr_read;
	if (send_ops & IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
		ex->wr_atomic_fetch_add = xiw_wr_fetch_add;
	if (send_ops & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)
		ex->wr_atomic_cmp_swp = xiw_wr_cmp_swp;
	ex->wr_set_sge = xiw_wr_sge;
	ex->wr_set_sge_list = xiw_wr_sge_list;
	ex->wr_set_inline_data = xiw_wr_inline;
	ex->wr_set_inline_data_list = xiw_wr_inline_list;
	ex->wr_start = xiw_wr_start;
	ex->wr_complete = xiw_wr_complete;
	ex->wr_abort = xiw_wr_abort;
	return 0;
}
