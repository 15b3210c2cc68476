// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.12: ib_device_get_netdev is public
#include <rdma/ib_verbs.h>

static struct net_device * __maybe_unused probe(struct ib_device *dev)
{
	return ib_device_get_netdev(dev, 1);
}
