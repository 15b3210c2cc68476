/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The admin ring: commands to the RNIC and their completions.
 *
 * A command takes a slot and releases it after its completion, so the ring cannot overflow.
 *
 * Each kind of RNIC may have a time limit for answers (admin_seconds in rnic.h). If the RNIC does
 * not answer a command within this time, the driver fails the whole device. The slot of the command
 * stays taken until the reset, because the RNIC may still write the answer. If there is no time
 * limit, the caller logs a warning and continues to wait.
 *
 * When the device has failed, all callers wait for its reset and return -EIO. The reset runs on a
 * workqueue of its own, because work items of other workqueues may wait for the reset (device.c).
 */
#ifndef XIW_ADMIN_H
#define XIW_ADMIN_H

#include <linux/bits.h>
#include <linux/completion.h>
#include <linux/semaphore.h>
#include <linux/spinlock.h>
#include <rnic/xiw_rnic.h>

struct xiw_device;

#define XIW_ADMIN_LOG2 6
#define XIW_ADMIN_SLOTS BIT(XIW_ADMIN_LOG2)

/* State of a busy slot. */
enum xiw_admin_state {
	XIW_ADMIN_OUT,			/* the caller waits for the answer */
	XIW_ADMIN_ANSWERED,		/* the caller is about to release the slot */
	XIW_ADMIN_ABORTED,		/* the RNIC was reset; the caller will release the slot */
	XIW_ADMIN_GIVEN_UP,		/* no task waits; a reset of the device releases the slot */
};

struct xiw_admin_slot {
	struct completion done;
	enum xiw_admin_state state;
	u8 status;			/* status of the answer; not validated */
};

struct xiw_admin {
	struct semaphore room;		/* free slots */
	spinlock_t lock;		/* protects members below; a leaf lock, taken with BH off */
	DECLARE_BITMAP(busy, XIW_ADMIN_SLOTS);
	struct xiw_admin_slot slots[XIW_ADMIN_SLOTS];
	u32 tail;
	bool dead;			/* the RNIC has been reset, and accepts no commands */
};

void xiw_admin_init(struct xiw_admin *admin);

/**
 * xiw_admin_exec - execute one admin command
 * @dev: device
 * @cmd: command; this function sets its tag
 *
 * If the RNIC has a time limit and does not answer within it, the device fails, and this function
 * returns after the reset. The software RNIC has no time limit. It answers most commands before its
 * doorbell returns, and the others later, in its work items or polls.
 *
 * Context: process, may sleep. Polls, which call CQ handlers, may run in the calling task.
 *
 * Return: 0 or the errno of the status; -EIO if the device has failed.
 */
int xiw_admin_exec(struct xiw_device *dev, struct xiw_admin_cmd *cmd);

/**
 * xiw_admin_revoke - execute an admin command that revokes memory from the RNIC
 * @dev: device
 * @cmd: command, which a working RNIC does not refuse
 *
 * On return, the RNIC no longer accesses the memory. If the RNIC refuses the command, the device
 * fails, and this function returns after the reset.
 *
 * Context: process, may sleep, as for xiw_admin_exec().
 */
void xiw_admin_revoke(struct xiw_device *dev, struct xiw_admin_cmd *cmd);

/* Handle the completion of a command. Softirq, in the poll of vector 0. */
void xiw_admin_completed(struct xiw_device *dev, const struct xiw_event *event);

/* Abort all commands after a reset of the RNIC. Process context. */
void xiw_admin_failed(struct xiw_device *dev);

/* Convert enum xiw_status to 0 or a negative errno. Any context. */
int xiw_status_errno(u8 status);

#endif
