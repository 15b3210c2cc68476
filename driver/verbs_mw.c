// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Memory windows. Users only: the kernel's verbs have no request to bind one. */
#include "mr.h"
#include "stag_table.h"
#include "xiw.h"

int xiw_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct xiw_device *dev = to_xiw_device(ibmw->device);
	struct xiw_stag_entry entry = {
		.state = XIW_STAG_INVALID,
		.flags = cpu_to_le32(XIW_STAGF_WINDOW),
	};
	int err = ib_is_udata_in_empty(udata);

	if (err)
		return err;
	/* One of type 1 is bound anew while it is bound, which no RNIC of ours does. */
	if (ibmw->type != IB_MW_TYPE_2 || !(xiw_cap(dev) & XIW_CAP_WINDOW))
		return -EOPNOTSUPP;
	err = xiw_stag_give(dev, ibmw, ibmw->pd, &entry, &ibmw->rkey);
	if (err)
		return err;
	atomic_inc(&dev->objects[XIW_OBJ_MW]);
	return 0;
}

int xiw_dealloc_mw(struct ib_mw *ibmw)
{
	struct xiw_device *dev = to_xiw_device(ibmw->device);

	xiw_stag_take(dev, ibmw->rkey);
	atomic_dec(&dev->objects[XIW_OBJ_MW]);
	return 0;
}
