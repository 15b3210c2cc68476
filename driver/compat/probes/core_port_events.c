// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.14: ib_core itself converts netdev events to port events
#include <rdma/ib_verbs.h>

static void __maybe_unused probe(struct ib_device *dev, struct net_device *nd)
{
	ib_dispatch_port_state_event(dev, nd);
}
