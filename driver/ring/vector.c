// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "ring/vector.h"

#include <linux/sched/clock.h>

#include "cm/cm.h"
#include "diag/counters.h"
#include "queue/cq.h"
#include "rdmap/stream.h"
#include "ring/admin.h"
#include "xiw.h"

/*
 * Raise the vector on behalf of a task, see vector.h. Works with interrupts off and under any lock.
 */
static void xiw_vector_wake(struct xiw_vector *vec)
{
	queue_work(vec->dev->wakers, &vec->wake);
}

static void xiw_vector_wake_work(struct work_struct *work)
{
	struct xiw_vector *vec = container_of(work, struct xiw_vector, wake);

	local_bh_disable();
	napi_schedule(&vec->napi);
	/*
	 * The poll normally runs here. On PREEMPT_RT, this task may have preempted a softirq that
	 * runs polls on this CPU. In this case, that softirq also runs this poll.
	 */
	local_bh_enable();
}

void xiw_rnic_interrupt(struct xiw_rnic *rnic, unsigned int vector)
{
	struct xiw_device *dev = xiw_device_of(rnic);

	/*
	 * acquire: pairs with xiw_vector_add(), which counts a vector after it has created the
	 * vector
	 */
	if (unlikely(vector >= smp_load_acquire(&dev->num_vectors)))
		return;
	/* in_interrupt() is also true in a task with bottom halves disabled, see vector.h */
	if (likely(in_interrupt()))
		napi_schedule(&dev->vectors[vector].napi);
	else
		xiw_vector_wake(&dev->vectors[vector]);
}

void xiw_vector_hurry(struct xiw_vector *vec)
{
	if (!READ_ONCE(vec->urgent))
		WRITE_ONCE(vec->urgent, true);
}

void xiw_vector_notify(struct xiw_cq *cq, bool urgent)
{
	struct xiw_vector *vec = cq->vector;

	llist_add(&cq->notify, &vec->cqs);
	/*
	 * A poll first clears vec->urgent, and then takes the queued CQs. So set vec->urgent after
	 * the CQ is queued, and before this function raises the vector.
	 */
	if (urgent)
		xiw_vector_hurry(vec);
	/*
	 * The poll, and code that interrupts it, need not raise the vector, because the poll checks
	 * for more work before it ends.
	 */
	if (READ_ONCE(vec->poller) == current)
		return;
	/* Do not use in_interrupt() here: a task with bottom halves disabled may hold CQ.lock. */
	if (in_hardirq() || in_serving_softirq())
		napi_schedule(&vec->napi);
	else
		xiw_vector_wake(vec);
}

/*
 * RNIC whose doorbell a ULP rings on this CPU, or NULL. Preemption is disabled during the doorbell,
 * so there is at most one RNIC.
 */
static DEFINE_PER_CPU(struct xiw_rnic *, xiw_vector_rung);

void xiw_vector_request(struct xiw_rnic *rnic, u32 stream, u32 value)
{
	unsigned long flags;

	if (in_interrupt()) {
		xiw_doorbell(rnic, XIW_DB_TX_REQUEST, stream, value);
	} else if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		local_irq_save(flags);
		xiw_doorbell(rnic, XIW_DB_TX_REQUEST, stream, value);
		local_irq_restore(flags);
	} else {
		preempt_disable();
		__this_cpu_write(xiw_vector_rung, rnic);
		xiw_doorbell(rnic, XIW_DB_TX_REQUEST, stream, value);
		__this_cpu_write(xiw_vector_rung, NULL);
		preempt_enable();
	}
}

/*
 * Return: true if the poll has interrupted a ULP that rings a doorbell of this device. In this
 * case, the poll must not call handlers. If the ULP rings a doorbell of another device, the poll
 * may call handlers, because an interrupt of this device could also run the poll at that time.
 */
static bool xiw_vector_in_ulp(struct xiw_vector *vec)
{
	return !IS_ENABLED(CONFIG_PREEMPT_RT) &&
	       __this_cpu_read(xiw_vector_rung) == &vec->dev->rnic;
}

static void xiw_vector_device_event(struct xiw_device *dev, u8 state)
{
	/* Only a broken RNIC reports a failure. */
	if (state == XIW_DEV_FAILED)
		xiw_device_fail(dev, "RNIC reported a failure");
	else if (dev->rnic.ops->link)
		dev->rnic.ops->link(&dev->rnic, state == XIW_DEV_LINK_UP);
}

static void xiw_vector_event(struct xiw_vector *vec, const struct xiw_event *event)
{
	struct xiw_device *dev = vec->dev;

	/*
	 * Events of commands, connections and the device use vector 0, so they are handled in
	 * order, one at a time. Only a broken RNIC uses another vector for them.
	 */
	if (event->type >= XIW_EV_ADMIN && event->type <= XIW_EV_DEVICE && vec->index) {
		xiw_device_fail(dev, "event on the wrong vector");
		return;
	}
	switch (event->type) {
	case XIW_EV_ADMIN:
		xiw_admin_completed(dev, event);
		break;
	case XIW_EV_CONN:
		xiw_cm_conn_event(vec, event);
		break;
	case XIW_EV_DEVICE:
		xiw_vector_device_event(dev, event->status);
		break;
	default:
		xiw_stream_event(vec, event);
		break;
	}
}

static const struct xiw_event *xiw_vector_at(const struct xiw_vector *vec, u32 index)
{
	return &vec->ring[index & ((1 << XIW_EVENT_LOG2) - 1)];
}

/*
 * Return: true if the RNIC has written the event at an index. Acquire: the caller's reads of the
 * event follow the read of its phase here.
 */
static bool xiw_vector_written(const struct xiw_vector *vec, u32 index)
{
	u8 phase = (index >> XIW_EVENT_LOG2) & 1 ? 0 : XIW_EVENT_PHASE;

	return (xiw_observe_u8(&xiw_vector_at(vec, index)->flags) & XIW_EVENT_PHASE) == phase;
}

/*
 * Check a ring that has no new event. The RNIC writes events in order, and does not overwrite
 * events that have not been read. Only a broken RNIC leaves a hole or overruns the ring.
 */
static void xiw_vector_check(struct xiw_vector *vec)
{
	bool hole = xiw_vector_written(vec, vec->head + 1);
	bool overrun = !xiw_vector_written(vec, vec->head - 1);

	/* The RNIC may have written the event at the head in the meantime. */
	if ((hole || overrun) && !xiw_vector_written(vec, vec->head))
		xiw_device_fail(vec->dev, hole ? "hole in an event ring" : "event ring overrun");
}

/*
 * Check whether the time limit @end has passed. Reading the clock has a cost, and most polls handle
 * only one event and one CQ. So call this function only if there is more to do.
 */
static bool xiw_vector_late(u64 end)
{
	return local_clock() >= end;
}

/*
 * Handle events until the time limit @end. Most events are cheap. But the flush of a stopped
 * stream, or a response for which other work requests wait, may complete thousands of work
 * requests.
 */
static int xiw_vector_events(struct xiw_vector *vec, int budget, u64 end)
{
	struct xiw_event event __uninitialized;
	int work = 0;

	while (work < budget && !atomic_read(&vec->dev->failed)) {
		if (!xiw_vector_written(vec, vec->head)) {
			xiw_vector_check(vec);
			break;
		}
		if (work && xiw_vector_late(end))
			break;
		/* Copy the event, because an untrusted RNIC may change the event in the ring. */
		memcpy(&event, xiw_vector_at(vec, vec->head), sizeof(event));
		/* Do not let the compiler read the ring again. */
		barrier();
		/* pairs with READ_ONCE() in netlink and xiw_vector_flush() */
		WRITE_ONCE(vec->head, vec->head + 1);
		work++;
		xiw_vector_event(vec, &event);
		/*
		 * Report the head to the RNIC before the end of the poll, so that the RNIC need not
		 * wait for room in the ring.
		 */
		if (vec->head - vec->told >= 64) {
			vec->told = vec->head;
			xiw_doorbell(&vec->dev->rnic, XIW_DB_EVENT, vec->index, vec->told);
		}
	}
	return work;
}

/*
 * Take all queued CQs, oldest first. First clear vec->urgent, because xiw_vector_notify() queues a
 * CQ before it sets vec->urgent.
 */
static void xiw_vector_take_cqs(struct xiw_vector *vec)
{
	WRITE_ONCE(vec->urgent, false);
	vec->due = llist_reverse_order(llist_del_all(&vec->cqs));
	vec->due_pass = vec->begun;
	vec->due_head = vec->head;
}

/*
 * Call pending handlers, beginning with the handlers that an earlier pass has left. The handlers
 * have their own time limit, because events alone may use up the time limit of a poll. The time
 * limit of the handlers begins after the first handler. Return: true if some handlers are left.
 */
static bool xiw_vector_notify_cqs(struct xiw_vector *vec)
{
	struct xiw_cq *cq;
	u64 end = 0;

	do {
		if (!vec->due)
			xiw_vector_take_cqs(vec);
		while (vec->due) {
			cq = llist_entry(vec->due, struct xiw_cq, notify);
			vec->due = vec->due->next;
			xiw_cq_notify(cq);
			if (!vec->due)
				break;
			if (!end)
				end = local_clock() + XIW_VECTOR_NS;
			else if (xiw_vector_late(end))
				return true;
		}
		/* release: pairs with the acquires in xiw_vector_flushed() and xiw_vector_idle() */
		smp_store_release(&vec->handled, vec->due_head);
		/* release: pairs with the acquire in xiw_vector_flushed() */
		smp_store_release(&vec->ended, vec->due_pass);
	} while (vec->due_pass != vec->begun);
	return false;
}

/*
 * Make one pass. @end: time limit of the poll. Return: the used part of the budget; the whole
 * budget if some handlers are left.
 */
static int xiw_vector_pass(struct xiw_vector *vec, int budget, u64 end)
{
	bool left = false;
	int work;

	WRITE_ONCE(vec->begun, vec->begun + 1);
	/*
	 * pairs with the barrier in xiw_vector_flush(): either this pass sees all stores before the
	 * flush, or the flush sees that this pass has begun and waits for the next pass
	 */
	smp_mb();
	work = xiw_vector_events(vec, budget, end);
	if (likely(!xiw_vector_in_ulp(vec)))
		left = xiw_vector_notify_cqs(vec);
	xiw_count(vec->dev, XIW_CNT_POLLS);
	xiw_count_many(vec->dev, XIW_CNT_EVENTS, work);
	return left ? budget : work;
}

/* Return: true if handlers are pending. */
static bool xiw_vector_has_due(struct xiw_vector *vec)
{
	return vec->due || !llist_empty(&vec->cqs);
}

/* Return: true if handlers are pending that this poll may call. */
static bool xiw_vector_has_cqs(struct xiw_vector *vec)
{
	return xiw_vector_has_due(vec) && !xiw_vector_in_ulp(vec);
}

static bool xiw_vector_has_more(struct xiw_vector *vec)
{
	return xiw_vector_has_cqs(vec) ||
	       (xiw_vector_written(vec, vec->head) && !atomic_read(&vec->dev->failed));
}

/*
 * Make passes until no work is left, or until the budget or the time limit is used up. CQ handlers
 * that post may cause more events. Another pass of this poll handles these events, because a new
 * poll would cost as much as the events themselves. The passes do not do the deferred work of the
 * RNIC. The next poll does this work, so that TCP can process ACKs in between. Return: true if no
 * work is left.
 */
static bool xiw_vector_passes(struct xiw_vector *vec, int *budget)
{
	u64 end = local_clock() + XIW_VECTOR_NS;
	bool more;

	WRITE_ONCE(vec->poller, current);
	do {
		*budget -= clamp(xiw_vector_pass(vec, *budget, end), 1, *budget);
		more = xiw_vector_has_more(vec);
	} while (*budget && more && !xiw_vector_late(end));
	WRITE_ONCE(vec->poller, NULL);
	/* From now on, other code sees that there is no poller, and raises the vector. */
	barrier();
	return *budget && !more && !xiw_vector_has_cqs(vec);
}

static enum hrtimer_restart xiw_vector_lazy_over(struct hrtimer *timer)
{
	struct xiw_vector *vec = container_of(timer, struct xiw_vector, lazy);

	/*
	 * In two cases, the next polls must not delay their handlers, because tasks may be waiting
	 * for the pending handlers:
	 * - No pass has ended since the timer was started, so no poll has called the pending
	 *   handlers.
	 * - A pass has ended, and handlers were queued later. But the timer has interrupted the
	 *   idle task, and no poll is running.
	 */
	if (READ_ONCE(vec->ended) == READ_ONCE(vec->lazy_ended) ||
	    (is_idle_task(current) && !READ_ONCE(vec->poller) && !llist_empty(&vec->cqs)))
		WRITE_ONCE(vec->haste, XIW_VECTOR_HASTE);
	WRITE_ONCE(vec->waiting, false);
	/*
	 * If a poll is running, it runs again after napi_schedule(), and finds that the timer is
	 * not pending.
	 */
	napi_schedule(&vec->napi);
	return HRTIMER_NORESTART;
}

/* Leave pending handlers to another poll, because this poll must not call them (vector.h). */
static void xiw_vector_leave(struct xiw_vector *vec)
{
	u32 haste = READ_ONCE(vec->haste);

	if (vec->due || haste || READ_ONCE(vec->urgent)) {
		/* If haste is 0, write nothing, because the timer may have set vec->haste. */
		if (haste)
			WRITE_ONCE(vec->haste, haste - 1);
		xiw_vector_wake(vec);
	} else if (!READ_ONCE(vec->waiting)) {
		WRITE_ONCE(vec->waiting, true);
		WRITE_ONCE(vec->lazy_ended, vec->ended);
		hrtimer_start(&vec->lazy, us_to_ktime(XIW_VECTOR_LAZY_US), HRTIMER_MODE_REL);
	}
}

static int xiw_vector_poll(struct napi_struct *napi, int budget)
{
	struct xiw_vector *vec = container_of(napi, struct xiw_vector, napi);
	struct xiw_rnic *rnic = &vec->dev->rnic;
	int left = budget, deferred = 0;
	bool news, done;
	u32 head;

	/* A budget of 0 allows only TX cleanup, and this poll has none. */
	if (!budget)
		return 0;
	if (rnic->ops->poll)
		deferred = rnic->ops->poll(rnic, vec->index, budget);
	done = xiw_vector_passes(vec, &left) && deferred < budget;
	if (wq_has_sleeper(&vec->flushed))
		wake_up_all(&vec->flushed);
	if (unlikely(xiw_vector_in_ulp(vec)) && xiw_vector_has_due(vec))
		xiw_vector_leave(vec);
	/*
	 * After napi_complete_done(), another CPU may already poll. So the doorbell that enables
	 * the interrupt carries the head of this poll, and the RNIC ignores an old head.
	 */
	head = vec->head;
	news = head != vec->told;
	vec->told = head;
	if (done && napi_complete_done(napi, budget - left)) {
		xiw_doorbell(rnic, XIW_DB_EVENT_ARM, vec->index, head);
		return budget - left;
	}
	if (news)
		xiw_doorbell(rnic, XIW_DB_EVENT, vec->index, head);
	return done ? budget - left : budget;
}

/* Get the index after the last written event. The poll may handle events in the meantime. */
static u32 xiw_vector_appended(const struct xiw_vector *vec)
{
	u32 first = READ_ONCE(vec->head), index = first;

	while (index - first < 1 << XIW_EVENT_LOG2 && xiw_vector_written(vec, index))
		index++;
	return index;
}

/*
 * Return: true if the events before @head are handled, and a later pass than pass number @pass has
 * also ended.
 */
static bool xiw_vector_flushed(const struct xiw_vector *vec, u32 pass, u32 head)
{
	/* acquire: pairs with the release at the end of a pass */
	if ((s32)(smp_load_acquire(&vec->ended) - pass) <= 0)
		return false;
	/*
	 * acquire: a later pass may have handled the events.
	 * The poll does not handle the remaining events of a failed device.
	 */
	return (s32)(smp_load_acquire(&vec->handled) - head) >= 0 ||
	       atomic_read(&vec->dev->failed);
}

/*
 * Return: true if no CQ is queued, no pass is running, and the events before @head are handled. The
 * order of the reads matters. A pass increments @begun before it takes CQs from the queue. So if a
 * pass has taken the queued CQs, this function reads the number of this pass, or a later number,
 * from @begun. @ended reaches this number only after the handlers have returned.
 */
static bool xiw_vector_idle(const struct xiw_vector *vec, u32 head)
{
	u32 ended;

	if (!llist_empty(&vec->cqs))
		return false;
	/* pairs with the barrier in xiw_vector_pass() */
	smp_rmb();
	/* acquire: pairs with the release at the end of a pass; read @begun last */
	ended = smp_load_acquire(&vec->ended);
	if (READ_ONCE(vec->begun) != ended)
		return false;
	/* acquire: a later pass may have handled the events */
	return (s32)(smp_load_acquire(&vec->handled) - head) >= 0;
}

/* Check that the RNIC has not taken back an event. All events before @head were written. */
static void xiw_vector_check_kept(struct xiw_vector *vec, u32 head)
{
	u32 next = READ_ONCE(vec->head);

	if ((s32)(head - next) <= 0 || xiw_vector_written(vec, next))
		return;
	/*
	 * The poll may have read the event in the meantime, and the RNIC may have written a newer
	 * event in its place. The RNIC writes the newer event after the doorbell that reports the
	 * new head, so the new head is visible here. If the head has not changed, the event has
	 * disappeared. Only a broken RNIC causes this.
	 */
	if (READ_ONCE(vec->head) == next)
		xiw_device_fail(vec->dev, "an event has disappeared");
}

void xiw_vector_flush(struct xiw_vector *vec)
{
	u32 pass, head = xiw_vector_appended(vec);

	/* pairs with the barrier in xiw_vector_pass() */
	smp_mb();
	if (xiw_vector_idle(vec, head))
		return;
	pass = READ_ONCE(vec->begun);
	xiw_vector_wake(vec);
	while (!wait_event_timeout(vec->flushed, xiw_vector_flushed(vec, pass, head),
				   HZ / 10 + 1)) {
		xiw_vector_check_kept(vec, head);
		xiw_vector_wake(vec);
	}
}

void xiw_vectors_pass(struct xiw_device *dev)
{
	unsigned int i;

	for (i = 0; i < dev->num_vectors; i++) {
		spin_lock_bh(&dev->vectors[i].lookup);
		spin_unlock_bh(&dev->vectors[i].lookup);
	}
}

/* If the command fails, xiw_vectors_remove() removes the vector after the RNIC has stopped. */
static int xiw_vector_add(struct xiw_device *dev, struct xiw_vector *vec, unsigned int index)
{
	struct xiw_admin_cmd cmd = {
		.op = XIW_ADM_EVENT_CREATE,
		.index = cpu_to_le32(index),
	};

	vec->dev = dev;
	vec->index = index;
	INIT_WORK(&vec->wake, xiw_vector_wake_work);
	hrtimer_setup(&vec->lazy, xiw_vector_lazy_over, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	init_llist_head(&vec->cqs);
	spin_lock_init(&vec->lookup);
	init_waitqueue_head(&vec->flushed);
	vec->ring = dev->rnic.ops->alloc(&dev->rnic, XIW_EVENT_SIZE << XIW_EVENT_LOG2,
					 &vec->bus, GFP_KERNEL);
	if (!vec->ring)
		return -ENOMEM;
	netif_napi_add(dev->poll_dev, &vec->napi, xiw_vector_poll);
	napi_enable(&vec->napi);

	cmd.ring.ring = cpu_to_le64(vec->bus);
	cmd.ring.log2_entries = XIW_EVENT_LOG2;
	/* release: the vector may be raised after this write */
	smp_store_release(&dev->num_vectors, index + 1);
	return xiw_admin_exec(dev, &cmd);
}

int xiw_vectors_add(struct xiw_device *dev, unsigned int count)
{
	unsigned int i;
	int err;

	/*
	 * The work items of this queue run the polls of the vectors, and the polls call the CQ
	 * handlers. Use a high priority, so that the handlers run soon. A disk may depend on the
	 * handlers, so the queue also needs WQ_MEM_RECLAIM.
	 */
	dev->wakers = alloc_workqueue("xiw-wake", WQ_MEM_RECLAIM | WQ_HIGHPRI | WQ_PERCPU, 0);
	if (!dev->wakers)
		return -ENOMEM;
	dev->vectors = kcalloc(count, sizeof(*dev->vectors), GFP_KERNEL);
	if (!dev->vectors)
		return -ENOMEM;
	/* Create vector 0 first. It also reports the completion of the command that creates it. */
	for (i = 0; i < count; i++) {
		err = xiw_vector_add(dev, &dev->vectors[i], i);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Remove all vectors. Call this function after the RNIC has stopped, so that no event raises a
 * vector any more.
 */
void xiw_vectors_remove(struct xiw_device *dev)
{
	unsigned int i;

	if (dev->wakers)
		destroy_workqueue(dev->wakers);
	dev->wakers = NULL;
	for (i = 0; i < dev->num_vectors; i++) {
		struct xiw_vector *vec = &dev->vectors[i];

		napi_disable(&vec->napi);
		hrtimer_cancel(&vec->lazy);
		netif_napi_del(&vec->napi);
		dev->rnic.ops->free(&dev->rnic, XIW_EVENT_SIZE << XIW_EVENT_LOG2, vec->ring,
				    vec->bus);
	}
	kfree(dev->vectors);
	dev->vectors = NULL;
	dev->num_vectors = 0;
}
