// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "hello.h"

#include <linux/slab.h>

#include "buffer.h"
#include "cm.h"
#include "device.h"
#include "endpoint.h"
#include "region.h"
#include "session.h"
#include "work.h"

#define HELLO_SIZE sizeof(struct xt_hello_message)

static void hello_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xt_ep *ep = container_of(wc->wr_cqe, struct xt_ep, hello.cqe);
	const struct xt_hello_message *msg = &ep->hello.msg[1];
	struct xt_hello *h = &ep->hello;

	ib_dma_sync_single_for_cpu(ep->dev->ib, h->dma, 2 * HELLO_SIZE, DMA_BIDIRECTIONAL);
	if (wc->status != IB_WC_SUCCESS || wc->byte_len != HELLO_SIZE ||
	    be32_to_cpu(msg->magic) != XT_HELLO_MAGIC) {
		h->failed = true;
	} else {
		h->rkey = be32_to_cpu(msg->rkey);
		h->addr = be64_to_cpu(msg->addr);
		h->len = be32_to_cpu(msg->len);
		/* pairs with xt_hello_progress() */
		smp_store_release(&h->received, true);
	}
	xt_cm_pump_later(ep->s, 0);
}

/* Post the receive for the peer's hello. Call this before any other receive is posted. */
int xt_hello_setup(struct xt_ep *ep)
{
	struct xt_hello *h = &ep->hello;
	struct ib_device *ib = ep->dev->ib;
	struct ib_sge sge = { .length = HELLO_SIZE, .lkey = ep->qp->pd->local_dma_lkey };
	struct ib_recv_wr wr = { .wr_cqe = &h->cqe, .sg_list = &sge, .num_sge = 1 };

	h->msg = kcalloc(2, HELLO_SIZE, GFP_KERNEL);
	if (!h->msg)
		return -ENOMEM;
	h->dma = ib_dma_map_single(ib, h->msg, 2 * HELLO_SIZE, DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(ib, h->dma)) {
		kfree(h->msg);
		h->msg = NULL;
		return -EIO;
	}
	h->cqe.done = hello_received;
	sge.addr = h->dma + HELLO_SIZE;
	return ib_post_recv(ep->qp, &wr, NULL);
}

void xt_hello_free(struct xt_ep *ep)
{
	struct xt_hello *h = &ep->hello;

	if (!h->msg)
		return;
	ib_dma_unmap_single(ep->dev->ib, h->dma, 2 * HELLO_SIZE, DMA_BIDIRECTIONAL);
	kfree(h->msg);
	h->msg = NULL;
}

/*
 * Get the exported region. All endpoints of the session with the same buffer, device and protection
 * domain share it. The first call posts the registration. Return: NULL while the registration is
 * pending; the caller must call again.
 */
static struct xt_region *exported(struct xt_ep *ep)
{
	struct xt_region_spec spec = {
		.buf = xt_buf_find(ep->s, ep->cfg.export), .pd = ep->cfg.pd,
		.access = ep->cfg.access,
	};
	char name[XT_REGION_NAME_MAX];
	struct xt_region *r;
	struct xt_work *w;
	int err;

	if (!spec.buf)
		return ERR_PTR(-ENOENT);
	/* one region per protection domain, because a key is valid only in its domain */
	snprintf(name, sizeof(name), "%u.%s.%s", ep->cfg.pd, ep->dev->ib->name, spec.buf->name);
	spec.name = name;
	spec.len = ep->cfg.export_len ?: spec.buf->size;
	r = xt_region_find(ep->s, name);
	if (r) {
		/* pairs with xt_region_registered() */
		if (smp_load_acquire(&r->registrar))
			return NULL;
		if (READ_ONCE(r->live))
			return r;
	}
	w = xt_work_new(ep, false);
	if (!w)
		return ERR_PTR(-ENOMEM);
	r = xt_region_prepare(ep, &spec, w);
	if (IS_ERR(r)) {
		xt_work_free(w);
		return r;
	}
	r->registrar = ep;
	w->region = r;
	w->hidden = true;
	err = xt_work_post(ep, w, NULL);
	if (!err)
		return NULL;
	r->registrar = NULL;
	return ERR_PTR(err);
}

/*
 * Post the hello. Return: 0 if it is posted; -EAGAIN if the caller must call again after the
 * exported region is registered; another negative errno on failure.
 */
static int hello_send(struct xt_ep *ep)
{
	struct xt_hello *h = &ep->hello;
	struct xt_region *r = NULL;
	struct xt_work *w;
	int err;

	if (*ep->cfg.export) {
		r = exported(ep);
		if (IS_ERR(r))
			return PTR_ERR(r);
		if (!r)
			return -EAGAIN;
		h->our_rkey = r->mr->rkey;
		h->our_addr = r->mr->iova;
	}
	h->msg[0] = (struct xt_hello_message) {
		.magic = cpu_to_be32(XT_HELLO_MAGIC), .rkey = cpu_to_be32(h->our_rkey),
		.addr = cpu_to_be64(h->our_addr), .len = cpu_to_be32(r ? r->len : 0),
	};
	w = xt_work_new(ep, false);
	if (!w)
		return -ENOMEM;
	ib_dma_sync_single_for_device(ep->dev->ib, h->dma, 2 * HELLO_SIZE, DMA_BIDIRECTIONAL);
	w->hidden = true;
	w->send.opcode = IB_WR_SEND;
	w->send.num_sge = 1;
	w->sge[0].addr = h->dma;
	w->sge[0].length = HELLO_SIZE;
	w->sge[0].lkey = ep->qp->pd->local_dma_lkey;
	err = xt_work_post(ep, w, NULL);
	h->sent = !err;
	return err;
}

/*
 * Send a Write of zero length to a peer that has not answered the hello. A peer with siw may need
 * this Write: siw drops TCP's notification of data that arrives after siw's MPA Reply and before
 * siw is ready for FPDUs. siw processes this data only when more data arrives.
 */
void xt_hello_nudge(struct xt_ep *ep)
{
	struct xt_hello *h = &ep->hello;
	struct xt_work *w;

	/* pairs with hello_received() */
	if (!h->sent || smp_load_acquire(&h->received))
		return;
	w = xt_work_new(ep, false);
	if (!w)
		return;
	w->hidden = true;
	w->send.opcode = IB_WR_RDMA_WRITE;
	/* ignore errors: the device refuses the Write if the connection has ended */
	xt_work_post(ep, w, NULL);
}

/*
 * Continue the exchange of hellos on an established endpoint. Return: true if the exchange is
 * complete or has failed, false if the caller must call again.
 */
bool xt_hello_progress(struct xt_ep *ep)
{
	struct xt_hello *h = &ep->hello;
	/* pairs with hello_received() */
	bool received = smp_load_acquire(&h->received);
	bool ready = !ep->cfg.hello;
	int err = 0;

	if (ep->cfg.hello) {
		if (!h->sent && (ep->listener < 0 || received))
			err = hello_send(ep);
		ready = h->sent && received;
	}
	if (!ready && (!err || err == -EAGAIN))
		return h->failed;
	spin_lock_irq(&ep->lock);
	if (ep->state == XT_EP_ESTABLISHED)
		ep->state = ready ? XT_EP_READY : XT_EP_FAILED;
	if (!ready)
		ep->status = err;
	spin_unlock_irq(&ep->lock);
	/* disconnect, because the peer waits for a hello that this endpoint cannot send */
	if (!ready)
		rdma_disconnect(ep->cm);
	xt_kick(ep->s);
	return true;
}
