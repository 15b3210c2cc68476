// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Contexts of user-space consumers, and their queue mappings. */
#include "queue/user.h"

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/uverbs_ioctl.h>

#include "xiw.h"

static_assert(sizeof(struct xiw_abi_ring) == XIW_ABI_RING_SIZE);
static_assert(sizeof(struct xiw_abi_sge) == 16);
static_assert(sizeof(struct xiw_abi_send) == 80);
static_assert(sizeof(struct xiw_abi_recv) == 16);
static_assert(sizeof(struct xiw_abi_cqe) == 64);
static_assert(sizeof(struct xiw_abi_queue) == 24);
static_assert(sizeof(struct xiw_abi_alloc_ucontext_req) == 8);
static_assert(sizeof(struct xiw_abi_create_qp_req) == 8);
static_assert(sizeof(struct xiw_abi_create_srq_req) == 8);
static_assert(sizeof(struct xiw_abi_create_cq_req) == 8);
static_assert(sizeof(struct xiw_abi_resize_cq_req) == 8);
static_assert(sizeof(struct xiw_abi_alloc_ucontext_resp) == 48);
static_assert(XIW_ABI_VERSION == XIW_UVERBS_ABI);
static_assert(XIW_ABI_DRIVER_ID == (u32)XIW_DRIVER_ID);

/*
 * While the RNIC has at least this number of receives, or receives for half the depth of the queue,
 * a post needs no doorbell. The driver reads new receives after the next completion. An SRQ also
 * needs at least one receive for each QP (xiw_user_srq_low()).
 */
#define XIW_USER_LOW 64

/* ---------------------------------------------------------------------- contexts */

int xiw_user_request(struct ib_udata *udata)
{
	/*
	 * The request structures of all commands have the same members: comp_mask and reserved
	 * octets. Both must be zero.
	 */
	struct xiw_abi_alloc_ucontext_req req;
	int err;

	err = ib_copy_validate_udata_in(udata, req, rsvd);
	if (err)
		return err;
	return req.comp_mask || req.rsvd ? -EINVAL : 0;
}

int xiw_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	struct xiw_device *dev = to_xiw_device(ibuc->device);
	const struct xiw_rnic_caps *caps = &dev->rnic.caps;
	struct xiw_abi_alloc_ucontext_resp resp = {
		.abi = XIW_ABI_VERSION,
		.caps = XIW_ABI_CAP_IMMEDIATE_64,
		.max_send_sge = caps->max_gather,
		.max_recv_sge = caps->max_gather,
		.max_inline = le16_to_cpu(caps->max_inline),
		.max_wr = XIW_MAX_QP_WR,
		.max_cqe = XIW_MAX_CQE,
		.num_comp_vectors = dev->num_vectors,
		.page_shift = PAGE_SHIFT,
	};
	int err;

	err = xiw_user_request(udata);
	if (err)
		return err;
	if (xiw_cap(dev) & XIW_CAP_ATOMIC)
		resp.caps |= XIW_ABI_CAP_ATOMICS | XIW_ABI_CAP_MASKED_ATOMICS;
	if (READ_ONCE(dev->config.send_imm))
		resp.caps |= XIW_ABI_CAP_SEND_IMM;
	return ib_respond_udata(udata, resp);
}

void xiw_dealloc_ucontext(struct ib_ucontext *ibuc)
{
}

/*
 * Nothing to do: ib_core destroys the objects of the context. A mapping that remains in the process
 * contains only pages that neither the driver nor the RNIC uses.
 */
void xiw_disassociate_ucontext(struct ib_ucontext *ibuc)
{
}

/* ------------------------------------------------------------------ shared memory */

static struct xiw_user_area *to_xiw_area(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct xiw_user_area, entry);
}

/*
 * Allocate memory as vmalloc_user() does, but charge the user's cgroup. The caller frees it with
 * vfree(), which frees the kernel mapping and the pages.
 */
static void *xiw_user_pages(size_t size)
{
	unsigned int i, count = size >> PAGE_SHIFT;
	struct page **pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	void *mem = NULL;

	if (!pages)
		return NULL;
	for (i = 0; i < count; i++) {
		pages[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!pages[i])
			break;
	}
	if (i == count)
		mem = vmap(pages, count, VM_MAP | VM_USERMAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (mem)
		return mem;
	while (i--)
		__free_page(pages[i]);
	kvfree(pages);
	return NULL;
}

static void xiw_user_area_destroy(struct xiw_user_area *area)
{
	vfree(area->ring);
	kfree(area->sges);
	kfree(area);
}

struct xiw_user_area *xiw_user_area_new(struct ib_udata *udata, u32 depth, u32 stride, u32 max_sge)
{
	struct xiw_ucontext *uc = rdma_udata_to_drv_context(udata, struct xiw_ucontext,
							    ibucontext);
	u32 entries = roundup_pow_of_two(depth);
	struct xiw_user_area *area;
	int err = -ENOMEM;

	area = kzalloc(sizeof(*area), GFP_KERNEL_ACCOUNT);
	if (!area)
		return ERR_PTR(-ENOMEM);
	area->size = PAGE_ALIGN(XIW_ABI_RING_SIZE + (size_t)entries * stride);
	area->mask = entries - 1;
	area->stride = stride;
	area->depth = depth;
	area->low = clamp(depth / 2, 1U, (u32)XIW_USER_LOW);
	area->ring = xiw_user_pages(area->size);
	if (!area->ring)
		goto free;
	area->slots = (u8 *)area->ring + XIW_ABI_RING_SIZE;
	if (max_sge) {
		area->sges = kcalloc(max_sge, sizeof(*area->sges), GFP_KERNEL_ACCOUNT);
		if (!area->sges)
			goto free;
	}
	xiw_user_area_reset(area);
	err = rdma_user_mmap_entry_insert(&uc->ibucontext, &area->entry, area->size);
	if (!err)
		return area;
free:
	xiw_user_area_destroy(area);
	return ERR_PTR(err);
}

void xiw_user_area_free(struct xiw_user_area *area)
{
	/* The mapping is freed with its last reference, which a running mmap() may hold. */
	if (area)
		rdma_user_mmap_entry_remove(&area->entry);
}

void xiw_user_area_reset(struct xiw_user_area *area)
{
	memset(area->ring, 0, sizeof(*area->ring));
	xiw_user_want_bell(area);
}

void xiw_user_area_tell(const struct xiw_user_area *area, struct xiw_abi_queue *queue)
{
	queue->key = rdma_user_mmap_get_offset(&area->entry);
	queue->length = area->size;
	queue->entries = area->mask + 1;
	queue->stride = area->stride;
	queue->depth = area->depth;
}

void xiw_mmap_free(struct rdma_user_mmap_entry *entry)
{
	xiw_user_area_destroy(to_xiw_area(entry));
}

int xiw_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	int err;

	/* Refuse private mappings, which would contain a copy, and executable mappings. */
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EINVAL;
	/* Prevent a later mprotect() that makes the mapping executable. */
	vm_flags_clear(vma, VM_MAYEXEC);
	entry = rdma_user_mmap_entry_get(ibuc, vma);
	if (!entry)
		return -EINVAL;
	err = remap_vmalloc_range(vma, to_xiw_area(entry)->ring, 0);
	rdma_user_mmap_entry_put(entry);
	return err;
}
