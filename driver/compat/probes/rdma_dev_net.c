// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.17: rdma_dev_net tells the namespace of a device
#include <rdma/ib_verbs.h>

static struct net * __maybe_unused probe(struct ib_device *dev)
{
	return rdma_dev_net(dev);
}
