// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cm/owner.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

void xiw_owner_set(struct xiw_owner *owner, bool user)
{
	owner->user = user;
	owner->uid = current_euid();
	owner->pid = get_pid(user ? task_tgid(current) : task_pid(current));
}

void xiw_owner_clear(struct xiw_owner *owner)
{
	put_pid(owner->pid);
	owner->pid = NULL;
}

static bool xiw_owner_is_user(const struct xiw_owner *owner)
{
	if (current->flags & PF_KTHREAD)
		return false;
	return task_tgid(current) == owner->pid ||
	       (uid_eq(current_euid(), owner->uid) &&
		task_active_pid_ns(current) == ns_of_pid(owner->pid));
}

static bool xiw_owner_is_kernel(const struct xiw_owner *owner)
{
	return current->flags & PF_KTHREAD || task_pid(current) == owner->pid ||
	       capable(CAP_NET_ADMIN);
}

bool xiw_owner_is_current(const struct xiw_owner *owner)
{
	return owner->user ? xiw_owner_is_user(owner) : xiw_owner_is_kernel(owner);
}
