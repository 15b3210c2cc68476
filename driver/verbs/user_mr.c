// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Memory of user-space consumers: pinned pages, or a dma-buf of another device. The RNIC gets a
 * list of the pages.
 */
#include <linux/dma-map-ops.h>
#include <linux/iommu.h>
#include <linux/log2.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <rdma/iter.h>
#include <rdma/uverbs_ioctl.h>

#include "queue/user.h"
#include "queue/wr.h"
#include "verbs/mr.h"
#include "xiw.h"

#define XIW_LIST 512	/* page addresses in one list, see XIW_STAGF_TWO_LEVEL */
#define XIW_LIST_SIZE (XIW_LIST * sizeof(__le64))
/* A PCIe RNIC needs contiguous memory for the addresses of the lists. */
#define XIW_MAX_LISTS_DMA BIT(16)
#define XIW_MAX_LISTS BIT(22)

#define XIW_USER_ACCESS (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
			 IB_ACCESS_MW_BIND | IB_ACCESS_HUGETLB | IB_ACCESS_OPTIONAL)

/* Parameters of a new MR. */
struct xiw_user_range {
	u64 start;		/* address, or offset into the dma-buf */
	u64 length;
	u64 va;			/* TO of the first octet */
	int access;		/* IB_ACCESS_* */
	int fd;			/* file descriptor of the dma-buf, or -1 */
};

/* The pages of a user's MR. */
struct xiw_user_mr {
	struct ib_umem *umem;		/* NULL if the MR has no memory */
	struct xiw_stag_entry entry;	/* STag table entry, without PD and key */
	int access;			/* IB_ACCESS_*, as requested by the user */
	/* Number of page lists, whose addresses are in MR.pages. 0: MR.pages is the only list. */
	u32 count;
	struct {
		__le64 *list;
		u64 bus;
	} lists[];
};

static u32 xiw_max_lists(const struct xiw_device *dev)
{
	return dev->rnic.dma_device ? XIW_MAX_LISTS_DMA : XIW_MAX_LISTS;
}

u64 xiw_user_mr_size_max(const struct xiw_device *dev)
{
	/* If the pages of the memory are scattered, an entry of a list describes only one page. */
	return (u64)xiw_max_lists(dev) * XIW_LIST << PAGE_SHIFT;
}

/* Return: true if an IOMMU translates the addresses of the device, and caches are coherent. */
static bool xiw_dma_translated(struct device *dma_device)
{
#ifdef CONFIG_IOMMU_API
	struct iommu_domain *domain = iommu_get_domain_for_dev(dma_device);

	return domain && iommu_is_dma_domain(domain) && dev_is_dma_coherent(dma_device);
#else
	return false;
#endif
}

/*
 * Return: true if the DMA layer uses bounce buffers for the memory. The user and the RNIC must use
 * the same memory, so that each sees what the other writes. The DMA layer cannot keep bounce
 * buffers up to date while the user accesses the memory.
 */
static bool xiw_umem_bounces(struct device *dma_device, const struct ib_umem *umem)
{
	struct scatterlist *sg;
	int i;

	/*
	 * An IOMMU maps whole pages without bounce buffers. Do not call dma_need_sync() with an
	 * IOMMU, because it may return true for all addresses.
	 */
	if (!dma_device || xiw_dma_translated(dma_device))
		return false;
	for_each_sgtable_dma_sg(&umem->sgt_append.sgt, sg, i)
		if (dma_need_sync(dma_device, sg_dma_address(sg)))
			return true;
	return false;
}

static void xiw_user_mr_free(struct xiw_device *dev, struct xiw_mr *mr)
{
	struct xiw_rnic *rnic = &dev->rnic;
	struct xiw_user_mr *user = mr->user;
	u32 i;

	for (i = 0; i < user->count; i++)
		if (user->lists[i].list)
			rnic->ops->free(rnic, XIW_LIST_SIZE, user->lists[i].list,
					user->lists[i].bus);
	if (mr->pages)
		rnic->ops->free(rnic, mr->max_pages * sizeof(*mr->pages), mr->pages,
				mr->pages_bus);
	mr->pages = NULL;
	ib_umem_release(user->umem);
	kvfree(user);
	mr->user = NULL;
}

void xiw_user_mr_release(struct xiw_mr *mr)
{
	xiw_user_mr_free(to_xiw_device(mr->ibmr.device), mr);
}

/*
 * Allocate and fill one page list, or a list of page lists if the pages do not fit into one list.
 * @pgsz: page size in octets
 */
static int xiw_user_mr_lists(struct xiw_device *dev, struct xiw_mr *mr, unsigned long pgsz)
{
	struct xiw_user_mr *user = mr->user;
	struct xiw_rnic *rnic = &dev->rnic;
	struct ib_block_iter block;
	u32 i;

	mr->max_pages = user->count ?: mr->page_count;
	mr->pages = rnic->ops->alloc(rnic, mr->max_pages * sizeof(*mr->pages), &mr->pages_bus,
				     GFP_KERNEL_ACCOUNT);
	if (!mr->pages)
		return -ENOMEM;
	for (i = 0; i < user->count; i++) {
		user->lists[i].list = rnic->ops->alloc(rnic, XIW_LIST_SIZE, &user->lists[i].bus,
						       GFP_KERNEL_ACCOUNT);
		if (!user->lists[i].list)
			return -ENOMEM;
		mr->pages[i] = cpu_to_le64(user->lists[i].bus);
	}
	i = 0;
	rdma_umem_for_each_dma_block(user->umem, &block, pgsz) {
		__le64 *to = user->count ? user->lists[i / XIW_LIST].list + i % XIW_LIST :
					   mr->pages + i;

		if (WARN_ON_ONCE(i == mr->page_count))
			return -EINVAL;
		*to = cpu_to_le64(rdma_block_iter_dma_address(&block));
		i++;
		/* Yield the CPU, because an MR of a terabyte has many pages. */
		if (!(i % XIW_LIST))
			cond_resched();
	}
	return i == mr->page_count ? 0 : -EINVAL;
}

static struct ib_umem *xiw_umem_get(struct xiw_device *dev, const struct xiw_user_range *range)
{
	struct ib_umem_dmabuf *dmabuf;

	if (range->fd < 0)
		return ib_umem_get_va(&dev->ibdev, range->start, range->length, range->access);
	/* Only DMA can access the memory of another device, and DMA needs dma_device. */
	if (!dev->rnic.dma_device)
		return ERR_PTR(-EOPNOTSUPP);
	dmabuf = ib_umem_dmabuf_get_pinned(&dev->ibdev, range->start, range->length, range->fd,
					   range->access);
	return IS_ERR(dmabuf) ? ERR_CAST(dmabuf) : &dmabuf->umem;
}

static int xiw_user_mr_alloc(struct xiw_mr *mr, const struct xiw_user_range *range, u32 lists)
{
	struct xiw_user_mr *user;

	user = kvzalloc(struct_size(user, lists, lists), GFP_KERNEL_ACCOUNT);
	if (!user)
		return -ENOMEM;
	user->access = range->access;
	user->count = lists;
	mr->user = user;
	return 0;
}

/* Pin the memory and determine the page size. The RNIC supports any page size of at least 4 KiB. */
static int xiw_user_mr_pin(struct xiw_device *dev, struct xiw_mr *mr,
			   const struct xiw_user_range *range, unsigned long *pgsz)
{
	struct ib_umem *umem;
	size_t count, lists;
	int err;

	umem = xiw_umem_get(dev, range);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	err = -EOPNOTSUPP;
	if (xiw_umem_bounces(dev->rnic.dma_device, umem))
		goto release;
	/*
	 * Pass the address of the memory and not the TO, because the two may have different offsets
	 * in a page. The entry of the STag table contains the offset of the first octet in its
	 * page.
	 */
	*pgsz = ib_umem_find_best_pgsz(umem, GENMASK(30, PAGE_SHIFT), umem->address);
	count = *pgsz ? ib_umem_num_dma_blocks(umem, *pgsz) : 0;
	lists = count > XIW_LIST ? DIV_ROUND_UP(count, XIW_LIST) : 0;
	err = -EINVAL;
	if (!count || lists > xiw_max_lists(dev))
		goto release;
	err = xiw_user_mr_alloc(mr, range, lists);
	if (err)
		goto release;
	mr->user->umem = umem;
	mr->page_count = count;
	return 0;

release:
	ib_umem_release(umem);
	return err;
}

/* Pin the memory, and describe its pages in the entry of the STag table. */
static int xiw_user_mr_map(struct xiw_device *dev, struct xiw_mr *mr,
			   const struct xiw_user_range *range)
{
	struct xiw_stag_entry *entry;
	unsigned long pgsz = 0;
	int err;

	err = xiw_user_mr_pin(dev, mr, range, &pgsz);
	if (err)
		return err;
	err = xiw_user_mr_lists(dev, mr, pgsz);
	if (err) {
		xiw_user_mr_free(dev, mr);
		return err;
	}
	entry = &mr->user->entry;
	entry->page_shift = ilog2(pgsz);
	if (mr->user->count)
		entry->flags = cpu_to_le32(XIW_STAGF_TWO_LEVEL);
	entry->pages = cpu_to_le64(mr->pages_bus);
	entry->first = cpu_to_le32(mr->user->umem->address & (pgsz - 1));
	entry->page_count = cpu_to_le32(mr->page_count);
	return 0;
}

/* Describe an MR of length 0. The MR pins no memory, so the user may pass any address. */
static int xiw_user_mr_empty(struct xiw_mr *mr, const struct xiw_user_range *range)
{
	int err = xiw_user_mr_alloc(mr, range, 0);

	if (!err)
		mr->user->entry.flags = cpu_to_le32(XIW_STAGF_LINEAR);
	return err;
}

static int xiw_user_mr_fill(struct xiw_device *dev, struct xiw_mr *mr, struct ib_pd *ibpd,
			    const struct xiw_user_range *range)
{
	struct xiw_stag_entry *entry;
	int err;

	if (range->length || range->fd >= 0)
		err = xiw_user_mr_map(dev, mr, range);
	else
		err = xiw_user_mr_empty(mr, range);
	if (err)
		return err;
	entry = &mr->user->entry;
	entry->state = XIW_STAG_VALID;
	entry->access = xiw_access_of_ib(range->access);
	entry->base = cpu_to_le64(mr->ibmr.iova);
	entry->length = cpu_to_le64(range->length);
	err = xiw_mr_give(dev, mr, ibpd, entry);
	if (err)
		xiw_user_mr_free(dev, mr);
	return err;
}

static struct ib_mr *xiw_user_mr_new(struct ib_pd *ibpd, const struct xiw_user_range *range)
{
	struct xiw_device *dev = to_xiw_device(ibpd->device);
	struct xiw_mr *mr;
	int err;

	/*
	 * Refuse a length of U64_MAX, because in an entry of the STag table, this length means all
	 * memory. Refuse a range that exceeds the largest TO.
	 */
	if (range->length == U64_MAX ||
	    (range->length && range->va + (range->length - 1) < range->va))
		return ERR_PTR(-EINVAL);
	if (range->access & ~XIW_USER_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	/* ib_core sets these members only later, but xiw_user_mr_fill() reads iova. */
	mr->ibmr.device = ibpd->device;
	mr->ibmr.iova = range->va;
	mr->ibmr.length = range->length;
	err = xiw_user_mr_fill(dev, mr, ibpd, range);
	if (!err)
		return &mr->ibmr;
	kfree(mr);
	return ERR_PTR(err);
}

struct ib_mr *xiw_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 va, int access,
			      struct ib_dmah *dmah, struct ib_udata *udata)
{
	const struct xiw_user_range range = {
		.start = start,
		.length = length,
		.va = va,
		.access = access,
		.fd = -1,
	};
	int err = ib_is_udata_in_empty(udata);

	if (err)
		return ERR_PTR(err);
	return dmah ? ERR_PTR(-EOPNOTSUPP) : xiw_user_mr_new(ibpd, &range);
}

struct ib_mr *xiw_reg_user_mr_dmabuf(struct ib_pd *ibpd, u64 offset, u64 length, u64 va, int fd,
				     int access, struct ib_dmah *dmah,
				     struct uverbs_attr_bundle *attrs)
{
	const struct xiw_user_range range = {
		.start = offset,
		.length = length,
		.va = va,
		.access = access,
		.fd = fd,
	};

	return dmah ? ERR_PTR(-EOPNOTSUPP) : xiw_user_mr_new(ibpd, &range);
}

/*
 * Change the pages, the rights or the PD of an MR. Return: NULL if the MR stays; a new MR, which
 * replaces the old one; or an error pointer.
 */
struct ib_mr *xiw_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 va,
				int access, struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct xiw_user_range range = {
		.start = start,
		.length = length,
		.va = va,
		.access = access,
		.fd = -1,
	};
	struct xiw_mr *mr = to_xiw_mr(ibmr);
	struct xiw_user_mr *user = mr->user;
	int err = ib_is_udata_in_empty(udata);

	if (err)
		return ERR_PTR(err);
	if (!user || flags & ~IB_MR_REREG_SUPPORTED)
		return ERR_PTR(-EOPNOTSUPP);
	if (!(flags & IB_MR_REREG_ACCESS))
		range.access = user->access;
	if (flags & IB_MR_REREG_TRANS)
		return xiw_user_mr_new(ibpd, &range);
	if (range.access & ~XIW_USER_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	/* Pages that were pinned read-only cannot be made writable. */
	if (ib_access_writable(range.access) && user->umem && !user->umem->writable)
		return ERR_PTR(-EINVAL);
	user->entry.access = xiw_access_of_ib(range.access);
	user->access = range.access;
	return ERR_PTR(xiw_mr_change(to_xiw_device(ibmr->device), mr, ibpd, &user->entry));
}
