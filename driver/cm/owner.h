/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The owner of a QP: who created it, and so who may give it a connection.
 *
 * iw_cm names the QP of iw_connect() and iw_accept() by its number alone, and rdma_ucm
 * takes that number from user space unchecked. Without an owner any user could connect
 * the QP of another user or of the kernel to a peer of its choice.
 *
 * The fields are set when the QP is created and do not change until it is freed.
 */
#ifndef XIW_OWNER_H
#define XIW_OWNER_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct pid;

struct xiw_owner {
	struct pid *pid;	/* a reference: process of a user's QP, task of a kernel QP */
	kuid_t uid;		/* effective uid; of a user's QP */
	bool user;
};

/**
 * xiw_owner_set - the current task creates a QP
 * @owner: owner of the QP
 * @user: the QP is created by uverbs, not by a kernel ULP
 *
 * Context: process. xiw_owner_clear() drops the reference that this takes.
 */
void xiw_owner_set(struct xiw_owner *owner, bool user);

/* Any context. */
void xiw_owner_clear(struct xiw_owner *owner);

/**
 * xiw_owner_is_current - whether the current task may connect the QP
 * @owner: owner of the QP
 *
 * A user's QP belongs to the process that created it, and to processes of the same
 * effective uid in the same PID namespace: two containers may both have a uid 1000.
 *
 * A kernel QP belongs to the kernel. ULPs connect and accept from kernel threads, which
 * user space cannot make connect a QP of its choice; or, as the file systems do at mount,
 * from the system call in which they created the QP. An automount makes that the call of
 * any user, hence the task and not a capability decides. CAP_NET_ADMIN in the initial user
 * namespace is for test modules that are driven by one process after the other.
 *
 * Context: process, that of iw_connect() or iw_accept(). Return: true if it may.
 */
bool xiw_owner_is_current(const struct xiw_owner *owner);

#endif
