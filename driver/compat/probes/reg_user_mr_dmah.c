// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.17: reg_user_mr gets a DMA handle before the udata
#include <rdma/ib_verbs.h>

static struct ib_mr *reg(struct ib_pd *pd, u64 start, u64 length, u64 va,
			 int access, struct ib_dmah *dmah,
			 struct ib_udata *udata)
{
	return NULL;
}

const struct ib_device_ops probe = { .reg_user_mr = reg };
