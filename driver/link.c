// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "link.h"

#include <linux/if_arp.h>
#include <linux/mutex.h>
#include <rdma/rdma_netlink.h>

#include "pci/link.h"
#include "xiw.h"

/* Serializes `rdma link add`, from the check for existing devices until the new device exists. */
static DEFINE_MUTEX(xiw_link_lock);

static bool xiw_link_suits(const struct net_device *netdev)
{
	switch (netdev->type) {
	case ARPHRD_ETHER:
	case ARPHRD_LOOPBACK:
	case ARPHRD_NONE:	/* tunnels that carry IP */
	case ARPHRD_IEEE802:
		return true;
	default:
		return false;
	}
}

/*
 * Check whether an xiw device with this name exists. Without this check, ib_core would fail with
 * ENFILE, which users see as "Too many open files".
 */
static bool xiw_link_named(const char *name)
{
	struct xiw_device *dev;
	bool found = false;
	u32 cursor = 0;

	while (!found && (dev = xiw_device_next(NULL, &cursor))) {
		found = !strcmp(name, dev_name(&dev->ibdev.dev));
		xiw_device_put(dev);
	}
	return found;
}

/* Check the interface, and add a device over it. xiw_link_lock is held. */
static int xiw_link_make(const char *name, struct net_device *netdev)
{
	struct ib_device *ibdev = ib_device_get_by_netdev(netdev, XIW_DRIVER_ID);
	int err;

	if (ibdev) {
		netdev_err(netdev, "xiw: interface is already in use by %s\n",
			   dev_name(&ibdev->dev));
		ib_device_put(ibdev);
		return -EEXIST;
	}
	if (xiw_link_named(name)) {
		netdev_err(netdev, "xiw: device %s already exists\n", name);
		return -EEXIST;
	}
	if (!xiw_link_suits(netdev)) {
		netdev_err(netdev, "xiw: interfaces of type %u are not supported\n",
			   netdev->type);
		return -EINVAL;
	}
	err = xiw_pci_link(name, netdev);
	if (err != -EOPNOTSUPP)
		return err;
	return xiw_device_add(name, netdev, &xiw_soft_ops, NULL, 0);
}

static int xiw_link_new(const char *name, struct net_device *netdev)
{
	int err;

	mutex_lock(&xiw_link_lock);
	err = xiw_link_make(name, netdev);
	mutex_unlock(&xiw_link_lock);
	return err;
}

static struct rdma_link_ops xiw_link_ops = {
	.type = "xiw",
	.newlink = xiw_link_new,
};

void xiw_link_init(void)
{
	rdma_link_register(&xiw_link_ops);
}

void xiw_link_exit(void)
{
	rdma_link_unregister(&xiw_link_ops);
}
