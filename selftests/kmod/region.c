// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Fast registration, as storage ULPs use it: allocate an MR once. For each registration, set the
 * page list of the MR while the MR is invalid, change the key octet, and post a work request.
 */
#include "region.h"

#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "device.h"
#include "endpoint.h"
#include "session.h"
#include "work.h"

#define REGS_KEYS 4

struct xt_region *xt_region_find(struct xt_session *s, const char *name)
{
	struct xt_region *r;

	list_for_each_entry(r, &s->regions, node)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}

static void region_free(struct xt_region *r)
{
	list_del(&r->node);
	ib_dereg_mr(r->mr);
	xt_died(XT_MR);
	if (r->map)
		xt_map_free(r->map);
	kfree(r);
}

/* Called when the registration of an exported region completes. */
void xt_region_registered(struct xt_region *r, bool ok)
{
	WRITE_ONCE(r->live, ok);
	/* pairs with exported() in hello.c */
	smp_store_release(&r->registrar, NULL);
}

/* Clear the registrar of all regions whose registration is pending on this endpoint. */
void xt_regions_abandon(struct xt_ep *ep)
{
	struct xt_region *r;

	list_for_each_entry(r, &ep->s->regions, node)
		if (r->registrar == ep)
			r->registrar = NULL;
}

void xt_regions_destroy(struct xt_session *s, struct ib_device *ib)
{
	struct xt_region *r, *next;

	list_for_each_entry_safe(r, next, &s->regions, node)
		if (!ib || r->dev->ib == ib)
			region_free(r);
}

static struct xt_region *region_new(struct xt_ep *ep, const struct xt_region_spec *spec)
{
	/* at least 64 pages, because the MR may be registered again with a larger length */
	u64 pages = max((spec->len >> PAGE_SHIFT) + 2, 64ULL);
	struct xt_region *r;
	struct ib_pd *pd;

	pd = xt_device_pd(ep->dev, spec->pd);
	if (IS_ERR(pd))
		return ERR_CAST(pd);
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return ERR_PTR(-ENOMEM);
	pages = min_t(u64, pages, ep->dev->ib->attrs.max_fast_reg_page_list_len);
	r->mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, pages);
	if (IS_ERR(r->mr)) {
		struct ib_mr *mr = r->mr;

		kfree(r);
		return ERR_CAST(mr);
	}
	xt_born(XT_MR);
	strscpy(r->name, spec->name, sizeof(r->name));
	r->dev = ep->dev;
	r->pd = spec->pd;
	list_add_tail(&r->node, &ep->s->regions);
	return r;
}

/* Map the memory that spec describes, and fill in the work request that registers it. */
static int region_map(struct xt_ep *ep, struct xt_region *r, const struct xt_region_spec *spec,
		      struct xt_work *w)
{
	unsigned int sgoff = spec->sgoff;
	struct xt_map *map;
	int n;

	map = xt_map_new(spec->buf, ep->dev->ib, spec->off, spec->len);
	if (IS_ERR(map))
		return PTR_ERR(map);
	if (r->map)
		xt_map_free(r->map);
	r->map = map;
	r->buf = spec->buf;
	r->len = spec->len - sgoff;
	n = ib_map_mr_sg(r->mr, map->sgt.sgl, map->nents, sgoff ? &sgoff : NULL, PAGE_SIZE);
	if (n != map->nents || r->mr->length != r->len)
		return n < 0 ? n : -E2BIG;
	if (spec->has_iova)
		r->mr->iova = spec->iova;
	ib_update_fast_reg_key(r->mr, ib_inc_rkey(r->mr->rkey));
	w->reg.wr.opcode = IB_WR_REG_MR;
	w->reg.mr = r->mr;
	w->reg.key = r->mr->rkey;
	w->reg.access = spec->access;
	return 0;
}

/*
 * Fill in the work request that registers the region @spec. If a region of that name exists, reuse
 * it; its MR must be invalid.
 */
struct xt_region *xt_region_prepare(struct xt_ep *ep, const struct xt_region_spec *spec,
				    struct xt_work *w)
{
	struct xt_region *r = xt_region_find(ep->s, spec->name);
	bool fresh = !r;
	int err;

	if (spec->sgoff >= spec->len)
		return ERR_PTR(-EINVAL);
	if (!r)
		r = region_new(ep, spec);
	else if (r->dev != ep->dev || r->pd != spec->pd)
		r = ERR_PTR(-EXDEV);
	if (IS_ERR(r))
		return r;
	err = region_map(ep, r, spec, w);
	if (!err)
		return r;
	if (fresh)
		region_free(r);
	return ERR_PTR(err);
}

static int region_spec_args(struct xt_session *s, struct xt_args *a, struct xt_ep *ep,
			    struct xt_region_spec *spec)
{
	spec->buf = xt_buf_arg(s, a, "buf");
	if (!spec->buf)
		return a->err;
	spec->name = xt_arg_str(a, "name", spec->buf->name);
	spec->off = xt_arg_max(a, "off", 0, spec->buf->size);
	spec->len = xt_arg_num(a, "len", spec->buf->size - spec->off);
	spec->sgoff = xt_arg_max(a, "sgoff", 0, U32_MAX);
	spec->iova = xt_arg_num(a, "iova", 0);
	spec->has_iova = xt_arg_has(a, "iova");
	spec->pd = xt_arg_max(a, "pd", ep->cfg.pd, XT_PDS - 1);
	spec->access = xt_arg_access(a, "access", "lw,rw,rr,ra");
	if (strlen(spec->name) >= XT_NAME_MAX)
		return -EINVAL;
	return a->err;
}

/* Post a registration, and wait for its completion. If @tell is set, print the completion. */
static int region_register(struct xt_ep *ep, struct xt_work *w, unsigned int ms, bool tell)
{
	int err;

	w->owned = true;
	err = xt_work_post(ep, w, NULL);
	if (!err)
		err = xt_work_wait(ep->s, w, ms);
	if (err)
		return err;
	if (w->wc.status != IB_WC_SUCCESS)
		err = -EIO;
	if (tell)
		xt_work_say(ep->s, w);
	xt_work_free(w);
	return err;
}

/*
 * With bind=0, only prepare the MR; its STag stays invalid. With more=1, keep the registration. The
 * next command that posts a send work request also posts the registration, in the same call of
 * ib_post_send().
 */
int xt_reg_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg_qp(s, a);
	unsigned int ms = xt_arg_max(a, "timeout", XT_TIMEOUT_MS, INT_MAX);
	bool more = xt_arg_num(a, "more", 0), bind = xt_arg_num(a, "bind", 1);
	bool signal = xt_arg_num(a, "signal", !more);
	bool fence = xt_arg_num(a, "fence", 0);
	struct xt_region_spec spec = {};
	struct xt_region *r;
	struct xt_work *w;
	int err;

	if (a->err)
		return a->err;
	err = region_spec_args(s, a, ep, &spec);
	if (err)
		return err;
	w = xt_work_new(ep, false);
	if (!w)
		return -ENOMEM;
	r = xt_region_prepare(ep, &spec, w);
	if (IS_ERR(r) || !bind) {
		xt_work_free(w);
		if (IS_ERR(r))
			return PTR_ERR(r);
	}
	xt_say(s, " name=%s rkey=0x%08x lkey=0x%08x addr=0x%llx len=%llu", r->name, r->mr->rkey,
	       r->mr->lkey, r->mr->iova, r->len);
	if (!bind)
		return 0;
	w->signaled = signal;
	w->send.send_flags = (signal ? IB_SEND_SIGNALED : 0) | (fence ? IB_SEND_FENCE : 0);
	if (more)
		return xt_work_chain(ep, w);
	if (!signal)
		return xt_work_post(ep, w, NULL);
	return region_register(ep, w, ms, true);
}

/*
 * Register a new region with the memory and the name of @spec, even if a region has this name
 * already. Store its key in *rkey.
 */
static int region_again(struct xt_ep *ep, const struct xt_region_spec *spec, unsigned int ms,
			u32 *rkey)
{
	struct xt_work *w = xt_work_new(ep, false);
	struct xt_region *r;
	int err;

	if (!w)
		return -ENOMEM;
	r = region_new(ep, spec);
	err = IS_ERR(r) ? PTR_ERR(r) : region_map(ep, r, spec, w);
	if (err) {
		if (!IS_ERR(r))
			region_free(r);
		xt_work_free(w);
		return err;
	}
	*rkey = r->mr->rkey;
	return region_register(ep, w, ms, false);
}

/*
 * Register n regions of the same memory, so that the STag table grows. Print the keys of about
 * REGS_KEYS evenly spaced regions, and of the last region. All regions have the same name; dereg
 * with this name frees one of them.
 */
int xt_regs_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_ep *ep = xt_ep_arg_qp(s, a);
	unsigned int ms = xt_arg_max(a, "timeout", XT_TIMEOUT_MS, INT_MAX);
	unsigned int i, n = xt_arg_max(a, "n", 1, 1 << 20);
	struct xt_region_spec spec = {};
	u32 rkey;
	int err;

	if (a->err)
		return a->err;
	err = region_spec_args(s, a, ep, &spec);
	if (err)
		return err;
	if (!n || spec.sgoff >= spec.len)
		return -EINVAL;
	xt_say(s, " n=%u rkeys=", n);
	for (i = 0; i < n && !err; i++) {
		err = region_again(ep, &spec, ms, &rkey);
		if (!err && (i % max(n / REGS_KEYS, 1U) == 0 || i == n - 1))
			xt_say(s, "0x%08x,", rkey);
	}
	if (err)
		return err;
	xt_say(s, " addr=0x%llx", list_last_entry(&s->regions, struct xt_region, node)->mr->iova);
	return 0;
}

int xt_dereg_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_region *r = xt_region_find(s, xt_arg_str(a, "name", ""));

	if (!r)
		return -ENOENT;
	/* keep an exported region, because the peers have its key */
	if (r->live || r->registrar)
		return -EBUSY;
	region_free(r);
	return 0;
}
