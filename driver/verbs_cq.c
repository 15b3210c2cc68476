// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cq.h"

#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/vmalloc.h>

#include "counters.h"
#include "qp.h"
#include "stream.h"
#include "vector.h"
#include "xiw.h"

/* CQ.lock is held. */
static void xiw_cq_queue(struct xiw_cq *cq)
{
	cq->armed = XIW_CQ_IDLE;
	cq->since_notify = 0;
	if (!atomic_xchg(&cq->queued, 1)) {
		refcount_inc(&cq->refs);
		xiw_vector_notify(cq);
	}
}

static void xiw_cq_put(struct xiw_cq *cq)
{
	if (refcount_dec_and_test(&cq->refs))
		complete(&cq->released);
}

void xiw_cq_notify(struct xiw_cq *cq)
{
	/* From here on a new completion may queue it again. */
	atomic_set(&cq->queued, 0);
	/* a completion that sees queued set is seen by the handler below */
	smp_mb();
	if (cq->ibcq.comp_handler)
		cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
	xiw_cq_put(cq);
}

static enum hrtimer_restart xiw_cq_moderate_expired(struct hrtimer *timer)
{
	struct xiw_cq *cq = container_of(timer, struct xiw_cq, moderate_timer);
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	cq->timing = false;
	if (cq->since_notify && cq->armed != XIW_CQ_IDLE)
		xiw_cq_queue(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	return HRTIMER_NORESTART;
}

/* CQ.lock is held: an armed CQ has got a completion that it waits for. */
static void xiw_cq_wake(struct xiw_cq *cq)
{
	if (cq->moderate_count > 1 && ++cq->since_notify < cq->moderate_count) {
		/* Not hrtimer_active(): one that is about to return does not count. */
		if (!cq->timing) {
			cq->timing = true;
			hrtimer_start(&cq->moderate_timer,
				      us_to_ktime(cq->moderate_us ?: 1), HRTIMER_MODE_REL);
		}
		return;
	}
	xiw_cq_queue(cq);
}

static void xiw_cq_overrun_work(struct work_struct *work)
{
	struct xiw_cq *cq = container_of(work, struct xiw_cq, overrun_work);
	struct ib_event event = {
		.device = cq->ibcq.device,
		.element.cq = &cq->ibcq,
		.event = IB_EVENT_CQ_ERR,
	};

	ibdev_warn(cq->ibcq.device, "CQ overrun: %u entries were not enough\n", cq->depth);
	xiw_count(to_xiw_device(cq->ibcq.device), XIW_CNT_CQ_OVERFLOW);
	if (cq->ibcq.event_handler)
		cq->ibcq.event_handler(&event, cq->ibcq.cq_context);
	xiw_qps_end(to_xiw_device(cq->ibcq.device), &cq->ibcq, xiw_stream_abort);
	xiw_cq_put(cq);
}

void xiw_cq_push(struct xiw_cq *cq, const struct xiw_cqe *cqe, bool solicited)
{
	struct xiw_cqe *entry;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->tail - cq->head > cq->mask) {
		if (!cq->overrun) {
			cq->overrun = true;
			refcount_inc(&cq->refs);
			schedule_work(&cq->overrun_work);
		}
		spin_unlock_irqrestore(&cq->lock, flags);
		return;
	}
	entry = &cq->ring[cq->tail & cq->mask];
	*entry = *cqe;
	entry->timestamp = ktime_get_ns();
	cq->tail++;
	if (cq->armed == XIW_CQ_NEXT ||
	    (cq->armed == XIW_CQ_SOLICITED && (solicited || cqe->status != IB_WC_SUCCESS)))
		xiw_cq_wake(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
}

void xiw_cq_clean(struct xiw_cq *cq, struct ib_qp *qp)
{
	unsigned long flags;
	u32 from, to;

	spin_lock_irqsave(&cq->lock, flags);
	for (from = to = cq->head; from != cq->tail; from++) {
		struct xiw_cqe *entry = &cq->ring[from & cq->mask];

		if (entry->qp != qp)
			cq->ring[to++ & cq->mask] = *entry;
	}
	cq->tail = to;
	if (cq->head == cq->tail)
		cq->since_notify = 0;
	spin_unlock_irqrestore(&cq->lock, flags);
}

void xiw_cq_settle(struct xiw_cq *cq)
{
	/* Whoever queued it holds a reference until the handler has returned. */
	if (refcount_read(&cq->refs) > 1)
		xiw_vector_flush(cq->vector);
}

static void xiw_cq_fill_wc(struct ib_wc *wc, const struct xiw_cqe *cqe)
{
	memset(wc, 0, sizeof(*wc));
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode;
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->qp = cqe->qp;
	wc->wc_flags = cqe->flags;
	wc->port_num = 1;
	/* DEC-15: the verbs value is the first half of the eight octets. */
	if (cqe->flags & IB_WC_WITH_IMM)
		memcpy(&wc->ex.imm_data, cqe->imm, sizeof(wc->ex.imm_data));
	else if (cqe->flags & IB_WC_WITH_INVALIDATE)
		wc->ex.invalidate_rkey = cqe->invalidated;
}

int xiw_poll_cq(struct ib_cq *ibcq, int entries, struct ib_wc *wc)
{
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	unsigned long flags;
	int n = 0;

	spin_lock_irqsave(&cq->lock, flags);
	while (n < entries && cq->head != cq->tail)
		xiw_cq_fill_wc(&wc[n++], &cq->ring[cq->head++ & cq->mask]);
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

int xiw_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	unsigned long irq;
	int missed = 0;

	spin_lock_irqsave(&cq->lock, irq);
	if ((flags & IB_CQ_SOLICITED_MASK) == IB_CQ_NEXT_COMP)
		cq->armed = XIW_CQ_NEXT;
	else if (cq->armed == XIW_CQ_IDLE)
		cq->armed = XIW_CQ_SOLICITED;
	if (flags & IB_CQ_REPORT_MISSED_EVENTS)
		missed = cq->head != cq->tail;
	spin_unlock_irqrestore(&cq->lock, irq);
	return missed;
}

int xiw_modify_cq(struct ib_cq *ibcq, u16 count, u16 period_us)
{
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	unsigned long flags;

	if (count > 1 && !period_us)
		return -EINVAL;
	spin_lock_irqsave(&cq->lock, flags);
	cq->moderate_count = count;
	cq->moderate_us = period_us;
	if (cq->since_notify && cq->armed != XIW_CQ_IDLE)
		xiw_cq_queue(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	return 0;
}

int xiw_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct uverbs_attr_bundle *attrs)
{
	struct xiw_device *dev = to_xiw_device(ibcq->device);
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	u32 entries;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > XIW_MAX_CQE || attr->comp_vector >= dev->num_vectors)
		return -EINVAL;

	entries = roundup_pow_of_two(attr->cqe);
	cq->ring = kvcalloc(entries, sizeof(*cq->ring), GFP_KERNEL);
	if (!cq->ring)
		return -ENOMEM;
	cq->mask = entries - 1;
	cq->depth = attr->cqe;
	ibcq->cqe = entries;
	cq->vector = &dev->vectors[attr->comp_vector];
	spin_lock_init(&cq->lock);
	hrtimer_setup(&cq->moderate_timer, xiw_cq_moderate_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL);
	refcount_set(&cq->refs, 1);
	init_completion(&cq->released);
	INIT_WORK(&cq->overrun_work, xiw_cq_overrun_work);
	atomic_inc(&dev->objects[XIW_OBJ_CQ]);
	return 0;
}

int xiw_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata)
{
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	struct xiw_cqe *ring, *old;
	unsigned long flags;
	u32 entries, n, i;

	if (!cqe || cqe > XIW_MAX_CQE)
		return -EINVAL;
	entries = roundup_pow_of_two(cqe);
	ring = kvcalloc(entries, sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return -ENOMEM;

	spin_lock_irqsave(&cq->lock, flags);
	n = cq->tail - cq->head;
	if (n > entries) {
		spin_unlock_irqrestore(&cq->lock, flags);
		kvfree(ring);
		return -EINVAL;
	}
	for (i = 0; i < n; i++)
		ring[i] = cq->ring[(cq->head + i) & cq->mask];
	old = cq->ring;
	cq->ring = ring;
	cq->mask = entries - 1;
	cq->depth = cqe;
	cq->head = 0;
	cq->tail = n;
	ibcq->cqe = entries;
	spin_unlock_irqrestore(&cq->lock, flags);
	kvfree(old);
	return 0;
}

int xiw_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct xiw_device *dev = to_xiw_device(ibcq->device);
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	cq->armed = XIW_CQ_IDLE;
	spin_unlock_irqrestore(&cq->lock, flags);
	hrtimer_cancel(&cq->moderate_timer);
	xiw_cq_put(cq);
	/* The list's and the work's references end in the poll and the work. */
	wait_for_completion(&cq->released);
	kvfree(cq->ring);
	atomic_dec(&dev->objects[XIW_OBJ_CQ]);
	return 0;
}
