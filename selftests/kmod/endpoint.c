// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "endpoint.h"

#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "command.h"
#include "device.h"
#include "names.h"
#include "region.h"
#include "run.h"
#include "session.h"
#include "sink.h"
#include "srq.h"
#include "work.h"

/* Additional entries of each queue, for the hello and for the work requests of ib_drain_qp(). */
#define SPARE_WR 4

static const char *const state_names[] = {
	[XT_EP_NEW] = "new", [XT_EP_LISTEN] = "listen", [XT_EP_ADDR] = "addr",
	[XT_EP_ROUTE] = "route", [XT_EP_REQUEST] = "request",
	[XT_EP_CONNECT] = "connect", [XT_EP_ESTABLISHED] = "established",
	[XT_EP_READY] = "ready", [XT_EP_REJECTED] = "rejected",
	[XT_EP_FAILED] = "failed", [XT_EP_DISCONNECTED] = "disconnected",
};

const char *xt_ep_state_name(enum xt_ep_state state)
{
	return state_names[state];
}

int xt_ep_state_value(const char *name)
{
	return match_string(state_names, ARRAY_SIZE(state_names), name);
}

static const char *const poll_names[] = {
	[XT_SOFTIRQ] = "softirq", [XT_WORKQUEUE] = "workqueue", [XT_UNBOUND] = "unbound",
	[XT_DIRECT] = "direct", [XT_EVENT] = "event",
};

/* Read the arguments that are common to the commands listen and connect. */
int xt_ep_config_args(struct xt_args *a, struct xt_ep_config *cfg)
{
	int n;

	memset(cfg, 0, sizeof(*cfg));
	cfg->pd = xt_arg_max(a, "pd", 0, XT_PDS - 1);
	cfg->sq = xt_arg_max(a, "sq", 64, 32768);
	cfg->rq = xt_arg_max(a, "rq", 64, 32768);
	cfg->sge = xt_arg_max(a, "sge", 4, XT_SGES);
	cfg->inline_size = xt_arg_max(a, "inline", 0, 4096);
	cfg->ord = xt_arg_has(a, "ord") ? xt_arg_max(a, "ord", 0, 255) : -1;
	cfg->ird = xt_arg_has(a, "ird") ? xt_arg_max(a, "ird", 0, 255) : -1;
	cfg->vector = xt_arg_max(a, "vector", 0, 4096);
	cfg->split = xt_arg_num(a, "split", 0);
	cfg->srq = xt_arg_num(a, "srq", 0);
	cfg->srq_max = xt_arg_max(a, "srq_max", 64, 32768);
	cfg->cqe = xt_arg_max(a, "cqe", 0, 32768);
	cfg->slow = xt_arg_max(a, "slow", 0, 9000);
	/* no hello by default with an SRQ: another endpoint could take the receive for the hello */
	cfg->hello = xt_arg_num(a, "hello", !cfg->srq);
	cfg->export_len = xt_arg_max(a, "export_len", 0, U32_MAX);
	cfg->access = xt_arg_access(a, "access", "lw,rw,rr,ra");
	cfg->sink = xt_arg_max(a, "sink", 0, 32768);
	cfg->sink_len = xt_arg_max(a, "sink_len", PAGE_SIZE, 1 << 30);
	cfg->sink_sges = xt_arg_max(a, "sink_sges", 1, XT_SGES);
	cfg->sink_off = xt_arg_num(a, "sink_off", 0);
	cfg->sink_verify = xt_arg_num(a, "sink_verify", 0);
	cfg->sink_shared = xt_arg_num(a, "sink_shared", 0);
	cfg->has_tos = xt_arg_has(a, "tos");
	cfg->tos = xt_arg_max(a, "tos", 0, 255);
	cfg->timeout = xt_arg_max(a, "timeout", XT_TIMEOUT_MS, INT_MAX);
	strscpy(cfg->export, xt_arg_str(a, "export", ""), sizeof(cfg->export));
	strscpy(cfg->sink_buf, xt_arg_str(a, "sink_buf", ""), sizeof(cfg->sink_buf));
	n = xt_arg_hex(a, "pdata", cfg->pdata, sizeof(cfg->pdata));
	cfg->pdata_len = max(n, 0);
	n = match_string(poll_names, ARRAY_SIZE(poll_names), xt_arg_str(a, "poll", "softirq"));
	cfg->poll = max(n, 0);
	if (n < 0 && !a->err) {
		a->err = n;
		a->bad = "poll";
	}
	return a->err;
}

struct xt_ep *xt_ep_new(struct xt_session *s, const struct xt_ep_config *cfg, gfp_t gfp)
{
	struct xt_ep *ep = kzalloc(sizeof(*ep), gfp);

	if (!ep)
		return NULL;
	ep->s = s;
	ep->cfg = *cfg;
	ep->listener = -1;
	spin_lock_init(&ep->lock);
	INIT_LIST_HEAD(&ep->node);
	INIT_LIST_HEAD(&ep->sq);
	INIT_LIST_HEAD(&ep->rq);
	INIT_LIST_HEAD(&ep->done);
	INIT_LIST_HEAD(&ep->chain);
	INIT_LIST_HEAD(&ep->refused);
	return ep;
}

static atomic_t wakes;

/* End the delays of all CQ handlers of all sessions. */
int xt_wake_command(struct xt_session *s, struct xt_args *a)
{
	atomic_inc(&wakes);
	return 0;
}

static void cq_notified(struct ib_cq *cq, void *context)
{
	struct xt_cq *x = context;
	unsigned int slow = READ_ONCE(x->ep->cfg.slow);
	int seen = atomic_read(&wakes);
	ktime_t end;

	if (slow) {
		/* Measure the time: mdelay() takes longer while the host runs other guests. */
		end = ktime_add_ms(ktime_get(), slow);
		while (ktime_before(ktime_get(), end) && atomic_read(&wakes) == seen)
			mdelay(1);
		ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	}
	atomic_inc(&x->notified);
	xt_kick(x->ep->s);
}

static void cq_event(struct ib_event *event, void *context)
{
	struct xt_cq *x = context;

	atomic_inc(&x->errors);
	xt_kick(x->ep->s);
}

static int cq_make(struct xt_ep *ep, struct xt_cq *x, int cqe)
{
	static const enum ib_poll_context context[] = {
		[XT_SOFTIRQ] = IB_POLL_SOFTIRQ, [XT_WORKQUEUE] = IB_POLL_WORKQUEUE,
		[XT_UNBOUND] = IB_POLL_UNBOUND_WORKQUEUE, [XT_DIRECT] = IB_POLL_DIRECT,
	};
	unsigned int vectors = max_t(unsigned int, ep->dev->ib->num_comp_vectors, 1);
	unsigned int vector = ep->cfg.vector % vectors;
	struct ib_cq_init_attr attr = { .cqe = cqe, .comp_vector = vector };
	struct ib_cq *cq;

	if (ep->cfg.cqe)
		attr.cqe = ep->cfg.cqe;
	x->ep = ep;
	x->poll = ep->cfg.poll;
	if (x->poll == XT_SOFTIRQ && !xt_softirq)
		x->poll = XT_WORKQUEUE;
	if (x->poll == XT_EVENT)
		cq = ib_create_cq(ep->dev->ib, cq_notified, cq_event, x, &attr);
	else
		cq = ib_alloc_cq(ep->dev->ib, x, attr.cqe, vector, context[x->poll]);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	x->cq = cq;
	xt_born(XT_CQ);
	return 0;
}

static void cq_free(struct xt_cq *x)
{
	if (!x->cq)
		return;
	if (x->poll == XT_EVENT)
		ib_destroy_cq(x->cq);
	else
		ib_free_cq(x->cq);
	x->cq = NULL;
	xt_died(XT_CQ);
}

struct ib_cq *xt_ep_recv_cq(struct xt_ep *ep)
{
	return ep->rcq.cq ?: ep->scq.cq;
}

static void qp_event(struct ib_event *event, void *context)
{
	struct xt_ep *ep = context;
	unsigned long flags;

	/*
	 * InfiniBand: the peer's first message may arrive before the last message of the CM, so
	 * notify rdma_cm of the connection
	 */
	if (event->event == IB_EVENT_COMM_EST)
		rdma_notify(ep->cm, IB_EVENT_COMM_EST);
	spin_lock_irqsave(&ep->lock, flags);
	if (ep->n_ib_events < XT_EVENTS)
		ep->ib_events[ep->n_ib_events++] = event->event;
	spin_unlock_irqrestore(&ep->lock, flags);
	xt_kick(ep->s);
}

static int qp_make(struct xt_ep *ep)
{
	const struct ib_device_attr *dev = &ep->dev->ib->attrs;
	struct xt_ep_config *cfg = &ep->cfg;
	struct ib_qp_init_attr attr = {
		.event_handler	= qp_event,
		.qp_context	= ep,
		.send_cq	= ep->scq.cq,
		.recv_cq	= xt_ep_recv_cq(ep),
		.srq		= cfg->srq ? ep->dev->srq : NULL,
		.cap		= {
			.max_send_wr	= cfg->sq + SPARE_WR,
			.max_recv_wr	= cfg->rq + SPARE_WR,
			.max_send_sge	= min_t(u32, cfg->sge, dev->max_send_sge),
			.max_recv_sge	= min_t(u32, cfg->sge, dev->max_recv_sge),
			.max_inline_data = cfg->inline_size,
		},
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.qp_type	= IB_QPT_RC,
	};
	struct ib_pd *pd = xt_device_pd(ep->dev, cfg->pd);
	int err;

	if (IS_ERR(pd))
		return PTR_ERR(pd);
	err = rdma_create_qp(ep->cm, pd, &attr);
	if (err)
		return err;
	ep->qp = ep->cm->qp;
	xt_born(XT_QP);
	return 0;
}

/*
 * Allocate the memory for results of atomics, unless it exists. The first atomic allocates it, so
 * that connections without atomics use less memory.
 */
int xt_ep_scratch(struct xt_ep *ep)
{
	struct ib_device *ib = ep->dev->ib;
	void *page;

	if (ep->scratch)
		return 0;
	page = (void *)get_zeroed_page(GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	ep->scratch_dma = ib_dma_map_single(ib, page, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(ib, ep->scratch_dma)) {
		free_page((unsigned long)page);
		return -EIO;
	}
	ep->scratch = page;
	return 0;
}

static void scratch_free(struct xt_ep *ep)
{
	if (!ep->scratch)
		return;
	ib_dma_unmap_single(ep->dev->ib, ep->scratch_dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
	free_page((unsigned long)ep->scratch);
	ep->scratch = NULL;
}

static void queues_free(struct xt_ep *ep)
{
	if (ep->qp) {
		rdma_destroy_qp(ep->cm);
		ep->qp = NULL;
		xt_died(XT_QP);
	}
	/* the CQs may call handlers until they are destroyed, so free memory last */
	cq_free(&ep->rcq);
	cq_free(&ep->scq);
	xt_run_free(ep);
	xt_sink_free(ep);
	if (ep->dev) {
		xt_hello_free(ep);
		scratch_free(ep);
	}
	xt_regions_abandon(ep);
	xt_works_free(&ep->sq);
	xt_works_free(&ep->rq);
	xt_works_free(&ep->done);
	xt_works_free(&ep->chain);
	xt_works_free(&ep->refused);
}

/*
 * Create all objects that a connection needs. Call this after the cm_id is bound to a device, and
 * before rdma_connect() or rdma_accept(). On failure, the caller destroys the endpoint.
 */
int xt_ep_setup(struct xt_ep *ep)
{
	struct xt_ep_config *cfg = &ep->cfg;
	int send_cqe = cfg->sq + SPARE_WR;
	int recv_cqe = (cfg->srq ? cfg->srq_max : cfg->rq) + SPARE_WR;
	int err;

	ep->dev = xt_device_get(ep->s, ep->cm->device);
	if (IS_ERR(ep->dev)) {
		err = PTR_ERR(ep->dev);
		ep->dev = NULL;
		return err;
	}
	err = 0;
	if (cfg->srq)
		err = xt_srq_make(ep->dev, cfg->srq_max, cfg->sge);
	if (!err && cfg->split)
		err = cq_make(ep, &ep->rcq, recv_cqe);
	if (!err)
		err = cq_make(ep, &ep->scq, cfg->split ? send_cqe : send_cqe + recv_cqe);
	if (!err)
		err = qp_make(ep);
	if (!err && cfg->hello)
		err = xt_hello_setup(ep);
	if (!err && cfg->sink)
		err = xt_sink_start(ep);
	return err;
}

void xt_ep_destroy(struct xt_ep *ep)
{
	if (ep->qp)
		rdma_disconnect(ep->cm);
	xt_ep_free(ep);
}

void xt_ep_free(struct xt_ep *ep)
{
	list_del(&ep->node);
	queues_free(ep);
	if (ep->cm) {
		rdma_destroy_id(ep->cm);
		xt_died(XT_CMID);
	}
	kfree(ep);
}

/*
 * Destroy the endpoints on one device, or all endpoints if ib is NULL. Listeners are destroyed
 * first, so that no new request can arrive.
 */
void xt_endpoints_destroy(struct xt_session *s, struct ib_device *ib)
{
	struct xt_ep *ep, *next;

	list_for_each_entry_safe(ep, next, &s->eps, node)
		if (READ_ONCE(ep->state) == XT_EP_LISTEN && (!ib || ep->cm->device == ib))
			xt_ep_destroy(ep);
	spin_lock_irq(&s->pending_lock);
	list_for_each_entry_safe(ep, next, &s->pending, node)
		if (!ib || ep->cm->device == ib)
			list_move_tail(&ep->node, &s->eps);
	spin_unlock_irq(&s->pending_lock);
	list_for_each_entry_safe(ep, next, &s->eps, node)
		if (!ib || (READ_ONCE(ep->state) != XT_EP_LISTEN && ep->cm->device == ib))
			xt_ep_destroy(ep);
}

bool xt_endpoints_use(struct xt_session *s, struct ib_device *ib)
{
	struct xt_ep *ep;

	list_for_each_entry(ep, &s->eps, node)
		if (ep->cm && ep->cm->device == ib)
			return true;
	return false;
}

static unsigned int cq_poll(struct xt_cq *x)
{
	struct ib_wc wc[8];
	unsigned int total = 0;
	int i, n;

	if (!x->cq)
		return 0;
	if (x->poll == XT_DIRECT)
		return max(ib_process_cq_direct(x->cq, 64), 0);
	while ((n = ib_poll_cq(x->cq, ARRAY_SIZE(wc), wc)) > 0) {
		for (i = 0; i < n; i++)
			wc[i].wr_cqe->done(x->cq, &wc[i]);
		total += n;
	}
	return total;
}

/*
 * Poll the CQs with poll=direct or poll=event. If greeting is set, poll only the CQs on which a
 * hello is expected. Return: XT_POLL_BUSY if a waiting command must poll again at once,
 * XT_POLL_NOTIFIED if it must poll again after a short sleep, XT_POLL_NONE if it need not poll.
 */
enum xt_polled xt_endpoints_poll(struct xt_session *s, bool greeting)
{
	enum xt_polled polled = XT_POLL_NONE;
	struct xt_ep *ep;

	list_for_each_entry(ep, &s->eps, node) {
		if (!ep->qp || (ep->cfg.poll != XT_DIRECT && ep->cfg.poll != XT_EVENT))
			continue;
		if (greeting &&
		    (READ_ONCE(ep->state) != XT_EP_ESTABLISHED || !ep->cfg.hello))
			continue;
		cq_poll(&ep->scq);
		cq_poll(&ep->rcq);
		polled = max(polled, ep->cfg.poll == XT_DIRECT ? XT_POLL_BUSY : XT_POLL_NOTIFIED);
	}
	return polled;
}

struct xt_ep *xt_ep_find(struct xt_session *s, unsigned int number)
{
	struct xt_ep *ep;

	list_for_each_entry(ep, &s->eps, node)
		if (ep->number == number)
			return ep;
	return NULL;
}

/* Get the endpoint of ep=, by default the newest one. If there is none, set a->err. */
struct xt_ep *xt_ep_arg(struct xt_session *s, struct xt_args *a)
{
	unsigned int number = xt_arg_max(a, "ep", 0, UINT_MAX);
	struct xt_ep *ep;

	if (xt_arg_has(a, "ep"))
		ep = xt_ep_find(s, number);
	else
		ep = list_empty(&s->eps) ? NULL : list_last_entry(&s->eps, struct xt_ep, node);
	if (!ep && !a->err) {
		a->err = -ENOENT;
		a->bad = "ep";
	}
	return a->err ? NULL : ep;
}

/* Get the endpoint as xt_ep_arg() does. If it has no QP, set a->err. */
struct xt_ep *xt_ep_arg_qp(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg(s, a);

	if (ep && !ep->qp) {
		a->err = -ENOTCONN;
		a->bad = "ep";
		return NULL;
	}
	return ep;
}

static int for_range(struct xt_session *s, unsigned int lo, unsigned int hi,
		     int (*each)(struct xt_ep *ep, void *arg), void *arg)
{
	struct xt_ep *ep, *next;
	int err, found = 0;

	list_for_each_entry_safe(ep, next, &s->eps, node) {
		if (ep->number < lo || ep->number > hi)
			continue;
		found++;
		err = each(ep, arg);
		if (err)
			return err;
	}
	return found ? 0 : -ENOENT;
}

/*
 * Call each() for the endpoints that ep= lists: ep=3, ep=1,4-7 or ep=all. Without ep=, call each()
 * for the newest endpoint.
 */
int xt_ep_args(struct xt_session *s, struct xt_args *a,
	       int (*each)(struct xt_ep *ep, void *arg), void *arg)
{
	const char *list = xt_arg_str(a, "ep", NULL);
	struct xt_ep *ep;
	int err;

	if (!list) {
		ep = xt_ep_arg(s, a);
		return ep ? each(ep, arg) : a->err;
	}
	if (!strcmp(list, "all"))
		return for_range(s, 0, UINT_MAX, each, arg);
	while (*list) {
		unsigned int lo, hi;
		int n = 0;

		if (sscanf(list, "%u-%u%n", &lo, &hi, &n) != 2 || !n) {
			if (sscanf(list, "%u%n", &lo, &n) != 1 || !n)
				return -EINVAL;
			hi = lo;
		}
		list += n;
		if (*list && *list++ != ',')
			return -EINVAL;
		err = for_range(s, lo, hi, each, arg);
		if (err)
			return err;
	}
	return 0;
}

static void say_events(struct xt_session *s, struct xt_ep *ep)
{
	u8 cm[XT_EVENTS], ib[XT_EVENTS];
	unsigned int n_cm, n_ib, i;
	char name[24];

	spin_lock_irq(&ep->lock);
	memcpy(cm, ep->cm_events, sizeof(cm));
	memcpy(ib, ep->ib_events, sizeof(ib));
	n_cm = ep->n_cm_events;
	n_ib = ep->n_ib_events;
	spin_unlock_irq(&ep->lock);

	xt_say(s, " cm_events=");
	for (i = 0; i < n_cm; i++)
		xt_say(s, "%s%s", i ? "," : "", xt_cm_event_name(cm[i], name, sizeof(name)));
	xt_say(s, " qp_events=");
	for (i = 0; i < n_ib; i++)
		xt_say(s, "%s%s", i ? "," : "", xt_ib_event_name(ib[i], name, sizeof(name)));
}

int xt_query_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg(s, a);
	struct ib_qp_init_attr init = {};
	struct ib_qp_attr attr = {};
	char state[16];
	int err;

	if (!ep)
		return a->err;
	xt_say(s, " ep=%u state=%s cm_status=%d listener=%d dev=%s", ep->number,
	       xt_ep_state_name(READ_ONCE(ep->state)), READ_ONCE(ep->status), ep->listener,
	       ep->dev ? ep->dev->ib->name : "none");
	say_events(s, ep);
	xt_say(s, " peer_ird=%u peer_ord=%u pdata=%*phN", ep->peer_ird, ep->peer_ord,
	       min_t(int, ep->peer_pdata_len, 64), ep->peer_pdata);
	xt_say(s, " pdata_len=%u misordered=%u ghosts=%u notified=%d recv_notified=%d cq_errors=%d",
	       ep->peer_pdata_len, READ_ONCE(ep->misordered), READ_ONCE(ep->ghosts),
	       atomic_read(&ep->scq.notified),
	       atomic_read(&ep->rcq.notified),
	       atomic_read(&ep->scq.errors) + atomic_read(&ep->rcq.errors));
	if (ep->hello.received)
		xt_say(s, " rkey=0x%08x raddr=0x%llx rlen=%u", ep->hello.rkey, ep->hello.addr,
		       ep->hello.len);
	if (ep->hello.our_rkey)
		xt_say(s, " our_rkey=0x%08x our_addr=0x%llx", ep->hello.our_rkey,
		       ep->hello.our_addr);
	if (!ep->qp)
		return 0;
	err = ib_query_qp(ep->qp, &attr, IB_QP_STATE | IB_QP_CAP | IB_QP_ACCESS_FLAGS |
			  IB_QP_MAX_QP_RD_ATOMIC | IB_QP_MAX_DEST_RD_ATOMIC, &init);
	if (err)
		return err;
	xt_say(s, " qpn=%u qp_state=%s ord=%u ird=%u access=0x%x", ep->qp->qp_num,
	       xt_qp_state_name(attr.qp_state, state, sizeof(state)), attr.max_rd_atomic,
	       attr.max_dest_rd_atomic, attr.qp_access_flags);
	xt_say(s, " max_send_wr=%u max_recv_wr=%u max_send_sge=%u max_recv_sge=%u inline=%u",
	       init.cap.max_send_wr, init.cap.max_recv_wr, init.cap.max_send_sge,
	       init.cap.max_recv_sge, init.cap.max_inline_data);
	return 0;
}

int xt_modify_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg_qp(s, a);
	const char *state = xt_arg_str(a, "state", NULL);
	struct ib_qp_attr attr = {};
	int mask = 0, value;

	if (xt_arg_has(a, "access")) {
		attr.qp_access_flags = xt_arg_access(a, "access", "");
		mask |= IB_QP_ACCESS_FLAGS;
	}
	if (state) {
		value = xt_qp_state_value(state);
		if (value < 0)
			return value;
		attr.qp_state = value;
		mask |= IB_QP_STATE;
	}
	return a->err ?: ib_modify_qp(ep->qp, &attr, mask);
}

int xt_drain_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg_qp(s, a);
	const char *queue = xt_arg_str(a, "q", "both");

	if (!ep)
		return a->err;
	/* ib_core would wait forever for a completion: during this command, nothing polls the CQ */
	if (ep->cfg.poll == XT_EVENT)
		return -EOPNOTSUPP;
	if (!strcmp(queue, "send"))
		ib_drain_sq(ep->qp);
	else if (!strcmp(queue, "recv"))
		ib_drain_rq(ep->qp);
	else
		ib_drain_qp(ep->qp);
	return 0;
}

int xt_poll_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg_qp(s, a);

	if (!ep)
		return a->err;
	if (ep->cfg.poll != XT_DIRECT && ep->cfg.poll != XT_EVENT)
		return -EOPNOTSUPP;
	xt_say(s, " n=%u", cq_poll(&ep->scq) + cq_poll(&ep->rcq));
	return 0;
}

/*
 * Arm a CQ. If the command contains missed=1 and the CQ already has completions, missed= in the
 * answer is positive.
 */
int xt_arm_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg_qp(s, a);
	enum ib_cq_notify_flags flags = IB_CQ_NEXT_COMP;
	struct xt_cq *x;
	int n;

	if (!ep)
		return a->err;
	if (ep->cfg.poll != XT_EVENT)
		return -EOPNOTSUPP;
	x = strcmp(xt_arg_str(a, "q", "send"), "recv") || !ep->rcq.cq ? &ep->scq : &ep->rcq;
	if (xt_arg_num(a, "solicited", 0))
		flags = IB_CQ_SOLICITED;
	if (xt_arg_num(a, "missed", 0))
		flags |= IB_CQ_REPORT_MISSED_EVENTS;
	if (a->err)
		return a->err;
	n = ib_req_notify_cq(x->cq, flags);
	if (n < 0)
		return n;
	xt_say(s, " missed=%d notified=%d", n, atomic_read(&x->notified));
	return 0;
}
