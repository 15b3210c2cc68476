/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Functions of the PCIe RNIC that the rest of the module calls. */
#ifndef XIW_PCI_LINK_H
#define XIW_PCI_LINK_H

#include <linux/errno.h>
#include <linux/types.h>

struct net_device;

#ifdef CONFIG_INFINIBAND_XIW_PCI

int xiw_pci_init(void);
void xiw_pci_exit(void);

/**
 * xiw_pci_link - execute `rdma link add` for the network interface of a PCIe RNIC
 * @name: name of the new device
 * @netdev: any network interface
 *
 * Context: process.
 *
 * Return: 0 or an errno; -EOPNOTSUPP if @netdev does not belong to a PCIe RNIC.
 */
int xiw_pci_link(const char *name, struct net_device *netdev);

#else

static inline int xiw_pci_init(void)
{
	return 0;
}

static inline void xiw_pci_exit(void)
{
}

static inline int xiw_pci_link(const char *name, struct net_device *netdev)
{
	return -EOPNOTSUPP;
}

#endif

#endif
