/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The admin ring: commands to the RNIC and their completions.
 *
 * A slot is taken for a command and given back when its completion was seen, so
 * the ring can never overflow.
 *
 * The operations of an RNIC say how long it may take to answer (admin_seconds, rnic.h).
 * A command that is not answered in that time fails the whole device. Its slot stays taken
 * until the reset, as the RNIC may still write for it. An RNIC without a limit is never
 * failed for being slow: the caller warns and waits on.
 *
 * When the device has failed, all callers wait for its reset and return -EIO. The reset is
 * the work of a queue that runs nothing that could wait here (device.c).
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

/* Of a slot that is busy. */
enum xiw_admin_state {
	XIW_ADMIN_OUT,			/* the caller waits for the answer */
	XIW_ADMIN_ANSWERED,		/* the caller is about to release the slot */
	XIW_ADMIN_GIVEN_UP,		/* nobody waits: the reset of the device releases it */
};

struct xiw_admin_slot {
	struct completion done;
	enum xiw_admin_state state;
	u8 status;
};

struct xiw_admin {
	struct semaphore room;		/* free slots */
	spinlock_t lock;		/* all below; a leaf, bottom halves disabled */
	DECLARE_BITMAP(busy, XIW_ADMIN_SLOTS);
	struct xiw_admin_slot slots[XIW_ADMIN_SLOTS];
	u32 tail;
	bool dead;			/* the RNIC has been reset, and takes no command */
};

void xiw_admin_init(struct xiw_admin *admin);

/**
 * xiw_admin_exec - run one admin command
 * @dev: device
 * @cmd: command; its tag is filled in here
 *
 * Context: process, may sleep. Bounded by the time limit and the reset of an RNIC that has
 * a limit; a software RNIC answers as soon as it gets to run. Return: 0 or the errno of
 * the status; -EIO if the device has failed.
 */
int xiw_admin_exec(struct xiw_device *dev, struct xiw_admin_cmd *cmd);

/* Softirq, from vector 0. */
void xiw_admin_completed(struct xiw_device *dev, const struct xiw_event *event);

/* The RNIC has been reset and answers nothing any more. Process context. */
void xiw_admin_failed(struct xiw_device *dev);

int xiw_status_errno(u8 status);

#endif
