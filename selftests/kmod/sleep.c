// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * xiw_sleep: suspends and resumes one PCI function in all phases, by the operations of the bus, as
 * a suspend of the system does. All other devices stay awake, because a guest in which all devices
 * sleep loses the folder that it shares with its host.
 *
 * For tests only.
 */
#include <linux/module.h>
#include <linux/pci.h>

static char *function;
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "domain:bus:device.function");

/* The parent bridge is awake, and runtime PM is not involved. */
static int sleep_down(struct device *dev, const struct dev_pm_ops *pm)
{
	int err;

	err = pm->prepare(dev);
	if (err < 0)
		return err;
	err = pm->suspend(dev);
	if (!err)
		err = pm->suspend_late(dev);
	return err ?: pm->suspend_noirq(dev);
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

	/* Without CONFIG_PM_SLEEP, the bus has no phases of suspend. */
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
