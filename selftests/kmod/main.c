// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * xiw_test: a module that uses verbs and rdma_cm as a kernel ULP does. Text commands that are
 * written to /dev/xiw_test control it. See README.md.
 */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "cm.h"
#include "device.h"
#include "session.h"

unsigned int xt_patience = 1;
module_param_named(patience, xt_patience, uint, 0644);
MODULE_PARM_DESC(patience, "factor of the default time limit of waits");

bool xt_softirq = true;
module_param_named(softirq, xt_softirq, bool, 0444);
MODULE_PARM_DESC(softirq, "poll=softirq uses softirq (default), not a workqueue");

static void device_removed(struct ib_device *ib, void *data)
{
	xt_device_removed(ib);
	xt_sessions_forget(ib);
}

struct ib_client xt_client = {
	.name	= "xiw_test",
	.add	= xt_device_added,
	.remove	= device_removed,
};

static struct miscdevice misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "xiw_test",
	.fops	= &xt_session_fops,
	.mode	= 0600,
};

static int __init xt_init(void)
{
	int err;

	err = xt_cm_init();
	if (err)
		return err;
	err = ib_register_client(&xt_client);
	if (err)
		goto err_cm;
	err = misc_register(&misc);
	if (err)
		goto err_client;
	return 0;

err_client:
	ib_unregister_client(&xt_client);
err_cm:
	xt_cm_exit();
	return err;
}

static void __exit xt_exit(void)
{
	misc_deregister(&misc);
	ib_unregister_client(&xt_client);
	xt_cm_exit();
}

module_init(xt_init);
module_exit(xt_exit);

MODULE_DESCRIPTION("Kernel verbs exerciser");
MODULE_LICENSE("Dual BSD/GPL");
