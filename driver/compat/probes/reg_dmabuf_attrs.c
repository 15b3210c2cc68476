// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.12: reg_user_mr_dmabuf gets the uverbs_attr_bundle instead of an ib_udata
#include <rdma/ib_verbs.h>

static struct ib_mr *reg_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 va,
				int fd, int access, struct uverbs_attr_bundle *attrs)
{
	return NULL;
}

const struct ib_device_ops probe = { .reg_user_mr_dmabuf = reg_dmabuf };
