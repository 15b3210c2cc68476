// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "queue/cq.h"

#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/sched.h>

#include "diag/counters.h"
#include "queue/array.h"
#include "queue/user.h"
#include "rdmap/stream.h"
#include "ring/vector.h"
#include "verbs/qp.h"
#include "xiw.h"

enum xiw_cq_limit {
	XIW_CQ_HURRY = 16,		/* max flushed completions that a task adds before the
					 * handler is delayed; a sleep of the task resets the count
					 */
	XIW_CQ_BATCH = 256,		/* max entries per batch, because interrupts are off */
	XIW_CQ_HOLD_US = 20000,		/* handler delay; longer than the 10 ms in which a task
					 * fills the longest queue
					 */
};

/* Queue the handler of a CQ for the poll of the CQ's vector. CQ.lock is held. */
static void xiw_cq_queue(struct xiw_cq *cq)
{
	cq->armed = XIW_CQ_IDLE;
	cq->since_notify = 0;
	if (!atomic_xchg(&cq->queued, 1)) {
		refcount_inc(&cq->refs);
		xiw_vector_notify(cq, cq->urgent);
	}
	cq->urgent = false;
}

static void xiw_cq_put(struct xiw_cq *cq)
{
	if (refcount_dec_and_test(&cq->refs))
		complete(&cq->released);
}

void xiw_cq_notify(struct xiw_cq *cq)
{
	/* After this write, a new completion may queue the CQ again. */
	atomic_set(&cq->queued, 0);
	/* if a producer has read 1 from cq->queued, the handler below finds its completion */
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

/*
 * Return: true if the handler must be delayed after a flushed completion. CQ.lock is held.
 *
 * A ULP may post to a QP in ERROR until a pool of the ULP is empty. Each post completes at once,
 * and the handler of this CQ refills the pool. On a preemptible kernel, the poll of the vector
 * could call the handler after each post, and the pool would never be empty. So if a task posts
 * repeatedly without sleeping, delay the handler for longer than the task needs to empty the pool.
 *
 * Do not delay the handler after a successful completion. A post to an open QP may report earlier
 * work requests that the RNIC has finished. But the new work request does not complete at once, so
 * the handler does not refill the pool after each post.
 */
static bool xiw_cq_hurried(struct xiw_cq *cq)
{
	if (in_hardirq() || in_serving_softirq())
		return false;
	if (cq->caller != current || cq->slept != current->nvcsw) {
		cq->caller = current;
		cq->slept = current->nvcsw;
		cq->hurry = 0;
	}
	return cq->hurry++ >= XIW_CQ_HURRY;
}

/*
 * Start the timer that queues the handler, unless the timer is pending. CQ.lock is held. The
 * function checks cq->timing and not hrtimer_active(), which also returns true while the callback
 * is about to return.
 */
static void xiw_cq_hold(struct xiw_cq *cq, u32 us)
{
	if (cq->timing)
		return;
	cq->timing = true;
	hrtimer_start(&cq->moderate_timer, us_to_ktime(us), HRTIMER_MODE_REL);
}

/*
 * Queue the handler of an armed CQ after a completion, now or later. @flushed: the completion has
 * the status IB_WC_WR_FLUSH_ERR. CQ.lock is held.
 */
static void xiw_cq_wake(struct xiw_cq *cq, bool flushed)
{
	cq->since_notify++;
	if (cq->since_notify < cq->moderate_count)
		xiw_cq_hold(cq, cq->moderate_us ?: 1);
	else if (unlikely(flushed) && xiw_cq_hurried(cq))
		xiw_cq_hold(cq, XIW_CQ_HOLD_US);
	else
		xiw_cq_queue(cq);
}

/* End all QPs that use a CQ. Process context. */
static void xiw_cq_end_qps(struct xiw_cq *cq)
{
	struct xiw_qp *qp;

	mutex_lock(&cq->walk);
	list_for_each_entry(qp, &cq->senders, send_link) {
		xiw_qp_abort(qp);
		cond_resched();
	}
	list_for_each_entry(qp, &cq->receivers, recv_link) {
		xiw_qp_abort(qp);
		cond_resched();
	}
	mutex_unlock(&cq->walk);
}

static void xiw_cq_overrun_work(struct work_struct *work)
{
	struct xiw_cq *cq = container_of(work, struct xiw_cq, overrun_work);
	struct ib_event event = {
		.device = cq->ibcq.device,
		.element.cq = &cq->ibcq,
		.event = IB_EVENT_CQ_ERR,
	};

	unsigned long flags;
	bool again;

	/* Limit the rate of messages, because a user can have any number of CQs. */
	ibdev_warn_ratelimited(cq->ibcq.device, "CQ overrun: all %u entries are in use\n",
			       READ_ONCE(cq->depth));
	xiw_count(to_xiw_device(cq->ibcq.device), XIW_CNT_CQ_OVERFLOW);
	if (cq->ibcq.event_handler)
		cq->ibcq.event_handler(&event, cq->ibcq.cq_context);
	/* Repeat while completions are dropped: the previous round may have missed a new QP. */
	do {
		spin_lock_irqsave(&cq->lock, flags);
		again = cq->dropped;
		cq->dropped = false;
		cq->overrun = again;
		spin_unlock_irqrestore(&cq->lock, flags);
		if (again)
			xiw_cq_end_qps(cq);
	} while (again);
	xiw_cq_put(cq);
}

/*
 * Get the number of entries to allocate. ULPs create small CQs, and a flush fills a CQ fast. So
 * round @cqe up to a power of two, but only as far as this needs no additional page.
 */
static u32 xiw_cq_size(u32 cqe)
{
	return min_t(u32, roundup_pow_of_two(cqe), xiw_array_room(cqe, sizeof(struct xiw_cqe)));
}

static u32 xiw_cq_used(const struct xiw_cq *cq)
{
	return cq->tail.index - cq->head.index;
}

u32 xiw_cq_entries(const struct xiw_cq *cq)
{
	u32 head = cq->user ? READ_ONCE(cq->user->ring->consumer) : cq->head.index;

	return min(cq->tail.index - head, cq->size);
}

/*
 * Return: true if the CQ has no room. CQ.lock is held. If the consumer index of a user is out of
 * range, the CQ counts as full. A wrong index that is in the range harms only the user.
 */
static bool xiw_cq_full(struct xiw_cq *cq)
{
	if (cq->user)
		cq->head.index = READ_ONCE(cq->user->ring->consumer);
	else if (xiw_cq_used(cq) >= cq->size && !cq->ring[cq->head.slot].qp)
		xiw_cursor_advance(&cq->head, cq->size);
	return xiw_cq_used(cq) >= cq->size;
}

/* Get the entry of a kernel CQ with an index between head and tail. CQ.lock is held. */
static struct xiw_cqe *xiw_cq_at(struct xiw_cq *cq, u32 index)
{
	u32 slot = cq->head.slot + (index - cq->head.index);

	return &cq->ring[slot < cq->size ? slot : slot - cq->size];
}

/* Write an entry. CQ.lock is held, and the CQ has room. */
static void xiw_cq_add(struct xiw_cq *cq, const struct xiw_cqe *cqe)
{
	u32 arm;

	if (!cq->user) {
		cq->ring[cq->tail.slot] = *cqe;
		xiw_cursor_advance(&cq->tail, cq->size);
		return;
	}
	xiw_user_cq_put(cq->user, cq->tail.index++, cqe);
	arm = xiw_user_cq_armed(cq->user);
	if (arm == XIW_ABI_ARM_NEXT)
		cq->armed = XIW_CQ_NEXT;
	else if (arm && cq->armed == XIW_CQ_IDLE)
		cq->armed = XIW_CQ_SOLICITED;
}

/* Count an error, but not a flush, because the error that caused the flush has been counted. */
static void xiw_cq_count_error(const struct xiw_cq *cq, const struct xiw_cqe *cqe)
{
	if (cqe->status != IB_WC_WR_FLUSH_ERR)
		xiw_count(to_xiw_device(cq->ibcq.device), cqe->opcode & IB_WC_RECV ?
			  XIW_CNT_RESP_CQE_ERROR : XIW_CNT_REQ_CQE_ERROR);
}

/*
 * Drop a completion for which the CQ has no room. CQ.lock is held. A CQ of ib_core's CQ pool
 * outlives the QPs that the first overrun ends. So every overrun must end the QP of the dropped
 * completion. If the QP is already ending, its dropped flush completions do not count as another
 * overrun.
 */
static void xiw_cq_drop(struct xiw_cq *cq, const struct xiw_cqe *cqe)
{
	bool ending = READ_ONCE(to_xiw_qp(cqe->qp)->state) > XIW_QPS_CLOSING;
	struct xiw_device *dev = to_xiw_device(cq->ibcq.device);

	if (ending && cq->overran)
		return;
	cq->overran = true;
	cq->dropped = true;
	if (cq->overrun)
		return;
	cq->overrun = true;
	refcount_inc(&cq->refs);
	/*
	 * The work function may return after the CQ is freed. So use a workqueue of the device,
	 * because the device outlives the CQ. The work function may wait for a reset of a user's
	 * QP, and this reset may wait for the user. So for a user's CQ, use the workqueue on which
	 * no storage depends.
	 */
	queue_work(cq->user ? dev->user_wq : dev->wq, &cq->overrun_work);
}

/*
 * Return: true if the handler call is not urgent: after a Send or Write, a task usually waits for
 * an answer of the peer, and not for the completion.
 */
static bool xiw_cq_can_wait(const struct xiw_cqe *cqe)
{
	return cqe->status == IB_WC_SUCCESS &&
	       (cqe->opcode == IB_WC_SEND || cqe->opcode == IB_WC_RDMA_WRITE);
}

void xiw_cq_push(struct xiw_cq *cq, const struct xiw_cqe *cqe, bool solicited)
{
	bool urgent = !xiw_cq_can_wait(cqe);
	unsigned long flags;

	/* pairs with WRITE_ONCE() in a reset or destroy of the QP */
	if (unlikely(READ_ONCE(to_xiw_qp(cqe->qp)->discards)))
		return;
	if (unlikely(cqe->status != IB_WC_SUCCESS))
		xiw_cq_count_error(cq, cqe);
	spin_lock_irqsave(&cq->lock, flags);
	if (xiw_cq_full(cq)) {
		xiw_cq_drop(cq, cqe);
		spin_unlock_irqrestore(&cq->lock, flags);
		return;
	}
	xiw_cq_add(cq, cqe);
	/* The CQ may already be queued for a completion that is not urgent. */
	if (urgent)
		xiw_vector_hurry(cq->vector);
	if (cq->armed == XIW_CQ_NEXT ||
	    (cq->armed == XIW_CQ_SOLICITED && (solicited || cqe->status != IB_WC_SUCCESS))) {
		cq->urgent |= urgent;
		xiw_cq_wake(cq, cqe->status == IB_WC_WR_FLUSH_ERR);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
}

/*
 * Clear the QP pointer in the entries of @qp. Check at most one batch of entries, from the index
 * @at. Return: index of the next entry to check; @end if all entries have been checked.
 */
static u32 xiw_cq_disown(struct xiw_cq *cq, const struct ib_qp *qp, u32 at, u32 end)
{
	u32 left = XIW_CQ_BATCH;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	/* The consumer may have advanced past @at. */
	if ((s32)(cq->head.index - at) > 0)
		at = cq->head.index;
	for (; (s32)(end - at) > 0 && left; at++, left--) {
		struct xiw_cqe *cqe = xiw_cq_at(cq, at);

		if (cqe->qp == qp)
			cqe->qp = NULL;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return (s32)(end - at) > 0 ? at : end;
}

/*
 * Skip the oldest entries whose QPs were destroyed, at most one batch. Return: true if the entry
 * that is now the oldest has a QP, or the CQ is empty.
 */
static bool xiw_cq_trim(struct xiw_cq *cq)
{
	u32 left = XIW_CQ_BATCH;
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&cq->lock, flags);
	while (xiw_cq_used(cq) && !cq->ring[cq->head.slot].qp && left--)
		xiw_cursor_advance(&cq->head, cq->size);
	done = !xiw_cq_used(cq) || cq->ring[cq->head.slot].qp;
	if (!xiw_cq_used(cq))
		cq->since_notify = 0;
	spin_unlock_irqrestore(&cq->lock, flags);
	return done;
}

void xiw_cq_clean(struct xiw_cq *cq, struct ib_qp *qp)
{
	unsigned long flags;
	u32 at, end;

	if (cq->user)
		return;
	mutex_lock(&cq->walk);
	spin_lock_irqsave(&cq->lock, flags);
	at = cq->head.index;
	end = cq->tail.index;
	spin_unlock_irqrestore(&cq->lock, flags);
	while (at != end)
		at = xiw_cq_disown(cq, qp, at, end);
	while (!xiw_cq_trim(cq))
		;
	mutex_unlock(&cq->walk);
}

/*
 * Return: true if a handler call may be pending. The list of the vector holds a second reference to
 * a queued CQ until the handler has returned.
 */
static bool xiw_cq_due(const struct xiw_cq *cq)
{
	return refcount_read(&cq->refs) > 1;
}

void xiw_cqs_settle(struct xiw_cq *cq, struct xiw_cq *other)
{
	bool due = xiw_cq_due(cq), other_due = other != cq && xiw_cq_due(other);

	if (due)
		xiw_vector_flush(cq->vector);
	if (other_due && (!due || other->vector != cq->vector))
		xiw_vector_flush(other->vector);
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
	/* DEC-15: imm_data of verbs is in the first four of the eight octets. */
	if (cqe->flags & IB_WC_WITH_IMM)
		memcpy(&wc->ex.imm_data, cqe->imm, sizeof(wc->ex.imm_data));
	else if (cqe->flags & IB_WC_WITH_INVALIDATE)
		wc->ex.invalidate_rkey = cqe->invalidated;
}

/*
 * Poll at most one batch of entries; @n counts the results in @wc. Return: true if the CQ has more
 * entries and @wc has room.
 */
static bool xiw_cq_poll_some(struct xiw_cq *cq, int entries, struct ib_wc *wc, int *n)
{
	u32 left = XIW_CQ_BATCH;
	unsigned long flags;
	bool more;

	spin_lock_irqsave(&cq->lock, flags);
	while (*n < entries && xiw_cq_used(cq) && left--) {
		const struct xiw_cqe *cqe = &cq->ring[cq->head.slot];

		if (likely(cqe->qp))
			xiw_cq_fill_wc(&wc[(*n)++], cqe);
		xiw_cursor_advance(&cq->head, cq->size);
	}
	more = *n < entries && xiw_cq_used(cq);
	spin_unlock_irqrestore(&cq->lock, flags);
	return more;
}

int xiw_poll_cq(struct ib_cq *ibcq, int entries, struct ib_wc *wc)
{
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	int n = 0;

	while (xiw_cq_poll_some(cq, entries, wc, &n))
		;
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
		missed = xiw_cq_used(cq);
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

/* Allocate the queue mapping of a user's CQ, and report its location to the user. */
static int xiw_cq_user(struct xiw_cq *cq, u32 depth, struct ib_udata *udata)
{
	struct xiw_abi_create_cq_resp resp = {};
	struct xiw_user_area *area;
	int err;

	err = xiw_user_request(udata);
	if (err)
		return err;
	area = xiw_user_area_new(udata, depth, sizeof(struct xiw_abi_cqe), 0);
	if (IS_ERR(area))
		return PTR_ERR(area);
	xiw_user_area_tell(area, &resp.cq);
	err = ib_respond_udata(udata, resp);
	if (err)
		xiw_user_area_free(area);
	else
		cq->user = area;
	return err;
}

int xiw_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct uverbs_attr_bundle *attrs)
{
	struct xiw_device *dev = to_xiw_device(ibcq->device);
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	int err;

	/* All completions of a user's CQ have timestamps. */
	if (attr->flags & ~(attrs ? IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION : 0))
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > XIW_MAX_CQE || attr->comp_vector >= dev->num_vectors)
		return -EINVAL;

	if (attrs) {
		cq->size = roundup_pow_of_two(attr->cqe);
		err = xiw_cq_user(cq, cq->size, &attrs->driver_udata);
		if (err)
			return err;
	} else {
		cq->size = xiw_cq_size(attr->cqe);
		/* A storage ULP creates CQs when it reconnects, so reclaim must not start I/O. */
		cq->ring = xiw_array_alloc(cq->size, sizeof(*cq->ring), GFP_NOIO);
		if (!cq->ring)
			return -ENOMEM;
	}
	cq->depth = attr->cqe;
	ibcq->cqe = cq->size;
	cq->vector = &dev->vectors[attr->comp_vector];
	mutex_init(&cq->walk);
	INIT_LIST_HEAD(&cq->senders);
	INIT_LIST_HEAD(&cq->receivers);
	spin_lock_init(&cq->lock);
	hrtimer_setup(&cq->moderate_timer, xiw_cq_moderate_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL);
	refcount_set(&cq->refs, 1);
	init_completion(&cq->released);
	INIT_WORK(&cq->overrun_work, xiw_cq_overrun_work);
	atomic_inc(&dev->objects[XIW_OBJ_CQ]);
	return 0;
}

/*
 * Copy at most one batch of entries, from the index @next, to the mapping @to. The entries keep
 * their indexes. After the last entry, make @to the mapping of the CQ, and store the old mapping in
 * @to. CQ.walk is held. Return: 0 if the mapping was replaced; -EAGAIN if entries remain; -EINVAL
 * if the entries do not fit, or the user's consumer index is invalid.
 */
static int xiw_cq_move(struct xiw_cq *cq, struct xiw_user_area **to, u32 *next, u32 cqe)
{
	struct xiw_user_area *from = cq->user, *area = *to;
	u32 left = XIW_CQ_BATCH;
	unsigned long flags;
	int err = -EINVAL;

	spin_lock_irqsave(&cq->lock, flags);
	if (xiw_cq_full(cq) && xiw_cq_used(cq) != cq->size)
		goto out;
	/* The user may have advanced the consumer index past @next, or @next was invalid. */
	if (*next - cq->head.index > xiw_cq_used(cq))
		*next = cq->head.index;
	for (; *next != cq->tail.index && left; ++*next, left--)
		memcpy(xiw_user_slot(area, *next), xiw_user_slot(from, *next),
		       sizeof(struct xiw_abi_cqe));
	err = -EAGAIN;
	if (*next != cq->tail.index)
		goto out;
	err = -EINVAL;
	if (xiw_cq_used(cq) > area->mask + 1)
		goto out;
	area->ring->consumer = cq->head.index;
	area->ring->arm = READ_ONCE(from->ring->arm);
	area->ring->producer = cq->tail.index;
	cq->user = area;
	cq->size = area->mask + 1;
	/* pairs with READ_ONCE() in xiw_cq_overrun_work() */
	WRITE_ONCE(cq->depth, cqe);
	cq->ibcq.cqe = cq->size;
	*to = from;
	err = 0;
out:
	spin_unlock_irqrestore(&cq->lock, flags);
	return err;
}

static int xiw_resize_user_cq(struct xiw_cq *cq, u32 cqe, struct ib_udata *udata)
{
	struct xiw_abi_resize_cq_resp resp = {};
	struct xiw_user_area *area;
	u32 next;
	int err;

	err = xiw_user_request(udata);
	if (err)
		return err;
	area = xiw_user_area_new(udata, roundup_pow_of_two(cqe), sizeof(struct xiw_abi_cqe), 0);
	if (IS_ERR(area))
		return PTR_ERR(area);
	xiw_user_area_tell(area, &resp.cq);
	err = ib_respond_udata(udata, resp);
	if (err)
		goto out;
	mutex_lock(&cq->walk);
	next = READ_ONCE(cq->user->ring->consumer);
	do {
		err = xiw_cq_move(cq, &area, &next, cqe);
	} while (err == -EAGAIN);
	mutex_unlock(&cq->walk);
out:
	xiw_user_area_free(area);
	return err;
}

/*
 * Copy at most one batch of entries, from the index @next, to the new ring @ring of @size entries.
 * The first entry of the new ring has the index @first. After the last entry, make the new ring the
 * ring of the CQ, and store the old ring and its size in @ring and @size. CQ.walk is held. Return:
 * 0 if the ring was replaced; -EAGAIN if entries remain; -EINVAL if the entries do not fit.
 */
static int xiw_cq_copy(struct xiw_cq *cq, struct xiw_cqe **ring, u32 *size, u32 first, u32 *next)
{
	u32 left = XIW_CQ_BATCH, length = *size;
	struct xiw_cqe *to = *ring;
	unsigned long flags;
	int err = -EAGAIN;

	spin_lock_irqsave(&cq->lock, flags);
	if ((s32)(cq->head.index - *next) > 0)
		*next = cq->head.index;
	for (; *next != cq->tail.index && left; ++*next, left--)
		to[(*next - first) % length] = *xiw_cq_at(cq, *next);
	if (*next != cq->tail.index)
		goto out;
	err = -EINVAL;
	if (xiw_cq_used(cq) > length)
		goto out;
	*ring = cq->ring;
	*size = cq->size;
	cq->ring = to;
	cq->size = length;
	cq->head.slot = (cq->head.index - first) % length;
	cq->tail.slot = (cq->tail.index - first) % length;
	cq->ibcq.cqe = length;
	err = 0;
out:
	spin_unlock_irqrestore(&cq->lock, flags);
	return err;
}

int xiw_resize_cq(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata)
{
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	u32 size, first, next;
	struct xiw_cqe *ring;
	unsigned long flags;
	int err;

	if (!cqe || cqe > XIW_MAX_CQE)
		return -EINVAL;
	if (cq->user)
		return udata ? xiw_resize_user_cq(cq, cqe, udata) : -EINVAL;
	size = xiw_cq_size(cqe);
	ring = xiw_array_alloc(size, sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return -ENOMEM;

	mutex_lock(&cq->walk);
	spin_lock_irqsave(&cq->lock, flags);
	first = cq->head.index;
	spin_unlock_irqrestore(&cq->lock, flags);
	next = first;
	do {
		err = xiw_cq_copy(cq, &ring, &size, first, &next);
	} while (err == -EAGAIN);
	if (!err)
		WRITE_ONCE(cq->depth, cqe);
	mutex_unlock(&cq->walk);
	xiw_array_free(ring, size, sizeof(*ring));
	return err;
}

int xiw_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct xiw_device *dev = to_xiw_device(ibcq->device);
	struct xiw_cq *cq = to_xiw_cq(ibcq);
	struct xiw_user_area *area;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	cq->armed = XIW_CQ_IDLE;
	spin_unlock_irqrestore(&cq->lock, flags);
	hrtimer_cancel(&cq->moderate_timer);
	xiw_cq_put(cq);
	/* The vector's poll and overrun_work drop their references when they have finished. */
	wait_for_completion(&cq->released);
	xiw_array_free(cq->ring, cq->size, sizeof(*cq->ring));
	/*
	 * In some kernel versions, dumps of resources include a CQ until this function has
	 * returned. So xiw_fill_res_cq() may still read cq->user.
	 */
	spin_lock_irqsave(&cq->lock, flags);
	area = cq->user;
	cq->user = NULL;
	spin_unlock_irqrestore(&cq->lock, flags);
	xiw_user_area_free(area);
	atomic_dec(&dev->objects[XIW_OBJ_CQ]);
	return 0;
}
