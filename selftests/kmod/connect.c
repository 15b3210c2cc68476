// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "connect.h"

#include <linux/inet.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <rdma/rdma_cm.h>

#include "cm.h"
#include "device.h"
#include "endpoint.h"
#include "hello.h"
#include "names.h"
#include "session.h"
#include "srq.h"

#define ENDPOINTS_MAX 4096

/*
 * Get the network namespace of the process that writes the command. The addresses in the command
 * belong to this namespace.
 */
static struct net *callers_net(void)
{
	return current->nsproxy->net_ns;
}

static int addr_arg(struct xt_args *a, const char *key, const char *port,
		    struct sockaddr_storage *ss)
{
	const char *addr = xt_arg_str(a, key, NULL);
	int err = addr ? inet_pton_with_scope(callers_net(), AF_UNSPEC, addr, port, ss) : -EINVAL;

	if (err && !a->err) {
		a->err = err;
		a->bad = key;
	}
	return err;
}

static struct xt_ep *ep_with_id(struct xt_session *s, const struct xt_ep_config *cfg,
				unsigned int number)
{
	struct xt_ep *ep = xt_ep_new(s, cfg, GFP_KERNEL);
	struct rdma_cm_id *id;

	if (!ep)
		return ERR_PTR(-ENOMEM);
	ep->number = number;
	list_add_tail(&ep->node, &s->eps);
	id = rdma_create_id(callers_net(), xt_cm_event, ep, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id)) {
		xt_ep_destroy(ep);
		return ERR_CAST(id);
	}
	ep->cm = id;
	xt_born(XT_CMID);
	if (cfg->has_tos)
		rdma_set_service_type(id, cfg->tos);
	return ep;
}

static int listen_on(struct xt_ep *ep, struct sockaddr_storage *ss, int backlog)
{
	int err;

	err = rdma_set_reuseaddr(ep->cm, 1);
	if (!err)
		err = rdma_bind_addr(ep->cm, (struct sockaddr *)ss);
	if (err)
		return err;
	/* set the state before rdma_listen(), because requests may arrive before it returns */
	ep->state = XT_EP_LISTEN;
	if (ep->cm->device) {
		ep->dev = xt_device_get(ep->s, ep->cm->device);
		if (IS_ERR(ep->dev)) {
			err = PTR_ERR(ep->dev);
			ep->dev = NULL;
			return err;
		}
		/* create the SRQ now, so that receives can be posted before any peer connects */
		if (ep->cfg.srq)
			err = xt_srq_make(ep->dev, ep->cfg.srq_max, ep->cfg.sge);
	}
	return err ?: rdma_listen(ep->cm, backlog);
}

int xt_listen_command(struct xt_session *s, struct xt_args *a)
{
	static const char *const modes[] = {
		[XT_ACCEPT] = "accept", [XT_REJECT] = "reject", [XT_HOLD] = "hold",
	};
	int backlog = xt_arg_max(a, "backlog", 128, 4096);
	struct sockaddr_storage ss;
	struct xt_ep_config cfg;
	struct xt_ep *ep;
	int err, mode;

	err = xt_ep_config_args(a, &cfg);
	if (err)
		return err;
	err = addr_arg(a, "addr", xt_arg_str(a, "port", NULL), &ss);
	if (err)
		return err;
	mode = match_string(modes, ARRAY_SIZE(modes), xt_arg_str(a, "mode", "accept"));
	if (mode < 0)
		return mode;
	cfg.mode = mode;
	cfg.autoclose = xt_arg_num(a, "autoclose", 0);
	ep = ep_with_id(s, &cfg, s->next_ep++);
	if (IS_ERR(ep))
		return PTR_ERR(ep);
	err = listen_on(ep, &ss, backlog);
	if (err) {
		xt_ep_destroy(ep);
		return err;
	}
	xt_say(s, " ep=%u dev=%s", ep->number, ep->dev ? ep->dev->ib->name : "any");
	return 0;
}

/* The endpoints of one connect command: their numbers are @first to @first + @n - 1. */
struct group {
	struct xt_session *s;
	unsigned int first, n;
	enum xt_ep_state below;	/* state that all endpoints must reach */
	struct xt_ep *failed, *behind;
};

static bool in_group(const struct group *g, const struct xt_ep *ep)
{
	return ep->number - g->first < g->n;
}

/* Return: true if all endpoints have reached the requested state, or one of them has failed. */
static bool group_arrived(void *arg)
{
	struct group *g = arg;
	struct xt_ep *ep;

	g->behind = NULL;
	list_for_each_entry(ep, &g->s->eps, node) {
		/* acquire: all stores before the change of state are visible */
		enum xt_ep_state state = smp_load_acquire(&ep->state);

		if (!in_group(g, ep))
			continue;
		if (state > XT_EP_READY || ep->hello.failed) {
			g->failed = ep;
			return true;
		}
		if (state < g->below)
			g->behind = ep;
	}
	return !g->behind;
}

static void say_failure(struct xt_session *s, struct xt_ep *ep)
{
	char event[24] = "none";

	spin_lock_irq(&ep->lock);
	if (ep->n_cm_events)
		strscpy(event, xt_cm_event_name(ep->cm_events[ep->n_cm_events - 1], event,
						sizeof(event)), sizeof(event));
	spin_unlock_irq(&ep->lock);
	xt_say(s, " ep=%u state=%s event=%s reason=%d pdata=%*phN", ep->number,
	       xt_ep_state_name(READ_ONCE(ep->state)), event, READ_ONCE(ep->status),
	       min_t(int, ep->peer_pdata_len, 64), ep->peer_pdata);
}

static int group_wait(struct group *g, enum xt_ep_state state, unsigned int ms)
{
	int err;

	g->below = state;
	g->failed = NULL;
	err = xt_wait(g->s, group_arrived, g, ms);
	if (err && g->behind)
		say_failure(g->s, g->behind);
	if (err || !g->failed)
		return err;
	say_failure(g->s, g->failed);
	if (g->failed->status < 0)
		return g->failed->status;
	/* a positive status is a reject reason of InfiniBand, and not an errno */
	return READ_ONCE(g->failed->state) == XT_EP_REJECTED ? -ECONNREFUSED : -ECONNABORTED;
}

static int group_for_each(struct group *g, int (*step)(struct xt_ep *ep, void *arg), void *arg)
{
	struct xt_ep *ep, *next;
	int err;

	list_for_each_entry_safe(ep, next, &g->s->eps, node) {
		if (!in_group(g, ep))
			continue;
		err = step(ep, arg);
		if (err)
			return err;
	}
	return 0;
}

struct target {
	struct sockaddr_storage src, dst;
	bool has_src;
	int resolve_ms;
	unsigned int nudge_ms;
};

static int step_addr(struct xt_ep *ep, void *arg)
{
	struct target *t = arg;
	int err;

	/* let several endpoints use one source port */
	err = t->has_src ? rdma_set_reuseaddr(ep->cm, 1) : 0;
	if (err)
		return err;
	return rdma_resolve_addr(ep->cm, t->has_src ? (struct sockaddr *)&t->src : NULL,
				 (struct sockaddr *)&t->dst, t->resolve_ms);
}

static int step_route(struct xt_ep *ep, void *arg)
{
	struct target *t = arg;

	return rdma_resolve_route(ep->cm, t->resolve_ms);
}

static int step_setup(struct xt_ep *ep, void *arg)
{
	return xt_ep_setup(ep);
}

static int step_connect(struct xt_ep *ep, void *arg)
{
	const struct ib_device_attr *dev = &ep->dev->ib->attrs;
	struct rdma_conn_param param = {
		.private_data = ep->cfg.pdata, .private_data_len = ep->cfg.pdata_len,
		.retry_count = 7, .rnr_retry_count = 7,
		.initiator_depth = ep->cfg.ord >= 0 ? ep->cfg.ord :
				   min(dev->max_qp_init_rd_atom, 16),
		.responder_resources = ep->cfg.ird >= 0 ? ep->cfg.ird :
				       min(dev->max_qp_rd_atom, 16),
	};

	return rdma_connect(ep->cm, &param);
}

static int step_nudge(struct xt_ep *ep, void *arg)
{
	xt_hello_nudge(ep);
	return 0;
}

/*
 * Wait until all endpoints are ready, but at most @ms milliseconds. If @nudge is not 0, call
 * xt_hello_nudge() every @nudge milliseconds.
 */
static int group_ready(struct group *g, unsigned int nudge, unsigned int ms)
{
	g->below = XT_EP_READY;
	g->failed = NULL;
	while (nudge && ms > nudge && xt_wait(g->s, group_arrived, g, nudge) == -ETIMEDOUT) {
		group_for_each(g, step_nudge, NULL);
		ms -= nudge;
	}
	return group_wait(g, XT_EP_READY, ms);
}

static int step_destroy(struct xt_ep *ep, void *arg)
{
	xt_ep_destroy(ep);
	return 0;
}

static int group_connect(struct group *g, struct target *t, const struct xt_ep_config *cfg,
			 bool wait)
{
	int err;

	err = group_for_each(g, step_addr, t);
	if (!err)
		err = group_wait(g, XT_EP_ADDR, cfg->timeout);
	if (!err)
		err = group_for_each(g, step_route, t);
	if (!err)
		err = group_wait(g, XT_EP_ROUTE, cfg->timeout);
	if (!err)
		err = group_for_each(g, step_setup, NULL);
	/* all requests are sent before the first wait for an answer */
	if (!err)
		err = group_for_each(g, step_connect, NULL);
	if (!err && wait)
		err = group_ready(g, t->nudge_ms, cfg->timeout);
	return err;
}

int xt_connect_command(struct xt_session *s, struct xt_args *a)
{
	struct target t = { .has_src = xt_arg_has(a, "src") };
	bool wait = xt_arg_num(a, "wait", 1);
	struct group g = { .s = s, .first = s->next_ep };
	unsigned int n = xt_arg_max(a, "n", 1, ENDPOINTS_MAX);
	struct xt_ep_config cfg;
	struct xt_ep *ep;
	int err;

	err = xt_ep_config_args(a, &cfg);
	if (err)
		return err;
	t.resolve_ms = xt_arg_max(a, "rtimeout", cfg.timeout, INT_MAX);
	t.nudge_ms = xt_arg_max(a, "nudge", 0, INT_MAX);
	err = addr_arg(a, "addr", xt_arg_str(a, "port", NULL), &t.dst);
	if (!err && t.has_src)
		err = addr_arg(a, "src", xt_arg_str(a, "sport", NULL), &t.src);
	if (err || a->err)
		return err ?: a->err;
	/*
	 * reserve the numbers, because passive endpoints may also get numbers during this command
	 */
	s->next_ep += n;
	for (g.n = 0; g.n < n && !err; g.n++) {
		ep = ep_with_id(s, &cfg, g.first + g.n);
		err = PTR_ERR_OR_ZERO(ep);
	}
	if (!err)
		err = group_connect(&g, &t, &cfg, wait);
	if (err) {
		group_for_each(&g, step_destroy, NULL);
		return err;
	}
	ep = xt_ep_find(s, g.first);
	xt_say(s, " ep=%u n=%u dev=%s", g.first, n, ep->dev->ib->name);
	if (wait)
		xt_say(s, " ird=%u ord=%u rkey=0x%08x raddr=0x%llx rlen=%u", ep->peer_ird,
		       ep->peer_ord, ep->hello.rkey, ep->hello.addr, ep->hello.len);
	return 0;
}

static struct xt_ep *held_arg(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg(s, a);

	if (ep && READ_ONCE(ep->state) != XT_EP_REQUEST) {
		a->err = -EINVAL;
		a->bad = "ep";
		return NULL;
	}
	return ep;
}

int xt_setup_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = held_arg(s, a);

	if (!ep)
		return a->err;
	return ep->qp ? 0 : xt_ep_setup(ep);
}

int xt_accept_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = held_arg(s, a);
	int err;

	if (!ep)
		return a->err;
	err = xt_cm_accept(ep);
	if (err)
		xt_ep_destroy(ep);
	return err;
}

int xt_reject_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = held_arg(s, a);
	int err, n;

	if (!ep)
		return a->err;
	n = xt_arg_hex(a, "pdata", ep->cfg.pdata, sizeof(ep->cfg.pdata));
	if (a->err)
		return a->err;
	ep->cfg.pdata_len = n;
	err = xt_cm_reject(ep);
	xt_ep_destroy(ep);
	return err;
}

static int disconnect_one(struct xt_ep *ep, void *arg)
{
	return ep->qp ? rdma_disconnect(ep->cm) : -ENOTCONN;
}

int xt_disconnect_command(struct xt_session *s, struct xt_args *a)
{
	return xt_ep_args(s, a, disconnect_one, NULL);
}

struct closing {
	bool drain;
	bool abrupt;	/* do not disconnect first */
};

static int close_one(struct xt_ep *ep, void *arg)
{
	const struct closing *closing = arg;

	if (closing->abrupt) {
		xt_ep_free(ep);
		return 0;
	}
	if (closing->drain && ep->qp && ep->cfg.poll != XT_EVENT) {
		rdma_disconnect(ep->cm);
		ib_drain_qp(ep->qp);
	}
	xt_ep_destroy(ep);
	return 0;
}

int xt_close_command(struct xt_session *s, struct xt_args *a)
{
	struct closing closing = {
		.drain = xt_arg_num(a, "drain", 0),
		.abrupt = xt_arg_num(a, "abrupt", 0),
	};

	return a->err ?: xt_ep_args(s, a, close_one, &closing);
}

struct awaited {
	struct xt_session *s;
	struct xt_args *a;
	int state, event;
	bool ended;	/* rejected, failed or disconnected */
	unsigned int notified, n, seen;
};

static int count_one(struct xt_ep *ep, void *arg)
{
	/* acquire: all stores before the change of state are visible */
	enum xt_ep_state state = smp_load_acquire(&ep->state);
	struct awaited *w = arg;
	unsigned int i;

	if (w->ended ? state > XT_EP_READY : w->state >= 0 && state == w->state)
		w->seen++;
	if (w->notified && atomic_read(&ep->rcq.notified) >= w->notified)
		w->seen++;
	spin_lock_irq(&ep->lock);
	for (i = 0; w->event >= 0 && i < ep->n_ib_events; i++)
		if (ep->ib_events[i] == w->event) {
			w->seen++;
			break;
		}
	spin_unlock_irq(&ep->lock);
	return 0;
}

static bool awaited_there(void *arg)
{
	struct awaited *w = arg;

	w->seen = 0;
	xt_ep_args(w->s, w->a, count_one, w);
	return w->seen >= w->n;
}

/*
 * Wait until n= endpoints are in state=, have received event=, or have received notified=
 * completion events of their receive CQ. notified= needs split=1. Print how many endpoints fulfill
 * the condition, and the number of the session's newest endpoint.
 */
int xt_wait_command(struct xt_session *s, struct xt_args *a)
{
	struct awaited w = { .s = s, .a = a, .state = -1, .event = -1 };
	unsigned int ms = xt_arg_max(a, "timeout", XT_TIMEOUT_MS, INT_MAX);
	const char *state = xt_arg_str(a, "state", NULL);
	const char *event = xt_arg_str(a, "event", NULL);
	int err;

	w.n = xt_arg_max(a, "n", 1, ENDPOINTS_MAX);
	w.notified = xt_arg_max(a, "notified", 0, INT_MAX);
	if (!!state + !!event + !!w.notified != 1)
		return -EINVAL;
	if (state && !strcmp(state, "ended")) {
		w.ended = true;
	} else if (state) {
		w.state = xt_ep_state_value(state);
		if (w.state < 0)
			return w.state;
	} else if (event) {
		w.event = xt_ib_event_value(event);
		if (w.event < 0)
			return w.event;
	}
	if (a->err)
		return a->err;
	err = xt_wait(s, awaited_there, &w, ms);
	xt_say(s, " seen=%u", w.seen);
	if (!list_empty(&s->eps))
		xt_say(s, " ep=%u", list_last_entry(&s->eps, struct xt_ep, node)->number);
	return err;
}
