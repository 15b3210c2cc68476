/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The network namespace of an RNIC. An interface may move to another namespace before its RDMA
 * device is removed. Users of the new namespace must not see this device, and the device must not
 * open sockets in the new namespace.
 */
#ifndef XIW_NAMESPACE_H
#define XIW_NAMESPACE_H

#include <linux/netdevice.h>
#include <net/net_namespace.h>

#include "ring/rnic.h"

/* Return: true if @net is the namespace in which the RNIC was added. Any context. */
static inline bool xiw_rnic_is_in(const struct xiw_rnic *rnic, const struct net *net)
{
	return net->net_cookie == rnic->net_cookie;
}

/* Get the namespace of the RNIC; NULL if the interface has left it. RCU read lock is held. */
static inline struct net *xiw_rnic_net(const struct xiw_rnic *rnic)
{
	struct net *net = dev_net(rnic->netdev);

	return xiw_rnic_is_in(rnic, net) ? net : NULL;
}

/*
 * Get the namespace of the RNIC with a reference for put_net(). Return: NULL if the namespace is
 * ending, or if the interface has left it. Any context.
 */
static inline struct net *xiw_rnic_get_net(const struct xiw_rnic *rnic)
{
	struct net *net;

	rcu_read_lock();
	net = xiw_rnic_net(rnic);
	net = net ? maybe_get_net(net) : NULL;
	rcu_read_unlock();
	return net;
}

#endif
