// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Pass the addresses of the interface to the RNIC, by admin commands. A work item compares the
 * addresses of the interface with those of the RNIC, so the order of events does not matter.
 * Connections and listeners wait for this work item.
 *
 * Link-local addresses are not passed, because they follow from the MAC address, so the RNIC's port
 * already has them.
 */
#include <linux/inetdevice.h>
#include <net/addrconf.h>

#include "pci/pci.h"
#include "ring/admin.h"
#include "xiw.h"

struct xiw_address_list {
	unsigned int count;
	unsigned int excess;		/* addresses that do not fit into the list */
	struct xiw_adm_addr list[XIW_PCI_ADDRESSES];
};

static void xiw_address_note(struct xiw_address_list *now, u8 family, const void *addr, u8 length,
			     u8 prefix)
{
	struct xiw_adm_addr *adm;

	if (now->count == XIW_PCI_ADDRESSES) {
		now->excess++;
		return;
	}
	adm = &now->list[now->count++];
	adm->addr.family = family;
	memcpy(adm->addr.addr, addr, length);
	adm->prefix = prefix;
}

static void xiw_address_collect(const struct net_device *netdev, struct xiw_address_list *now)
{
	const struct inet6_ifaddr *ifa6;
	struct inet6_dev *in6_dev;
	struct in_device *in_dev;
	struct in_ifaddr *ifa;

	rcu_read_lock();
	in_dev = __in_dev_get_rcu(netdev);
	if (in_dev) {
		in_dev_for_each_ifa_rcu(ifa, in_dev)
			xiw_address_note(now, 4, &ifa->ifa_local, sizeof(ifa->ifa_local),
					 ifa->ifa_prefixlen);
	}
	in6_dev = IS_ENABLED(CONFIG_IPV6) ? __in6_dev_get(netdev) : NULL;
	if (in6_dev) {
		list_for_each_entry_rcu(ifa6, &in6_dev->addr_list, if_list) {
			if (!(ipv6_addr_type(&ifa6->addr) & IPV6_ADDR_LINKLOCAL))
				xiw_address_note(now, 6, &ifa6->addr, sizeof(ifa6->addr),
						 ifa6->prefix_len);
		}
	}
	rcu_read_unlock();
}

static bool xiw_address_in(const struct xiw_adm_addr *list, unsigned int count,
			   const struct xiw_adm_addr *adm)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!memcmp(&list[i], adm, sizeof(*adm)))
			return true;
	return false;
}

static int xiw_address_command(struct xiw_device *dev, u8 op, const struct xiw_adm_addr *adm)
{
	struct xiw_admin_cmd cmd = { .op = op };

	cmd.address = *adm;
	return xiw_admin_exec(dev, &cmd);
}

/*
 * address_lock is held. Remove addresses before others are added, because a prefix may have
 * changed.
 */
static void xiw_address_hand_down(struct xiw_pci *pci, struct xiw_device *dev,
				  const struct xiw_address_list *now)
{
	unsigned int i, kept = 0;
	int err;

	for (i = 0; i < pci->num_addresses; i++) {
		if (xiw_address_in(now->list, now->count, &pci->addresses[i]))
			pci->addresses[kept++] = pci->addresses[i];
		else
			xiw_address_command(dev, XIW_ADM_ADDR_REMOVE, &pci->addresses[i]);
	}
	pci->num_addresses = kept;
	for (i = 0; i < now->count; i++) {
		if (xiw_address_in(pci->addresses, kept, &now->list[i]))
			continue;
		err = xiw_address_command(dev, XIW_ADM_ADDR_ADD, &now->list[i]);
		if (err)
			netdev_err(pci->netdev, "RNIC rejected an address: %d\n", err);
		else
			pci->addresses[pci->num_addresses++] = now->list[i];
	}
}

/* address_lock is held. Log the number of excess addresses when it changes. */
static void xiw_address_report(struct xiw_pci *pci, unsigned int excess)
{
	if (excess && excess != pci->excess_addresses)
		netdev_err(pci->netdev,
			   "%u addresses are not usable: the RNIC gets at most %u\n",
			   excess, XIW_PCI_ADDRESSES);
	pci->excess_addresses = excess;
}

void xiw_address_work(struct work_struct *work)
{
	struct xiw_pci *pci = container_of(work, struct xiw_pci, address_work);
	struct xiw_address_list *now;
	struct ib_device *ibdev;

	/* The reference keeps the device from being freed while a command is pending. */
	ibdev = ib_device_get_by_netdev(pci->netdev, XIW_DRIVER_ID);
	if (!ibdev)
		return;	/* when a device is added, this work is queued again */
	now = kzalloc(sizeof(*now), GFP_KERNEL);
	if (now) {
		mutex_lock(&pci->address_lock);
		xiw_address_collect(pci->netdev, now);
		xiw_address_hand_down(pci, to_xiw_device(ibdev), now);
		xiw_address_report(pci, now->excess);
		mutex_unlock(&pci->address_lock);
		kfree(now);
	}
	ib_device_put(ibdev);
}

static int xiw_address_notify(struct notifier_block *nb, unsigned long event, void *arg)
{
	const struct in_ifaddr *ifa = arg;

	if (xiw_port_is(ifa->ifa_dev->dev))
		queue_work(system_dfl_wq, &xiw_port_function(ifa->ifa_dev->dev)->address_work);
	return NOTIFY_DONE;
}

static int xiw_address6_notify(struct notifier_block *nb, unsigned long event, void *arg)
{
	const struct inet6_ifaddr *ifa = arg;

	if (xiw_port_is(ifa->idev->dev))
		queue_work(system_dfl_wq, &xiw_port_function(ifa->idev->dev)->address_work);
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
