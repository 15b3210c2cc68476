// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Find and open devices, and query their attributes. */
#include "provider.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct xiw_get_context_req {
	struct ibv_get_context ib;
	struct xiw_abi_alloc_ucontext_req drv;
};

struct xiw_get_context_resp {
	struct ib_uverbs_get_context_resp ib;
	struct xiw_abi_alloc_ucontext_resp drv;
};
_Static_assert(offsetof(struct xiw_get_context_req, drv) == sizeof(struct ibv_get_context), "gap");
_Static_assert(offsetof(struct xiw_get_context_resp, drv) ==
	       sizeof(struct ib_uverbs_get_context_resp), "gap");

#define NSEC_PER_SEC 1000000000ULL
#define TIMESTAMP_KHZ 1000000	/* timestamps of completions are in nanoseconds */

static int xiw_query_device_ex(struct ibv_context *context,
			       const struct ibv_query_device_ex_input *input,
			       struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp;
	size_t resp_size = sizeof(resp);
	uint64_t version;
	int err;

	err = ibv_cmd_query_device_any(context, input, attr, attr_size, &resp, &resp_size);
	if (err)
		return err;
	version = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver), "%u.%u.%u",
		 (unsigned int)(version >> 32) & 0xffff, (unsigned int)(version >> 16) & 0xffff,
		 (unsigned int)version & 0xffff);
	/* ibv_query_device() requests only the first members of the attributes. */
	if (attr_size >= offsetof(struct ibv_device_attr_ex, completion_timestamp_mask) +
				 sizeof(attr->completion_timestamp_mask))
		attr->completion_timestamp_mask = UINT64_MAX;
	if (attr_size >= offsetof(struct ibv_device_attr_ex, hca_core_clock) +
				 sizeof(attr->hca_core_clock))
		attr->hca_core_clock = TIMESTAMP_KHZ;
	return 0;
}

static int xiw_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd = {};

	return ibv_cmd_query_port(context, port, attr, &cmd, sizeof(cmd));
}

/* Read the clock of the completion timestamps. */
static int xiw_query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	uint32_t asked = values->comp_mask;

	(void)context;
	values->comp_mask = 0;
	if (asked & ~(uint32_t)IBV_VALUES_MASK_RAW_CLOCK)
		return EINVAL;
	if (asked) {
		if (clock_gettime(CLOCK_MONOTONIC, &values->raw_clock))
			return errno;
		/* raw_clock is a number of ticks. Store it in tv_nsec, as other providers do. */
		values->raw_clock.tv_nsec += values->raw_clock.tv_sec * NSEC_PER_SEC;
		values->raw_clock.tv_sec = 0;
		values->comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
	}
	return 0;
}

static void xiw_free_context(struct ibv_context *ibctx)
{
	struct xiw_context *ctx = to_xiw_context(ibctx);

	verbs_uninit_context(&ctx->base);
	free(ctx);
}

static const struct verbs_context_ops xiw_context_ops = {
	.alloc_mw = xiw_alloc_mw,
	.alloc_parent_domain = xiw_alloc_parent_domain,
	.alloc_pd = xiw_alloc_pd,
	.alloc_td = xiw_alloc_td,
	.create_cq = xiw_create_cq,
	.create_cq_ex = xiw_create_cq_ex,
	.create_qp = xiw_create_qp,
	.create_qp_ex = xiw_create_qp_ex,
	.create_srq = xiw_create_srq,
	.dealloc_mw = xiw_dealloc_mw,
	.dealloc_pd = xiw_dealloc_pd,
	.dealloc_td = xiw_dealloc_td,
	.dereg_mr = xiw_dereg_mr,
	.destroy_cq = xiw_destroy_cq,
	.destroy_qp = xiw_destroy_qp,
	.destroy_srq = xiw_destroy_srq,
	.free_context = xiw_free_context,
	.modify_cq = xiw_modify_cq,
	.modify_qp = xiw_modify_qp,
	.modify_srq = xiw_modify_srq,
	.poll_cq = xiw_poll_cq,
	.post_recv = xiw_post_recv,
	.post_send = xiw_post_send,
	.post_srq_recv = xiw_post_srq_recv,
	.query_device_ex = xiw_query_device_ex,
	.query_port = xiw_query_port,
	.query_qp = xiw_query_qp,
	.query_rt_values = xiw_query_rt_values,
	.query_srq = xiw_query_srq,
	.reg_dmabuf_mr = xiw_reg_dmabuf_mr,
	.reg_mr = xiw_reg_mr,
	.req_notify_cq = xiw_req_notify_cq,
	.rereg_mr = xiw_rereg_mr,
	.resize_cq = xiw_resize_cq,
};

static struct verbs_context *xiw_alloc_context(struct ibv_device *ibdev, int cmd_fd,
					       void *private_data)
{
	struct xiw_get_context_resp resp = {};
	struct xiw_get_context_req req = {};
	struct xiw_context *ctx;
	int err;

	(void)private_data;
	ctx = _verbs_init_and_alloc_context(
		ibdev, cmd_fd, sizeof(*ctx),
		(struct verbs_context *)offsetof(struct xiw_context, base), XIW_ABI_DRIVER_ID);
	if (!ctx)
		return NULL;
	err = ibv_cmd_get_context(&ctx->base, &req.ib, sizeof(req), PABI_65_NOTHING
				  &resp.ib, sizeof(resp));
	if (!err && resp.drv.abi != XIW_ABI_VERSION)
		err = EPROTONOSUPPORT;
	if (err) {
		verbs_uninit_context(&ctx->base);
		free(ctx);
		errno = err;
		return NULL;
	}
	ctx->limits = resp.drv;
	verbs_set_ops(&ctx->base, &xiw_context_ops);
	return &ctx->base;
}

bool xiw_is_ours(const struct ibv_device *device)
{
	return device && ((const struct verbs_device *)device)->ops == &xiw_device_ops;
}

static struct verbs_device *xiw_alloc_device(struct verbs_sysfs_dev *sysfs)
{
	(void)sysfs;
	return calloc(1, sizeof(struct verbs_device));
}

static void xiw_uninit_device(struct verbs_device *device)
{
	free(device);
}

static const struct verbs_match_ent xiw_match_table[] = {
	{ .u.driver_id = XIW_ABI_DRIVER_ID, .kind = VERBS_MATCH_DRIVER_ID },
	{},
};

const struct verbs_device_ops xiw_device_ops = {
	.name = "xiw",
	.match_min_abi_version = XIW_ABI_VERSION,
	.match_max_abi_version = XIW_ABI_VERSION,
	.match_table = xiw_match_table,
	.alloc_device = xiw_alloc_device,
	.uninit_device = xiw_uninit_device,
	.alloc_context = xiw_alloc_context,
};

static __attribute__((constructor)) void xiw_register(void)
{
	verbs_register_driver(&xiw_device_ops);
}
