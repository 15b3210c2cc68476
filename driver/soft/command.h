/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* Pending admin commands of connections, and the lists of all connections and listeners. */
#ifndef XIW_SOFT_COMMAND_H
#define XIW_SOFT_COMMAND_H

#include <linux/list.h>
#include <linux/wait.h>

#include "soft/soft.h"

/* A pending command. The pool of commands is as large as the admin ring. */
struct xiw_soft_command {
	struct list_head node;		/* under cm->lock */
	struct xiw_admin_cmd cmd;
};

struct xiw_soft_cm {
	spinlock_t lock;		/* taken in any context */
	bool down;
	struct xiw_soft_command *pool;
	struct list_head spare, queue;
	struct list_head conns, listeners;	/* of the device */
	unsigned int count;		/* number of conns and listeners; written under lock */
	struct list_head closing;	/* conns that have no slot and close TCP, oldest first */
	unsigned int nr_closing;
	wait_queue_head_t idle;		/* woken when count becomes 0 */
	struct work_struct dispatch;	/* executes commands that no doorbell executes */
	bool dispatching;		/* a context executes the commands in queue; under lock */
	struct xiw_soft *soft;
};

/*
 * Add a new conn or listener to a list of cm, or remove a conn or listener that is about to be
 * freed. xiw_soft_conns_stop() frees cm after the last conn or listener is removed and cm->lock is
 * released. Any context.
 */
void xiw_soft_cm_join(struct xiw_soft_cm *cm, struct list_head *node, struct list_head *list);
void xiw_soft_cm_leave(struct xiw_soft_cm *cm, struct list_head *node);
/*
 * Complete a command and return it to the pool. Process context, interrupts are enabled and no lock
 * is held. The poll of vector 0 may run here.
 */
void xiw_soft_command_done(struct xiw_soft *soft, struct xiw_soft_command *command,
			   enum xiw_status status);
/*
 * Remove and return the oldest command of a list; NULL if the list is empty. Other contexts may add
 * commands meanwhile. Process context.
 */
struct xiw_soft_command *xiw_soft_command_next(struct xiw_soft *soft, struct list_head *list);

#endif
