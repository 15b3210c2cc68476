// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "ring/admin.h"

#include <linux/bitmap.h>

#include "xiw.h"

#define XIW_ADMIN_WARN 30		/* seconds between warnings about a slow RNIC */

static const int xiw_status_errnos[] = {
	[XIW_OK] = 0,
	[XIW_ERR_INVALID] = -EINVAL,
	[XIW_ERR_STAG] = -EINVAL,
	[XIW_ERR_ACCESS] = -EACCES,
	[XIW_ERR_BOUNDS] = -ERANGE,
	[XIW_ERR_LENGTH] = -EMSGSIZE,
	[XIW_ERR_NOMEM] = -ENOMEM,
	[XIW_ERR_BUSY] = -EBUSY,
	[XIW_ERR_ADDRESS] = -EADDRNOTAVAIL,
	[XIW_ERR_ADDRESS_IN_USE] = -EADDRINUSE,
	[XIW_ERR_REFUSED] = -ECONNREFUSED,
	[XIW_ERR_REJECTED] = -ECONNREFUSED,
	[XIW_ERR_TIMEOUT] = -ETIMEDOUT,
	[XIW_ERR_RESET] = -ECONNRESET,
	[XIW_ERR_PROTOCOL] = -EPROTO,
	[XIW_ERR_UNREACHABLE] = -EHOSTUNREACH,
	[XIW_ERR_GONE] = -ENODEV,
	[XIW_ERR_UNSUPPORTED] = -EOPNOTSUPP,
	[XIW_ERR_WRAP] = -EOVERFLOW,
	[XIW_ERR_PD] = -EACCES,
	[XIW_ERR_UNENCRYPTED] = -ENOKEY,
};

int xiw_status_errno(u8 status)
{
	return status < ARRAY_SIZE(xiw_status_errnos) ? xiw_status_errnos[status] : -EIO;
}

void xiw_admin_init(struct xiw_admin *admin)
{
	unsigned int i;

	spin_lock_init(&admin->lock);
	sema_init(&admin->room, XIW_ADMIN_SLOTS);
	bitmap_zero(admin->busy, XIW_ADMIN_SLOTS);
	for (i = 0; i < XIW_ADMIN_SLOTS; i++)
		init_completion(&admin->slots[i].done);
	admin->tail = 0;
}

/*
 * Put a command into the ring. @tail: result: the index for the doorbell. Return: the slot; -EIO if
 * the RNIC has been reset, and the command is not in the ring.
 */
static int xiw_admin_submit(struct xiw_device *dev, struct xiw_admin_cmd *cmd, u32 *tail)
{
	struct xiw_admin *admin = &dev->admin;
	unsigned int slot;

	spin_lock_bh(&admin->lock);
	if (admin->dead) {
		spin_unlock_bh(&admin->lock);
		return -EIO;
	}
	slot = find_first_zero_bit(admin->busy, XIW_ADMIN_SLOTS);
	__set_bit(slot, admin->busy);
	reinit_completion(&admin->slots[slot].done);
	admin->slots[slot].state = XIW_ADMIN_OUT;
	cmd->tag = cpu_to_le32(slot);
	dev->rnic.admin_ring[admin->tail % XIW_ADMIN_SLOTS] = *cmd;
	*tail = ++admin->tail;
	/*
	 * Another task may ring the doorbell for a later index, which includes this command. The
	 * lock orders the command before that doorbell.
	 */
	spin_unlock_bh(&admin->lock);
	return slot;
}

static void xiw_admin_release(struct xiw_admin *admin, unsigned int slot)
{
	spin_lock_bh(&admin->lock);
	__clear_bit(slot, admin->busy);
	spin_unlock_bh(&admin->lock);
	up(&admin->room);
}

/* Wait for the reset, because the RNIC may access memory of the driver until then. */
static int xiw_admin_dead(struct xiw_device *dev)
{
	wait_for_completion(&dev->reset);
	return -EIO;
}

/*
 * Wait for the answer to the command in a slot. Return: false if the RNIC did not answer within its
 * time limit. In this case, no task waits for the slot any more.
 */
static bool xiw_admin_wait(struct xiw_device *dev, unsigned int slot, u8 op)
{
	unsigned int limit = dev->rnic.ops->admin_seconds;
	struct xiw_admin *admin = &dev->admin;
	struct xiw_admin_slot *own = &admin->slots[slot];
	bool given_up;

	while (!wait_for_completion_timeout(&own->done, (limit ?: XIW_ADMIN_WARN) * HZ)) {
		if (!limit) {
			ibdev_warn(&dev->ibdev, "the RNIC is slow: no answer to admin command %u\n",
				   op);
			continue;
		}
		spin_lock_bh(&admin->lock);
		given_up = own->state == XIW_ADMIN_OUT;
		if (given_up)
			own->state = XIW_ADMIN_GIVEN_UP;
		spin_unlock_bh(&admin->lock);
		if (given_up)
			return false;
	}
	return true;
}

int xiw_admin_exec(struct xiw_device *dev, struct xiw_admin_cmd *cmd)
{
	struct xiw_admin *admin = &dev->admin;
	struct xiw_admin_slot *own;
	bool aborted;
	u8 status;
	u32 tail;
	int slot;

	might_sleep();
	if (atomic_read(&dev->failed))
		return xiw_admin_dead(dev);
	/* This wait ends, because every slot is released after the answer or by the reset. */
	down(&admin->room);
	slot = xiw_admin_submit(dev, cmd, &tail);
	if (slot < 0) {
		up(&admin->room);
		return xiw_admin_dead(dev);
	}
	/* The software RNIC answers most commands in the doorbell. */
	xiw_raise_begin();
	xiw_doorbell(&dev->rnic, XIW_DB_ADMIN, 0, tail);
	xiw_raise_end();
	/* Only a broken RNIC does not answer a command. */
	if (!xiw_admin_wait(dev, slot, cmd->op)) {
		xiw_device_fail(dev, "admin command timed out");
		return xiw_admin_dead(dev);
	}
	own = &admin->slots[slot];
	aborted = own->state == XIW_ADMIN_ABORTED;
	status = own->status;
	xiw_admin_release(admin, slot);
	return aborted ? xiw_admin_dead(dev) : xiw_status_errno(status);
}

void xiw_admin_revoke(struct xiw_device *dev, struct xiw_admin_cmd *cmd)
{
	if (!xiw_admin_exec(dev, cmd))
		return;
	/* Only a broken RNIC refuses the command. The call has no effect on a failed device. */
	xiw_device_fail(dev, "RNIC refused to return memory");
	wait_for_completion(&dev->reset);
}

/*
 * Wake the caller that waits for the answer of a slot. admin->lock is held. Return: false if no
 * caller waits for this slot.
 */
static bool xiw_admin_end(struct xiw_admin *admin, unsigned int slot, enum xiw_admin_state state,
			  u8 status)
{
	struct xiw_admin_slot *own = &admin->slots[slot];

	if (!test_bit(slot, admin->busy) || own->state != XIW_ADMIN_OUT)
		return false;
	own->state = state;
	own->status = status;
	complete(&own->done);
	return true;
}

void xiw_admin_completed(struct xiw_device *dev, const struct xiw_event *event)
{
	struct xiw_admin *admin = &dev->admin;
	u32 slot = le32_to_cpu(event->admin.tag);
	bool open = false;

	spin_lock(&admin->lock);
	if (slot < XIW_ADMIN_SLOTS)
		open = xiw_admin_end(admin, slot, XIW_ADMIN_ANSWERED, event->status);
	spin_unlock(&admin->lock);
	/* Only a broken RNIC answers a command that is not pending. */
	if (!open)
		xiw_device_fail(dev, "bogus completion of an admin command");
}

void xiw_admin_failed(struct xiw_device *dev)
{
	struct xiw_admin *admin = &dev->admin;
	unsigned int slot;

	spin_lock_bh(&admin->lock);
	admin->dead = true;
	for_each_set_bit(slot, admin->busy, XIW_ADMIN_SLOTS) {
		xiw_admin_end(admin, slot, XIW_ADMIN_ABORTED, 0);
		if (admin->slots[slot].state == XIW_ADMIN_GIVEN_UP) {
			__clear_bit(slot, admin->busy);
			up(&admin->room);
		}
	}
	spin_unlock_bh(&admin->lock);
}
