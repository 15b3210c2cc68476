/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * IP addresses of interfaces. One notifier for IPv4 and one for IPv6 serve all devices. The GID
 * table and the PCIe RNIC each have a list of addresses. When an address changes, the notifier
 * queues an update of each list. An update reads all addresses of the interface, so the order of
 * the notifications does not matter.
 */
#ifndef XIW_ADDRESS_H
#define XIW_ADDRESS_H

#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <net/ipv6.h>

/**
 * xiw_address_each - call a function for each address of an interface
 * @netdev: interface
 * @each: function to call; its parameters are @arg, an address, and the prefix length of the
 *	address in bits. An IPv4 address is v4-mapped, and its prefix length is 0 to 32
 * @arg: passed to @each
 *
 * Skips v4-mapped addresses in the interface's list of IPv6 addresses, because a socket with such
 * an address uses IPv4.
 *
 * Context: any. Calls @each in an RCU read-side critical section.
 */
static inline void xiw_address_each(const struct net_device *netdev,
				    void (*each)(void *arg, const struct in6_addr *addr, u8 prefix),
				    void *arg)
{
	const struct inet6_ifaddr *ifa6;
	struct inet6_dev *in6_dev;
	struct in_device *in_dev;
	struct in_ifaddr *ifa;
	struct in6_addr mapped;

	rcu_read_lock();
	in_dev = __in_dev_get_rcu(netdev);
	if (in_dev) {
		in_dev_for_each_ifa_rcu(ifa, in_dev) {
			ipv6_addr_set_v4mapped(ifa->ifa_local, &mapped);
			each(arg, &mapped, ifa->ifa_prefixlen);
		}
	}
	in6_dev = IS_ENABLED(CONFIG_IPV6) ? __in6_dev_get(netdev) : NULL;
	if (in6_dev) {
		list_for_each_entry_rcu(ifa6, &in6_dev->addr_list, if_list) {
			if (!ipv6_addr_v4mapped(&ifa6->addr))
				each(arg, &ifa6->addr, ifa6->prefix_len);
		}
	}
	rcu_read_unlock();
}

/* Register the notifiers at module load, and unregister them at module unload. */
int xiw_address_init(void);
void xiw_address_exit(void);

#endif
