/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A completion vector: one event ring of the RNIC, consumed by a NAPI poll.
 *
 * The poll runs in softirq, on one CPU at a time. It is the only consumer of the
 * ring and the only caller of the handlers of the CQs that belong to the vector.
 * Order in a poll: the RNIC's own deferred work, then passes of events and of each CQ
 * once, until one causes nothing more or the budget is used up.
 */
#ifndef XIW_VECTOR_H
#define XIW_VECTOR_H

#include <linux/bottom_half.h>
#include <linux/llist.h>
#include <linux/netdevice.h>
#include <linux/wait.h>
#include <rnic/xiw_rnic.h>

struct xiw_cq;
struct xiw_device;

#define XIW_EVENT_LOG2 10

struct xiw_vector {
	struct napi_struct napi;
	struct xiw_device *dev;
	unsigned int index;
	struct xiw_event *ring;
	u64 bus;
	u32 head;			/* consumer, free running; the poll's */
	u32 told;			/* what the RNIC knows of it; the poll's */
	struct task_struct *poller;	/* who polls, or was interrupted by the softirq that does */
	struct llist_head cqs;		/* to be notified */
	spinlock_t lookup;		/* held from finding an object to holding it */
	atomic_t empty_polls;		/* polls at whose end the ring was empty */
	wait_queue_head_t flushed;
};

int xiw_vectors_add(struct xiw_device *dev, unsigned int count);
void xiw_vectors_remove(struct xiw_device *dev);

/**
 * xiw_vector_notify - have a CQ's handler called from its vector's poll
 * @cq: a CQ that is not queued already
 *
 * Any context. The caller has taken the reference that the poll will drop.
 */
void xiw_vector_notify(struct xiw_cq *cq);

/*
 * Completions given with interrupts off raise the poll but cannot run it; in process
 * context it would start with the next tick only. Call with no lock held.
 */
static inline void xiw_vector_run(void)
{
	if (!in_interrupt() && !irqs_disabled()) {
		local_bh_disable();
		local_bh_enable();
	}
}

/**
 * xiw_vectors_pass - on return nobody finds any more what was unlisted before
 * @dev: device
 *
 * Context: process. Events find objects by what a device says, on any vector.
 */
void xiw_vectors_pass(struct xiw_device *dev);

/**
 * xiw_vector_flush - wait until every event appended before now was handled
 * @vec: vector
 *
 * Context: process, may sleep; not from the poll itself.
 */
void xiw_vector_flush(struct xiw_vector *vec);

#endif
