// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "queue/srq.h"

#include <linux/log2.h>
#include <linux/vmalloc.h>
#include <rdma/uverbs_ioctl.h>

#include "queue/user.h"
#include "ring/admin.h"
#include "ring/share.h"
#include "verbs/mr.h"
#include "verbs/qp.h"
#include "xiw.h"

static void xiw_srq_free(struct xiw_device *dev, struct xiw_srq *srq)
{
	if (srq->ring)
		dev->rnic.ops->free(&dev->rnic, (size_t)(srq->mask + 1) << srq->log2_slot,
				    srq->ring, srq->ring_bus);
	if (srq->ctx)
		dev->rnic.ops->free(&dev->rnic, sizeof(*srq->ctx), srq->ctx, srq->ctx_bus);
	kvfree(srq->wr);
	kvfree(srq->free);
	xiw_user_area_free(srq->user);
}

static int xiw_srq_alloc(struct xiw_device *dev, struct xiw_srq *srq, gfp_t gfp)
{
	u32 i;

	srq->ring = dev->rnic.ops->alloc(&dev->rnic, (size_t)(srq->mask + 1) << srq->log2_slot,
					 &srq->ring_bus, gfp);
	srq->ctx = dev->rnic.ops->alloc(&dev->rnic, sizeof(*srq->ctx), &srq->ctx_bus, gfp);
	srq->wr = kvcalloc(srq->depth, sizeof(*srq->wr), gfp);
	srq->free = kvcalloc(srq->depth, sizeof(*srq->free), gfp);
	if (!srq->ring || !srq->ctx || !srq->wr || !srq->free)
		return -ENOMEM;
	for (i = 0; i < srq->depth; i++)
		srq->free[i] = i;
	srq->free_count = srq->depth;
	return 0;
}

static int xiw_srq_ring_create(struct xiw_device *dev, struct xiw_srq *srq)
{
	struct xiw_admin_cmd cmd = {
		.op = XIW_ADM_SHARED_RX_CREATE,
		.index = cpu_to_le32(srq->index),
		.ring = {
			.ring = cpu_to_le64(srq->ring_bus),
			.ctx = cpu_to_le64(srq->ctx_bus),
			.log2_entries = ilog2(srq->mask + 1),
			.log2_slot = srq->log2_slot,
			.pd = cpu_to_le32(to_xiw_pd(srq->ibsrq.pd)->id),
		},
	};

	return xiw_admin_exec(dev, &cmd);
}

/* Allocate the queue mapping of a user's SRQ, and report its location to the user. */
static int xiw_srq_user(struct xiw_srq *srq, struct ib_udata *udata)
{
	struct xiw_abi_create_srq_resp resp = {};
	struct xiw_user_area *area;
	int err;

	err = xiw_user_request(udata);
	if (err)
		return err;
	area = xiw_user_area_new(udata, srq->depth, xiw_user_recv_stride(srq->max_sge),
				 srq->max_sge);
	if (IS_ERR(area))
		return PTR_ERR(area);
	srq->user = area;
	xiw_user_area_tell(area, &resp.rq);
	return ib_respond_udata(udata, resp);
}

int xiw_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct xiw_device *dev = to_xiw_device(ibsrq->device);
	struct xiw_srq *srq = to_xiw_srq(ibsrq);
	const struct ib_srq_attr *attr = &init->attr;
	int err;

	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!attr->max_wr || attr->max_wr > XIW_MAX_QP_WR ||
	    attr->max_sge > dev->rnic.caps.max_gather || attr->srq_limit > attr->max_wr)
		return -EINVAL;

	srq->share = udata ? xiw_share_caller() : XIW_SHARE_NOBODY;
	err = xiw_share_take(dev, srq->share, XIW_SHARED_SRQ);
	if (err)
		return err;
	spin_lock_init(&srq->lock);
	srq->depth = attr->max_wr;
	srq->max_sge = max(attr->max_sge, 1U);
	srq->limit = attr->srq_limit;
	srq->log2_slot = xiw_rx_log2_slot(srq->max_sge);
	srq->mask = xiw_rx_slots(&dev->rnic, srq->depth, srq->log2_slot, udata) - 1;
	err = xiw_srq_alloc(dev, srq, udata ? GFP_KERNEL_ACCOUNT : GFP_KERNEL);
	if (!err && udata)
		err = xiw_srq_user(srq, udata);
	if (err)
		goto free;
	err = xa_alloc_cyclic_bh(&dev->srqs, &srq->index, srq,
				 XA_LIMIT(0, le32_to_cpu(dev->rnic.caps.max_shared_rx) - 1),
				 &dev->next_srq, GFP_KERNEL);
	if (err < 0)
		goto free;
	err = xiw_srq_ring_create(dev, srq);
	if (err)
		goto erase;
	atomic_inc(&dev->objects[XIW_OBJ_SRQ]);
	return 0;

erase:
	xa_erase_bh(&dev->srqs, srq->index);
free:
	xiw_srq_free(dev, srq);
	xiw_share_give(dev, srq->share, XIW_SHARED_SRQ);
	return err;
}

int xiw_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct xiw_device *dev = to_xiw_device(ibsrq->device);
	struct xiw_srq *srq = to_xiw_srq(ibsrq);
	struct xiw_admin_cmd cmd = {
		.op = XIW_ADM_SHARED_RX_DESTROY,
		.index = cpu_to_le32(srq->index),
	};

	/* ib_core ensures that no QP uses the SRQ. */
	xiw_admin_revoke(dev, &cmd);
	xa_erase_bh(&dev->srqs, srq->index);
	xiw_srq_free(dev, srq);
	xiw_share_give(dev, srq->share, XIW_SHARED_SRQ);
	atomic_dec(&dev->objects[XIW_OBJ_SRQ]);
	return 0;
}

int xiw_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct xiw_srq *srq = to_xiw_srq(ibsrq);

	attr->max_wr = srq->depth;
	attr->max_sge = srq->max_sge;
	/* pairs with WRITE_ONCE() in xiw_modify_srq() and xiw_srq_low(), under SRQ.lock */
	attr->srq_limit = READ_ONCE(srq->limit);
	return 0;
}

int xiw_srq_put(struct xiw_srq *srq, const struct ib_recv_wr *wr)
{
	u32 slot = srq->tail & srq->mask;
	u32 cookie = srq->free[srq->free_count - 1];
	u8 *at = srq->ring + ((size_t)slot << srq->log2_slot);
	int err = xiw_rx_encode((struct xiw_rx_desc *)at, cookie, wr, &srq->wr[cookie]);

	if (err)
		return err;
	srq->free_count--;
	/* pairs with READ_ONCE() in callers that ring the doorbell without SRQ.lock */
	WRITE_ONCE(srq->tail, srq->tail + 1);
	return 0;
}

/*
 * Post at most one batch of the list @next. Set @next to the first receive that was not posted.
 * SRQ.lock is held. Return: 0 or an errno.
 */
static int xiw_srq_post(struct xiw_srq *srq, const struct ib_recv_wr **next)
{
	const struct ib_recv_wr *wr;
	u32 left = XIW_FLUSH_BATCH;
	int err = 0;

	for (wr = *next; wr && left--; wr = wr->next) {
		err = -ENOMEM;
		if (!srq->free_count)
			break;
		err = -EINVAL;
		if (wr->num_sge < 0 || wr->num_sge > srq->max_sge)
			break;
		err = xiw_srq_put(srq, wr);
		if (err)
			break;
	}
	*next = wr;
	return err;
}

/*
 * Publish posted receives to the RNIC. SRQ.lock is held. Return: true if the RNIC needs a
 * doorbell.
 */
static bool xiw_srq_publish(struct xiw_srq *srq)
{
	/* The RNIC must see the slots before the index. */
	xiw_publish(&srq->ctx->rx_tail, cpu_to_le32(srq->tail));
	/*
	 * pairs with the barrier of the RNIC, which sets rx_starved and then reads the index again
	 */
	dma_mb();
	return READ_ONCE(srq->ctx->rx_starved);
}

/*
 * Accept receives that a user has posted, in batches. Accept at most as many as the queue holds,
 * and stop when the ring is full. A thread that posts more receives in the meantime rings the
 * doorbell itself if bell is set in the queue mapping. Set @starved if the RNIC needs a doorbell.
 * Return: 0 or -EINVAL.
 */
static int xiw_srq_take_user(struct xiw_srq *srq, bool *starved)
{
	u32 room = srq->depth, taken;
	unsigned long flags;
	int waiting;

	do {
		spin_lock_irqsave(&srq->lock, flags);
		taken = srq->tail;
		waiting = xiw_user_srq_take(srq, room);
		/*
		 * If the user has posted more receives and the driver has taken none, the ring of
		 * the RNIC is full. In this case, stop: completions refill the ring later.
		 */
		taken = srq->tail - taken;
		room -= min(room, taken);
		*starved |= xiw_srq_publish(srq);
		spin_unlock_irqrestore(&srq->lock, flags);
	} while (waiting > 0 && room && taken);
	return min(waiting, 0);
}

int xiw_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	struct xiw_device *dev = to_xiw_device(ibsrq->device);
	struct xiw_srq *srq = to_xiw_srq(ibsrq);
	bool starved = false;
	unsigned long flags;
	int err;

	/* A user posts to the queue mapping, so the call must contain no work request. */
	if (srq->user && wr) {
		*bad_wr = wr;
		return -EINVAL;
	}
	if (srq->user) {
		err = xiw_srq_take_user(srq, &starved);
	} else {
		do {
			spin_lock_irqsave(&srq->lock, flags);
			err = xiw_srq_post(srq, &wr);
			starved |= xiw_srq_publish(srq);
			spin_unlock_irqrestore(&srq->lock, flags);
		} while (wr && !err);
	}
	if (err)
		*bad_wr = wr;
	if (starved)
		xiw_doorbell(&dev->rnic, XIW_DB_SHARED_RX, srq->index, READ_ONCE(srq->tail));
	return err;
}

static void xiw_srq_raise(struct xiw_srq *srq, enum ib_event_type type)
{
	struct ib_event event = {
		.device = srq->ibsrq.device,
		.element.srq = &srq->ibsrq,
		.event = type,
	};

	if (srq->ibsrq.event_handler)
		srq->ibsrq.event_handler(&event, srq->ibsrq.srq_context);
}

/*
 * Accept more receives that a user has posted. SRQ.lock is held. Set @bad if one of them is
 * invalid. Return: true if the RNIC needs a doorbell.
 */
static bool xiw_srq_refill(struct xiw_srq *srq, bool *bad)
{
	u32 before = srq->tail;

	if (!srq->user || srq->bad)
		return false;
	srq->bad = xiw_user_srq_take(srq, XIW_MAX_QP_WR) < 0;
	*bad = srq->bad;
	return srq->tail != before && xiw_srq_publish(srq);
}

/*
 * Ring the doorbell if @starved is true, and raise the events of @low and @bad. The caller has
 * determined these values under SRQ.lock, and holds no lock now. @low: the SRQ limit is reached.
 * @bad: a receive is invalid.
 */
static void xiw_srq_notify(struct xiw_srq *srq, bool starved, bool low, bool bad)
{
	struct xiw_device *dev = to_xiw_device(srq->ibsrq.device);

	if (starved)
		xiw_doorbell(&dev->rnic, XIW_DB_SHARED_RX, srq->index, READ_ONCE(srq->tail));
	if (low)
		xiw_srq_raise(srq, IB_EVENT_SRQ_LIMIT_REACHED);
	if (bad)
		xiw_srq_raise(srq, IB_EVENT_SRQ_ERR);
}

void xiw_srq_join(struct xiw_srq *srq)
{
	bool starved, bad = false;
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	srq->qps++;
	/*
	 * The more QPs use the SRQ, the more receives the ring needs before a user's post can omit
	 * the doorbell (xiw_user_srq_low()). So check the ring again, and accept more receives.
	 */
	starved = xiw_srq_refill(srq, &bad);
	spin_unlock_irqrestore(&srq->lock, flags);
	xiw_srq_notify(srq, starved, false, bad);
}

void xiw_srq_leave(struct xiw_srq *srq)
{
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	srq->qps--;
	spin_unlock_irqrestore(&srq->lock, flags);
}

/*
 * Count the posted receives that are not complete, including those that are not in the ring yet.
 * SRQ.lock is held.
 */
static u32 xiw_srq_posted(const struct xiw_srq *srq)
{
	return srq->depth - srq->free_count + srq->unread;
}

/*
 * Check the SRQ limit. If fewer receives than the limit are posted, disarm the limit. SRQ.lock is
 * held. Return: true if the caller must raise the event of the limit.
 */
static bool xiw_srq_low(struct xiw_srq *srq)
{
	if (!srq->limit || xiw_srq_posted(srq) >= srq->limit)
		return false;
	WRITE_ONCE(srq->limit, 0);
	return true;
}

int xiw_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		   struct ib_udata *udata)
{
	struct xiw_srq *srq = to_xiw_srq(ibsrq);
	bool starved, low, bad = false;
	unsigned long flags;

	if (mask & ~IB_SRQ_LIMIT)
		return -EOPNOTSUPP;
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	if (attr->srq_limit > srq->depth)
		return -EINVAL;
	spin_lock_irqsave(&srq->lock, flags);
	WRITE_ONCE(srq->limit, attr->srq_limit);
	starved = xiw_srq_refill(srq, &bad);
	/*
	 * If no receive is posted, no later completion checks the limit, so check it here. Do so
	 * only for users: the event handler of a kernel ULP may arm the limit again before the ULP
	 * posts a receive, and this function and the handler would call each other forever.
	 */
	low = srq->user && srq->qps && !xiw_srq_posted(srq) && xiw_srq_low(srq);
	spin_unlock_irqrestore(&srq->lock, flags);
	xiw_srq_notify(srq, starved, low, bad);
	return 0;
}

bool xiw_srq_consumed(struct xiw_srq *srq, u32 cookie, struct xiw_cqe *cqe)
{
	bool ok, low = false, starved = false, bad = false;
	unsigned long flags;

	spin_lock_irqsave(&srq->lock, flags);
	ok = cookie < srq->depth && srq->wr[cookie].posted && xiw_rx_fits(&srq->wr[cookie], cqe);
	if (ok) {
		cqe->wr_id = srq->wr[cookie].wr_id;
		srq->wr[cookie].posted = false;
		srq->free[srq->free_count++] = cookie;
		/*
		 * Receives complete in any order, so this index only reports the number of free
		 * slots. The user may overwrite any slot before the tail, because the driver has
		 * read all these slots.
		 */
		xiw_user_consumed(srq->user, srq->tail - (srq->depth - srq->free_count));
		starved = xiw_srq_refill(srq, &bad);
		low = xiw_srq_low(srq);
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	xiw_srq_notify(srq, starved, low, bad);
	return ok;
}
