// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// any: the headers that a driver needs compile; if they do not, the build stops
#include <linux/module.h>
#include <linux/netdevice.h>
#include <net/tcp.h>
#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>

static int __maybe_unused probe(struct ib_device *dev, struct sock *sk)
{
	return dev->phys_port_cnt + sk->sk_state;
}
