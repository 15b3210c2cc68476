// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "verbs/mr.h"

#include <linux/random.h>

#include "queue/user.h"
#include "queue/wr.h"
#include "ring/stag_table.h"
#include "verbs/qp.h"
#include "xiw.h"

static void xiw_mr_named(struct xiw_mr *mr, u32 stag)
{
	mr->ibmr.lkey = stag;
	mr->ibmr.rkey = stag;
}

int xiw_mr_give(struct xiw_device *dev, struct xiw_mr *mr, struct ib_pd *ibpd,
		const struct xiw_stag_entry *entry)
{
	u32 stag;
	int err;

	err = xiw_stag_give(dev, ibpd, entry, &stag, &mr->share);
	if (err)
		return err;
	mr->index = xiw_stag_index(stag);
	xiw_mr_named(mr, stag);
	atomic_inc(&dev->objects[XIW_OBJ_MR]);
	return 0;
}

int xiw_mr_change(struct xiw_device *dev, struct xiw_mr *mr, struct ib_pd *ibpd,
		  const struct xiw_stag_entry *entry)
{
	/* Keep the STag, because the user may have sent the STag to peers that still use it. */
	xiw_stag_clear(dev, mr->ibmr.lkey);
	return xiw_stag_set(dev, ibpd, mr->ibmr.lkey, entry);
}

static struct xiw_mr *xiw_mr_new(struct xiw_device *dev, struct ib_pd *ibpd,
				 const struct xiw_stag_entry *entry)
{
	struct xiw_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	int err;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = xiw_mr_give(dev, mr, ibpd, entry);
	if (!err)
		return mr;
	kfree(mr);
	return ERR_PTR(err);
}

struct ib_mr *xiw_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct xiw_stag_entry entry = {
		.state = XIW_STAG_VALID,
		.access = xiw_access_of_ib(access),
		.page_shift = PAGE_SHIFT,
		.flags = cpu_to_le32(XIW_STAGF_LINEAR),
		.length = cpu_to_le64(U64_MAX),
	};
	struct xiw_mr *mr = xiw_mr_new(to_xiw_device(ibpd->device), ibpd, &entry);

	return IS_ERR(mr) ? ERR_CAST(mr) : &mr->ibmr;
}

static int xiw_pd_add_sink(struct xiw_pd *pd)
{
	struct xiw_device *dev = to_xiw_device(pd->ibpd.device);
	struct xiw_stag_entry entry = {
		.state = XIW_STAG_VALID,
		.access = xiw_access_of_ib(IB_ACCESS_LOCAL_WRITE),
		.page_shift = PAGE_SHIFT,
		.flags = cpu_to_le32(XIW_STAGF_LINEAR),
		.length = cpu_to_le64(XIW_MEMORY_SIZE),
	};
	struct xiw_mr *mr;

	/* The base is below 2^62, so that no TO of the MR is near 2^64. */
	pd->sink_base = (get_random_u64() >> 2) & PAGE_MASK;
	pd->sink_memory = dev->rnic.dma_device ? 0 : (u64)PAGE_OFFSET & XIW_MEMORY_SIZE;
	entry.pages = cpu_to_le64(pd->sink_memory);
	entry.base = cpu_to_le64(pd->sink_base);
	mr = xiw_mr_new(dev, &pd->ibpd, &entry);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	pd->sink = mr;
	return 0;
}

struct ib_mr *xiw_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type, u32 max_sg)
{
	struct xiw_device *dev = to_xiw_device(ibpd->device);
	struct xiw_stag_entry entry = {
		.state = XIW_STAG_INVALID,
		.page_shift = PAGE_SHIFT,
	};
	struct xiw_mr *mr;
	__le64 *pages;
	u64 bus;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_sg || max_sg > XIW_MAX_PAGE_LIST)
		return ERR_PTR(-EINVAL);

	pages = dev->rnic.ops->alloc(&dev->rnic, max_sg * sizeof(*pages), &bus, GFP_KERNEL);
	if (!pages)
		return ERR_PTR(-ENOMEM);
	mr = xiw_mr_new(dev, ibpd, &entry);
	if (IS_ERR(mr)) {
		dev->rnic.ops->free(&dev->rnic, max_sg * sizeof(*pages), pages, bus);
		return ERR_CAST(mr);
	}
	mr->pages = pages;
	mr->pages_bus = bus;
	mr->max_pages = max_sg;
	/*
	 * The lower 32 bits of the first TO are below 2^31. So the first TO plus 2 GiB is below
	 * 2^64, even if a ULP replaces the upper 32 bits. The NFS client writes the XID of its
	 * request into the upper 32 bits. The lower 32 bits are random, and distinguish the MRs of
	 * one request.
	 */
	mr->begin = (u64)(get_random_u32() >> 2) << 32 | get_random_u32() >> 1;
	return &mr->ibmr;
}

static int xiw_mr_set_page(struct ib_mr *ibmr, u64 addr)
{
	struct xiw_mr *mr = to_xiw_mr(ibmr);

	if (mr->page_count == mr->max_pages)
		return -ENOMEM;
	mr->pages[mr->page_count++] = cpu_to_le64(addr);
	return 0;
}

int xiw_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents, unsigned int *offset)
{
	struct xiw_mr *mr = to_xiw_mr(ibmr);
	u64 mask;
	int mapped;

	mr->page_count = 0;
	/*
	 * This function need not handle *offset: ib_sg_to_pages() adds *offset to iova and to the
	 * first address, and subtracts *offset from the length.
	 */
	mapped = ib_sg_to_pages(ibmr, sg, nents, offset, xiw_mr_set_page);
	/*
	 * ULPs send iova to their peers in plain text, and for the software RNIC iova is a kernel
	 * address. So reveal only the offset of the memory in its page.
	 */
	mask = ibmr->page_size - 1;
	ibmr->iova = (mr->begin & ~mask) + (ibmr->iova & mask);
	return mapped;
}

static void xiw_mr_free(struct xiw_device *dev, struct xiw_mr *mr)
{
	xiw_stag_take(dev, mr->index << 8, mr->share);
	if (mr->user)
		xiw_user_mr_release(mr);
	if (mr->pages)
		dev->rnic.ops->free(&dev->rnic, mr->max_pages * sizeof(*mr->pages), mr->pages,
				    mr->pages_bus);
	kfree(mr);
	atomic_dec(&dev->objects[XIW_OBJ_MR]);
}

int xiw_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	xiw_mr_free(to_xiw_device(ibmr->device), to_xiw_mr(ibmr));
	return 0;
}

int xiw_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct xiw_device *dev = to_xiw_device(ibpd->device);
	struct xiw_pd *pd = to_xiw_pd(ibpd);
	int err;

	mutex_init(&pd->window_lock);
	xa_init(&pd->windows);
	err = xa_alloc_cyclic_bh(&dev->pds, &pd->id, pd, XA_LIMIT(1, INT_MAX), &dev->next_pd,
				 GFP_KERNEL);
	if (err < 0)
		return err;
	err = udata ? 0 : xiw_pd_add_sink(pd);
	if (err) {
		xa_erase_bh(&dev->pds, pd->id);
		return err;
	}
	atomic_inc(&dev->objects[XIW_OBJ_PD]);
	return 0;
}

int xiw_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct xiw_device *dev = to_xiw_device(ibpd->device);
	struct xiw_pd *pd = to_xiw_pd(ibpd);

	if (pd->sink)
		xiw_mr_free(dev, pd->sink);
	xa_erase_bh(&dev->pds, pd->id);
	atomic_dec(&dev->objects[XIW_OBJ_PD]);
	return 0;
}
