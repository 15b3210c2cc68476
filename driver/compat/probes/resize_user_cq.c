// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// by 7.2: resize_cq became resize_user_cq with an unsigned size
#include <rdma/ib_verbs.h>

static int resize(struct ib_cq *cq, unsigned int cqe, struct ib_udata *udata)
{
	return 0;
}

const struct ib_device_ops probe = { .resize_user_cq = resize };
