// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "slot.h"

#include <errno.h>
#include <string.h>

#define NO_OPCODE 0xff

/* The operations of libibverbs that the driver supports and that users may post. */
static const uint8_t xiw_opcodes[] = {
	[IBV_WR_RDMA_WRITE] = XIW_ABI_OP_WRITE,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = XIW_ABI_OP_WRITE_IMM,
	[IBV_WR_SEND] = XIW_ABI_OP_SEND,
	[IBV_WR_SEND_WITH_IMM] = XIW_ABI_OP_SEND_IMM,
	[IBV_WR_RDMA_READ] = XIW_ABI_OP_READ,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = XIW_ABI_OP_CMP_SWAP,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = XIW_ABI_OP_FETCH_ADD,
	[IBV_WR_LOCAL_INV] = XIW_ABI_OP_LOCAL_INV,
	[IBV_WR_BIND_MW] = XIW_ABI_OP_BIND,
	[IBV_WR_SEND_WITH_INV] = XIW_ABI_OP_SEND_INV,
};

uint8_t xiw_slot_flags(unsigned int send_flags)
{
	uint8_t flags = 0;

	if (send_flags & IBV_SEND_SIGNALED)
		flags |= XIW_ABI_SEND_SIGNALED;
	if (send_flags & IBV_SEND_FENCE)
		flags |= XIW_ABI_SEND_FENCE;
	if (send_flags & IBV_SEND_SOLICITED)
		flags |= XIW_ABI_SEND_SOLICITED;
	return flags;
}

void xiw_slot_init(struct xiw_abi_send *slot, uint64_t wr_id, uint8_t opcode, uint8_t flags)
{
	memset(slot, 0, sizeof(*slot));
	slot->wr_id = wr_id;
	slot->opcode = opcode;
	slot->flags = flags;
}

static void xiw_slot_sge(struct xiw_abi_sge *to, const struct ibv_sge *from)
{
	to->addr = from->addr;
	to->length = from->length;
	to->lkey = from->lkey;
}

int xiw_slot_sges(struct xiw_abi_send *slot, const struct ibv_sge *sges, uint32_t count,
		  const struct xiw_slot_limits *limits)
{
	struct xiw_abi_sge *to = xiw_send_sges(slot);
	uint32_t i;

	if (count > limits->max_sge)
		return EINVAL;
	for (i = 0; i < count; i++)
		xiw_slot_sge(&to[i], &sges[i]);
	slot->num_sge = count;
	return 0;
}

int xiw_slot_inline(struct xiw_abi_send *slot, const void *data, size_t length,
		    const struct xiw_slot_limits *limits)
{
	if (length > limits->max_inline - slot->inline_length)
		return ENOMEM;
	if (length)
		memcpy(xiw_send_payload(slot) + slot->inline_length, data, length);
	slot->inline_length += length;
	slot->flags |= XIW_ABI_SEND_INLINE;
	return 0;
}

void xiw_slot_imm(struct xiw_abi_send *slot, __be32 imm)
{
	memcpy(slot->imm, &imm, sizeof(imm));
}

static int xiw_slot_body(struct xiw_abi_send *slot, const struct ibv_send_wr *wr,
			 const struct xiw_slot_limits *limits)
{
	int i, err = 0;

	if (wr->num_sge < 0)
		return EINVAL;
	if (!(wr->send_flags & IBV_SEND_INLINE))
		return xiw_slot_sges(slot, wr->sg_list, wr->num_sge, limits);
	slot->flags |= XIW_ABI_SEND_INLINE;
	for (i = 0; i < wr->num_sge && !err; i++)
		err = xiw_slot_inline(slot, (void *)(uintptr_t)wr->sg_list[i].addr,
				      wr->sg_list[i].length, limits);
	return err;
}

int xiw_slot_bind(struct xiw_abi_send *slot, const struct ibv_mw *mw, uint32_t rkey,
		  const struct ibv_mw_bind_info *info)
{
	const unsigned int rights = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				    IBV_ACCESS_REMOTE_ATOMIC;
	/* Some programs request this right, too. It has no effect on an MW, so ignore it. */
	const unsigned int nothing = IBV_ACCESS_LOCAL_WRITE;

	if (!info->mr || mw->type != IBV_MW_TYPE_2 || !info->length ||
	    info->mw_access_flags & ~(rights | nothing))
		return EINVAL;
	slot->rkey = (mw->rkey & ~0xffU) | (rkey & 0xff);
	slot->region = info->mr->lkey;
	slot->remote_addr = info->addr;
	slot->length = info->length;
	slot->rights = info->mw_access_flags & rights;
	return 0;
}

int xiw_slot_send(struct xiw_abi_send *slot, const struct ibv_send_wr *wr, bool signal_all,
		  const struct xiw_slot_limits *limits)
{
	uint8_t opcode = NO_OPCODE;
	int err;

	if ((unsigned int)wr->opcode < sizeof(xiw_opcodes))
		opcode = xiw_opcodes[wr->opcode];
	if (opcode == NO_OPCODE)
		return EOPNOTSUPP;
	xiw_slot_init(slot, wr->wr_id, opcode, xiw_slot_flags(wr->send_flags));
	if (signal_all)
		slot->flags |= XIW_ABI_SEND_SIGNALED;

	switch (opcode) {
	case XIW_ABI_OP_LOCAL_INV:
		slot->invalidate = wr->invalidate_rkey;
		return 0;
	case XIW_ABI_OP_BIND:
		err = xiw_slot_bind(slot, wr->bind_mw.mw, wr->bind_mw.rkey,
				    &wr->bind_mw.bind_info);
		if (err)
			return err;
		slot->compare = wr->bind_mw.mw->rkey;
		wr->bind_mw.mw->rkey = slot->rkey;
		return 0;
	case XIW_ABI_OP_SEND_INV:
		slot->invalidate = wr->invalidate_rkey;
		break;
	case XIW_ABI_OP_SEND_IMM:
		xiw_slot_imm(slot, wr->imm_data);
		break;
	case XIW_ABI_OP_WRITE_IMM:
		xiw_slot_imm(slot, wr->imm_data);
		/* fall through */
	case XIW_ABI_OP_WRITE:
		slot->remote_addr = wr->wr.rdma.remote_addr;
		slot->rkey = wr->wr.rdma.rkey;
		break;
	case XIW_ABI_OP_READ:
		if (wr->num_sge > 1 || wr->send_flags & IBV_SEND_INLINE)
			return EINVAL;
		slot->remote_addr = wr->wr.rdma.remote_addr;
		slot->rkey = wr->wr.rdma.rkey;
		break;
	case XIW_ABI_OP_FETCH_ADD:
	case XIW_ABI_OP_CMP_SWAP:
		if (wr->num_sge != 1 || wr->send_flags & IBV_SEND_INLINE)
			return EINVAL;
		slot->remote_addr = wr->wr.atomic.remote_addr;
		slot->rkey = wr->wr.atomic.rkey;
		if (opcode == XIW_ABI_OP_CMP_SWAP) {
			slot->data = wr->wr.atomic.swap;
			slot->compare = wr->wr.atomic.compare_add;
		} else {
			slot->data = wr->wr.atomic.compare_add;
		}
		break;
	}
	return xiw_slot_body(slot, wr, limits);
}

int xiw_slot_recv(struct xiw_abi_recv *slot, const struct ibv_recv_wr *wr, uint32_t max_sge)
{
	struct xiw_abi_sge *to = (struct xiw_abi_sge *)(slot + 1);
	uint64_t length = 0;
	int i;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > max_sge)
		return EINVAL;
	slot->wr_id = wr->wr_id;
	slot->num_sge = wr->num_sge;
	slot->rsvd = 0;
	for (i = 0; i < wr->num_sge; i++) {
		xiw_slot_sge(&to[i], &wr->sg_list[i]);
		length += wr->sg_list[i].length;
	}
	/*
	 * Refuse a receive of more than 2^32 - 1 octets here. The kernel would also refuse this
	 * receive, but would not read the slots that follow.
	 */
	return length > UINT32_MAX ? EINVAL : 0;
}

enum ibv_wc_opcode xiw_wc_opcode(const struct xiw_abi_cqe *cqe)
{
	switch (cqe->opcode) {
	case XIW_ABI_WC_WRITE: return IBV_WC_RDMA_WRITE;
	case XIW_ABI_WC_READ: return IBV_WC_RDMA_READ;
	case XIW_ABI_WC_FETCH_ADD:
	case XIW_ABI_WC_MASKED_FETCH_ADD: return IBV_WC_FETCH_ADD;
	case XIW_ABI_WC_CMP_SWAP:
	case XIW_ABI_WC_MASKED_CMP_SWAP: return IBV_WC_COMP_SWAP;
	case XIW_ABI_WC_LOCAL_INV: return IBV_WC_LOCAL_INV;
	case XIW_ABI_WC_BIND: return IBV_WC_BIND_MW;
	case XIW_ABI_WC_RECV: return IBV_WC_RECV;
	case XIW_ABI_WC_RECV_IMM: return IBV_WC_RECV_RDMA_WITH_IMM;
	default: return IBV_WC_SEND;
	}
}

unsigned int xiw_wc_flags(const struct xiw_abi_cqe *cqe)
{
	unsigned int flags = 0;

	if (cqe->flags & XIW_ABI_CQE_IMM)
		flags |= IBV_WC_WITH_IMM;
	if (cqe->flags & XIW_ABI_CQE_INVALIDATED)
		flags |= IBV_WC_WITH_INV;
	return flags;
}

void xiw_wc_fill(struct ibv_wc *wc, const struct xiw_abi_cqe *cqe)
{
	memset(wc, 0, sizeof(*wc));
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = xiw_wc_opcode(cqe);
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->qp_num = cqe->qp_num;
	wc->wc_flags = xiw_wc_flags(cqe);
	if (cqe->flags & XIW_ABI_CQE_IMM)
		memcpy(&wc->imm_data, cqe->imm, sizeof(wc->imm_data));
	else if (cqe->flags & XIW_ABI_CQE_INVALIDATED)
		wc->invalidated_rkey = cqe->invalidated;
}
