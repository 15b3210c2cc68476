// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "address.h"

#include "verbs/gid.h"
#include "xiw.h"

/*
 * If an interface has a device, notify the device. A device that is added later reads the addresses
 * itself. Context: any.
 */
static void xiw_address_changed(struct net_device *netdev)
{
	struct ib_device *ibdev = ib_device_get_by_netdev(netdev, XIW_DRIVER_ID);
	struct xiw_device *dev;

	if (!ibdev)
		return;
	dev = to_xiw_device(ibdev);
	xiw_gids_changed(dev);
	if (dev->rnic.ops->addresses_changed)
		dev->rnic.ops->addresses_changed(&dev->rnic);
	ib_device_put(ibdev);
}

static int xiw_address_notify(struct notifier_block *nb, unsigned long event, void *arg)
{
	const struct in_ifaddr *ifa = arg;

	xiw_address_changed(ifa->ifa_dev->dev);
	return NOTIFY_DONE;
}

static int xiw_address6_notify(struct notifier_block *nb, unsigned long event, void *arg)
{
	const struct inet6_ifaddr *ifa = arg;

	xiw_address_changed(ifa->idev->dev);
	return NOTIFY_DONE;
}

static struct notifier_block xiw_address_notifier = {
	.notifier_call = xiw_address_notify,
};

static struct notifier_block xiw_address6_notifier = {
	.notifier_call = xiw_address6_notify,
};

int xiw_address_init(void)
{
	int err;

	err = register_inetaddr_notifier(&xiw_address_notifier);
	if (err)
		return err;
	err = register_inet6addr_notifier(&xiw_address6_notifier);
	if (err)
		unregister_inetaddr_notifier(&xiw_address_notifier);
	return err;
}

void xiw_address_exit(void)
{
	unregister_inet6addr_notifier(&xiw_address6_notifier);
	unregister_inetaddr_notifier(&xiw_address_notifier);
}
