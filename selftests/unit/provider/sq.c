// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "sq.h"

#include <errno.h>
#include <stdlib.h>

#include "provider.h"

struct sq {
	struct xiw_qp qp;
	bool refuses;
	uint32_t accepts;	/* number of slots that are accepted if `refuses` is set */
};

/* Take the posted slots, as the kernel does. The work requests do not complete. */
int xiw_doorbell_ring(struct xiw_doorbell *bell)
{
	struct sq *sq = (struct sq *)((char *)bell - offsetof(struct sq, qp.sq_bell));
	struct xiw_abi_ring *ring = sq->qp.sq.shared;

	if (!sq->refuses || ring->producer - ring->taken <= sq->accepts) {
		ring->taken = ring->producer;
		return 0;
	}
	ring->taken += sq->accepts;
	return EINVAL;
}

struct sq *sq_new(void)
{
	const struct xiw_abi_queue queue = {
		.length = XIW_ABI_RING_SIZE +
			  SQ_DEPTH * (sizeof(struct xiw_abi_send) + SQ_INLINE),
		.entries = SQ_DEPTH,
		.stride = sizeof(struct xiw_abi_send) + SQ_INLINE,
		.depth = SQ_DEPTH,
	};
	struct sq *sq = calloc(1, sizeof(*sq));
	void *area = calloc(1, queue.length);

	if (!sq || !area || !xiw_ring_attach(&sq->qp.sq, area, &queue))
		abort();
	sq->qp.scratch = calloc(1, queue.stride);
	if (!sq->qp.scratch)
		abort();
	sq->qp.slot = sq->qp.scratch;
	sq->qp.limits.max_sge = 2;
	sq->qp.limits.max_inline = SQ_INLINE;
	pthread_mutex_init(&sq->qp.sq_lock, NULL);
	if (xiw_wr_ops(&sq->qp, 0, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_BIND_MW))
		abort();
	return sq;
}

void sq_free(struct sq *sq)
{
	pthread_mutex_destroy(&sq->qp.sq_lock);
	free(sq->qp.sq.shared);
	free(sq->qp.scratch);
	free(sq);
}

struct ibv_qp_ex *sq_ex(struct sq *sq)
{
	return &sq->qp.base.qp_ex;
}

int sq_post(struct sq *sq, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	return xiw_post_send(&sq->qp.base.qp, wr, bad_wr);
}

const struct xiw_abi_send *sq_slot(const struct sq *sq, unsigned int index)
{
	return xiw_ring_entry(&sq->qp.sq, index);
}

void sq_refuse(struct sq *sq, unsigned int n)
{
	sq->refuses = true;
	sq->accepts = n;
}

int sq_ops(struct sq *sq, uint32_t caps, uint64_t send_ops)
{
	return xiw_wr_ops(&sq->qp, caps, send_ops);
}
