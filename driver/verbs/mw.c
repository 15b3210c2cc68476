// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Memory windows (MWs). Only user-space programs have MWs, because kernel verbs have no work
 * request that binds an MW.
 */
#include <rdma/uverbs_ioctl.h>

#include "core/stag.h"
#include "ring/stag_table.h"
#include "verbs/mr.h"
#include "verbs/qp.h"
#include "xiw.h"

/* The STag table entry of an MW that is not bound. */
static const struct xiw_stag_entry xiw_mw_unbound = {
	.state = XIW_STAG_INVALID,
	.flags = cpu_to_le32(XIW_STAGF_WINDOW),
};

int xiw_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct xiw_device *dev = to_xiw_device(ibmw->device);
	struct xiw_pd *pd = to_xiw_pd(ibmw->pd);
	struct xiw_mw *mw = to_xiw_mw(ibmw);
	int err = ib_is_udata_in_empty(udata);

	if (err)
		return err;
	/* A type 1 MW can be bound again while it is bound. No supported RNIC can do this. */
	if (ibmw->type != IB_MW_TYPE_2 || !(xiw_cap(dev) & XIW_CAP_WINDOW))
		return -EOPNOTSUPP;
	err = xiw_stag_give(dev, ibmw->pd, &xiw_mw_unbound, &ibmw->rkey, &mw->share);
	if (err)
		return err;
	err = xa_insert(&pd->windows, xiw_stag_index(ibmw->rkey), mw, GFP_KERNEL_ACCOUNT);
	if (err) {
		xiw_stag_take(dev, ibmw->rkey, mw->share);
		return err;
	}
	atomic_inc(&dev->objects[XIW_OBJ_MW]);
	return 0;
}

int xiw_dealloc_mw(struct ib_mw *ibmw)
{
	struct xiw_device *dev = to_xiw_device(ibmw->device);
	struct xiw_pd *pd = to_xiw_pd(ibmw->pd);
	struct xiw_mw *mw = to_xiw_mw(ibmw);

	mutex_lock(&pd->window_lock);
	xa_erase(&pd->windows, xiw_stag_index(ibmw->rkey));
	mutex_unlock(&pd->window_lock);
	xiw_stag_take(dev, ibmw->rkey, mw->share);
	atomic_dec(&dev->objects[XIW_OBJ_MW]);
	return 0;
}

static void xiw_mw_unbind(struct ib_mw *ibmw, u32 stream)
{
	struct xiw_device *dev = to_xiw_device(ibmw->device);
	struct xiw_stag_found found;
	u32 stag;

	xiw_stag_find(dev, ibmw->rkey, &found);
	if (found.view.state != XIW_STAG_VALID || found.view.stream != stream)
		return;
	/* Binding the MW may have changed its key. */
	stag = (ibmw->rkey & ~0xffU) | found.view.key;
	xiw_stag_clear(dev, stag);
	xiw_stag_set(dev, ibmw->pd, stag, &xiw_mw_unbound);
}

static void xiw_mw_unbind_index(struct xiw_qp *qp, unsigned long index)
{
	struct xiw_pd *pd = to_xiw_pd(qp->ibqp.pd);
	struct xiw_mw *mw;

	mutex_lock(&pd->window_lock);
	mw = xa_load(&pd->windows, index);
	if (mw)
		xiw_mw_unbind(&mw->ibmw, qp->stream);
	mutex_unlock(&pd->window_lock);
	cond_resched();
}

void xiw_mws_unbind(struct xiw_qp *qp)
{
	struct xarray *windows = &to_xiw_pd(qp->ibqp.pd)->windows;
	bool any = READ_ONCE(qp->bound_any);
	unsigned long index;
	void *entry;

	/*
	 * A bind that is posted from now on is flushed, so it does not bind its MW. But its post
	 * may add an entry to qp->bound or set qp->bound_any again. A later call of this function
	 * then finds that the MW is not bound.
	 */
	WRITE_ONCE(qp->bound_any, false);
	xa_for_each(&qp->bound, index, entry) {
		xa_erase_irq(&qp->bound, index);
		xiw_mw_unbind_index(qp, index);
	}
	if (any)
		xa_for_each(windows, index, entry)
			xiw_mw_unbind_index(qp, index);
}
