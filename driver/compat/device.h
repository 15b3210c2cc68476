/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* The RDMA device: allocation, name, memory of users, port state. */
#ifndef XIW_COMPAT_DEVICE_H
#define XIW_COMPAT_DEVICE_H

#include <linux/netdevice.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>

#ifndef HAVE_ALLOC_DEVICE_NET
/* Set the namespace after the allocation. No other task reads it before ib_register_device(). */
#define ib_alloc_device_with_net(drv_struct, member, net)		\
({									\
	struct drv_struct *__drv = ib_alloc_device(drv_struct, member);	\
									\
	if (__drv)							\
		write_pnet(&__drv->member.coredev.rdma_net, net);	\
	__drv;								\
})
#endif

#ifndef HAVE_NAME_BY_USER
static inline void ib_mark_name_assigned_by_user(struct ib_device *dev)
{
}
#endif

#ifndef HAVE_UMEM_GET_VA
static inline struct ib_umem *ib_umem_get_va(struct ib_device *dev,
					     unsigned long addr, size_t size,
					     int access)
{
	return ib_umem_get(dev, addr, size, access);
}
#endif

#ifndef HAVE_CORE_PORT_EVENTS
static inline enum ib_port_state ib_get_curr_port_state(struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev) ? IB_PORT_ACTIVE :
							       IB_PORT_DOWN;
}
#endif

/**
 * xiw_port_state_changed() - notify ULPs that the port went up or down
 * @dev: registered device
 * @ndev: the netdev of port 1
 *
 * The driver's netdev notifier calls this function on each change of the running or carrier state.
 * On newer kernels, ib_core itself watches the netdev, and this function does nothing.
 */
static inline void xiw_port_state_changed(struct ib_device *dev,
					  struct net_device *ndev)
{
#ifndef HAVE_CORE_PORT_EVENTS
	struct ib_event event = {
		.device = dev,
		.element.port_num = 1,
		.event = ib_get_curr_port_state(ndev) == IB_PORT_ACTIVE ?
				 IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
	};

	ib_dispatch_event(&event);
#endif
}

#endif
