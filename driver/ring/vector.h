/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A completion vector: one event ring of the RNIC, consumed by a NAPI poll.
 *
 * The poll runs in softirq, on one CPU at a time. It is the only consumer of the
 * ring and the only caller of the handlers of the CQs that belong to the vector.
 * Order in a poll: the RNIC's own deferred work, then passes of events and of each CQ
 * once, until one causes nothing more or the budget is used up.
 *
 * Raising. Whoever has work for the poll raises the vector, in any context and with any
 * lock held. To raise is to wake: it never runs the poll.
 *
 * - In an interrupt or a softirq the poll is the next softirq of this CPU.
 * - A task queues the vector's work item, which raises the poll from a worker. The task
 *   cannot use napi_schedule(): with interrupts off nobody runs the softirq that it makes
 *   pending, until an interrupt comes. The task cannot use local_bh_enable() either, which
 *   runs the poll in its caller: under QP.sq_lock and CQ.lock on PREEMPT_RT, where
 *   spin_lock_irqsave() leaves interrupts on; and in a ULP that posts until a pool is empty
 *   which the completion handlers refill.
 * - A task inside local_bh_disable() is an exception if it is the RNIC that raises: the
 *   poll then runs in the local_bh_enable(), as any receive processing of that task's TCP
 *   does. What the software RNIC transmits in a doorbell is the usual case. No lock above
 *   the RNIC is held there, and no such raise tells of a flush.
 *
 * So a ULP's call on a queue in error never runs the handlers of the completions that it
 * makes. The worker may preempt a task that goes on posting; xiw_cq_hurried() sees to it
 * that it does not do so after each post.
 *
 * A ULP's call on an open queue rings a doorbell. If the RNIC transmits in it and the peer is
 * on this machine, the softirqs at its end may be the polls of both ends. The ULP may hold a
 * lock that its handlers take, or may post until a pool is empty that they refill. So a poll
 * on top of such a call handles events and leaves the handlers to the worker. On PREEMPT_RT
 * the ULP may hold a spinlock with interrupts enabled, and any softirq may take it. There
 * the doorbell is rung with interrupts disabled, and the RNIC transmits in the poll.
 */
#ifndef XIW_VECTOR_H
#define XIW_VECTOR_H

#include <linux/llist.h>
#include <linux/netdevice.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rnic/xiw_rnic.h>

struct xiw_cq;
struct xiw_device;
struct xiw_rnic;

#define XIW_EVENT_LOG2 10
#define XIW_VECTOR_NS 2000000	/* of events, and of handlers: then others get the CPU */

struct xiw_vector {
	struct napi_struct napi;
	struct work_struct wake;	/* raises the poll for a task */
	struct xiw_device *dev;
	unsigned int index;
	struct xiw_event *ring;
	u64 bus;
	u32 head;			/* consumer, free running; the poll's */
	u32 told;			/* what the RNIC knows of it; the poll's */
	struct task_struct *poller;	/* who polls, or was interrupted by the softirq that does */
	struct llist_head cqs;		/* to be notified */
	struct llist_node *due;		/* of these what has been taken, oldest first; the poll's */
	u32 due_pass, due_head;		/* begun and head when it was taken; the poll's */
	spinlock_t lookup;		/* held from finding an object to holding it */
	/* For xiw_vector_flush(); the poll writes them. A pass ends behind its handlers. */
	u32 begun;			/* passes */
	u32 ended;			/* the same of the last whose handlers have all returned */
	u32 handled;			/* events, by passes that have ended: what head was */
	wait_queue_head_t flushed;	/* woken by each poll */
};

int xiw_vectors_add(struct xiw_device *dev, unsigned int count);
void xiw_vectors_remove(struct xiw_device *dev);

/**
 * xiw_vector_notify - have a CQ's handler called from its vector's poll
 * @cq: a CQ that is not queued already
 *
 * Context: any, with any lock held; the handler is not called before this returns. The
 * caller has taken the reference that the poll will drop.
 */
void xiw_vector_notify(struct xiw_cq *cq);

/**
 * xiw_vector_doorbell - ring a doorbell in a call of a ULP
 * @rnic: RNIC
 * @kind: which
 * @index: of the stream
 * @value: as the RNIC wants it
 *
 * Context: any, no lock of the driver is held. No handler is called before this returns.
 */
void xiw_vector_doorbell(struct xiw_rnic *rnic, enum xiw_doorbell kind, u32 index, u32 value);

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
 * On return the handlers of all CQs that were queued before now have returned, too.
 *
 * Context: process, may sleep; not from the poll itself. A vector that is busy all the time
 * makes nobody wait for more than the events of one ring.
 */
void xiw_vector_flush(struct xiw_vector *vec);

#endif
