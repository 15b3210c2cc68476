// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Pass the IP addresses of the network interface to the RNIC, by admin commands. A work item
 * compares all addresses of the interface with those that the RNIC has, so the order of address
 * changes does not matter. New connections and listeners wait for the work item.
 *
 * The driver does not pass IPv6 link-local addresses. The RNIC already has the link-local addresses
 * that follow from its MAC address, and does not get others.
 */
#include "address.h"
#include "pci/pci.h"
#include "ring/admin.h"
#include "xiw.h"

/*
 * A storage ULP that connects waits for the work item, and memory reclaim may wait for the storage.
 * So the work item runs on a workqueue with a rescuer, and allocates no memory.
 */
static struct workqueue_struct *xiw_pci_address_wq;

/* Return: the index of the address in the list; @count if the list does not contain it. */
static unsigned int xiw_address_find(const struct xiw_adm_addr *list, unsigned int count,
				     const struct xiw_addr *addr)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!memcmp(&list[i].addr, addr, sizeof(*addr)))
			break;
	return i;
}

/* Return: true if the list contains the address of @adm with the prefix of @adm. */
static bool xiw_address_in(const struct xiw_adm_addr *list, unsigned int count,
			   const struct xiw_adm_addr *adm)
{
	unsigned int i = xiw_address_find(list, count, &adm->addr);

	return i < count && list[i].prefix == adm->prefix;
}

static void xiw_address_note(void *arg, const struct in6_addr *addr, u8 prefix)
{
	struct xiw_adm_addr adm = { .prefix = prefix };
	struct xiw_pci *pci = arg;
	struct xiw_address_list *now = &pci->now;

	if (ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL)
		return;
	if (ipv6_addr_v4mapped(addr)) {
		adm.addr.family = 4;
		memcpy(adm.addr.addr, &addr->s6_addr32[3], sizeof(addr->s6_addr32[3]));
	} else {
		adm.addr.family = 6;
		memcpy(adm.addr.addr, addr, sizeof(*addr));
	}
	if (!now->more && !xiw_address_in(pci->addresses, pci->num_addresses, &adm))
		return;
	if (xiw_address_find(now->list, now->count, &adm.addr) < now->count)
		return;
	if (now->count == XIW_PCI_ADDRESSES)
		now->excess++;
	else
		now->list[now->count++] = adm;
}

/*
 * Get the addresses of the interface. First get the addresses that the RNIC already has, because
 * streams may use these addresses. Then get the other addresses, and omit some if necessary: there
 * may be more addresses than the RNIC can have, and an interface may have the same IPv4 address
 * several times, with different peers or prefixes. address_lock is held.
 */
static void xiw_address_collect(struct xiw_pci *pci)
{
	memset(&pci->now, 0, sizeof(pci->now));
	xiw_address_each(pci->netdev, xiw_address_note, pci);
	pci->now.more = true;
	xiw_address_each(pci->netdev, xiw_address_note, pci);
}

static int xiw_address_command(struct xiw_device *dev, u8 op, const struct xiw_adm_addr *adm)
{
	struct xiw_admin_cmd cmd = { .op = op };

	cmd.address = *adm;
	return xiw_admin_exec(dev, &cmd);
}

/*
 * Add and remove addresses of the RNIC. address_lock is held. The RNIC cannot change the prefix of
 * an address. So if a prefix has changed, remove the address and add it again. The removal ends the
 * connections of the address.
 */
static void xiw_address_hand_down(struct xiw_pci *pci, struct xiw_device *dev)
{
	const struct xiw_address_list *now = &pci->now;
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

/* If the number of excess addresses has changed, and is not 0, log it. address_lock is held. */
static void xiw_address_report(struct xiw_pci *pci)
{
	unsigned int excess = pci->now.excess;

	if (excess && excess != pci->excess_addresses)
		netdev_err(pci->netdev,
			   "%u addresses are not usable: the RNIC gets at most %u\n",
			   excess, XIW_PCI_ADDRESSES);
	pci->excess_addresses = excess;
}

void xiw_address_work(struct work_struct *work)
{
	struct xiw_pci *pci = container_of(work, struct xiw_pci, address_work);
	struct ib_device *ibdev;

	/* Keep the reference to the device until the admin commands below are complete. */
	ibdev = ib_device_get_by_netdev(pci->netdev, XIW_DRIVER_ID);
	if (!ibdev)
		return;	/* after it adds a device, xiw_pci_add() queues this work item again */
	mutex_lock(&pci->address_lock);
	xiw_address_collect(pci);
	xiw_address_hand_down(pci, to_xiw_device(ibdev));
	xiw_address_report(pci);
	mutex_unlock(&pci->address_lock);
	ib_device_put(ibdev);
}

void xiw_pci_address_queue(struct xiw_pci *pci)
{
	queue_work(xiw_pci_address_wq, &pci->address_work);
}

int xiw_pci_address_init(void)
{
	xiw_pci_address_wq = alloc_workqueue("xiw_address", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return xiw_pci_address_wq ? 0 : -ENOMEM;
}

void xiw_pci_address_exit(void)
{
	destroy_workqueue(xiw_pci_address_wq);
}
