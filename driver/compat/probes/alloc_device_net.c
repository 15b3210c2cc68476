// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.17: a device can be allocated into a network namespace
#include <rdma/ib_verbs.h>

struct drv_device {
	struct ib_device base;
};

static struct drv_device * __maybe_unused probe(struct net *net)
{
	return ib_alloc_device_with_net(drv_device, base, net);
}
