// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The receiver of the messages that "run" sends. The sink counts the messages, and posts each
 * receive again after its completion. With verify, the sink checks that message n has pattern n,
 * and that its immediate value, if any, is n.
 */
#include "sink.h"

#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "buffer.h"
#include "command.h"
#include "device.h"
#include "endpoint.h"
#include "pattern.h"
#include "session.h"
#include "work.h"

struct sink_slot {
	struct ib_cqe cqe;
	struct xt_sink *sink;
	size_t off;
	struct ib_recv_wr wr;
	struct ib_sge sge[4];
};

struct xt_sink {
	struct xt_ep *ep;
	struct xt_buf *buf;
	struct xt_map *map;
	bool verify;
	/* written only by completion handlers, which do not run concurrently */
	u64 messages, bytes, imms, imm_bytes, bad, flushed, errors;
	unsigned int n;
	struct sink_slot slot[];
};

static bool sink_good(struct xt_sink *k, struct sink_slot *slot, const struct ib_wc *wc)
{
	size_t first;

	if (!k->verify)
		return true;
	if (wc->wc_flags & IB_WC_WITH_IMM && be32_to_cpu(wc->ex.imm_data) != (u32)k->messages)
		return false;
	/* a Write with immediate data does not use the memory of the receive */
	if (wc->opcode == IB_WC_RECV_RDMA_WITH_IMM || !wc->byte_len)
		return true;
	xt_map_sync(k->map, slot->off, wc->byte_len, true);
	return !xt_pattern_check(k->buf->va + slot->off, wc->byte_len, k->messages, 0, &first);
}

static void sink_message(struct xt_sink *k, struct sink_slot *slot, const struct ib_wc *wc)
{
	if (!sink_good(k, slot, wc))
		k->bad++;
	if (wc->wc_flags & IB_WC_WITH_IMM) {
		k->imm_bytes += wc->byte_len;
		/* release: a reader that sees the new value of imms also sees imm_bytes and bad */
		smp_store_release(&k->imms, k->imms + 1);
	} else {
		k->bytes += wc->byte_len;
	}
	/* release: a reader that sees the new value of messages also sees all other counters */
	smp_store_release(&k->messages, k->messages + 1);
}

static void sink_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct sink_slot *slot = container_of(wc->wr_cqe, struct sink_slot, cqe);
	struct xt_sink *k = slot->sink;

	if (wc->status == IB_WC_SUCCESS) {
		sink_message(k, slot, wc);
		if (ib_post_recv(k->ep->qp, &slot->wr, NULL))
			k->errors++;
		return;
	}
	if (wc->status == IB_WC_WR_FLUSH_ERR)
		k->flushed++;
	else
		k->errors++;
	xt_kick(k->ep->s);
}

static int sink_slot_init(struct xt_sink *k, struct sink_slot *slot, size_t off, u32 len,
			  unsigned int sges)
{
	int n = 0;

	slot->cqe.done = sink_done;
	slot->sink = k;
	slot->off = off;
	slot->wr.wr_cqe = &slot->cqe;
	slot->wr.sg_list = slot->sge;
	if (len)
		n = xt_map_sges(k->map, off, len, sges, k->ep->qp->pd->local_dma_lkey,
				slot->sge, ARRAY_SIZE(slot->sge));
	if (n < 0)
		return n;
	slot->wr.num_sge = n;
	return 0;
}

/* Create the sink that the members sink* of ep->cfg describe. xt_sink_free() frees it. */
int xt_sink_start(struct xt_ep *ep)
{
	const struct xt_ep_config *cfg = &ep->cfg;
	struct xt_buf *b;
	u32 stride = cfg->sink_shared ? 0 : cfg->sink_len;
	struct xt_sink *k;
	unsigned int i;
	int err;

	if (!cfg->sink || (cfg->sink_shared && cfg->sink_verify))
		return -EINVAL;
	if (ep->sink)
		return -EBUSY;
	b = *cfg->sink_buf ? xt_buf_find(ep->s, cfg->sink_buf) :
			     list_first_entry_or_null(&ep->s->bufs, struct xt_buf, node);
	if (!b)
		return -ENOENT;
	if (!xt_buf_holds(b, cfg->sink_off, (u64)(cfg->sink - 1) * stride + cfg->sink_len))
		return -ERANGE;
	k = kvzalloc(struct_size(k, slot, cfg->sink), GFP_KERNEL);
	if (!k)
		return -ENOMEM;
	ep->sink = k;
	k->ep = ep;
	k->buf = b;
	k->n = cfg->sink;
	k->verify = cfg->sink_verify;
	k->map = xt_map_whole(b, ep->dev->ib);
	if (IS_ERR(k->map))
		return PTR_ERR(k->map);
	for (i = 0; i < k->n; i++) {
		err = sink_slot_init(k, &k->slot[i], cfg->sink_off + (u64)i * stride,
				     cfg->sink_len, cfg->sink_sges);
		if (!err)
			err = ib_post_recv(ep->qp, &k->slot[i].wr, NULL);
		if (err)
			return err;
	}
	return 0;
}

void xt_sink_free(struct xt_ep *ep)
{
	kvfree(ep->sink);
	ep->sink = NULL;
}

int xt_sink_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg_qp(s, a);
	u64 messages, imms;
	struct xt_sink *k;
	int err;

	if (!ep)
		return a->err;
	if (xt_arg_has(a, "n")) {
		ep->cfg.sink = xt_arg_max(a, "n", 0, 32768);
		ep->cfg.sink_len = xt_arg_max(a, "len", PAGE_SIZE, 1 << 30);
		ep->cfg.sink_sges = xt_arg_max(a, "sges", 1, 4);
		ep->cfg.sink_off = xt_arg_num(a, "off", 0);
		ep->cfg.sink_verify = xt_arg_num(a, "verify", 0);
		strscpy(ep->cfg.sink_buf, xt_arg_str(a, "buf", ""), sizeof(ep->cfg.sink_buf));
		if (a->err)
			return a->err;
		err = xt_sink_start(ep);
		if (err)
			return err;
	}
	k = ep->sink;
	if (!k)
		return -ENOENT;
	/*
	 * acquire: the other counters include the messages that k->messages counts, and possibly
	 * later messages
	 */
	messages = smp_load_acquire(&k->messages);
	/*
	 * k->imms counts only messages with an immediate value. acquire: imm_bytes and bad include
	 * these messages, and possibly later messages
	 */
	imms = smp_load_acquire(&k->imms);
	xt_say(s, " messages=%llu bytes=%llu imms=%llu imm_bytes=%llu",
	       messages, READ_ONCE(k->bytes), imms, READ_ONCE(k->imm_bytes));
	xt_say(s, " bad=%llu flushed=%llu errors=%llu", READ_ONCE(k->bad),
	       READ_ONCE(k->flushed), READ_ONCE(k->errors));
	return 0;
}
