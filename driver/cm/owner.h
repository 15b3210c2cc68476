/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The owner of a QP. Only the owner may connect the QP, see xiw_owner_is_current().
 *
 * iw_cm passes only the number of the QP to iw_connect() and iw_accept(), and rdma_ucm takes
 * that number from user space unchecked. Without an owner, any user could connect the QP of
 * another user or of the kernel to any peer.
 *
 * The fields are set when the QP is created and do not change until the QP is freed.
 */
#ifndef XIW_OWNER_H
#define XIW_OWNER_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct pid;

struct xiw_owner {
	struct pid *pid;	/* process (user's QP) or task (kernel QP); holds a reference */
	kuid_t uid;		/* effective uid; used only for a user's QP */
	bool user;
};

/**
 * xiw_owner_set - make the current task the owner of a QP
 * @owner: owner of the QP
 * @user: true if uverbs creates the QP, false if a kernel ULP does
 *
 * Context: process. xiw_owner_clear() drops the reference that this function takes.
 */
void xiw_owner_set(struct xiw_owner *owner, bool user);

/* Drop the reference that xiw_owner_set() has taken. Any context. */
void xiw_owner_clear(struct xiw_owner *owner);

/**
 * xiw_owner_is_current - check whether the current task may connect a QP
 * @owner: owner of the QP
 *
 * A user's QP belongs to the process that created it, and to processes with the same effective uid
 * in the same PID namespace. The uid alone is not enough, because two containers may use the same
 * uid.
 *
 * A kernel QP belongs to the kernel. Most ULPs connect and accept in kernel threads, and user space
 * cannot choose the QP that such a thread connects. Other ULPs, such as file systems at mount,
 * connect in the system call that created the QP. With an automount, any user may make this call,
 * so the function compares tasks and does not require a capability. A task with CAP_NET_ADMIN in
 * the initial user namespace may connect any kernel QP. Test modules need this, because different
 * processes control the same test module.
 *
 * Context: process; called in iw_connect() or iw_accept().
 *
 * Return: true if the current task may connect the QP.
 */
bool xiw_owner_is_current(const struct xiw_owner *owner);

#endif
