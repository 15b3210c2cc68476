/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Shares: how much of a device's tables one user may take.
 *
 * Whoever may open /dev/infiniband may connect and listen, and takes connection slots and
 * listeners by that; QPs and STags of regions and windows likewise. One user gets an eighth of
 * a table, all users together get half of it: the rest is for the kernel and the administrator,
 * whose storage has to reconnect. These are the callers with CAP_SYS_RESOURCE, kernel threads
 * among them; they are not counted, and neither is what a kernel ULP makes in the call of a user.
 *
 * A listener is counted for the user who made it, and so are its slots, whoever connects.
 * Memory for a counted user is charged to the memory cgroup of that user.
 */
#ifndef XIW_SHARE_H
#define XIW_SHARE_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct xiw_device;

enum xiw_shared {
	XIW_SHARED_CONN,
	XIW_SHARED_LISTENER,
	XIW_SHARED_QP,
	XIW_SHARED_STAG,
	XIW_SHARED_COUNT,
};

#define XIW_SHARE_NOBODY U32_MAX	/* no user has this id: not counted */

struct xiw_shares {
	struct mutex lock;		/* all below; a leaf */
	struct xarray users;		/* id -> struct xiw_share */
	u32 used[XIW_SHARED_COUNT];	/* by all of them */
};

void xiw_shares_init(struct xiw_shares *shares);
void xiw_shares_remove(struct xiw_shares *shares);

/* Who calls: an id of a user, or XIW_SHARE_NOBODY. Process context. */
u32 xiw_share_caller(void);

/*
 * For memory of connections and listeners. A swap or root disk may wait for the connection:
 * reclaim must not wait for the disk.
 */
static inline gfp_t xiw_share_gfp(u32 user)
{
	return user == XIW_SHARE_NOBODY ? GFP_NOIO : GFP_NOIO | __GFP_ACCOUNT;
}

/**
 * xiw_share_take - count one entry of a table
 * @dev: device
 * @user: who takes it
 * @what: table
 *
 * Context: process. Return: 0; -EAGAIN if the user, or all users, have their share;
 * -ENOMEM.
 */
int xiw_share_take(struct xiw_device *dev, u32 user, enum xiw_shared what);

/* What was taken is given back. Process context. */
void xiw_share_give(struct xiw_device *dev, u32 user, enum xiw_shared what);

#endif
