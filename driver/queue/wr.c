// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "queue/wr.h"

#include <linux/kasan.h>
#include <linux/log2.h>

#include "core/rdmap.h"
#include "core/stag.h"
#include "diag/latency.h"
#include "queue/tx_ring.h"
#include "verbs/mr.h"
#include "xiw.h"

#define XIW_REMOTE_RIGHTS (IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | \
			   IB_ACCESS_REMOTE_ATOMIC)

#define XIW_ALIGN16(n) (((n) + 15) & ~15U)

u32 xiw_wr_image_size(u32 max_sge, u32 max_inline)
{
	u32 body = max(max_sge * (u32)sizeof(struct xiw_sge), XIW_ALIGN16(max_inline));

	BUILD_BUG_ON(sizeof(struct xiw_tx_desc) + sizeof(struct xiw_tx_sink) +
		     XIW_ALIGN16(XIW_READ_REQ_LEN) > XIW_IMAGE_MIN);
	BUILD_BUG_ON(sizeof(struct xiw_tx_desc) + sizeof(struct xiw_stag_entry) > XIW_IMAGE_MIN);
	return max_t(u32, sizeof(struct xiw_tx_desc) + body, XIW_IMAGE_MIN);
}

u8 xiw_access_of_ib(int access)
{
	u8 rights = XIW_ACCESS_LOCAL_READ;

	if (access & IB_ACCESS_LOCAL_WRITE)
		rights |= XIW_ACCESS_LOCAL_WRITE;
	if (access & IB_ACCESS_REMOTE_READ)
		rights |= XIW_ACCESS_REMOTE_READ;
	if (access & IB_ACCESS_REMOTE_WRITE)
		rights |= XIW_ACCESS_REMOTE_WRITE;
	if (access & IB_ACCESS_REMOTE_ATOMIC)
		rights |= XIW_ACCESS_REMOTE_ATOMIC;
	if (access & IB_ACCESS_MW_BIND)
		rights |= XIW_ACCESS_BIND;
	return rights;
}

static void xiw_wr_finish(struct xiw_sqe *sqe, struct xiw_tx_desc *desc, const u8 *end)
{
	sqe->length = end - (u8 *)desc;
	desc->units = xiw_tx_units(sqe->length);
}

/*
 * Encode a gather list or inline data at @at. Return: the end of the encoded octets, or an error
 * pointer.
 */
static u8 *xiw_wr_payload(struct xiw_qp *qp, struct xiw_tx_desc *desc, u8 *at,
			  const struct ib_send_wr *wr)
{
	u64 total = 0;
	int i;

	if (wr->num_sge < 0 || wr->num_sge > qp->max_send_sge)
		return ERR_PTR(-EINVAL);
	for (i = 0; i < wr->num_sge; i++)
		total += wr->sg_list[i].length;

	if (wr->send_flags & IB_SEND_INLINE) {
		if (total > qp->max_inline)
			return ERR_PTR(-EMSGSIZE);
		for (i = 0; i < wr->num_sge; i++) {
			memcpy(at, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
			at += wr->sg_list[i].length;
		}
		desc->flags |= XIW_TXF_INLINE;
	} else {
		struct xiw_sge *sge = (struct xiw_sge *)at;

		if (total > le32_to_cpu(qp->dev->rnic.caps.max_message))
			return ERR_PTR(-EMSGSIZE);
		for (i = 0; i < wr->num_sge; i++) {
			if (!wr->sg_list[i].length)
				continue;
			sge->addr = cpu_to_le64(wr->sg_list[i].addr);
			sge->length = cpu_to_le32(wr->sg_list[i].length);
			sge->stag = cpu_to_le32(wr->sg_list[i].lkey);
			sge++;
			desc->sges++;
		}
		at = (u8 *)sge;
	}
	desc->length = cpu_to_le32(total);
	return at;
}

static int xiw_wr_message(struct xiw_qp *qp, struct xiw_sqe *sqe, struct xiw_tx_desc *desc,
			  const struct ib_send_wr *wr)
{
	u8 *end = xiw_wr_payload(qp, desc, (u8 *)(desc + 1), wr);

	if (IS_ERR(end))
		return PTR_ERR(end);
	sqe->kind = XIW_WR_SEND;
	sqe->byte_len = le32_to_cpu(desc->length);
	xiw_wr_finish(sqe, desc, end);
	return 0;
}

static int xiw_wr_send(struct xiw_qp *qp, struct xiw_sqe *sqe, struct xiw_tx_desc *desc,
		       const struct ib_send_wr *wr)
{
	bool solicited = wr->send_flags & IB_SEND_SOLICITED;
	u8 ctrl;

	switch (wr->opcode) {
	case IB_WR_SEND_WITH_INV:
		ctrl = xiw_rdmap_ctrl(solicited ? XIW_OP_SEND_SE_INV : XIW_OP_SEND_INV);
		desc->stag = cpu_to_le32(wr->ex.invalidate_rkey);
		break;
	case IB_WR_SEND_WITH_IMM:
		ctrl = xiw_rdmap_ctrl(XIW_OP_SEND_IMM);
		if (solicited)
			ctrl |= XIW_RDMAP_SOLICITED;
		desc->stag = cpu_to_le32(be32_to_cpu(wr->ex.imm_data));
		break;
	default:
		ctrl = xiw_rdmap_ctrl(solicited ? XIW_OP_SEND_SE : XIW_OP_SEND);
		break;
	}
	desc->op = XIW_TX_UNTAGGED;
	desc->queue = XIW_QN_SEND;
	desc->rdmap_ctrl = ctrl;
	sqe->opcode = IB_WC_SEND;
	return xiw_wr_message(qp, sqe, desc, wr);
}

static int xiw_wr_write(struct xiw_qp *qp, struct xiw_sqe *sqe, struct xiw_tx_desc *desc,
			const struct ib_send_wr *wr)
{
	const struct ib_rdma_wr *rdma = rdma_wr(wr);

	desc->op = XIW_TX_TAGGED;
	desc->rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_WRITE);
	desc->stag = cpu_to_le32(rdma->rkey);
	desc->to = cpu_to_le64(rdma->remote_addr);
	if (wr->opcode == IB_WR_RDMA_WRITE_WITH_IMM) {
		desc->flags |= XIW_TXF_CHAIN;
		sqe->flags |= XIW_WRF_IMM;
		/*
		 * DEC-15: the first four octets are imm_data of verbs, and the other four octets
		 * are zero.
		 */
		memcpy(sqe->imm, &wr->ex.imm_data, sizeof(wr->ex.imm_data));
		if (wr->send_flags & IB_SEND_SOLICITED)
			sqe->flags |= XIW_WRF_SOLICITED;
	}
	sqe->opcode = IB_WC_RDMA_WRITE;
	return xiw_wr_message(qp, sqe, desc, wr);
}

void xiw_wr_encode_immediate(struct xiw_tx_desc *desc, const u8 *imm, bool solicited)
{
	memset(desc, 0, XIW_TX_UNIT);
	desc->op = XIW_TX_UNTAGGED;
	desc->units = 1;
	desc->queue = XIW_QN_SEND;
	desc->rdmap_ctrl = xiw_rdmap_ctrl(solicited ? XIW_OP_IMM_SE : XIW_OP_IMM);
	desc->header_length = XIW_IMM_LEN;
	memcpy(desc + 1, imm, XIW_IMM_LEN);
}

/* If bus addresses are kernel addresses, remove the tag that KASAN may have put into @address. */
static u64 xiw_pd_untagged(const struct xiw_pd *pd, u64 address)
{
	if (to_xiw_device(pd->ibpd.device)->rnic.dma_device)
		return address;
	return (uintptr_t)kasan_reset_tag((void *)(uintptr_t)address);
}

/*
 * If the PD has a sink MR (mr.h), hide STag 0 and the address of local memory from the peer: use
 * the STag of the sink MR and a TO in this MR. Return: 0 or -EINVAL.
 */
static int xiw_wr_name_sink(const struct xiw_pd *pd, struct xiw_read_req *req)
{
	u64 at = 0;

	if (!pd->sink)
		return 0;
	req->sink_stag = pd->sink->ibmr.lkey;
	if (req->size)
		at = xiw_pd_untagged(pd, req->sink_to) - pd->sink_memory;
	if (at >= XIW_MEMORY_SIZE)
		return -EINVAL;
	req->sink_to = pd->sink_base + at;
	return 0;
}

static int xiw_wr_read(struct xiw_qp *qp, struct xiw_sqe *sqe, struct xiw_tx_desc *desc,
		       const struct ib_send_wr *wr)
{
	const struct ib_rdma_wr *rdma = rdma_wr(wr);
	struct xiw_tx_sink *sink = (struct xiw_tx_sink *)(desc + 1);
	struct xiw_read_req req = {
		.src_stag = rdma->rkey,
		.src_to = rdma->remote_addr,
	};
	int err;

	if (wr->num_sge < 0 || wr->num_sge > 1 || wr->send_flags & IB_SEND_INLINE)
		return -EINVAL;
	if (wr->num_sge) {
		req.size = wr->sg_list[0].length;
		req.sink_stag = wr->sg_list[0].lkey;
		req.sink_to = wr->sg_list[0].addr;
	}
	/*
	 * After a Read with Invalidate, the RNIC invalidates the STag of the sink. So this STag
	 * must not be the STag of all memory, and invalidate_rkey must name the MR of the sink.
	 * Compare only the indexes of the two STags, because rdma_rw changes the key of the MR
	 * after rdma_rw has prepared the work request.
	 */
	if (wr->opcode == IB_WR_RDMA_READ_WITH_INV &&
	    (req.sink_stag == XIW_STAG_LOCAL_DMA ||
	     wr->ex.invalidate_rkey >> 8 != req.sink_stag >> 8))
		return -EINVAL;
	if (req.size > le32_to_cpu(qp->dev->rnic.caps.max_message))
		return -EMSGSIZE;
	/*
	 * The peer receives the STag and TO of the sink, and STag 0 has no meaning for the peer. In
	 * a user's Read, STag 0 is possible only if the length is zero.
	 */
	if (req.sink_stag == XIW_STAG_LOCAL_DMA) {
		err = xiw_wr_name_sink(to_xiw_pd(qp->ibqp.pd), &req);
		if (err)
			return err;
	}

	desc->op = XIW_TX_UNTAGGED;
	desc->queue = XIW_QN_REQUEST;
	desc->rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_READ_REQUEST);
	desc->flags |= XIW_TXF_SOLICIT_TAGGED;
	desc->header_length = XIW_READ_REQ_LEN;
	if (wr->opcode == IB_WR_RDMA_READ_WITH_INV)
		desc->sink_flags = XIW_SINK_INVALIDATE;
	sink->to = cpu_to_le64(req.sink_to);
	sink->stag = cpu_to_le32(req.sink_stag);
	sink->length = cpu_to_le32(req.size);

	xiw_read_req_put((u8 *)(sink + 1), &req);

	sqe->kind = XIW_WR_READ;
	sqe->opcode = IB_WC_RDMA_READ;
	sqe->byte_len = req.size;
	xiw_wr_finish(sqe, desc, (u8 *)(sink + 1) + XIW_ALIGN16(XIW_READ_REQ_LEN));
	return 0;
}

static int xiw_wr_atomic(struct xiw_qp *qp, struct xiw_sqe *sqe, struct xiw_tx_desc *desc,
			 const struct ib_send_wr *wr)
{
	const struct ib_atomic_wr *atomic = atomic_wr(wr);
	struct xiw_atomic_req req = {
		.stag = atomic->rkey,
		.to = atomic->remote_addr,
		.aop = XIW_ATOMIC_CMP_SWAP,
		.data = atomic->swap,
		.mask = ~0ULL,
		.compare = atomic->compare_add,
		.compare_mask = ~0ULL,
	};
	struct xiw_tx_sink *sink = (struct xiw_tx_sink *)(desc + 1);
	u8 *header = (u8 *)(sink + 1);

	if (wr->num_sge != 1 || wr->sg_list[0].length < sizeof(u64) ||
	    wr->send_flags & IB_SEND_INLINE)
		return -EINVAL;

	switch (wr->opcode) {
	case IB_WR_ATOMIC_FETCH_AND_ADD:
	case IB_WR_MASKED_ATOMIC_FETCH_AND_ADD:
		req.aop = XIW_ATOMIC_FETCH_ADD;
		req.data = atomic->compare_add;
		req.mask = 0;
		sqe->opcode = IB_WC_FETCH_ADD;
		if (wr->opcode == IB_WR_MASKED_ATOMIC_FETCH_AND_ADD) {
			req.mask = atomic->compare_add_mask;
			sqe->opcode = IB_WC_MASKED_FETCH_ADD;
		}
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
		sqe->opcode = IB_WC_COMP_SWAP;
		break;
	default:
		req.mask = atomic->swap_mask;
		req.compare_mask = atomic->compare_add_mask;
		sqe->opcode = IB_WC_MASKED_COMP_SWAP;
		break;
	}

	desc->op = XIW_TX_UNTAGGED;
	desc->queue = XIW_QN_REQUEST;
	desc->rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_ATOMIC_REQUEST);
	desc->flags |= XIW_TXF_SOLICIT_QUEUE3;
	desc->header_length = XIW_ATOMIC_REQ_LEN;

	sqe->request_id = xiw_orq_next_id(&qp->orq);
	req.req_id = sqe->request_id;
	xiw_atomic_req_put(header, &req);

	sqe->kind = XIW_WR_ATOMIC;
	sqe->byte_len = sizeof(u64);
	sink->to = cpu_to_le64(wr->sg_list[0].addr);
	sink->stag = cpu_to_le32(wr->sg_list[0].lkey);
	sink->length = cpu_to_le32(sizeof(u64));
	xiw_wr_finish(sqe, desc, header + XIW_ALIGN16(XIW_ATOMIC_REQ_LEN));
	return 0;
}

/* Fill in the STag table entry for a fast registration. */
static int xiw_wr_mr_entry(struct xiw_qp *qp, const struct ib_reg_wr *reg,
			   struct xiw_stag_entry *entry)
{
	const struct xiw_mr *mr = to_xiw_mr(reg->mr);
	u32 key = reg->key;

	if (mr->ibmr.device != qp->ibqp.device || mr->ibmr.pd != qp->ibqp.pd || !mr->pages)
		return -EINVAL;
	if (key >> 8 != mr->index || !mr->page_count || !is_power_of_2(mr->ibmr.page_size))
		return -EINVAL;

	memset(entry, 0, sizeof(*entry));
	entry->state = XIW_STAG_VALID;
	entry->key = key;
	entry->access = xiw_access_of_ib(reg->access);
	entry->page_shift = ilog2(mr->ibmr.page_size);
	entry->pd = cpu_to_le32(to_xiw_pd(mr->ibmr.pd)->id);
	/* A peer may invalidate an STag only if the peer may access the memory. */
	if (reg->access & XIW_REMOTE_RIGHTS)
		entry->flags = cpu_to_le32(XIW_STAGF_REMOTE_INV);
	entry->base = cpu_to_le64(mr->ibmr.iova);
	entry->length = cpu_to_le64(mr->ibmr.length);
	entry->pages = cpu_to_le64(mr->pages_bus);
	entry->first = cpu_to_le32(mr->ibmr.iova & (mr->ibmr.page_size - 1));
	entry->page_count = cpu_to_le32(mr->page_count);
	return 0;
}

static int xiw_wr_register(struct xiw_qp *qp, struct xiw_sqe *sqe, struct xiw_tx_desc *desc,
			   const struct ib_send_wr *wr)
{
	struct xiw_stag_entry *entry = (struct xiw_stag_entry *)(desc + 1);
	const struct ib_reg_wr *reg = reg_wr(wr);
	int err;

	err = xiw_wr_mr_entry(qp, reg, entry);
	if (err)
		return err;
	desc->op = XIW_TX_STAG_SET;
	desc->stag = cpu_to_le32(reg->key);
	sqe->kind = XIW_WR_LOCAL;
	sqe->opcode = IB_WC_REG_MR;
	xiw_wr_finish(sqe, desc, (u8 *)(entry + 1));
	return 0;
}

static int xiw_wr_invalidate(struct xiw_sqe *sqe, struct xiw_tx_desc *desc,
			     const struct ib_send_wr *wr)
{
	desc->op = XIW_TX_STAG_INVALIDATE;
	desc->stag = cpu_to_le32(wr->ex.invalidate_rkey);
	sqe->kind = XIW_WR_LOCAL;
	sqe->opcode = IB_WC_LOCAL_INV;
	xiw_wr_finish(sqe, desc, (u8 *)(desc + 1));
	return 0;
}

/*
 * Remember the MW of a bind for xiw_mws_unbind(). sq_lock is held. Return: false if the PD of the
 * QP has no MW with the index of @rkey.
 */
static bool xiw_wr_remember_window(struct xiw_qp *qp, u32 rkey)
{
	u32 index = xiw_stag_index(rkey);

	if (!xa_load(&to_xiw_pd(qp->ibqp.pd)->windows, index))
		return false;
	/* If there is no memory to store the index, xiw_mws_unbind() checks all MWs of the PD. */
	if (xa_err(xa_store(&qp->bound, index, qp, GFP_NOWAIT | __GFP_NOWARN)))
		WRITE_ONCE(qp->bound_any, true);
	return true;
}

/*
 * Encode a bind. When the RNIC executes the bind, it checks the PDs of MW and MR and the rights of
 * the MR. A check here would be too early, because earlier work requests may invalidate the MR.
 */
static int xiw_wr_bind(struct xiw_qp *qp, struct xiw_sqe *sqe, struct xiw_tx_desc *desc,
		       const struct ib_send_wr *wr)
{
	const struct xiw_bind_wr *bind = container_of(wr, struct xiw_bind_wr, wr);
	struct xiw_stag_entry *entry = (struct xiw_stag_entry *)(desc + 1);

	if (!qp->user_sq)
		return -EOPNOTSUPP;
	if (!bind->length || bind->base + (bind->length - 1) < bind->base)
		return -EINVAL;
	memset(entry, 0, sizeof(*entry));
	entry->state = XIW_STAG_VALID;
	entry->key = xiw_stag_key(bind->rkey);
	entry->access = xiw_access_of_ib(bind->access) & ~XIW_ACCESS_LOCAL_READ;
	entry->pd = cpu_to_le32(to_xiw_pd(qp->ibqp.pd)->id);
	entry->stream = cpu_to_le32(qp->stream);
	entry->flags = cpu_to_le32(XIW_STAGF_WINDOW | XIW_STAGF_STREAM | XIW_STAGF_REMOTE_INV);
	entry->base = cpu_to_le64(bind->base);
	entry->length = cpu_to_le64(bind->length);
	entry->parent = cpu_to_le32(bind->region);
	desc->op = XIW_TX_STAG_SET;
	/*
	 * If the PD has no MW with this rkey, let the RNIC refuse the bind. Otherwise, the bind
	 * could succeed if an MW gets this rkey before the RNIC executes the bind.
	 */
	desc->stag = cpu_to_le32(xiw_wr_remember_window(qp, bind->rkey) ? bind->rkey :
									  XIW_STAG_NOBODY);
	sqe->kind = XIW_WR_LOCAL;
	sqe->opcode = IB_WC_BIND_MW;
	xiw_wr_finish(sqe, desc, (u8 *)(entry + 1));
	return 0;
}

int xiw_wr_encode(struct xiw_qp *qp, struct xiw_sqe *sqe, const struct ib_send_wr *wr, u32 cookie)
{
	struct xiw_tx_desc *desc = (struct xiw_tx_desc *)sqe->image;

	memset(sqe, 0, sizeof(*sqe));
	memset(desc, 0, sizeof(*desc));
	sqe->wr_id = wr->wr_id;
	sqe->posted = xiw_latency_stamp(qp->dev);
	sqe->state = XIW_WR_QUEUED;
	sqe->status = IB_WC_SUCCESS;
	if (qp->sq_sig_all || wr->send_flags & IB_SEND_SIGNALED)
		sqe->flags |= XIW_WRF_SIGNALED;
	if (wr->send_flags & IB_SEND_FENCE)
		sqe->flags |= XIW_WRF_FENCE;
	desc->cookie = cpu_to_le32(cookie);

	switch (wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_INV:
	case IB_WR_SEND_WITH_IMM:
		return xiw_wr_send(qp, sqe, desc, wr);
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return xiw_wr_write(qp, sqe, desc, wr);
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		return xiw_wr_read(qp, sqe, desc, wr);
	case IB_WR_ATOMIC_FETCH_AND_ADD:
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_MASKED_ATOMIC_FETCH_AND_ADD:
	case IB_WR_MASKED_ATOMIC_CMP_AND_SWP:
		return xiw_wr_atomic(qp, sqe, desc, wr);
	case IB_WR_REG_MR:
		return xiw_wr_register(qp, sqe, desc, wr);
	case IB_WR_LOCAL_INV:
		return xiw_wr_invalidate(sqe, desc, wr);
	case XIW_WR_BIND:
		return xiw_wr_bind(qp, sqe, desc, wr);
	default:
		return -EOPNOTSUPP;
	}
}
