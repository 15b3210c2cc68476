// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Single work requests. A command posts a work request. The completion handler checks that the
 * completions of a queue are in order, and adds the completion to a list. A later command takes it
 * from the list.
 */
#include "work.h"

#include <linux/slab.h>

#include "cm.h"
#include "device.h"
#include "endpoint.h"
#include "names.h"
#include "region.h"
#include "session.h"

static bool take_off(struct list_head *queue, struct xt_work *w, struct list_head *silent)
{
	struct xt_work *older, *next;
	bool in_order = true;

	list_for_each_entry_safe(older, next, queue, node) {
		if (older == w)
			break;
		/* this completion means that older unsignaled work requests have succeeded */
		if (older->signaled)
			in_order = false;
		else
			list_move_tail(&older->node, silent);
	}
	list_del_init(&w->node);
	return in_order;
}

static void work_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xt_work *w = container_of(wc->wr_cqe, struct xt_work, cqe);
	struct xt_ep *ep = w->ep;
	LIST_HEAD(silent);
	unsigned long flags;

	if (w->dev) {
		/* A receive of an SRQ completes on the QP that consumed it. */
		spin_lock_irqsave(&w->dev->srq_lock, flags);
		list_del_init(&w->node);
		spin_unlock_irqrestore(&w->dev->srq_lock, flags);
		ep = wc->qp->qp_context;
		w->ep = ep;
	}
	spin_lock_irqsave(&ep->lock, flags);
	if (w->refused) {
		ep->ghosts++;
		spin_unlock_irqrestore(&ep->lock, flags);
		return;
	}
	w->wc = *wc;
	if (!w->dev && !take_off(w->recv ? &ep->rq : &ep->sq, w, &silent))
		ep->misordered++;
	w->dev = NULL;
	if (w->region)
		xt_region_registered(w->region, wc->status == IB_WC_SUCCESS);
	if (w->hidden && wc->status == IB_WC_SUCCESS)
		list_add(&w->node, &silent);
	else if (!w->owned)
		list_add_tail(&w->node, &ep->done);
	/* pairs with work_complete() */
	smp_store_release(&w->complete, true);
	spin_unlock_irqrestore(&ep->lock, flags);
	xt_works_free(&silent);
	xt_cm_pump_later(ep->s, 0);
}

struct xt_work *xt_work_new(struct xt_ep *ep, bool recv)
{
	struct xt_work *w = kzalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return NULL;
	xt_born(XT_WR);
	INIT_LIST_HEAD(&w->node);
	w->ep = ep;
	w->id = ++ep->next_id;
	w->recv = recv;
	w->signaled = true;
	w->cqe.done = work_done;
	if (recv) {
		w->receive.wr_cqe = &w->cqe;
		w->receive.sg_list = w->sge;
	} else {
		w->send.wr_cqe = &w->cqe;
		w->send.sg_list = w->sge;
		w->send.send_flags = IB_SEND_SIGNALED;
	}
	return w;
}

void xt_work_free(struct xt_work *w)
{
	kfree(w);
	xt_died(XT_WR);
}

void xt_works_free(struct list_head *head)
{
	struct xt_work *w, *next;

	list_for_each_entry_safe(w, next, head, node) {
		list_del(&w->node);
		xt_work_free(w);
	}
}

/* Keep w for the next xt_work_post(), which posts the chain in one call. */
int xt_work_chain(struct xt_ep *ep, struct xt_work *w)
{
	list_add_tail(&w->node, &ep->chain);
	return 0;
}

/*
 * Post the chain with w at its end. If the device refuses a work request, neither this request nor
 * later requests of the chain may complete. Set *posted to the number of accepted work requests.
 */
int xt_work_post(struct xt_ep *ep, struct xt_work *w, unsigned int *posted)
{
	const struct ib_send_wr *bad = NULL;
	struct xt_work *first, *next;
	unsigned int n = 0;
	bool seen_bad = false;
	int err;

	list_add_tail(&w->node, &ep->chain);
	first = list_first_entry(&ep->chain, struct xt_work, node);
	list_for_each_entry(w, &ep->chain, node) {
		w->send.next = NULL;
		if (!list_is_last(&w->node, &ep->chain))
			w->send.next = &list_next_entry(w, node)->send;
		n++;
	}
	/*
	 * Completions may arrive before ib_post_send() returns, so first add the work to ep->sq.
	 * Only the command or the pump that holds the session's lock adds work to this list.
	 */
	spin_lock_irq(&ep->lock);
	list_splice_tail_init(&ep->chain, &ep->sq);
	spin_unlock_irq(&ep->lock);
	err = ib_post_send(ep->qp, &first->send, &bad);
	if (err) {
		/* @first may have been freed, but its address is only compared */
		if (!bad)
			bad = &first->send;
		spin_lock_irq(&ep->lock);
		list_for_each_entry_safe(w, next, &ep->sq, node) {
			if (&w->send == bad)
				seen_bad = true;
			if (!seen_bad)
				continue;
			list_move_tail(&w->node, &ep->refused);
			w->refused = true;
			n--;
		}
		spin_unlock_irq(&ep->lock);
	}
	if (posted)
		*posted = n;
	return err;
}

static bool work_complete(void *arg)
{
	/* acquire: the results are read after the flag */
	return smp_load_acquire(&((struct xt_work *)arg)->complete);
}

/* Wait for work that the caller owns. After a failure, the endpoint owns the work. */
int xt_work_wait(struct xt_session *s, struct xt_work *w, unsigned int ms)
{
	int err = xt_wait(s, work_complete, w, ms);
	struct xt_ep *ep = w->ep;

	if (!err)
		return 0;
	spin_lock_irq(&ep->lock);
	w->owned = false;
	if (w->complete)
		list_add_tail(&w->node, &ep->done);
	spin_unlock_irq(&ep->lock);
	return err;
}

/* Take the oldest completion of the queue "send" or "recv", or of "any" queue. */
struct xt_work *xt_work_take(struct xt_ep *ep, const char *queue)
{
	struct xt_work *w, *found = NULL;

	spin_lock_irq(&ep->lock);
	list_for_each_entry(w, &ep->done, node) {
		if (!strcmp(queue, w->recv ? "send" : "recv"))
			continue;
		list_del_init(&w->node);
		found = w;
		break;
	}
	spin_unlock_irq(&ep->lock);
	return found;
}

void xt_work_say(struct xt_session *s, const struct xt_work *w)
{
	const struct ib_wc *wc = &w->wc;
	char status[24], opcode[24];

	xt_say(s, " id=%u q=%s wc=%s vendor_err=0x%x", w->id, w->recv ? "recv" : "send",
	       xt_wc_status_name(wc->status, status, sizeof(status)), wc->vendor_err);
	/* After an error, the members that are printed below are not valid. */
	if (wc->status != IB_WC_SUCCESS)
		return;
	xt_say(s, " op=%s", xt_wc_opcode_name(wc->opcode, opcode, sizeof(opcode)));
	/* byte_len of a Send is undefined */
	if (w->recv || wc->opcode != IB_WC_SEND)
		xt_say(s, " byte_len=%u", wc->byte_len);
	if (w->recv && wc->wc_flags & IB_WC_WITH_IMM)
		xt_say(s, " imm=0x%08x", be32_to_cpu(wc->ex.imm_data));
	if (w->recv && wc->wc_flags & IB_WC_WITH_INVALIDATE)
		xt_say(s, " inv=0x%08x", wc->ex.invalidate_rkey);
	if (w->result)
		xt_say(s, " result=0x%016llx", READ_ONCE(*w->result));
}

struct completions {
	struct xt_ep *ep;
	const char *queue;
	unsigned int want;
};

static bool completions_there(void *arg)
{
	const struct completions *c = arg;
	const struct xt_work *w;
	unsigned int n = 0;

	spin_lock_irq(&c->ep->lock);
	list_for_each_entry(w, &c->ep->done, node)
		if (strcmp(c->queue, w->recv ? "send" : "recv"))
			n++;
	spin_unlock_irq(&c->ep->lock);
	return n >= c->want;
}

int xt_wc_command(struct xt_session *s, struct xt_args *a)
{
	struct completions c = {
		.ep = xt_ep_arg_qp(s, a), .queue = xt_arg_str(a, "q", "any"), .want = 1,
	};
	unsigned int ms = xt_arg_max(a, "timeout", XT_TIMEOUT_MS, INT_MAX);
	struct xt_work *w;
	int err;

	if (a->err)
		return a->err;
	err = xt_wait(s, completions_there, &c, ms);
	if (err)
		return err;
	w = xt_work_take(c.ep, c.queue);
	if (w->result)
		ib_dma_sync_single_for_cpu(c.ep->dev->ib, c.ep->scratch_dma, PAGE_SIZE,
					   DMA_BIDIRECTIONAL);
	xt_work_say(s, w);
	xt_work_free(w);
	return 0;
}

int xt_wcall_command(struct xt_session *s, struct xt_args *a)
{
	struct completions c = { .ep = xt_ep_arg_qp(s, a), .queue = "any" };
	unsigned int ms = xt_arg_max(a, "timeout", XT_TIMEOUT_MS, INT_MAX);
	unsigned int count[IB_WC_GENERAL_ERR + 1] = {}, n = 0, i;
	struct xt_work *w;
	int err;

	c.want = xt_arg_max(a, "n", 0, UINT_MAX);
	if (a->err)
		return a->err;
	err = xt_wait(s, completions_there, &c, ms);
	while ((w = xt_work_take(c.ep, "any"))) {
		count[min_t(unsigned int, w->wc.status, IB_WC_GENERAL_ERR)]++;
		n++;
		xt_work_free(w);
	}
	xt_say(s, " n=%u", n);
	for (i = 0; i <= IB_WC_GENERAL_ERR; i++) {
		char name[24];

		if (count[i] || i == IB_WC_SUCCESS)
			xt_say(s, " %s=%u", xt_wc_status_name(i, name, sizeof(name)), count[i]);
	}
	return err;
}
