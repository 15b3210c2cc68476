// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * xiw_sleep: suspend and resume one PCI function. The module calls the suspend and resume
 * operations of the PCI bus in all phases, as system suspend does. System suspend itself would
 * suspend all devices, and the guest would lose the folder that it shares with its host.
 *
 * For tests only.
 */
#include <linux/module.h>
#include <linux/pci.h>

static char *function;
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "domain:bus:device.function");

/*
 * Call the phases of suspend. After a failure, undo the phases that have succeeded, and return the
 * errno. The parent bridge stays awake, and runtime PM is not used.
 */
static int sleep_down(struct device *dev, const struct dev_pm_ops *pm)
{
	int err;

	err = pm->prepare(dev);
	if (err < 0)
		return err;
	err = pm->suspend(dev);
	if (err)
		goto complete;
	err = pm->suspend_late(dev);
	if (err)
		goto resume;
	err = pm->suspend_noirq(dev);
	if (!err)
		return 0;
	pm->resume_early(dev);
resume:
	pm->resume(dev);
complete:
	pm->complete(dev);
	return err;
}

static int sleep_up(struct device *dev, const struct dev_pm_ops *pm)
{
	int err;

	err = pm->resume_noirq(dev);
	if (!err)
		err = pm->resume_early(dev);
	if (!err)
		err = pm->resume(dev);
	pm->complete(dev);
	return err;
}

static int sleep_pass(struct pci_dev *pdev)
{
	const struct dev_pm_ops *pm = pdev->dev.bus->pm;
	int err;

	device_lock(&pdev->dev);
	err = sleep_down(&pdev->dev, pm);
	pci_info(pdev, "sleeps in D%d: %d\n", pdev->current_state, err);
	if (!err)
		err = sleep_up(&pdev->dev, pm);
	device_unlock(&pdev->dev);
	pci_info(pdev, "awake in D%d: %d\n", pdev->current_state, err);
	return err;
}

static int __init sleep_init(void)
{
	unsigned int domain, bus, slot, fn;
	struct pci_dev *pdev;
	int err;

	/* Without CONFIG_PM_SLEEP, the bus has no suspend operations. */
	if (!IS_ENABLED(CONFIG_PM_SLEEP))
		return -EOPNOTSUPP;
	if (!function || sscanf(function, "%x:%x:%x.%x", &domain, &bus, &slot, &fn) != 4)
		return -EINVAL;
	pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, fn));
	if (!pdev)
		return -ENODEV;
	err = sleep_pass(pdev);
	pci_dev_put(pdev);
	return err;
}

static void __exit sleep_exit(void)
{
}

module_init(sleep_init);
module_exit(sleep_exit);
MODULE_DESCRIPTION("one PCI function sleeps and wakes");
MODULE_LICENSE("GPL");
