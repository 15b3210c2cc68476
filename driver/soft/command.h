/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Pending admin commands of connections, and the objects that stop() must find. */
#ifndef XIW_SOFT_COMMAND_H
#define XIW_SOFT_COMMAND_H

#include <linux/list.h>
#include <linux/wait.h>

#include "soft/soft.h"

/* A pending command, from a pool that is as large as the admin ring. */
struct xiw_soft_command {
	struct list_head node;		/* cm->lock */
	struct xiw_admin_cmd cmd;
};

struct xiw_soft_cm {
	spinlock_t lock;		/* any context */
	bool down;
	struct xiw_soft_command *pool;
	struct list_head spare, queue;
	struct list_head conns, listeners;	/* all conns, all listeners */
	unsigned int count;		/* conns and listeners; stop() reads it unlocked */
	struct list_head closing;	/* conns without a slot that close TCP, the oldest first */
	unsigned int nr_closing;
	wait_queue_head_t idle;		/* woken when count becomes 0 */
	struct work_struct dispatch;	/* creates objects; passes other commands on */
	struct xiw_soft *soft;
};

/*
 * Add a new connection or listener, or remove one that is about to be freed. After the last one is
 * removed, xiw_soft_conns_stop() waits for the lock before it frees cm. Any context.
 */
void xiw_soft_cm_join(struct xiw_soft_cm *cm, struct list_head *node, struct list_head *list);
void xiw_soft_cm_leave(struct xiw_soft_cm *cm, struct list_head *node);
/* Complete a command and return it to the pool. Process context. */
void xiw_soft_command_done(struct xiw_soft *soft, struct xiw_soft_command *command,
			   enum xiw_status status);
/*
 * Remove the oldest command from a list to which other contexts may add. Returns NULL if the list
 * is empty.
 */
struct xiw_soft_command *xiw_soft_command_next(struct xiw_soft *soft, struct list_head *list);

#endif
