// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Extended polling: read one completion at a time, in the queue mapping. */
#include "provider.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static struct xiw_cq *xiw_cq_of_ex(struct ibv_cq_ex *ibcq)
{
	return to_xiw_cq(ibv_cq_ex_to_cq(ibcq));
}

static int xiw_cq_ex_show(struct xiw_cq *cq)
{
	if (!xiw_ring_has_entry(&cq->ring)) {
		cq->current = NULL;
		return ENOENT;
	}
	cq->current = xiw_ring_next(&cq->ring);
	cq->base.cq_ex.wr_id = cq->current->wr_id;
	cq->base.cq_ex.status = cq->current->status;
	return 0;
}

static int xiw_start_poll(struct ibv_cq_ex *ibcq, struct ibv_poll_cq_attr *attr)
{
	struct xiw_cq *cq = xiw_cq_of_ex(ibcq);
	int err;

	if (attr->comp_mask)
		return EINVAL;
	pthread_spin_lock(&cq->lock);
	err = xiw_cq_ex_show(cq);
	if (err)	/* the caller will not call end_poll */
		pthread_spin_unlock(&cq->lock);
	return err;
}

static int xiw_next_poll(struct ibv_cq_ex *ibcq)
{
	struct xiw_cq *cq = xiw_cq_of_ex(ibcq);

	if (cq->current) {
		cq->ring.next++;
		/*
		 * A program that posts a work request for each completion may never end the poll,
		 * so release entries during the poll.
		 */
		if (!(cq->ring.next & cq->ring.mask >> 2))
			xiw_ring_consumed(&cq->ring);
	}
	return xiw_cq_ex_show(cq);
}

static void xiw_end_poll(struct ibv_cq_ex *ibcq)
{
	struct xiw_cq *cq = xiw_cq_of_ex(ibcq);

	if (cq->current)
		cq->ring.next++;
	cq->current = NULL;
	xiw_ring_consumed(&cq->ring);
	pthread_spin_unlock(&cq->lock);
}

static const struct xiw_abi_cqe *xiw_current(struct ibv_cq_ex *ibcq)
{
	return xiw_cq_of_ex(ibcq)->current;
}

static enum ibv_wc_opcode xiw_read_opcode(struct ibv_cq_ex *ibcq)
{
	return xiw_wc_opcode(xiw_current(ibcq));
}

static uint32_t xiw_read_vendor_err(struct ibv_cq_ex *ibcq)
{
	return xiw_current(ibcq)->vendor_err;
}

static uint32_t xiw_read_byte_len(struct ibv_cq_ex *ibcq)
{
	return xiw_current(ibcq)->byte_len;
}

/* libibverbs uses one word for the immediate and for the invalidated STag. */
static __be32 xiw_read_imm_data(struct ibv_cq_ex *ibcq)
{
	const struct xiw_abi_cqe *cqe = xiw_current(ibcq);
	__be32 imm;

	if (cqe->flags & XIW_ABI_CQE_INVALIDATED)
		return (__be32)cqe->invalidated;
	memcpy(&imm, cqe->imm, sizeof(imm));
	return imm;
}

static uint32_t xiw_read_qp_num(struct ibv_cq_ex *ibcq)
{
	return xiw_current(ibcq)->qp_num;
}

/* Return 0 for fields of InfiniBand packets, which iWARP does not have. */
static uint32_t xiw_read_nothing32(struct ibv_cq_ex *ibcq)
{
	(void)ibcq;
	return 0;
}

static uint8_t xiw_read_nothing8(struct ibv_cq_ex *ibcq)
{
	(void)ibcq;
	return 0;
}

static unsigned int xiw_read_wc_flags(struct ibv_cq_ex *ibcq)
{
	return xiw_wc_flags(xiw_current(ibcq));
}

static uint64_t xiw_read_timestamp(struct ibv_cq_ex *ibcq)
{
	return xiw_current(ibcq)->timestamp;
}

static uint64_t xiw_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static uint64_t xiw_read_wallclock(struct ibv_cq_ex *ibcq)
{
	return xiw_wallclock(&xiw_cq_of_ex(ibcq)->wall, xiw_current(ibcq)->timestamp, xiw_clock);
}

void xiw_cq_ex_ops(struct ibv_cq_ex *cq, uint64_t wc_flags)
{
	cq->start_poll = xiw_start_poll;
	cq->next_poll = xiw_next_poll;
	cq->end_poll = xiw_end_poll;
	cq->read_opcode = xiw_read_opcode;
	cq->read_vendor_err = xiw_read_vendor_err;
	cq->read_wc_flags = xiw_read_wc_flags;
	if (wc_flags & IBV_WC_EX_WITH_BYTE_LEN)
		cq->read_byte_len = xiw_read_byte_len;
	if (wc_flags & IBV_WC_EX_WITH_IMM)
		cq->read_imm_data = xiw_read_imm_data;
	if (wc_flags & IBV_WC_EX_WITH_QP_NUM)
		cq->read_qp_num = xiw_read_qp_num;
	if (wc_flags & IBV_WC_EX_WITH_SRC_QP)
		cq->read_src_qp = xiw_read_nothing32;
	if (wc_flags & IBV_WC_EX_WITH_SLID)
		cq->read_slid = xiw_read_nothing32;
	if (wc_flags & IBV_WC_EX_WITH_SL)
		cq->read_sl = xiw_read_nothing8;
	if (wc_flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		cq->read_dlid_path_bits = xiw_read_nothing8;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP)
		cq->read_completion_ts = xiw_read_timestamp;
	if (wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
		cq->read_completion_wallclock_ns = xiw_read_wallclock;
}
