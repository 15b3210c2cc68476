// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * xiw_deaf: make the RNIC of the device dev= ignore its admin doorbell. The RNIC does not answer
 * new admin commands while the module is loaded. Commands that are already pending continue. The
 * module replaces the pointer to the table of operations (driver/ring/rnic.h), so the driver needs
 * no hook.
 *
 * For tests only. A test must not unload this module while a CPU may run its code.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "xiw.h"

static char *dev;
module_param(dev, charp, 0444);
MODULE_PARM_DESC(dev, "name of the RDMA device");

static bool patient;
module_param(patient, bool, 0444);
MODULE_PARM_DESC(patient, "keep the RNIC's own time limit for answers");

/* The newest producer index that the RNIC has not received; 0 if there is none. */
static u32 unheard;

static const struct xiw_rnic_ops *heard;
static struct xiw_rnic_ops deaf;

static void deaf_doorbell(struct xiw_rnic *rnic, enum xiw_doorbell kind, u32 index, u32 value)
{
	if (kind == XIW_DB_ADMIN)
		WRITE_ONCE(unheard, value);
	else
		heard->doorbell(rnic, kind, index, value);
}

static int deaf_add(struct ib_device *ibdev)
{
	struct xiw_rnic *rnic = &to_xiw_device(ibdev)->rnic;

	if (!dev || strcmp(dev_name(&ibdev->dev), dev) || ibdev->ops.driver_id != XIW_DRIVER_ID ||
	    heard)
		return -EOPNOTSUPP;
	heard = rnic->ops;
	deaf = *heard;
	deaf.doorbell = deaf_doorbell;
	/*
	 * Set the time limit that a PCIe RNIC has for its answers. The driver sets no limit for the
	 * software RNIC, because a busy host delays it.
	 */
	if (!patient)
		deaf.admin_seconds = 30;
	WRITE_ONCE(rnic->ops, &deaf);
	return 0;
}

/*
 * Restore the operations, and pass on the doorbell that the RNIC has missed. A failed device needs
 * no doorbell, because the driver no longer waits for answers of its RNIC.
 */
static void deaf_remove(struct ib_device *ibdev, void *data)
{
	struct xiw_device *xiw = to_xiw_device(ibdev);

	WRITE_ONCE(xiw->rnic.ops, heard);
	synchronize_rcu();
	if (READ_ONCE(unheard) && !atomic_read(&xiw->failed)) {
		xiw_raise_begin();
		xiw_doorbell(&xiw->rnic, XIW_DB_ADMIN, 0, READ_ONCE(unheard));
		xiw_raise_end();
	}
}

static struct ib_client deaf_client = {
	.name = "xiw_deaf",
	.add = deaf_add,
	.remove = deaf_remove,
};

static int __init deaf_init(void)
{
	int err = ib_register_client(&deaf_client);

	if (!err && !heard) {
		ib_unregister_client(&deaf_client);
		err = -ENODEV;
	}
	return err;
}

static void __exit deaf_exit(void)
{
	ib_unregister_client(&deaf_client);
}

module_init(deaf_init);
module_exit(deaf_exit);
MODULE_DESCRIPTION("an RNIC that hears no admin doorbell");
MODULE_LICENSE("Dual BSD/GPL");
