// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "verbs/qp_counter.h"

#include <linux/slab.h>
#include <rdma/rdma_counter.h>

#include "diag/counters.h"
#include "verbs/qp.h"
#include "xiw.h"

/* A QP that is bound to a counter. counted_lock protects all members. */
struct xiw_counted {
	struct xiw_qp *qp;
	struct list_head link;		/* in the list of the counter, see xiw_device.counted_qps */
	struct xiw_messages messages;	/* message counts at the last update of the counter */
};

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
	struct xiw_messages *counted = &qp->counted->messages;
	struct xiw_traffic sent, received;
	unsigned int op;

	xiw_traffic_look(qp, &sent, &received);
	for (op = 0; op < XIW_MATCH_ROWS; op++) {
		more->sent[op] = xiw_counted_more(&counted->sent[op], sent.row[op].messages);
		more->received[op] = xiw_counted_more(&counted->received[op],
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
 * The core adds each value of the counter to the value of the port at the same index. So the
 * counter has one value for each value of the port, in the same order. Values that are not counted
 * per QP are disabled.
 *
 * Return: the values; NULL if there is no memory.
 */
struct rdma_hw_stats *xiw_counter_alloc_stats(struct rdma_counter *counter)
{
	return xiw_alloc_messages_stats();
}

/*
 * Get the list of the QPs of a counter. Give a new counter an id and a list. counted_lock is held.
 * Return: the list or an error pointer.
 */
static struct list_head *xiw_counter_qps(struct xiw_device *dev, struct rdma_counter *counter)
{
	struct list_head *qps;
	int err;

	if (counter->id)
		return xa_load(&dev->counted_qps, counter->id);
	/*
	 * The destruction of a QP takes counted_lock, which is held here. Storage that reconnects
	 * destroys a QP. So use GFP_NOIO: an allocation must not wait for storage.
	 */
	qps = kmalloc(sizeof(*qps), GFP_NOIO);
	if (!qps)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(qps);
	err = xa_alloc_bh(&dev->counted_qps, &counter->id, qps, XA_LIMIT(1, INT_MAX), GFP_NOIO);
	if (!err)
		return qps;
	counter->id = 0;
	kfree(qps);
	return ERR_PTR(err);
}

/**
 * xiw_counter_bind_qp - bind a QP to a counter
 * @counter: counter; a new counter has no id
 * @ibqp: QP that is not bound
 * @port: port, always 1
 *
 * Context: process; counter->lock is held.
 *
 * Return: 0; -EINVAL if the QP is already bound or is being destroyed; -ENOMEM.
 */
int xiw_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp, u32 port)
{
	struct xiw_device *dev = to_xiw_device(ibqp->device);
	struct xiw_qp *qp = to_xiw_qp(ibqp);
	struct xiw_counted *counted;
	struct xiw_messages before;
	struct list_head *qps;
	int err = -EINVAL;

	/* GFP_NOIO: storage that unbinds a QP takes counter->lock, which is held here. */
	counted = kzalloc(sizeof(*counted), GFP_NOIO);
	if (!counted)
		return -ENOMEM;
	counted->qp = qp;
	mutex_lock(&dev->counted_lock);
	/*
	 * ib_core checks without a lock whether the QP is bound, so two calls for the same QP may
	 * get here. In some kernel versions, ib_core may bind a QP that is being destroyed.
	 */
	if (qp->counted || READ_ONCE(qp->going))
		goto unlock;
	qps = xiw_counter_qps(dev, counter);
	err = PTR_ERR_OR_ZERO(qps);
	if (err)
		goto unlock;
	qp->counted = counted;
	list_add(&counted->link, qps);
	xiw_counted_fold(qp, &before);
	ibqp->counter = counter;
unlock:
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
		list_del(&qp->counted->link);
		kfree(qp->counted);
		qp->counted = NULL;
		ibqp->counter = NULL;
		err = 0;
	}
	mutex_unlock(&dev->counted_lock);
	return err;
}

/* Update a counter from its QPs. counted_lock is held. */
static void xiw_counted_take_all(struct list_head *qps)
{
	struct xiw_counted *counted;

	list_for_each_entry(counted, qps, link) {
		xiw_counted_take(counted->qp);
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
	struct xiw_device *dev = to_xiw_device(counter->device);
	struct list_head *qps;

	mutex_lock(&dev->counted_lock);
	qps = xa_load(&dev->counted_qps, counter->id);
	if (qps)
		xiw_counted_take_all(qps);
	mutex_unlock(&dev->counted_lock);
	return 0;
}

/**
 * xiw_counted_read - update all counters, and get the correction of the port's values
 * @dev: device
 * @counted: result: minus the messages of all counters, modulo 2^64
 *
 * The caller adds the correction to the port's values. The core then adds the counters to these
 * values, so no message is counted twice.
 *
 * Context: process.
 */
static void xiw_counted_read(struct xiw_device *dev, struct xiw_messages *counted)
{
	struct list_head *qps;
	unsigned long id;

	mutex_lock(&dev->counted_lock);
	xa_for_each(&dev->counted_qps, id, qps)
		xiw_counted_take_all(qps);
	*counted = dev->counted;
	mutex_unlock(&dev->counted_lock);
}

/**
 * xiw_counter_dealloc - free the id and the list of a counter that has no QPs
 * @counter: counter
 *
 * Return: 0.
 */
int xiw_counter_dealloc(struct rdma_counter *counter)
{
	struct xiw_device *dev = to_xiw_device(counter->device);

	mutex_lock(&dev->counted_lock);
	kfree(xa_erase_bh(&dev->counted_qps, counter->id));
	mutex_unlock(&dev->counted_lock);
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
		memset(&qp->counted->messages, 0, sizeof(qp->counted->messages));
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
