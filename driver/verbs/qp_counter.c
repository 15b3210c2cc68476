// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "verbs/qp_counter.h"

#include <linux/slab.h>
#include <rdma/rdma_counter.h>

#include "diag/counters.h"
#include "verbs/qp.h"
#include "xiw.h"

/*
 * Get the increase of a count since the last update, and store the new count. If the count has
 * decreased, a reset of the QP has set the count to zero, so the whole count is new.
 */
static u64 xiw_counted_more(u64 *counted, u64 now)
{
	u64 more = now < *counted ? now : now - *counted;

	*counted = now;
	return more;
}

/*
 * Get the messages that a QP has counted since the last update. counted_lock is held, and
 * QP.counted is not NULL.
 */
static void xiw_counted_fold(struct xiw_qp *qp, struct xiw_messages *more)
{
	struct xiw_traffic sent, received;
	unsigned int op;

	xiw_traffic_look(qp, &sent, &received);
	for (op = 0; op < XIW_MATCH_ROWS; op++) {
		more->sent[op] = xiw_counted_more(&qp->counted->sent[op], sent.row[op].messages);
		more->received[op] = xiw_counted_more(&qp->counted->received[op],
						      received.row[op].messages);
	}
}

/*
 * Move the messages that a QP has counted since the last update: subtract them from
 * xiw_device.counted, and add them to the counter of the QP. counted_lock is held, and the QP is
 * bound to a counter.
 */
static void xiw_counted_take(struct xiw_qp *qp)
{
	struct xiw_messages more, *less = &qp->dev->counted;
	unsigned int op;

	xiw_counted_fold(qp, &more);
	for (op = 0; op < XIW_MATCH_ROWS; op++) {
		less->sent[op] -= more.sent[op];
		less->received[op] -= more.received[op];
	}
	xiw_counters_add(qp->ibqp.counter->stats->value, &more);
}

/**
 * xiw_counter_alloc_stats - allocate the values of a new counter
 * @counter: counter
 *
 * The counter has one value for each value of the port, at the same index, because the core adds
 * the two values by index. Values that are not counted per QP are disabled.
 *
 * Return: the values; NULL if there is no memory.
 */
struct rdma_hw_stats *xiw_counter_alloc_stats(struct rdma_counter *counter)
{
	return xiw_alloc_messages_stats();
}

/* Give a new counter an id. Return: 0 or an errno. */
static int xiw_counter_number(struct xiw_device *dev, struct rdma_counter *counter)
{
	int id;

	if (counter->id)
		return 0;
	id = ida_alloc_min(&dev->counter_ids, 1, GFP_KERNEL);
	if (id < 0)
		return id;
	counter->id = id;
	return 0;
}

/**
 * xiw_counter_bind_qp - bind a QP to a counter
 * @counter: counter; a new counter has no id
 * @ibqp: QP that is not bound
 * @port: port, always 1
 *
 * Context: process; counter->lock is held.
 *
 * Return: 0; -EINVAL if another call has bound the QP; -ENOMEM.
 */
int xiw_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp, u32 port)
{
	struct xiw_device *dev = to_xiw_device(ibqp->device);
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	struct xiw_messages *counted, before;
	int err;

	counted = kzalloc(sizeof(*counted), GFP_KERNEL);
	if (!counted)
		return -ENOMEM;
	mutex_lock(&dev->counted_lock);
	/*
	 * ib_core checks without a lock whether the QP is bound, so two calls for the same QP may
	 * get here.
	 */
	err = qp->counted ? -EINVAL : xiw_counter_number(dev, counter);
	if (!err) {
		qp->counted = counted;
		xiw_counted_fold(qp, &before);
		ibqp->counter = counter;
	}
	mutex_unlock(&dev->counted_lock);
	if (err)
		kfree(counted);
	return err;
}

/**
 * xiw_counter_unbind_qp - unbind a QP from its counter
 * @ibqp: QP
 * @port: port, always 1
 *
 * The counter keeps the messages that the QP has counted so far.
 *
 * Context: process; counter->lock is held.
 *
 * Return: 0; -EINVAL if another call has unbound the QP.
 */
int xiw_counter_unbind_qp(struct ib_qp *ibqp, u32 port)
{
	struct xiw_device *dev = to_xiw_device(ibqp->device);
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	int err = -EINVAL;

	mutex_lock(&dev->counted_lock);
	/*
	 * ib_core checks without a lock whether the QP is bound, so two calls for the same QP may
	 * get here.
	 */
	if (qp->counted) {
		xiw_counted_take(qp);
		kfree(qp->counted);
		qp->counted = NULL;
		ibqp->counter = NULL;
		err = 0;
	}
	mutex_unlock(&dev->counted_lock);
	return err;
}

static bool xiw_counted_by(const struct xiw_qp *qp, const struct rdma_counter *counter)
{
	const struct rdma_counter *by = READ_ONCE(qp->ibqp.counter);

	return by && (!counter || by == counter);
}

/* Update one counter from its QPs, or all counters if @counter is NULL. Process context. */
static void xiw_counted_take_all(struct xiw_device *dev, const struct rdma_counter *counter)
{
	unsigned long index = 0;
	struct xiw_qp *qp;

	/*
	 * Every user may read the values of the port, and the walk over all QPs takes long. If no
	 * counter has an id, no QP is bound, so omit the walk. If a QP is bound after this check,
	 * its counter contains no messages yet.
	 */
	if (data_race(ida_is_empty(&dev->counter_ids)))
		return;
	while ((qp = xiw_qp_next(dev, &index))) {
		if (xiw_counted_by(qp, counter)) {
			mutex_lock(&dev->counted_lock);
			if (xiw_counted_by(qp, counter))
				xiw_counted_take(qp);
			mutex_unlock(&dev->counted_lock);
		}
		xiw_qp_put(qp);
		cond_resched();
	}
}

/**
 * xiw_counter_update_stats - update the values of a counter
 * @counter: counter
 *
 * Context: process; counter->lock is held.
 *
 * Return: 0.
 */
int xiw_counter_update_stats(struct rdma_counter *counter)
{
	xiw_counted_take_all(to_xiw_device(counter->device), counter);
	return 0;
}

/**
 * xiw_counted_read - get the correction that subtracts all counters from the port's values
 * @dev: device
 * @counted: result: correction, at most 0, modulo 2^64
 *
 * The correction includes all current values of the counters. The core adds the counters to the
 * port's values afterwards, so no message is counted twice.
 *
 * Context: process.
 */
static void xiw_counted_read(struct xiw_device *dev, struct xiw_messages *counted)
{
	xiw_counted_take_all(dev, NULL);
	mutex_lock(&dev->counted_lock);
	*counted = dev->counted;
	mutex_unlock(&dev->counted_lock);
}

/**
 * xiw_counter_dealloc - free the id of a counter that has no QPs
 * @counter: counter
 *
 * Return: 0.
 */
int xiw_counter_dealloc(struct rdma_counter *counter)
{
	ida_free(&to_xiw_device(counter->device)->counter_ids, counter->id);
	return 0;
}

void xiw_qp_counter_settle(struct xiw_qp *qp)
{
	mutex_lock(&qp->dev->counted_lock);
	if (qp->counted)
		xiw_counted_take(qp);
	mutex_unlock(&qp->dev->counted_lock);
}

void xiw_qp_counter_restart(struct xiw_qp *qp)
{
	if (qp->counted)
		memset(qp->counted, 0, sizeof(*qp->counted));
}

struct rdma_hw_stats *xiw_alloc_hw_port_stats(struct ib_device *ibdev, u32 port)
{
	return xiw_alloc_hw_stats();
}

/*
 * Subtract the counters of QPs from the values of the port, because the core adds the counters. The
 * difference may be negative for a short time: the stream counts a message when the message enters
 * the TX ring, and the RNIC counts the message when the message leaves the TX ring.
 */
int xiw_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct xiw_device *dev = to_xiw_device(ibdev);
	struct xiw_messages totals, counted;

	if (!port)
		return -EINVAL;
	xiw_counters_read(dev, &totals, stats->value);
	xiw_counted_read(dev, &counted);
	xiw_counters_add(stats->value, &counted);
	return xiw_counter_total();
}
