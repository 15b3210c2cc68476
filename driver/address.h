/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The IP addresses of interfaces. One pair of notifiers serves all devices. When an address
 * changes, the notifiers queue the work item of the GID table, and notify the RNIC. The table and
 * the RNIC each compare the addresses of the interface with a list of their own, so the order of
 * notifications does not matter.
 */
#ifndef XIW_ADDRESS_H
#define XIW_ADDRESS_H

#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <net/ipv6.h>

/**
 * xiw_address_each - call a function for each address of an interface
 * @netdev: interface
 * @each: function to call with @arg, an address, and the length of its prefix in bits; an IPv4
 *	address is v4-mapped, with a prefix of 0 to 32 bits
 * @arg: passed to @each
 *
 * IPv6 addresses that are v4-mapped are left out, because sockets use them as IPv4 addresses.
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

/* Register and unregister the notifiers, when the module is loaded and unloaded. */
int xiw_address_init(void);
void xiw_address_exit(void);

#endif
