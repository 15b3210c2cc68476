// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Build work requests from text, and post them. This file does not validate what a device must
 * validate, because tests post invalid work requests to the device.
 */
#include "post.h"

#include <linux/mm.h>
#include <rdma/ib_verbs.h>

#include "buffer.h"
#include "command.h"
#include "device.h"
#include "../../driver/probe.h"
#include "endpoint.h"
#include "names.h"
#include "region.h"
#include "session.h"
#include "work.h"

#define SCRATCH_WORDS (PAGE_SIZE / sizeof(u64))

static bool is_atomic(int opcode)
{
	return opcode == IB_WR_ATOMIC_CMP_AND_SWP || opcode == IB_WR_ATOMIC_FETCH_AND_ADD ||
	       opcode == IB_WR_MASKED_ATOMIC_CMP_AND_SWP ||
	       opcode == IB_WR_MASKED_ATOMIC_FETCH_AND_ADD;
}

/* Without buf=, use a word of the scratch memory for the original value of an atomic. */
static int scratch_sge(struct xt_ep *ep, struct xt_work *w, u32 len, u32 lkey)
{
	unsigned int slot = ep->scratch_next++ % SCRATCH_WORDS;
	int err = xt_ep_scratch(ep);

	if (err)
		return err;
	w->result = ep->scratch + slot;
	*w->result = 0x5a5a5a5a5a5a5a5aULL;
	w->sge[0].addr = ep->scratch_dma + slot * sizeof(u64);
	w->sge[0].length = len;
	w->sge[0].lkey = lkey;
	ib_dma_sync_single_for_device(ep->dev->ib, w->sge[0].addr, sizeof(u64),
				      DMA_BIDIRECTIONAL);
	return 1;
}

/* Build the SGEs of a send work request. Return: number of SGEs, or a negative errno. */
static int local_sges(struct xt_ep *ep, struct xt_args *a, struct xt_work *w, bool atomic)
{
	u32 len = xt_arg_max(a, "len", atomic ? 8 : 0, U32_MAX);
	u64 off = xt_arg_num(a, "off", 0);
	unsigned int sges = xt_arg_max(a, "sges", 1, XT_SGES), i;
	u32 lkey = xt_arg_max(a, "lkey", ep->qp->pd->local_dma_lkey, U32_MAX);
	struct xt_region *r;
	struct xt_buf *b;
	struct xt_map *m;

	if (a->err)
		return a->err;
	if (xt_arg_has(a, "laddr")) {
		/* repeat one SGE sges= times, so that a message can be longer than the memory */
		for (i = 0; i < sges; i++)
			w->sge[i] = (struct ib_sge) {
				.addr = xt_arg_num(a, "laddr", 0), .length = len, .lkey = lkey,
			};
		return sges;
	}
	if (xt_arg_has(a, "lmr")) {
		r = xt_region_find(ep->s, xt_arg_str(a, "lmr", ""));
		if (!r)
			return -ENOENT;
		w->sge[0] = (struct ib_sge) {
			.addr = r->mr->iova + off, .length = len, .lkey = r->mr->lkey,
		};
		return 1;
	}
	if (atomic && !xt_arg_has(a, "buf"))
		return scratch_sge(ep, w, len, lkey);
	if (!len)
		return 0;
	b = xt_buf_arg(ep->s, a, "buf");
	if (!b)
		return a->err;
	if (!xt_buf_holds(b, off, len))
		return -ERANGE;
	if (xt_arg_num(a, "inline", 0)) {
		w->sge[0] = (struct ib_sge) {
			.addr = (uintptr_t)b->va + off, .length = len, .lkey = lkey,
		};
		return 1;
	}
	m = xt_map_whole(b, ep->dev->ib);
	if (IS_ERR(m))
		return PTR_ERR(m);
	return xt_map_sges(m, off, len, sges, lkey, w->sge, XT_SGES);
}

static int build_flags(struct xt_args *a)
{
	return (xt_arg_num(a, "signal", 1) ? IB_SEND_SIGNALED : 0) |
	       (xt_arg_num(a, "fence", 0) ? IB_SEND_FENCE : 0) |
	       (xt_arg_num(a, "se", 0) ? IB_SEND_SOLICITED : 0) |
	       (xt_arg_num(a, "inline", 0) ? IB_SEND_INLINE : 0);
}

/* With the default masks, a masked atomic has the effect of the atomic without masks. */
static void build_atomic(struct xt_args *a, struct ib_atomic_wr *wr, u64 raddr, u32 rkey)
{
	bool add = wr->wr.opcode == IB_WR_ATOMIC_FETCH_AND_ADD ||
		   wr->wr.opcode == IB_WR_MASKED_ATOMIC_FETCH_AND_ADD;

	wr->remote_addr = raddr;
	wr->rkey = rkey;
	wr->compare_add = xt_arg_num(a, add ? "add" : "cmp", 0);
	wr->compare_add_mask = add ? xt_arg_num(a, "mask", 0) : xt_arg_num(a, "cmask", U64_MAX);
	wr->swap = xt_arg_num(a, "swap", 0);
	wr->swap_mask = xt_arg_num(a, "smask", U64_MAX);
}

/*
 * Build a work request for the remote address raddr= plus roff=. By default, raddr= is the region
 * that the peer exports.
 */
static struct xt_work *build(struct xt_ep *ep, struct xt_args *a)
{
	int opcode = xt_wr_opcode_value(xt_arg_str(a, "op", ""));
	u64 raddr = xt_arg_num(a, "raddr", ep->hello.addr) + xt_arg_num(a, "roff", 0);
	u32 rkey = xt_arg_max(a, "rkey", ep->hello.rkey, U32_MAX);
	u32 inv = xt_arg_max(a, "inv", 0, U32_MAX);
	struct xt_work *w;
	int n;

	if (opcode < 0)
		return ERR_PTR(opcode);
	w = xt_work_new(ep, false);
	if (!w)
		return ERR_PTR(-ENOMEM);
	n = local_sges(ep, a, w, is_atomic(opcode));
	w->send.opcode = opcode;
	w->send.send_flags = build_flags(a);
	w->signaled = w->send.send_flags & IB_SEND_SIGNALED;
	if (is_atomic(opcode)) {
		build_atomic(a, &w->atomic, raddr, rkey);
	} else if (opcode == IB_WR_RDMA_WRITE || opcode == IB_WR_RDMA_WRITE_WITH_IMM ||
		   opcode == IB_WR_RDMA_READ || opcode == IB_WR_RDMA_READ_WITH_INV) {
		w->rdma.remote_addr = raddr;
		w->rdma.rkey = rkey;
	}
	if (opcode == IB_WR_SEND_WITH_INV || opcode == IB_WR_LOCAL_INV ||
	    opcode == IB_WR_RDMA_READ_WITH_INV)
		w->send.ex.invalidate_rkey = inv;
	else
		w->send.ex.imm_data = cpu_to_be32(xt_arg_max(a, "imm", 0, U32_MAX));
	if (n < 0 || a->err) {
		xt_work_free(w);
		return ERR_PTR(n < 0 ? n : a->err);
	}
	w->send.num_sge = n;
	return w;
}

/* Move the QP to the error state, and post before softirqs can run on this CPU. */
static int post_aborting(struct xt_ep *ep, struct xt_work *w, unsigned int *posted)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	int err;

	local_bh_disable();
	err = ib_modify_qp(ep->qp, &attr, IB_QP_STATE);
	if (err)
		xt_work_free(w);
	else
		err = xt_work_post(ep, w, posted);
	local_bh_enable();
	return err;
}

/*
 * With more=1, keep the work request. The next command that posts a send work request also posts
 * all kept work requests, in the same call of ib_post_send(). With abort=1, move the QP to the
 * error state directly before the post.
 */
int xt_post_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg_qp(s, a);
	unsigned int i, n = xt_arg_max(a, "n", 1, 32768), posted, total = 0;
	bool more = xt_arg_num(a, "more", 0), abort = xt_arg_num(a, "abort", 0);
	struct xt_work *w;
	u32 first = 0;
	int err = 0;

	if (a->err)
		return a->err;
	for (i = 0; i < n && !err; i++) {
		w = build(ep, a);
		if (IS_ERR(w))
			return PTR_ERR(w);
		if (!first)
			first = w->id;
		if (more) {
			xt_work_chain(ep, w);
			continue;
		}
		posted = 0;
		err = abort ? post_aborting(ep, w, &posted) : xt_work_post(ep, w, &posted);
		total += posted;
	}
	xt_say(s, " posted=%u id=%u", total, first);
	return err;
}

/* Post a work request and wait for its completion. On success, the caller owns and frees @w. */
static int complete_one(struct xt_session *s, struct xt_ep *ep, struct xt_work *w,
			unsigned int ms)
{
	int err;

	w->owned = true;
	err = xt_work_post(ep, w, NULL);
	if (err)
		return err;
	err = xt_work_wait(s, w, ms);
	if (err)
		return err;
	if (w->result)
		ib_dma_sync_single_for_cpu(ep->dev->ib, ep->scratch_dma, PAGE_SIZE,
					   DMA_BIDIRECTIONAL);
	xt_work_say(s, w);
	return 0;
}

int xt_wr_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg_qp(s, a);
	unsigned int ms = xt_arg_max(a, "timeout", XT_TIMEOUT_MS, INT_MAX);
	struct xt_work *w;
	int err;

	if (a->err)
		return a->err;
	w = build(ep, a);
	if (IS_ERR(w))
		return PTR_ERR(w);
	if (!w->signaled) {
		xt_work_free(w);
		return -EINVAL;
	}
	err = complete_one(s, ep, w, ms);
	if (!err)
		xt_work_free(w);
	return err;
}

/* Probe whether the peer supports remote atomics. */
int xt_probe_command(struct xt_session *s, struct xt_args *a)
{
	static const char *const words[] = {
		[XIW_PROBE_NO] = "no", [XIW_PROBE_YES] = "yes", [XIW_PROBE_UNKNOWN] = "unknown",
	};
	struct xt_ep *ep = xt_ep_arg_qp(s, a);
	unsigned int ms = xt_arg_max(a, "timeout", XT_TIMEOUT_MS, INT_MAX);
	u32 rkey = a->err ? 0 : xt_arg_max(a, "rkey", ep->hello.rkey, U32_MAX);
	struct xt_work *w;
	int err;

	if (a->err)
		return a->err;
	w = xt_work_new(ep, false);
	if (!w)
		return -ENOMEM;
	err = local_sges(ep, a, w, true);
	if (err < 0) {
		xt_work_free(w);
		return err;
	}
	xiw_probe_wr(&w->atomic, ep->hello.addr, rkey);
	w->signaled = true;
	err = complete_one(s, ep, w, ms);
	if (err)
		return err;
	xt_say(s, " atomics=%s", words[xiw_probe_answer(w->wc.status)]);
	xt_work_free(w);
	return 0;
}

static int recv_post(struct xt_ep *ep, struct xt_work *w, bool srq)
{
	struct list_head *queue = srq ? &ep->dev->srq_wrs : &ep->rq;
	spinlock_t *lock = srq ? &ep->dev->srq_lock : &ep->lock;
	int err;

	if (srq) {
		w->dev = ep->dev;
		w->ep = NULL;
	}
	spin_lock_irq(lock);
	list_add_tail(&w->node, queue);
	spin_unlock_irq(lock);
	err = srq ? ib_post_srq_recv(ep->dev->srq, &w->receive, NULL) :
		    ib_post_recv(ep->qp, &w->receive, NULL);
	if (!err)
		return 0;
	spin_lock_irq(lock);
	list_del(&w->node);
	spin_unlock_irq(lock);
	spin_lock_irq(&ep->lock);
	w->refused = true;
	list_add_tail(&w->node, &ep->refused);
	spin_unlock_irq(&ep->lock);
	return err;
}

/* Post n= receives of len= octets each, stride= octets apart. With srq=1, post them to the SRQ. */
int xt_recv_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg(s, a);
	unsigned int i, n = xt_arg_max(a, "n", 1, 32768);
	u32 len = xt_arg_max(a, "len", 0, U32_MAX);
	unsigned int sges = xt_arg_max(a, "sges", 1, XT_SGES);
	u64 off = xt_arg_num(a, "off", 0), stride = xt_arg_num(a, "stride", len);
	bool srq = xt_arg_num(a, "srq", 0);
	struct xt_buf *b = len ? xt_buf_arg(s, a, "buf") : NULL;
	struct xt_map *m = NULL;
	struct ib_pd *pd;
	u32 lkey, first = 0;
	int err = 0;

	if (a->err)
		return a->err;
	if (!ep->dev || (srq ? !ep->dev->srq : !ep->qp))
		return -ENOTCONN;
	pd = srq ? ep->dev->pd[0] : ep->qp->pd;
	lkey = xt_arg_max(a, "lkey", pd->local_dma_lkey, U32_MAX);
	if (b) {
		m = xt_map_whole(b, ep->dev->ib);
		if (IS_ERR(m))
			return PTR_ERR(m);
	}
	for (i = 0; i < n && !err; i++, off += stride) {
		struct xt_work *w;

		if (b && !xt_buf_holds(b, off, len))
			return -ERANGE;
		w = xt_work_new(ep, true);
		if (!w)
			return -ENOMEM;
		err = b ? xt_map_sges(m, off, len, sges, lkey, w->sge, XT_SGES) : 0;
		if (err < 0) {
			xt_work_free(w);
			return err;
		}
		w->receive.num_sge = err;
		if (!first)
			first = w->id;
		err = recv_post(ep, w, srq);
	}
	xt_say(s, " id=%u", first);
	return err;
}
