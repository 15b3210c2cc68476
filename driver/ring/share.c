// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "ring/share.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "xiw.h"

#define XIW_SHARE_OF_USER 8	/* divisor: one user gets an eighth of a table */
#define XIW_SHARE_OF_USERS 2	/* divisor: all users get half of a table */

/*
 * Number of entries that one user has in each table. Exists while the user has at least one entry.
 */
struct xiw_share {
	u32 used[XIW_SHARED_COUNT];
};

void xiw_shares_init(struct xiw_shares *shares)
{
	xa_init(&shares->users);
}

void xiw_shares_remove(struct xiw_shares *shares)
{
	WARN_ON(!xa_empty(&shares->users));
	xa_destroy(&shares->users);
}

/*
 * Get the user who is charged for the caller. A user may have many ids in a user namespace that
 * this user has created. So charge the creator of the namespace, and not the id of the caller.
 * Ignore namespaces that root has created, for example for a container.
 */
static kuid_t xiw_share_uid(void)
{
	const struct user_namespace *ns;
	kuid_t uid = current_uid();

	for (ns = current_user_ns(); ns != &init_user_ns; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	return uid;
}

u32 xiw_share_caller(void)
{
	if (ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE))
		return XIW_SHARE_NOBODY;
	return from_kuid(&init_user_ns, xiw_share_uid());
}

struct mem_cgroup *xiw_share_memcg(u32 user)
{
	return user == XIW_SHARE_NOBODY ? NULL : get_mem_cgroup_from_mm(current->mm);
}

struct workqueue_struct *xiw_share_wq(const struct xiw_device *dev, u32 user)
{
	return user == XIW_SHARE_NOBODY ? dev->wq : dev->user_wq;
}

static u32 xiw_share_table(const struct xiw_device *dev, enum xiw_shared what)
{
	const struct xiw_rnic_caps *caps = &dev->rnic.caps;
	const __le32 size[XIW_SHARED_COUNT] = {
		[XIW_SHARED_CONN] = caps->max_conns,
		[XIW_SHARED_LISTENER] = caps->max_listeners,
		[XIW_SHARED_QP] = caps->max_streams,
		[XIW_SHARED_SRQ] = caps->max_shared_rx,
		[XIW_SHARED_STAG] = caps->max_stags,
	};

	return le32_to_cpu(size[what]);
}

static u32 xiw_share_limit(u32 table)
{
	return max(table / XIW_SHARE_OF_USER, 1U);
}

/*
 * Get or create the share of a user. The lock of the array is held. This function releases the lock
 * while it allocates memory, because the allocation may wait for a long time if the memory cgroup
 * of the user is full. Return: NULL if there is no memory.
 */
static struct xiw_share *xiw_share_of(struct xiw_shares *shares, u32 user)
	__must_hold(&shares->users.xa_lock)
{
	struct xiw_share *share = xa_load(&shares->users, user), *new;

	if (share)
		return share;
	xa_unlock(&shares->users);
	new = kzalloc(sizeof(*new), xiw_share_gfp(user));
	xa_lock(&shares->users);
	if (!new)
		return NULL;
	/*
	 * __xa_cmpxchg() also releases the lock to allocate memory. Another caller may have created
	 * the share while the lock was released.
	 */
	share = __xa_cmpxchg(&shares->users, user, NULL, new, xiw_share_gfp(user));
	if (!share)
		return new;
	kfree(new);
	return xa_is_err(share) ? NULL : share;
}

/* Free the share of a user if the user has no entries left. The lock of the array is held. */
static void xiw_share_forget(struct xiw_shares *shares, u32 user, struct xiw_share *share)
	__must_hold(&shares->users.xa_lock)
{
	int i;

	for (i = 0; i < XIW_SHARED_COUNT; i++)
		if (share->used[i])
			return;
	__xa_erase(&shares->users, user);
	kfree(share);
}

int xiw_share_take(struct xiw_device *dev, u32 user, enum xiw_shared what)
{
	struct xiw_shares *shares = &dev->shares;
	u32 table = xiw_share_table(dev, what);
	struct xiw_share *share;
	int err = 0;

	if (user == XIW_SHARE_NOBODY)
		return 0;
	xa_lock(&shares->users);
	share = xiw_share_of(shares, user);
	if (!share) {
		err = -ENOMEM;
	} else if (share->used[what] >= xiw_share_limit(table) ||
		   shares->used[what] >= max(table / XIW_SHARE_OF_USERS, 1U)) {
		err = -EAGAIN;
		xiw_share_forget(shares, user, share);
	} else {
		share->used[what]++;
		shares->used[what]++;
	}
	xa_unlock(&shares->users);
	return err;
}

bool xiw_share_is_ample(struct xiw_device *dev, u32 user, enum xiw_shared what)
{
	struct xiw_shares *shares = &dev->shares;
	u32 table = xiw_share_table(dev, what);
	struct xiw_share *share;
	bool ample = true;

	if (user == XIW_SHARE_NOBODY)
		return true;
	xa_lock(&shares->users);
	share = xa_load(&shares->users, user);
	if (share)
		ample = share->used[what] < xiw_share_limit(table) / 2;
	xa_unlock(&shares->users);
	return ample;
}

void xiw_share_give(struct xiw_device *dev, u32 user, enum xiw_shared what)
{
	struct xiw_shares *shares = &dev->shares;
	struct xiw_share *share;

	if (user == XIW_SHARE_NOBODY)
		return;
	xa_lock(&shares->users);
	share = xa_load(&shares->users, user);
	if (!WARN_ON(!share)) {
		share->used[what]--;
		shares->used[what]--;
		xiw_share_forget(shares, user, share);
	}
	xa_unlock(&shares->users);
}
