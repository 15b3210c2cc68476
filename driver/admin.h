/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The admin ring: commands to the RNIC and their completions.
 *
 * A slot is taken for a command and given back when its completion was seen, so
 * the ring can never overflow. A command that is not answered in time fails the
 * whole device: its slot stays taken, as the RNIC may still write for it.
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

struct xiw_admin_slot {
	struct completion done;
	u8 status;
	bool waiting;
};

struct xiw_admin {
	spinlock_t lock;		/* slots, producer */
	struct semaphore room;		/* free slots */
	DECLARE_BITMAP(busy, XIW_ADMIN_SLOTS);
	struct xiw_admin_slot slots[XIW_ADMIN_SLOTS];
	u32 tail;
};

void xiw_admin_init(struct xiw_admin *admin);

/**
 * xiw_admin_exec - run one admin command
 * @dev: device
 * @cmd: command; its tag is filled in here
 *
 * Context: process, may sleep, bounded by 30 s. Return: 0 or the errno of the
 * status; -EIO if the device has failed.
 */
int xiw_admin_exec(struct xiw_device *dev, struct xiw_admin_cmd *cmd);

/* Softirq, from vector 0. */
void xiw_admin_completed(struct xiw_device *dev, const struct xiw_event *event);

/* The RNIC has been reset and answers nothing any more. Process context. */
void xiw_admin_failed(struct xiw_device *dev);

int xiw_status_errno(u8 status);

#endif
