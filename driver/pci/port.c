// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The network interface of a PCIe RNIC. The interface carries no packets: the RNIC runs TCP, and
 * packets that the host sends on the interface are dropped. The interface exists because routing
 * and rdma_cm find the RNIC by an IP address, which belongs to an interface. Administrators
 * configure the interface with `ip addr`, `ip route` and namespaces, like any other interface. The
 * interface is NOARP because the RNIC resolves neighbours itself.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>

#include "pci/pci.h"
#include "xiw.h"

struct xiw_port {
	struct xiw_pci *pci;
};

static netdev_tx_t xiw_port_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	dev_core_stats_tx_dropped_inc(netdev);
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops xiw_port_ops = {
	.ndo_start_xmit = xiw_port_xmit,
	.ndo_validate_addr = eth_validate_addr,
};

bool xiw_port_is(const struct net_device *netdev)
{
	return netdev->netdev_ops == &xiw_port_ops;
}

struct xiw_pci *xiw_port_function(const struct net_device *netdev)
{
	return ((struct xiw_port *)netdev_priv(netdev))->pci;
}

/* --------------------------------------------------------------------- ethtool */

static int xiw_port_settings(struct net_device *netdev, struct ethtool_link_ksettings *settings)
{
	u64 link = xiw_pci_read(xiw_port_function(netdev), XIW_REG_LINK);

	ethtool_link_ksettings_zero_link_mode(settings, supported);
	settings->base.speed = SPEED_UNKNOWN;
	settings->base.duplex = DUPLEX_FULL;
	settings->base.port = PORT_OTHER;
	if (link != XIW_PCI_ALL_ONES && link >> 32)
		settings->base.speed = link >> 32;
	return 0;
}

static void xiw_port_drvinfo(struct net_device *netdev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, KBUILD_MODNAME, sizeof(info->driver));
	strscpy(info->version, XIW_VERSION, sizeof(info->version));
	strscpy(info->bus_info, pci_name(xiw_port_function(netdev)->pdev), sizeof(info->bus_info));
}

static int xiw_port_get_coalesce(struct net_device *netdev, struct ethtool_coalesce *coalesce,
				 struct kernel_ethtool_coalesce *kernel,
				 struct netlink_ext_ack *extack)
{
	coalesce->rx_coalesce_usecs = xiw_port_function(netdev)->moderation_us;
	return 0;
}

static int xiw_port_set_coalesce(struct net_device *netdev, struct ethtool_coalesce *coalesce,
				 struct kernel_ethtool_coalesce *kernel,
				 struct netlink_ext_ack *extack)
{
	struct xiw_pci *pci = xiw_port_function(netdev);

	if (coalesce->rx_coalesce_usecs > XIW_PCI_MODERATION_MAX)
		return -ERANGE;
	pci->moderation_us = coalesce->rx_coalesce_usecs;
	xiw_pci_moderate(pci);
	return 0;
}

static const struct ethtool_ops xiw_port_ethtool = {
	.supported_coalesce_params = ETHTOOL_COALESCE_RX_USECS,
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = xiw_port_settings,
	.get_drvinfo = xiw_port_drvinfo,
	.get_coalesce = xiw_port_get_coalesce,
	.set_coalesce = xiw_port_set_coalesce,
};

/* -------------------------------------------------------------- the interface */

static u32 xiw_port_mtu(struct xiw_pci *pci)
{
	return clamp_t(u64, xiw_pci_read(pci, XIW_REG_MTU), ETH_MIN_MTU, ETH_MAX_MTU);
}

/* The RNIC determines the MTU; the host cannot change it. */
static void xiw_port_fix_mtu(struct net_device *netdev, u32 mtu)
{
	netdev->min_mtu = mtu;
	netdev->max_mtu = mtu;
}

/* Set the MTU with dev_set_mtu(), which notifies routing, IPv6 and `ip monitor`. RTNL is held. */
static void xiw_port_set_mtu(struct net_device *netdev, u32 mtu)
{
	u32 old = netdev->mtu;
	int err;

	if (mtu == old || netdev->reg_state != NETREG_REGISTERED)
		return;
	xiw_port_fix_mtu(netdev, mtu);
	err = dev_set_mtu(netdev, mtu);
	if (err) {
		netdev_err(netdev, "cannot set MTU %u of the RNIC: %d\n", mtu, err);
		xiw_port_fix_mtu(netdev, old);
	}
}

/**
 * xiw_port_refresh - update MTU and carrier of the interface from the RNIC's registers
 * @pci: function whose network interface is registered
 *
 * Does nothing if the function is gone.
 *
 * Context: process, takes RTNL.
 */
void xiw_port_refresh(struct xiw_pci *pci)
{
	u64 link;

	rtnl_lock();
	link = xiw_pci_read(pci, XIW_REG_LINK);
	if (link != XIW_PCI_ALL_ONES) {
		xiw_port_set_mtu(pci->netdev, xiw_port_mtu(pci));
		if (link & 1)
			netif_carrier_on(pci->netdev);
		else
			netif_carrier_off(pci->netdev);
	}
	rtnl_unlock();
}

/**
 * xiw_port_work - handle a port event of the RNIC
 * @work: port_work of a function
 *
 * Ignores the link state in the event. Reads the current state from the registers instead.
 *
 * Context: process.
 */
void xiw_port_work(struct work_struct *work)
{
	xiw_port_refresh(container_of(work, struct xiw_pci, port_work));
}

static void xiw_port_mac(struct xiw_pci *pci)
{
	u64 mac = xiw_pci_read(pci, XIW_REG_MAC);
	u8 addr[ETH_ALEN];
	unsigned int i;

	for (i = 0; i < ETH_ALEN; i++)
		addr[i] = mac >> (8 * i);
	if (is_valid_ether_addr(addr))
		eth_hw_addr_set(pci->netdev, addr);
	else
		eth_hw_addr_random(pci->netdev);
}

/**
 * xiw_port_new - create and register the network interface of a function
 * @pci: function
 *
 * Context: process.
 *
 * Return: the network interface or an error pointer.
 */
struct net_device *xiw_port_new(struct xiw_pci *pci)
{
	struct net_device *netdev = alloc_netdev(sizeof(struct xiw_port), "rnic%d",
						 NET_NAME_ENUM, ether_setup);
	int err;

	if (!netdev)
		return ERR_PTR(-ENOMEM);
	((struct xiw_port *)netdev_priv(netdev))->pci = pci;
	SET_NETDEV_DEV(netdev, &pci->pdev->dev);
	netdev->netdev_ops = &xiw_port_ops;
	netdev->ethtool_ops = &xiw_port_ethtool;
	netdev->flags |= IFF_NOARP;
	netdev->mtu = xiw_port_mtu(pci);
	xiw_port_fix_mtu(netdev, netdev->mtu);
	netdev->tx_queue_len = 0;
	pci->netdev = netdev;
	xiw_port_mac(pci);
	netif_carrier_off(netdev);
	err = register_netdev(netdev);
	if (!err)
		return netdev;
	free_netdev(netdev);
	return ERR_PTR(err);
}

/*
 * When the interface moves to another namespace, the kernel sends an UNREGISTER event and then a
 * REGISTER event. On the UNREGISTER event, the driver removes the RDMA device. On the REGISTER
 * event, this notifier adds a device in the new namespace.
 */
static int xiw_port_notify(struct notifier_block *nb, unsigned long event, void *arg)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(arg);

	if (event == NETDEV_REGISTER && xiw_port_is(netdev) &&
	    READ_ONCE(xiw_port_function(netdev)->live))
		queue_work(system_dfl_wq, &xiw_port_function(netdev)->attach_work);
	return NOTIFY_DONE;
}

static struct notifier_block xiw_port_notifier = {
	.notifier_call = xiw_port_notify,
};

int xiw_port_init(void)
{
	return register_netdevice_notifier(&xiw_port_notifier);
}

void xiw_port_exit(void)
{
	unregister_netdevice_notifier(&xiw_port_notifier);
}
