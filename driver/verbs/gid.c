// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "verbs/gid.h"

#include "address.h"

struct xiw_gid_list {
	const struct xiw_device *dev;
	union ib_gid name;		/* GID of index 0: fe80:: and the node GUID */
	bool more;			/* also collect addresses that are not in the table */
	unsigned int count;
	union ib_gid gids[XIW_GID_ADDRESSES];
};

static void xiw_gid_of_guid(const struct ib_device *ibdev, union ib_gid *gid)
{
	gid->global.subnet_prefix = cpu_to_be64(0xfe80000000000000ULL);
	gid->global.interface_id = ibdev->node_guid;
}

int xiw_query_gid(struct ib_device *ibdev, u32 port, int index, union ib_gid *gid)
{
	struct xiw_device *dev = to_xiw_device(ibdev);

	memset(gid, 0, sizeof(*gid));
	if (index == XIW_GID_NAME) {
		/*
		 * SRP names a port by the lower 8 octets of GID 0, and programs consider a GID
		 * empty if these octets are zero. So use the node GUID for these octets.
		 */
		xiw_gid_of_guid(ibdev, gid);
	} else if (index == XIW_GID_MAC) {
		/* Some versions of rdma_cm look up the MAC address, padded with zeros. */
		memcpy(gid->raw, dev->netdev->dev_addr,
		       min_t(int, dev->netdev->addr_len, ETH_ALEN));
	} else {
		spin_lock(&dev->gid_lock);
		*gid = dev->gids[index - XIW_GID_FIRST];
		spin_unlock(&dev->gid_lock);
	}
	return 0;
}

static bool xiw_gid_in(const union ib_gid *gids, unsigned int count, const union ib_gid *gid)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!memcmp(&gids[i], gid, sizeof(*gid)))
			return true;
	return false;
}

static void xiw_gid_note(void *arg, const struct in6_addr *addr, u8 prefix)
{
	struct xiw_gid_list *now = arg;
	union ib_gid gid;

	memcpy(&gid, addr, sizeof(gid));
	/* The table already has the address now->name, at index 0. */
	if (!memcmp(&gid, &now->name, sizeof(gid)) || now->count == XIW_GID_ADDRESSES ||
	    xiw_gid_in(now->gids, now->count, &gid))
		return;
	if (now->more || xiw_gid_in(now->dev->gids, XIW_GID_ADDRESSES, &gid))
		now->gids[now->count++] = gid;
}

/*
 * Get the addresses of the interface. If there are more addresses than the table has slots, prefer
 * addresses that the table has, because a QP may use their GIDs. The function reads the table
 * without a lock, because only its caller, the work item, changes the table.
 */
static void xiw_gid_collect(const struct xiw_device *dev, struct xiw_gid_list *now)
{
	xiw_address_each(dev->netdev, xiw_gid_note, now);
	now->more = true;
	xiw_address_each(dev->netdev, xiw_gid_note, now);
}

/*
 * Update the GID table to the addresses in @now. gid_lock is held. Return: true if the table has
 * changed.
 */
static bool xiw_gid_merge(struct xiw_device *dev, const struct xiw_gid_list *now)
{
	static const union ib_gid none;
	bool changed = false;
	unsigned int i, slot;

	for (i = 0; i < XIW_GID_ADDRESSES; i++) {
		if (!memcmp(&dev->gids[i], &none, sizeof(none)) ||
		    xiw_gid_in(now->gids, now->count, &dev->gids[i]))
			continue;
		dev->gids[i] = none;
		changed = true;
	}
	for (i = 0; i < now->count; i++) {
		if (xiw_gid_in(dev->gids, XIW_GID_ADDRESSES, &now->gids[i]))
			continue;
		/*
		 * A free slot exists, because @now has at most as many addresses as the table has
		 * slots.
		 */
		for (slot = 0; memcmp(&dev->gids[slot], &none, sizeof(none)); slot++)
			;
		dev->gids[slot] = now->gids[i];
		changed = true;
	}
	return changed;
}

static void xiw_gid_work(struct work_struct *work)
{
	struct xiw_device *dev = container_of(work, struct xiw_device, gid_work);
	struct ib_event event = {
		.device = &dev->ibdev,
		.element.port_num = 1,
		.event = IB_EVENT_GID_CHANGE,
	};
	struct xiw_gid_list now = { .dev = dev };
	bool changed;

	xiw_gid_of_guid(&dev->ibdev, &now.name);
	if (READ_ONCE(dev->config.by_number))
		xiw_gid_collect(dev, &now);
	spin_lock(&dev->gid_lock);
	changed = xiw_gid_merge(dev, &now);
	spin_unlock(&dev->gid_lock);
	if (changed && ib_device_try_get(&dev->ibdev)) {
		ib_dispatch_event(&event);
		ib_device_put(&dev->ibdev);
	}
}

void xiw_gids_init(struct xiw_device *dev)
{
	spin_lock_init(&dev->gid_lock);
	INIT_WORK(&dev->gid_work, xiw_gid_work);
}

void xiw_gids_changed(struct xiw_device *dev)
{
	queue_work(system_dfl_wq, &dev->gid_work);
}

void xiw_gids_update(struct xiw_device *dev)
{
	xiw_gids_changed(dev);
	flush_work(&dev->gid_work);
}
