// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The poll of a vector: it runs the streams that have deferred work. */
#include <linux/sched/clock.h>

#include "soft/stream.h"

/* Take all streams that must run, oldest first. A later poll runs streams added from now on. */
static void queue_take(struct xiw_soft_vector *vec, struct xiw_soft_queue *queue)
{
	struct llist_node *newest = llist_del_all(&vec->work);
	struct llist_node *oldest = llist_reverse_order(newest);
	unsigned long flags;

	queue->first = NULL;
	if (unlikely(READ_ONCE(vec->backlog.first))) {
		spin_lock_irqsave(&vec->lock, flags);
		*queue = vec->backlog;
		WRITE_ONCE(vec->backlog.first, NULL);
		spin_unlock_irqrestore(&vec->lock, flags);
	}
	if (!queue->first)
		queue->first = oldest;
	else
		queue->last->next = oldest;
	if (newest)
		queue->last = newest;
}

/* Report to TX passes whether other streams wait. Write the cache line only on a change. */
static void set_crowded(struct xiw_soft_vector *vec, bool crowded)
{
	if (READ_ONCE(vec->crowded) != crowded)
		WRITE_ONCE(vec->crowded, crowded);
}

static void queue_give_back(struct xiw_soft_vector *vec, struct xiw_soft_queue *queue)
{
	unsigned long flags;

	spin_lock_irqsave(&vec->lock, flags);
	if (vec->backlog.first)
		queue->last->next = vec->backlog.first;
	else
		vec->backlog.last = queue->last;
	WRITE_ONCE(vec->backlog.first, queue->first);
	spin_unlock_irqrestore(&vec->lock, flags);
}

/**
 * xiw_soft_streams_poll - run streams with deferred work
 * @vec: the vector
 * @budget: max turns; a stream with much work uses several turns
 *
 * The function ends when the budget or the time limit of a poll is used up. It may run on several
 * CPUs at once.
 *
 * Context: BH disabled.
 *
 * Return: @budget if streams are left to run; otherwise the turns used, at most @budget.
 */
int xiw_soft_streams_poll(struct xiw_soft_vector *vec, int budget)
{
	struct xiw_soft_queue queue;
	struct xiw_soft_stream *s;
	int done = 0;
	u64 end = 0;

	queue_take(vec, &queue);
	while (queue.first && done < budget) {
		/* Check the time limit only if other streams wait. */
		if (queue.first->next) {
			if (!end)
				end = local_clock() + XIW_POLL_NS;
			else if (local_clock() >= end)
				break;
		}
		s = llist_entry(queue.first, struct xiw_soft_stream, work);
		queue.first = queue.first->next;
		set_crowded(vec, queue.first || READ_ONCE(vec->work.first));
		/*
		 * release: the link was read before another context queues the stream and writes
		 * the link
		 */
		clear_bit_unlock(XIW_PEND_QUEUED, &s->pending);
		/*
		 * clear QUEUED, then read pending: a bit that is set later queues the stream again
		 */
		smp_mb__after_atomic();
		if (!READ_ONCE(s->tls))
			xiw_soft_event_claimed(vec, s);
		done += xiw_soft_stream_run(s);
		xiw_soft_stream_put(s);
	}
	xiw_soft_event_wake(vec);
	if (queue.first) {
		queue_give_back(vec, &queue);
		return budget;
	}
	return min(done, budget);
}
