/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Shares: limits on the part of a device's tables that one user may take.
 *
 * Every process that may open /dev/infiniband can take entries of the tables of connections,
 * listeners, QPs, SRQs and STags. One user gets at most an eighth of a table, and all users
 * together get at most half of a table. The other half is for the kernel and the administrator, so
 * that their storage can reconnect. The administrator is any caller with CAP_SYS_RESOURCE,
 * including kernel threads. Entries of the kernel and the administrator are not counted. QPs, SRQs
 * and STags that a kernel ULP creates during a system call of a user are not counted either.
 *
 * A listener and its connection slots are counted for the user who created the listener, whichever
 * peer connects. The listener for peers that are named by number (cm/peer.h) and the slots of this
 * listener are counted for no user. When a QP accepts a peer that is named by number, the slot of
 * the connection is counted for the user of the QP. If entries of a user are counted, the driver
 * charges memory for the user to the memory cgroup of the user.
 */
#ifndef XIW_SHARE_H
#define XIW_SHARE_H

#include <linux/types.h>
#include <linux/xarray.h>

struct mem_cgroup;
struct workqueue_struct;
struct xiw_device;

enum xiw_shared {
	XIW_SHARED_CONN,
	XIW_SHARED_LISTENER,
	XIW_SHARED_QP,
	XIW_SHARED_SRQ,
	XIW_SHARED_STAG,
	XIW_SHARED_COUNT,
};

#define XIW_SHARE_NOBODY U32_MAX	/* id of no user: entries are not counted */

struct xiw_shares {
	struct xarray users;		/* id -> struct xiw_share; its lock protects all members */
	u32 used[XIW_SHARED_COUNT];	/* total of all users */
};

void xiw_shares_init(struct xiw_shares *shares);
void xiw_shares_remove(struct xiw_shares *shares);

/*
 * Return: true if @user has used less than half of its share of the table @what, or is
 * XIW_SHARE_NOBODY. Process context.
 */
bool xiw_share_is_ample(struct xiw_device *dev, u32 user, enum xiw_shared what);

/* Get the id of the calling user, or XIW_SHARE_NOBODY. Process context. */
u32 xiw_share_caller(void);

/*
 * Get the GFP flags for memory of connections and listeners. A swap or root disk may wait for the
 * connection, so reclaim must not wait for the disk. An allocation for a user may wait for a long
 * time if the memory cgroup of the user is full. So hold no lock of the device during the
 * allocation, and run work items on xiw_share_wq().
 */
static inline gfp_t xiw_share_gfp(u32 user)
{
	return user == XIW_SHARE_NOBODY ? GFP_NOIO : GFP_NOIO | __GFP_ACCOUNT;
}

/*
 * Get the memory cgroup to which workers charge memory for a user, with a reference for
 * mem_cgroup_put(). Return: the cgroup of the caller, or the active cgroup if the caller is a
 * worker; NULL for XIW_SHARE_NOBODY. Process context.
 */
struct mem_cgroup *xiw_share_memcg(u32 user);

/*
 * Get the workqueue for work items that allocate memory for a user. A user whose memory cgroup is
 * full must not occupy the workqueue on which storage depends. Any context.
 */
struct workqueue_struct *xiw_share_wq(const struct xiw_device *dev, u32 user);

/**
 * xiw_share_take - count one entry of a table
 * @dev: device
 * @user: user that is charged
 * @what: table
 *
 * Context: process.
 *
 * Return: 0; -EAGAIN if the share of the user, or of all users, is used up; -ENOMEM.
 */
int xiw_share_take(struct xiw_device *dev, u32 user, enum xiw_shared what);

/* Undo xiw_share_take(). Process context. */
void xiw_share_give(struct xiw_device *dev, u32 user, enum xiw_shared what);

#endif
