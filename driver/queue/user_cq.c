// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Completions that a user polls without the kernel. */
#include <linux/timekeeping.h>

#include "queue/cq.h"
#include "queue/user.h"

static u8 xiw_user_completion(u8 opcode)
{
	switch (opcode) {
	case IB_WC_RDMA_WRITE:
		return XIW_ABI_WC_WRITE;
	case IB_WC_RDMA_READ:
		return XIW_ABI_WC_READ;
	case IB_WC_FETCH_ADD:
		return XIW_ABI_WC_FETCH_ADD;
	case IB_WC_COMP_SWAP:
		return XIW_ABI_WC_CMP_SWAP;
	case IB_WC_MASKED_FETCH_ADD:
		return XIW_ABI_WC_MASKED_FETCH_ADD;
	case IB_WC_MASKED_COMP_SWAP:
		return XIW_ABI_WC_MASKED_CMP_SWAP;
	case IB_WC_LOCAL_INV:
		return XIW_ABI_WC_LOCAL_INV;
	case IB_WC_BIND_MW:
		return XIW_ABI_WC_BIND;
	case IB_WC_RECV:
		return XIW_ABI_WC_RECV;
	case IB_WC_RECV_RDMA_WITH_IMM:
		return XIW_ABI_WC_RECV_IMM;
	default:
		return XIW_ABI_WC_SEND;
	}
}

void xiw_user_cq_put(struct xiw_user_area *area, u32 index, const struct xiw_cqe *cqe)
{
	struct xiw_abi_cqe *to = xiw_user_slot(area, index);
	struct xiw_abi_cqe out = {
		.wr_id = cqe->wr_id,
		.timestamp = ktime_get_ns(),
		.byte_len = cqe->byte_len,
		.qp_num = cqe->qp->qp_num,
		.vendor_err = cqe->vendor_err,
		.status = cqe->status,
		.opcode = xiw_user_completion(cqe->opcode),
	};

	if (cqe->flags & IB_WC_WITH_IMM) {
		out.flags |= XIW_ABI_CQE_IMM;
		memcpy(out.imm, cqe->imm, sizeof(out.imm));
	}
	if (cqe->flags & IB_WC_WITH_INVALIDATE) {
		out.flags |= XIW_ABI_CQE_INVALIDATED;
		out.invalidated = cqe->invalidated;
	}
	*to = out;
	/*
	 * pairs with the user's acquire: a user that reads the new index also reads the new entry
	 */
	smp_store_release(&area->ring->producer, index + 1);
}

/*
 * Call this function after the entry is written. A user first arms the CQ and then checks for
 * entries. So either the user finds the entry, or this function finds the CQ armed.
 */
u32 xiw_user_cq_armed(struct xiw_user_area *area)
{
	/*
	 * pairs with the barrier of the user, who writes arm and then reads producer: at least one
	 * of user and kernel sees the write of the other
	 */
	smp_mb();
	return READ_ONCE(area->ring->arm) ? xchg(&area->ring->arm, XIW_ABI_ARM_NONE) : 0;
}
