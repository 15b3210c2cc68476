// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Connection events. The handler records an event, schedules the pump and wakes the session. The
 * pump does the work that needs the lock of the session; for example, it accepts requests. The pump
 * runs in a work item, or in a command that waits. No handler takes the lock of a session, so a
 * command that holds this lock may call rdma_destroy_id(), which waits for handlers.
 */
#include "cm.h"

#include <linux/slab.h>
#include <rdma/ib_cm.h>
#include <rdma/rdma_cm.h>

#include "device.h"
#include "endpoint.h"
#include "session.h"

static struct workqueue_struct *pump_queue;

int xt_cm_init(void)
{
	pump_queue = alloc_workqueue("xiw_test", WQ_UNBOUND, 0);
	return pump_queue ? 0 : -ENOMEM;
}

void xt_cm_exit(void)
{
	destroy_workqueue(pump_queue);
}

/* Schedule the pump to run after @delay jiffies. Context: any. */
void xt_cm_pump_later(struct xt_session *s, unsigned long delay)
{
	mod_delayed_work(pump_queue, &s->pump, delay);
	xt_kick(s);
}

static void keep_peer_params(struct xt_ep *ep, const struct rdma_conn_param *p)
{
	ep->peer_pdata_len = p->private_data ? p->private_data_len : 0;
	memcpy(ep->peer_pdata, p->private_data, ep->peer_pdata_len);
	ep->peer_ird = p->responder_resources;
	ep->peer_ord = p->initiator_depth;
}

/* Handle a connect request. If this returns nonzero, rdma_cm destroys the new cm_id. */
static int request_received(struct xt_ep *listener, struct rdma_cm_id *id,
			    const struct rdma_cm_event *event)
{
	struct xt_session *s = listener->s;
	struct xt_ep *ep = xt_ep_new(s, &listener->cfg, GFP_KERNEL);

	if (!ep)
		return -ENOMEM;
	xt_born(XT_CMID);
	ep->cm = id;
	ep->listener = listener->number;
	ep->state = XT_EP_REQUEST;
	ep->cm_events[ep->n_cm_events++] = event->event;
	keep_peer_params(ep, &event->param.conn);
	id->context = ep;
	spin_lock_irq(&s->pending_lock);
	list_add_tail(&ep->node, &s->pending);
	spin_unlock_irq(&s->pending_lock);
	xt_cm_pump_later(s, 0);
	return 0;
}

int xt_cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct xt_ep *ep = id->context;
	int state = -1;	/* no change */

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		return request_received(ep, id, event);

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		state = XT_EP_ADDR;
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		state = XT_EP_ROUTE;
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (ep->listener < 0)
			keep_peer_params(ep, &event->param.conn);
		state = XT_EP_ESTABLISHED;
		break;
	case RDMA_CM_EVENT_REJECTED:
		keep_peer_params(ep, &event->param.conn);
		state = XT_EP_REJECTED;
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
		state = XT_EP_FAILED;
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		state = XT_EP_DISCONNECTED;
		/* InfiniBand requires an answer to the DREQ; on iWARP, the call has no effect */
		rdma_disconnect(id);
		break;
	default:
		break;
	}
	spin_lock_irq(&ep->lock);
	if (event->status)
		ep->status = event->status;
	if (ep->n_cm_events < XT_EVENTS)
		ep->cm_events[ep->n_cm_events++] = event->event;
	if (state >= 0) {
		/* release: a reader that sees the new state also sees the event's data */
		smp_store_release(&ep->state, state);
	}
	spin_unlock_irq(&ep->lock);
	xt_cm_pump_later(ep->s, 0);
	return 0;
}

/*
 * Choose the IRD or ORD to offer. Return: the requested depth, if any (asked >= 0); otherwise the
 * smaller of the peer's depth and the device's limit.
 */
static u8 depth(int asked, int device, u8 peer)
{
	if (asked >= 0)
		return asked;
	return min_t(int, device, peer);
}

/* Accept the connection. After a failure, the caller destroys the endpoint. */
int xt_cm_accept(struct xt_ep *ep)
{
	struct rdma_conn_param param = {
		.private_data = ep->cfg.pdata, .private_data_len = ep->cfg.pdata_len,
		.rnr_retry_count = 7,
	};
	const struct ib_device_attr *dev;
	int err;

	err = ep->qp ? 0 : xt_ep_setup(ep);
	if (err)
		return err;
	dev = &ep->dev->ib->attrs;
	param.initiator_depth = depth(ep->cfg.ord, dev->max_qp_init_rd_atom, ep->peer_ord);
	param.responder_resources = depth(ep->cfg.ird, dev->max_qp_rd_atom, ep->peer_ird);
	spin_lock_irq(&ep->lock);
	if (ep->state == XT_EP_REQUEST)
		ep->state = XT_EP_CONNECT;
	spin_unlock_irq(&ep->lock);
	rdma_lock_handler(ep->cm);
	err = rdma_accept(ep->cm, &param);
	rdma_unlock_handler(ep->cm);
	return err;
}

int xt_cm_reject(struct xt_ep *ep)
{
	return rdma_reject(ep->cm, ep->cfg.pdata, ep->cfg.pdata_len,
			   IB_CM_REJ_CONSUMER_DEFINED);
}

static void request_handle(struct xt_session *s, struct xt_ep *ep)
{
	int err;

	ep->number = s->next_ep++;
	list_add_tail(&ep->node, &s->eps);
	switch (ep->cfg.mode) {
	case XT_HOLD:
		return;
	case XT_REJECT:
		xt_cm_reject(ep);
		xt_ep_destroy(ep);
		return;
	case XT_ACCEPT:
		break;
	}
	err = xt_cm_accept(ep);
	if (!err)
		return;
	/* a failed rdma_accept() may have rejected the request; a second reject is harmless */
	pr_info("xiw_test: accept failed: %pe\n", ERR_PTR(err));
	xt_cm_reject(ep);
	xt_ep_destroy(ep);
}

/*
 * Handle pending requests, continue the exchange of hellos, and destroy disconnected endpoints that
 * have autoclose=. The session is locked. Return: true if the caller must call again soon, because
 * a hello is expected on a CQ that ib_core does not poll.
 */
bool xt_cm_pump(struct xt_session *s)
{
	struct xt_ep *ep, *next;
	LIST_HEAD(requests);
	bool again = false;

	spin_lock_irq(&s->pending_lock);
	list_splice_init(&s->pending, &requests);
	spin_unlock_irq(&s->pending_lock);
	while ((ep = list_first_entry_or_null(&requests, struct xt_ep, node))) {
		list_del_init(&ep->node);
		request_handle(s, ep);
	}
	list_for_each_entry_safe(ep, next, &s->eps, node) {
		/* acquire: all stores before the change of state are visible */
		enum xt_ep_state state = smp_load_acquire(&ep->state);

		if (state == XT_EP_ESTABLISHED)
			again |= !xt_hello_progress(ep) && ep->cfg.poll >= XT_DIRECT;
		else if (state == XT_EP_DISCONNECTED && ep->cfg.autoclose && ep->listener >= 0)
			xt_ep_destroy(ep);
	}
	return again;
}
