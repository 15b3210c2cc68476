// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Pass the addresses of the interface to the RNIC, by admin commands. A work item compares the
 * addresses of the interface with those of the RNIC, so the order of events does not matter.
 * Connections and listeners wait for this work item.
 *
 * Link-local addresses are not passed, because they follow from the MAC address, so the RNIC's port
 * already has them.
 */
#include "address.h"
#include "pci/pci.h"
#include "ring/admin.h"
#include "xiw.h"

/* The addresses of the interface, each once. */
struct xiw_address_list {
	const struct xiw_pci *pci;
	unsigned int count;
	unsigned int excess;		/* addresses that do not fit into the list */
	struct xiw_adm_addr list[XIW_PCI_ADDRESSES];
};

static bool xiw_address_in(const struct xiw_adm_addr *list, unsigned int count,
			   const struct xiw_adm_addr *adm)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!memcmp(&list[i], adm, sizeof(*adm)))
			return true;
	return false;
}

static struct xiw_adm_addr *xiw_address_find(struct xiw_address_list *now,
					     const struct xiw_addr *addr)
{
	unsigned int i;

	for (i = 0; i < now->count; i++)
		if (!memcmp(&now->list[i].addr, addr, sizeof(*addr)))
			return &now->list[i];
	return NULL;
}

static void xiw_address_note(void *arg, const struct in6_addr *addr, u8 prefix)
{
	struct xiw_adm_addr adm = { .prefix = prefix }, *known;
	struct xiw_address_list *now = arg;

	if (ipv6_addr_type(addr) & IPV6_ADDR_LINKLOCAL)
		return;
	if (ipv6_addr_v4mapped(addr)) {
		adm.addr.family = 4;
		memcpy(adm.addr.addr, &addr->s6_addr32[3], sizeof(addr->s6_addr32[3]));
	} else {
		adm.addr.family = 6;
		memcpy(adm.addr.addr, addr, sizeof(*addr));
	}
	/*
	 * An interface may have an IPv4 address several times, with other peers or prefixes. Keep
	 * the prefix that the RNIC has.
	 */
	known = xiw_address_find(now, &adm.addr);
	if (known) {
		if (xiw_address_in(now->pci->addresses, now->pci->num_addresses, &adm))
			*known = adm;
	} else if (now->count == XIW_PCI_ADDRESSES) {
		now->excess++;
	} else {
		now->list[now->count++] = adm;
	}
}

static int xiw_address_command(struct xiw_device *dev, u8 op, const struct xiw_adm_addr *adm)
{
	struct xiw_admin_cmd cmd = { .op = op };

	cmd.address = *adm;
	return xiw_admin_exec(dev, &cmd);
}

/*
 * address_lock is held. An RNIC that has an address does not change its prefix. So if the prefix
 * has changed, remove the address first, which ends its connections, and then add it again.
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
		now->pci = pci;
		mutex_lock(&pci->address_lock);
		xiw_address_each(pci->netdev, xiw_address_note, now);
		xiw_address_hand_down(pci, to_xiw_device(ibdev), now);
		xiw_address_report(pci, now->excess);
		mutex_unlock(&pci->address_lock);
		kfree(now);
	}
	ib_device_put(ibdev);
}
