// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// by 7.2: rdma_link_ops has dellink
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>

static int dellink(struct ib_device *dev)
{
	return 0;
}

struct rdma_link_ops probe = { .dellink = dellink };
