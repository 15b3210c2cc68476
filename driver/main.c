// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/module.h>
#include <rdma/rdma_netlink.h>

#include "address.h"
#include "diag/capture.h"
#include "link.h"
#include "netlink/family.h"
#include "pci/link.h"
#include "rdmap/stream.h"
#include "verbs/qp.h"
#include "xiw.h"

static int __init xiw_init(void)
{
	int err;

	err = xiw_recovery_init();
	if (err)
		return err;
	err = xiw_netdev_init();
	if (err)
		goto recovery;
	err = xiw_address_init();
	if (err)
		goto netdev;
	err = xiw_nl_init();
	if (err)
		goto address;
	err = xiw_capture_init();
	if (err)
		goto nl;
	err = xiw_pci_init();
	if (err)
		goto capture;
	xiw_link_init();
	return 0;

capture:
	xiw_capture_exit();
nl:
	xiw_nl_exit();
address:
	xiw_address_exit();
netdev:
	xiw_netdev_exit();
recovery:
	xiw_recovery_exit();
	return err;
}

static void __exit xiw_exit(void)
{
	struct xiw_device *dev;
	u32 cursor = 0;

	xiw_link_exit();
	xiw_pci_exit();
	/*
	 * End pending connects: a removal waits for the ULPs, and a ULP waits until its connect
	 * ends.
	 */
	while ((dev = xiw_device_next(NULL, &cursor))) {
		xiw_qps_end(dev, xiw_stream_abort);
		xiw_device_put(dev);
	}
	ib_unregister_driver(XIW_DRIVER_ID);
	/*
	 * Unregister netlink after the last device is removed, because a device may report events
	 * until its end.
	 */
	xiw_nl_exit();
	xiw_capture_exit();
	xiw_address_exit();
	/*
	 * Unregister the netdev notifier after all devices are removed.
	 * unregister_netdevice_notifier() sends the notifier an UNREGISTER event for each
	 * interface. If an interface still had a device, the notifier would queue the removal of
	 * the device.
	 */
	xiw_netdev_exit();
	xiw_recovery_exit();
}

module_init(xiw_init);
module_exit(xiw_exit);

MODULE_AUTHOR("The xiw authors");
MODULE_DESCRIPTION("iWARP with RFC 7306 atomics and immediate data");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(XIW_VERSION);
MODULE_ALIAS_RDMA_LINK("xiw");
