/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * A completion vector: one event ring of the RNIC, consumed by a NAPI poll.
 *
 * The poll runs in softirq, on one CPU at a time. The poll is the only consumer of the ring and the
 * only caller of the handlers of the CQs that belong to the vector. A poll first does the deferred
 * work of the RNIC. Then it makes passes. A pass handles events, and then each queued CQ once. The
 * poll ends when a pass causes no more work, or when its budget or its time limit is used up.
 *
 * Raising: code that has work for the poll raises the vector, in any context and with any lock
 * held. Raising schedules the poll and never runs it.
 *
 * - In an interrupt or a softirq, napi_schedule() makes the poll run in the next softirq of this
 *   CPU.
 * - A task queues the vector's work item, and a worker schedules the poll. The task cannot use
 *   napi_schedule(): with interrupts off, the pending softirq would not run until an interrupt
 *   comes. Nor can the task use local_bh_enable(), which runs the poll in its caller. On
 *   PREEMPT_RT, where spin_lock_irqsave() leaves interrupts on, the poll would run under QP.sq_lock
 *   and CQ.lock. The poll would also run inside a ULP that posts until a pool is empty. The
 *   completion handlers refill the pool, so the pool would never be empty.
 * - The RNIC may also raise the vector in a task that has disabled BH. This case is an exception:
 *   napi_schedule() schedules the poll, and local_bh_enable() of the task runs the poll, as it runs
 *   the receive processing of TCP. Usually, the task runs the software RNIC, which transmits in a
 *   doorbell, answers an admin command, or reports an event of a connection (xiw_raise_begin()).
 *   The task then holds no spinlock above the RNIC interface. The flush of a queue never raises the
 *   vector in this way.
 *
 * So a post to a queue in error never runs the handlers of the completions that the post causes.
 * The worker may preempt a task that continues to post. xiw_cq_hurried() delays the handlers of
 * flushed completions, so that this does not happen after each post.
 *
 * A post to an open queue rings a doorbell. If the RNIC transmits inside the doorbell and the peer
 * is on this machine, the softirqs at the end of the doorbell may be the polls of both ends. The
 * ULP may hold a lock that its handlers take. Or the ULP may post until a pool is empty, and its
 * handlers would refill this pool. So a poll that interrupts the doorbell of a ULP handles events,
 * but calls no handlers of the device of the doorbell. Another poll calls them.
 *
 * On PREEMPT_RT, the ULP may hold a spinlock with interrupts enabled, and any softirq may take this
 * spinlock. So on PREEMPT_RT, a task with BH enabled rings the doorbell with interrupts disabled,
 * and the RNIC transmits in the poll.
 *
 * The handlers that a poll has left need another poll. A worker schedules this poll, at the cost of
 * two context switches. To avoid this cost, the handlers of completed Sends and Writes wait for the
 * next event, which is usually the peer's answer. In case no event comes, a timer schedules the
 * poll after XIW_VECTOR_LAZY_US. When the timer expires, the ULP may be waiting for completions in
 * two cases: no poll has called handlers since the timer was started, or handlers are pending and
 * the CPU is idle. In both cases, the handlers of the next XIW_VECTOR_HASTE polls do not wait for
 * an event.
 */
#ifndef XIW_VECTOR_H
#define XIW_VECTOR_H

#include <linux/hrtimer.h>
#include <linux/llist.h>
#include <linux/netdevice.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rnic/xiw_rnic.h>

struct xiw_cq;
struct xiw_device;
struct xiw_rnic;

#define XIW_EVENT_LOG2 10
#define XIW_VECTOR_NS 2000000	/* ns; a poll has two such limits: for events, and for handlers */
#define XIW_VECTOR_LAZY_US 500	/* longest delay of a handler that can wait */
#define XIW_VECTOR_HASTE 256	/* after lazy has expired: number of polls that delay no handler */

/*
 * The vectors are in one array. They share no cache line, because CPUs write different vectors at
 * the same time.
 */
struct xiw_vector {
	struct napi_struct napi;
	struct work_struct wake;	/* schedules the poll for a task */
	struct xiw_device *dev;
	unsigned int index;
	struct xiw_event *ring;
	u64 bus;
	u32 head;			/* consumer index, free-running; owned by the poll */
	u32 told;			/* head as last passed to the RNIC; owned by the poll */
	struct task_struct *poller;	/* current task during a poll, else NULL */
	struct llist_head cqs;		/* CQs to notify */
	bool urgent;			/* a CQ in cqs has a completion that cannot wait */
	struct hrtimer lazy;		/* schedules the poll for handlers that wait */
	bool waiting;			/* lazy is pending */
	u32 lazy_ended;			/* value of @ended when @lazy was started */
	u32 haste;			/* number of further polls whose handlers do not wait */
	struct llist_node *due;		/* CQs taken from cqs, oldest first; owned by the poll */
	u32 due_pass, due_head;		/* @begun and @head when @due was filled; poll only */
	spinlock_t lookup;		/* held from a look-up until the object is referenced */
	/*
	 * The poll writes the following members, and xiw_vector_flush() reads them. A pass ends
	 * after its handlers have returned.
	 */
	u32 begun;			/* number of passes that have begun */
	u32 ended;			/* value of begun in the last pass that has ended */
	u32 handled;			/* value of head after the events of that pass */
	wait_queue_head_t flushed;	/* woken by each poll */
} ____cacheline_aligned_in_smp;

int xiw_vectors_add(struct xiw_device *dev, unsigned int count);
void xiw_vectors_remove(struct xiw_device *dev);

/**
 * xiw_vector_notify - queue the handler of a CQ for the poll of its vector
 * @cq: CQ that is not queued yet
 * @urgent: true to call xiw_vector_hurry() for this CQ
 *
 * Context: any, with any lock held, because this function itself never runs the handler. The caller
 * has taken the reference that the poll will drop.
 */
void xiw_vector_notify(struct xiw_cq *cq, bool urgent);

/**
 * xiw_vector_hurry - request that the pending handlers are called without delay
 * @vec: vector
 *
 * A poll that interrupts the doorbell of a ULP calls no handlers. The handlers that it leaves may
 * wait for another event. After this call, the handlers of all CQs that are already queued no
 * longer wait. The request ends when a poll takes the queued CQs, so a CQ that is queued later
 * needs another call of this function.
 *
 * Context: any, with any lock held.
 */
void xiw_vector_hurry(struct xiw_vector *vec);

/**
 * xiw_vector_request - ring the doorbell XIW_DB_TX_REQUEST in a call of a ULP
 * @rnic: RNIC
 * @stream: index of the stream
 * @value: value for the RNIC
 *
 * Context: any, no lock of the driver is held. If a poll of this RNIC runs inside this function,
 * the poll calls no handler. On PREEMPT_RT, if the caller is a task with BH enabled, the RNIC
 * handles the doorbell with interrupts disabled, and takes no spinlock.
 */
void xiw_vector_request(struct xiw_rnic *rnic, u32 stream, u32 value);

/**
 * xiw_vectors_pass - wait until no poll can find an object that was removed from its table
 * @dev: device
 *
 * Events name objects by index, so the poll of any vector may look up an object. On return, a poll
 * may still use the object, but only with a reference that the poll has taken.
 *
 * Context: process.
 */
void xiw_vectors_pass(struct xiw_device *dev);

/**
 * xiw_vector_flush - wait until all events written so far are handled
 * @vec: vector
 *
 * On return, the handlers of all CQs that were queued before the call have returned, too.
 *
 * Context: process, may sleep; not from the poll itself. On a busy vector, this function waits for
 * at most one ring of events. If the RNIC removes an event from the ring before the poll reads it,
 * the device fails.
 */
void xiw_vector_flush(struct xiw_vector *vec);

#endif
