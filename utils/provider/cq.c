// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Completion queues. */
#include "provider.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define CQ_WC_FLAGS                                                                     \
	(IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |                  \
	 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)

struct xiw_create_cq_req {
	struct ibv_create_cq_ex ib;
	struct xiw_abi_create_cq_req drv;
};

struct xiw_create_cq_resp {
	struct ib_uverbs_ex_create_cq_resp ib;
	struct xiw_abi_create_cq_resp drv;
};
_Static_assert(offsetof(struct xiw_create_cq_req, drv) == sizeof(struct ibv_create_cq_ex), "gap");
_Static_assert(offsetof(struct xiw_create_cq_resp, drv) ==
	       sizeof(struct ib_uverbs_ex_create_cq_resp), "gap");

struct xiw_resize_cq_req {
	struct ibv_resize_cq ib;
	struct xiw_abi_resize_cq_req drv;
};

struct xiw_resize_cq_resp {
	struct ib_uverbs_resize_cq_resp ib;
	struct xiw_abi_resize_cq_resp drv;
};
_Static_assert(offsetof(struct xiw_resize_cq_req, drv) == sizeof(struct ibv_resize_cq), "gap");
_Static_assert(offsetof(struct xiw_resize_cq_resp, drv) ==
	       sizeof(struct ib_uverbs_resize_cq_resp), "gap");

static struct xiw_cq *xiw_cq_new(struct ibv_context *context,
				 const struct ibv_cq_init_attr_ex *attr)
{
	struct xiw_create_cq_resp resp = {};
	struct xiw_create_cq_req req = {};
	struct xiw_cq *cq = calloc(1, sizeof(*cq));
	int err;

	if (!cq)
		return NULL;
	pthread_spin_init(&cq->lock, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_init(&cq->arm_lock, PTHREAD_PROCESS_PRIVATE);
	/* All completions have timestamps, so do not request timestamps from the kernel. */
	err = ibv_cmd_create_cq_ex(context, attr, PABI_65_NOTHING &cq->base, &req.ib, sizeof(req),
				   &resp.ib, sizeof(resp), CREATE_CQ_CMD_FLAGS_TS_IGNORED_EX);
	if (err)
		goto free;
	err = xiw_map(context, &cq->ring, &resp.drv.cq);
	if (err)
		goto destroy;
	return cq;

destroy:
	ibv_cmd_destroy_cq(&cq->base.cq);
free:
	pthread_spin_destroy(&cq->arm_lock);
	pthread_spin_destroy(&cq->lock);
	free(cq);
	errno = err;
	return NULL;
}

struct ibv_cq *xiw_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe,
		.channel = channel,
		.comp_vector = vector,
	};
	struct xiw_cq *cq;

	if (cqe <= 0) {
		errno = EINVAL;
		return NULL;
	}
	cq = xiw_cq_new(context, &attr);
	return cq ? &cq->base.cq : NULL;
}

struct ibv_cq_ex *xiw_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_cq_init_attr_ex plain = *attr;
	struct xiw_cq *cq;

	if (attr->wc_flags & ~(uint64_t)CQ_WC_FLAGS ||
	    attr->comp_mask & ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_FLAGS ||
	    (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	     attr->flags & ~(uint32_t)IBV_CREATE_CQ_ATTR_SINGLE_THREADED)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (!attr->cqe) {
		errno = EINVAL;
		return NULL;
	}
	/*
	 * SINGLE_THREADED is a promise of the caller to the provider. The kernel's interface has no
	 * such flag, so do not pass the flag to the kernel.
	 */
	plain.comp_mask = 0;
	plain.wc_flags = 0;
	cq = xiw_cq_new(context, &plain);
	if (!cq)
		return NULL;
	xiw_cq_ex_ops(&cq->base.cq_ex, attr->wc_flags);
	return &cq->base.cq_ex;
}

/* Get the length of the queue mapping of a CQ with @cqe entries, in octets. */
static size_t xiw_cq_length(int cqe)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), entries = 1;

	while (entries < (size_t)cqe)
		entries *= 2;
	return (XIW_ABI_RING_SIZE + entries * sizeof(struct xiw_abi_cqe) + page - 1) & ~(page - 1);
}

int xiw_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	struct xiw_resize_cq_resp resp = {};
	struct xiw_resize_cq_req req = {};
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	struct xiw_ring ring = {};
	size_t length;
	void *place;
	int err;

	if (cqe <= 0)
		return EINVAL;
	/*
	 * After the command, the kernel uses only the new mapping. If the provider could not map
	 * it, the program could not poll completions. So reserve the addresses of the new mapping
	 * first.
	 */
	length = xiw_cq_length(cqe);
	place = xiw_reserve(length);
	if (!place)
		return errno;
	pthread_spin_lock(&cq->lock);
	/*
	 * Block xiw_req_notify_cq(), which writes its request for an event to the mapping. After
	 * the command, the kernel reads no requests in the old mapping.
	 */
	pthread_spin_lock(&cq->arm_lock);
	err = ibv_cmd_resize_cq(ibcq, cqe, &req.ib, sizeof(req), &resp.ib, sizeof(resp));
	if (!err)
		err = xiw_map_reserved(ibcq->context, &ring, &resp.drv.cq, place, length);
	else
		xiw_unreserve(place, length);
	if (!err) {
		ring.next = cq->ring.next;
		ring.seen = cq->ring.next;
		xiw_unmap(&cq->ring);
		cq->ring = ring;
	}
	pthread_spin_unlock(&cq->arm_lock);
	pthread_spin_unlock(&cq->lock);
	return err;
}

int xiw_modify_cq(struct ibv_cq *ibcq, struct ibv_modify_cq_attr *attr)
{
	struct ibv_modify_cq cmd = {};

	return ibv_cmd_modify_cq(ibcq, attr, &cmd, sizeof(cmd));
}

int xiw_destroy_cq(struct ibv_cq *ibcq)
{
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	int err = ibv_cmd_destroy_cq(ibcq);

	if (err)
		return err;
	xiw_unmap(&cq->ring);
	pthread_spin_destroy(&cq->arm_lock);
	pthread_spin_destroy(&cq->lock);
	free(cq);
	return 0;
}

int xiw_poll_cq(struct ibv_cq *ibcq, int entries, struct ibv_wc *wc)
{
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	int n;

	pthread_spin_lock(&cq->lock);
	for (n = 0; n < entries && xiw_ring_has_entry(&cq->ring); n++) {
		xiw_wc_fill(&wc[n], xiw_ring_next(&cq->ring));
		cq->ring.next++;
	}
	if (n > 0)
		xiw_ring_consumed(&cq->ring);
	pthread_spin_unlock(&cq->lock);
	return n;
}

int xiw_req_notify_cq(struct ibv_cq *ibcq, int solicited)
{
	struct xiw_cq *cq = to_xiw_cq(ibcq);

	/* Do not take cq->lock: between start_poll and end_poll, the caller already holds it. */
	pthread_spin_lock(&cq->arm_lock);
	xiw_ring_arm(&cq->ring, solicited);
	pthread_spin_unlock(&cq->arm_lock);
	return 0;
}
