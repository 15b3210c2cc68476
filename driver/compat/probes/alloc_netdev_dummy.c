// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.10: alloc_netdev_dummy() allocates a dummy netdev
#include <linux/netdevice.h>

static struct net_device * __maybe_unused probe(void)
{
	return alloc_netdev_dummy(0);
}
