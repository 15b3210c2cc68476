// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "xiwdv.h"

#include <errno.h>
#include <string.h>

#include "provider.h"

#define XIWDV_EXPORT __attribute__((visibility("default")))

_Static_assert((int)XIWDV_CAP_ATOMICS == XIW_ABI_CAP_ATOMICS &&
	       (int)XIWDV_CAP_MASKED_ATOMICS == XIW_ABI_CAP_MASKED_ATOMICS &&
	       (int)XIWDV_CAP_IMMEDIATE_64 == XIW_ABI_CAP_IMMEDIATE_64 &&
	       (int)XIWDV_CAP_SEND_IMM == XIW_ABI_CAP_SEND_IMM, "capabilities");
_Static_assert((int)XIWDV_PEER_CONNECTED == XIW_ABI_CONN_UP &&
	       (int)XIWDV_PEER_ATOMICS == XIW_ABI_CONN_ATOMICS &&
	       (int)XIWDV_PEER_IMMEDIATE == XIW_ABI_CONN_IMMEDIATE &&
	       (int)XIWDV_PEER_SEND_IMM == XIW_ABI_CONN_SEND_IMM, "connection");

XIWDV_EXPORT bool xiwdv_is_supported(struct ibv_device *device)
{
	return xiw_is_ours(device);
}

XIWDV_EXPORT int xiwdv_query_device(struct ibv_context *context, struct xiwdv_device_attr *attr)
{
	if (!xiw_is_ours(context->device))
		return EOPNOTSUPP;
	if (attr->comp_mask)
		return EINVAL;
	attr->caps = to_xiw_context(context)->limits.caps;
	attr->max_inline = to_xiw_context(context)->limits.max_inline;
	return 0;
}

XIWDV_EXPORT int xiwdv_query_peer(struct ibv_qp *ibqp, uint32_t *flags)
{
	if (!xiw_is_ours(ibqp->context->device))
		return EOPNOTSUPP;
	*flags = __atomic_load_n(&to_xiw_qp(ibqp)->sq.shared->connection, __ATOMIC_ACQUIRE) &
		 (XIWDV_PEER_CONNECTED | XIWDV_PEER_ATOMICS | XIWDV_PEER_IMMEDIATE |
		  XIWDV_PEER_SEND_IMM);
	return 0;
}

XIWDV_EXPORT void xiwdv_wr_masked_fetch_add(struct ibv_qp_ex *ibqp, uint32_t rkey,
					    uint64_t remote_addr, uint64_t add, uint64_t mask)
{
	struct xiw_abi_send *slot;

	slot = xiw_wr_slot(ibqp, XIW_ABI_OP_MASKED_FETCH_ADD, rkey, remote_addr);
	slot->data = add;
	slot->mask = mask;
}

XIWDV_EXPORT void xiwdv_wr_masked_cmp_swp(struct ibv_qp_ex *ibqp, uint32_t rkey,
					  uint64_t remote_addr, uint64_t compare,
					  uint64_t compare_mask, uint64_t swap,
					  uint64_t swap_mask)
{
	struct xiw_abi_send *slot;

	slot = xiw_wr_slot(ibqp, XIW_ABI_OP_MASKED_CMP_SWAP, rkey, remote_addr);
	slot->data = swap;
	slot->mask = swap_mask;
	slot->compare = compare;
	slot->compare_mask = compare_mask;
}

XIWDV_EXPORT void xiwdv_wr_rdma_write_imm64(struct ibv_qp_ex *ibqp, uint32_t rkey,
					    uint64_t remote_addr, const uint8_t imm[8])
{
	struct xiw_abi_send *slot;

	slot = xiw_wr_slot(ibqp, XIW_ABI_OP_WRITE_IMM, rkey, remote_addr);
	memcpy(slot->imm, imm, sizeof(slot->imm));
}

XIWDV_EXPORT int xiwdv_poll_cq(struct ibv_cq *ibcq, int entries, struct xiwdv_wc *wc)
{
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	const struct xiw_abi_cqe *cqe;
	int n;

	pthread_spin_lock(&cq->lock);
	for (n = 0; n < entries && xiw_ring_has_entry(&cq->ring); n++) {
		cqe = xiw_ring_next(&cq->ring);
		xiw_wc_fill(&wc[n].wc, cqe);
		wc[n].timestamp = cqe->timestamp;
		memcpy(wc[n].imm, cqe->imm, sizeof(wc[n].imm));
		cq->ring.next++;
	}
	if (n > 0)
		xiw_ring_consumed(&cq->ring);
	pthread_spin_unlock(&cq->lock);
	return n;
}

XIWDV_EXPORT void xiwdv_wc_read_imm64(struct ibv_cq_ex *ibcq, uint8_t imm[8])
{
	memcpy(imm, to_xiw_cq(ibv_cq_ex_to_cq(ibcq))->current->imm, 8);
}
