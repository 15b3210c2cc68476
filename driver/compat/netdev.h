/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* NAPI, which polls the vectors; the dummy netdev for NAPI; fragments of skbs. */
#ifndef XIW_COMPAT_NETDEV_H
#define XIW_COMPAT_NETDEV_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>

#ifndef HAVE_NAPI_SCHEDULE_BOOL
static inline bool xiw_napi_schedule(struct napi_struct *napi)
{
	if (!napi_schedule_prep(napi))
		return false;
	__napi_schedule(napi);
	return true;
}

#define napi_schedule(napi) xiw_napi_schedule(napi)
#endif

#ifndef HAVE_ALLOC_NETDEV_DUMMY
static inline void xiw_dummy_netdev_setup(struct net_device *dev)
{
	/*
	 * Do not set NETREG_DUMMY. In kernels without alloc_netdev_dummy(), free_netdev() requires
	 * the state NETREG_UNINITIALIZED for a netdev that was never registered.
	 */
	set_bit(__LINK_STATE_PRESENT, &dev->state);
	set_bit(__LINK_STATE_START, &dev->state);
}

/* Free the netdev with free_netdev(). */
static inline struct net_device *alloc_netdev_dummy(int sizeof_priv)
{
	return alloc_netdev(sizeof_priv, "dummy#", NET_NAME_UNKNOWN,
			    xiw_dummy_netdev_setup);
}
#endif

#ifndef HAVE_SKB_FRAGS_READABLE
/* In kernels without devmem TCP, all fragments are in host memory. */
static inline bool skb_frags_readable(const struct sk_buff *skb)
{
	return true;
}
#endif

#endif
