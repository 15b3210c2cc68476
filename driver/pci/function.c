// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The PCI function of a PCIe RNIC. Its network interface exists from probe to remove. Probe adds
 * its RDMA device. On a reset or a fatal bus error, the driver first removes the device. If the
 * function recovers, the driver then adds a new device, so no state of the old device survives
 * (docs/rnic.md). Before the machine sleeps, the driver fails the device. After the sleep, the
 * driver replaces the device.
 *
 * If the function fails, its device stays until an administrator resets the function (sysfs), binds
 * the driver again, or uses `rdma link del` and `rdma link add`. The driver does not add a new
 * device itself, because a broken function would fail again and again.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>

#include "pci/link.h"
#include "pci/pci.h"
#include "xiw.h"

#define XIW_PCI_STOP_LIMIT (60 * HZ)

/*
 * Wait until the device has ended, whichever task removes it. A wait until the RNIC has stopped is
 * not sufficient, because the RNIC of a failed device stops before the device is removed. Return:
 * false if the time limit has passed.
 */
static bool xiw_pci_settled(struct xiw_pci *pci)
{
	return wait_event_timeout(pci->ended, !READ_ONCE(pci->rnic), XIW_PCI_STOP_LIMIT);
}

/*
 * Wait up to @limit jiffies until the previous device has ended.
 * Return: 0; -ENODEV if no device may be added (pci->away); -EBUSY after the time limit.
 */
static int xiw_pci_await(struct xiw_pci *pci, long limit)
{
	wait_event_timeout(pci->ended, !READ_ONCE(pci->rnic) || READ_ONCE(pci->away), limit);
	if (READ_ONCE(pci->away))
		return -ENODEV;
	return READ_ONCE(pci->rnic) ? -EBUSY : 0;
}

/*
 * Add a device, unless there is one. Wait up to @limit jiffies for the end of the previous device.
 * pci->lock is held. Return: 0 or an errno.
 */
static int xiw_pci_add(struct xiw_pci *pci, const char *name, long limit)
{
	struct ib_device *ibdev = ib_device_get_by_netdev(pci->netdev, XIW_DRIVER_ID);
	int err;

	if (ibdev) {
		ib_device_put(ibdev);
		return 0;
	}
	err = xiw_pci_await(pci, limit);
	if (!err)
		err = xiw_device_add(name, pci->netdev, &xiw_pci_ops, &pci->pdev->dev, 0);
	if (!err)
		xiw_pci_address_queue(pci);
	return err;
}

/*
 * Add the next device if xiw_pci_attach() has deferred it. Call this function in process context,
 * after the previous device has ended.
 */
void xiw_pci_attach_owed(struct xiw_pci *pci)
{
	if (atomic_xchg(&pci->owed, 0))
		queue_work(system_dfl_wq, &pci->attach_work);
}

/*
 * Add a device now, or when the previous device ends. Return: 0; -EBUSY if the device will be added
 * when the previous one ends; another errno on failure.
 */
static int xiw_pci_attach(struct xiw_pci *pci)
{
	int err;

	mutex_lock(&pci->lock);
	err = xiw_pci_add(pci, "xiw%d", 0);
	if (err == -EBUSY) {
		pci_warn(pci->pdev, "the previous device has not ended; a new one will follow\n");
		/* Order the write of owed before the read of rnic; pairs with xiw_pci_ended(). */
		atomic_xchg(&pci->owed, 1);
		if (!READ_ONCE(pci->rnic))
			xiw_pci_attach_owed(pci);
	} else if (err && !READ_ONCE(pci->away)) {
		pci_err(pci->pdev, "cannot add the device: %d\n", err);
	}
	mutex_unlock(&pci->lock);
	return err;
}

static void xiw_pci_attach_work(struct work_struct *work)
{
	struct xiw_pci *pci = container_of(work, struct xiw_pci, attach_work);

	/* After the interface has moved to another namespace, the old device may still exist. */
	xiw_pci_await(pci, XIW_PCI_STOP_LIMIT);
	xiw_pci_attach(pci);
}

/* Let no task add a device before xiw_pci_back(). */
static void xiw_pci_leave(struct xiw_pci *pci)
{
	/* If a task holds pci->lock and waits in xiw_pci_await(), end its wait. */
	WRITE_ONCE(pci->away, true);
	wake_up_all(&pci->ended);
	/* Wait for a task that is adding a device. Later tasks add none, because away is set. */
	mutex_lock(&pci->lock);
	mutex_unlock(&pci->lock);
	cancel_work_sync(&pci->attach_work);
}

/* Remove the device. No new device is added before xiw_pci_back(). */
static void xiw_pci_detach(struct xiw_pci *pci)
{
	xiw_pci_leave(pci);
	xiw_device_remove(pci->netdev);
	if (!xiw_pci_settled(pci))
		pci_err(pci->pdev, "device removal timed out\n");
	cancel_work_sync(&pci->address_work);
	cancel_work_sync(&pci->port_work);
}

static int xiw_pci_back(struct xiw_pci *pci)
{
	/*
	 * Save the config space, which xiw_pci_reset() and xiw_pci_slot_reset() restore. A reset or
	 * a resume by the PCI core may have consumed the saved copy. If the function is gone, do
	 * not save: its registers read as all ones.
	 */
	if (pci_device_is_present(pci->pdev))
		pci_save_state(pci->pdev);
	pci->asleep = false;
	WRITE_ONCE(pci->away, false);
	return xiw_pci_attach(pci);
}

/*
 * Replace the device after a sleep of the machine.
 *
 * The lock of the PCI device excludes resets and remove. Do not wait for the lock, because remove
 * holds it while it cancels this work item and waits for its end.
 */
static void xiw_pci_wake(struct work_struct *work)
{
	struct xiw_pci *pci = container_of(to_delayed_work(work), struct xiw_pci, wake);

	if (!device_trylock(&pci->pdev->dev)) {
		queue_delayed_work(system_freezable_wq, &pci->wake, HZ / 10);
		return;
	}
	if (pci->asleep) {
		xiw_pci_detach(pci);
		xiw_pci_back(pci);
	}
	device_unlock(&pci->pdev->dev);
}

int xiw_pci_link(const char *name, struct net_device *netdev)
{
	struct xiw_pci *pci;
	int err;

	if (!xiw_port_is(netdev))
		return -EOPNOTSUPP;
	pci = xiw_port_function(netdev);
	mutex_lock(&pci->lock);
	err = xiw_pci_add(pci, name, XIW_PCI_STOP_LIMIT);
	mutex_unlock(&pci->lock);
	return err;
}

/* ------------------------------------------------------------ probe and remove */

static int xiw_pci_map(struct pci_dev *pdev, struct xiw_pci *pci)
{
	int err;

	err = pci_enable_device_mem(pdev);
	if (err)
		return err;
	err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (err)
		goto disable;
	/* The RNIC does not limit the length of a DMA segment, but bounce buffers do. */
	dma_set_max_seg_size(&pdev->dev, min_t(size_t, dma_max_mapping_size(&pdev->dev), U32_MAX));
	err = pci_request_mem_regions(pdev, KBUILD_MODNAME);
	if (err)
		goto disable;
	err = -ENODEV;
	if (pci_resource_len(pdev, XIW_PCI_BAR) < XIW_PCI_BAR_SIZE)
		goto release;
	err = -ENOMEM;
	/* Map the BAR uncached, so that each doorbell is a separate transaction. */
	pci->bar = pci_iomap(pdev, XIW_PCI_BAR, XIW_PCI_BAR_SIZE);
	if (pci->bar)
		return 0;
release:
	pci_release_mem_regions(pdev);
disable:
	pci_disable_device(pdev);
	return err;
}

static void xiw_pci_unmap(struct pci_dev *pdev, struct xiw_pci *pci)
{
	pci_iounmap(pdev, pci->bar);
	pci_release_mem_regions(pdev);
	pci_disable_device(pdev);
}

static void xiw_pci_init_function(struct xiw_pci *pci, struct pci_dev *pdev)
{
	pci->pdev = pdev;
	mutex_init(&pci->lock);
	mutex_init(&pci->stats_lock);
	mutex_init(&pci->address_lock);
	init_waitqueue_head(&pci->ended);
	INIT_WORK(&pci->attach_work, xiw_pci_attach_work);
	INIT_DELAYED_WORK(&pci->wake, xiw_pci_wake);
	INIT_WORK(&pci->port_work, xiw_port_work);
	INIT_WORK(&pci->address_work, xiw_address_work);
	INIT_DELAYED_WORK(&pci->health, xiw_pci_health);
	/* no device may be added before xiw_pci_back() */
	pci->away = true;
}

/* Remove the network interface. It has no RDMA device at this point. */
static void xiw_pci_port_gone(struct xiw_pci *pci)
{
	unregister_netdev(pci->netdev);
	cancel_work_sync(&pci->attach_work);
	cancel_work_sync(&pci->address_work);
	cancel_work_sync(&pci->port_work);
	free_netdev(pci->netdev);
}

static int xiw_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct xiw_pci *pci = kzalloc(sizeof(*pci), GFP_KERNEL);
	int err;

	if (!pci)
		return -ENOMEM;
	xiw_pci_init_function(pci, pdev);
	err = xiw_pci_map(pdev, pci);
	if (err)
		goto free;
	err = xiw_pci_identify(pci);
	if (err) {
		pci_err(pdev, "not an RNIC that this driver supports\n");
		goto unmap;
	}
	pci_set_drvdata(pdev, pci);
	pci->netdev = xiw_port_new(pci);
	if (IS_ERR(pci->netdev)) {
		err = PTR_ERR(pci->netdev);
		goto unmap;
	}
	err = xiw_pci_back(pci);
	WRITE_ONCE(pci->live, true);
	if (!err)
		return 0;
	xiw_pci_port_gone(pci);
unmap:
	xiw_pci_unmap(pdev, pci);
free:
	kfree(pci);
	return err;
}

static void xiw_pci_remove(struct pci_dev *pdev)
{
	struct xiw_pci *pci = pci_get_drvdata(pdev);

	cancel_delayed_work_sync(&pci->wake);
	xiw_pci_detach(pci);
	xiw_pci_port_gone(pci);
	xiw_pci_unmap(pdev, pci);
	kfree(pci);
}

/*
 * Stop accesses of the RNIC to memory. Do not remove the device, because users may still hold it
 * while the machine shuts down.
 */
static void xiw_pci_shutdown(struct pci_dev *pdev)
{
	xiw_pci_quiet(pci_get_drvdata(pdev));
}

/* ------------------------------------------------------------ reset and errors */

static void xiw_pci_reset_prepare(struct pci_dev *pdev)
{
	xiw_pci_detach(pci_get_drvdata(pdev));
}

static void xiw_pci_reset_done(struct pci_dev *pdev)
{
	xiw_pci_back(pci_get_drvdata(pdev));
}

static pci_ers_result_t xiw_pci_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct xiw_pci *pci = pci_get_drvdata(pdev);

	pci_warn(pdev, "bus error (state %u)\n", state);
	if (state == pci_channel_io_normal)
		return PCI_ERS_RESULT_CAN_RECOVER;
	xiw_pci_detach(pci);
	if (state == pci_channel_io_perm_failure)
		return PCI_ERS_RESULT_DISCONNECT;
	return PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t xiw_pci_mmio_enabled(struct pci_dev *pdev)
{
	return PCI_ERS_RESULT_RECOVERED;
}

/*
 * Return: true if bus mastering is on. The start of the RNIC turns it on. The stop of the RNIC or a
 * reset of the function turns it off.
 */
static bool xiw_pci_masters(struct pci_dev *pdev)
{
	u16 command;

	pci_read_config_word(pdev, PCI_COMMAND, &command);
	return !PCI_POSSIBLE_ERROR(command) && command & PCI_COMMAND_MASTER;
}

/*
 * After a nonfatal error, the device still exists. If another function below the same PCI port
 * needs a reset, the PCI core calls slot_reset() of all functions below the port, even if it has
 * not reset the port. A function that is still a bus master was not reset, and keeps its device.
 */
static pci_ers_result_t xiw_pci_slot_reset(struct pci_dev *pdev)
{
	struct xiw_pci *pci = pci_get_drvdata(pdev);
	bool away = READ_ONCE(pci->away);

	if (!away && xiw_pci_masters(pdev))
		return PCI_ERS_RESULT_RECOVERED;
	pci_restore_state(pdev);
	pci_save_state(pdev);
	if (!away)
		xiw_pci_detach(pci);
	return pci_device_is_present(pdev) ? PCI_ERS_RESULT_RECOVERED : PCI_ERS_RESULT_DISCONNECT;
}

/* The PCI core also calls this after an error without a reset. The device then still exists. */
static void xiw_pci_error_resume(struct pci_dev *pdev)
{
	struct xiw_pci *pci = pci_get_drvdata(pdev);

	if (READ_ONCE(pci->away))
		xiw_pci_back(pci);
}

static const struct pci_error_handlers xiw_pci_errors = {
	.error_detected = xiw_pci_error_detected,
	.mmio_enabled = xiw_pci_mmio_enabled,
	.slot_reset = xiw_pci_slot_reset,
	.reset_prepare = xiw_pci_reset_prepare,
	.reset_done = xiw_pci_reset_done,
	.resume = xiw_pci_error_resume,
};

/* ------------------------------------------------------- sleep of the machine */

/*
 * Fail the device, and remove it after the sleep: a removal waits for the ULPs, and a ULP such as
 * nfsd may need tasks that the kernel has frozen.
 */
static int xiw_pci_suspend(struct device *dev)
{
	struct xiw_pci *pci = dev_get_drvdata(dev);

	xiw_pci_leave(pci);
	xiw_device_halt(pci->netdev, "the machine sleeps");
	/*
	 * If another task is removing the device, xiw_device_halt() has done nothing, and the RNIC
	 * may still access memory.
	 */
	xiw_pci_quiet(pci);
	pci->asleep = true;
	return 0;
}

/* Replace the device, after the kernel has thawed all tasks. */
static int xiw_pci_resume(struct device *dev)
{
	struct xiw_pci *pci = dev_get_drvdata(dev);

	queue_delayed_work(system_freezable_wq, &pci->wake, 0);
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(xiw_pci_pm, xiw_pci_suspend, xiw_pci_resume);

static const struct pci_device_id xiw_pci_ids[] = {
	{ PCI_DEVICE(XIW_PCI_VENDOR, XIW_PCI_DEVICE) },
	{ }
};
MODULE_DEVICE_TABLE(pci, xiw_pci_ids);

static struct pci_driver xiw_pci_driver = {
	.name = KBUILD_MODNAME,
	.id_table = xiw_pci_ids,
	.probe = xiw_pci_probe,
	.remove = xiw_pci_remove,
	.shutdown = xiw_pci_shutdown,
	.err_handler = &xiw_pci_errors,
	.driver.pm = pm_sleep_ptr(&xiw_pci_pm),
};

int xiw_pci_init(void)
{
	int err;

	err = xiw_pci_address_init();
	if (err)
		return err;
	err = xiw_port_init();
	if (err)
		goto address;
	err = pci_register_driver(&xiw_pci_driver);
	if (!err)
		return 0;
	xiw_port_exit();
address:
	xiw_pci_address_exit();
	return err;
}

void xiw_pci_exit(void)
{
	pci_unregister_driver(&xiw_pci_driver);
	xiw_port_exit();
	xiw_pci_address_exit();
}
