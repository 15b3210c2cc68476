// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* The STag table: allocation of entries, and their transfer to the RNIC. */
#include "ring/stag_table.h"

#include <linux/kcsan-checks.h>
#include <linux/random.h>

#include "ring/admin.h"
#include "verbs/mr.h"
#include "xiw.h"

#define XIW_CHUNK_SIZE (XIW_STAG_CHUNK * sizeof(struct xiw_stag_entry))

/* Get the entry of a table index, or NULL if the index is outside the table. */
static struct xiw_stag_entry *xiw_stag_entry(struct xiw_device *dev, u32 index)
{
	u32 chunk = index / XIW_STAG_CHUNK;

	/* acquire: read the pointer to the chunk after the count */
	if (chunk >= smp_load_acquire(&dev->stag_chunk_count))
		return NULL;
	return &dev->stag_chunks[chunk][index % XIW_STAG_CHUNK];
}

/*
 * Add a chunk to the table, unless another caller has extended the table to include @index.
 * Allocate the chunk before taking stag_lock, because the allocation may wait for a long time if
 * the memory cgroup of the caller is full. Other callers must not wait for this allocation.
 */
static int xiw_stag_add_chunk(struct xiw_device *dev, u32 index, gfp_t gfp)
{
	struct xiw_admin_cmd cmd = { .op = XIW_ADM_STAG_CHUNK };
	struct xiw_stag_entry *chunk;
	int err = 0;
	u64 bus;
	u32 n;

	chunk = dev->rnic.ops->alloc(&dev->rnic, XIW_CHUNK_SIZE, &bus, gfp);
	if (!chunk)
		return -ENOMEM;
	mutex_lock(&dev->stag_lock);
	n = dev->stag_chunk_count;
	if (index / XIW_STAG_CHUNK >= n) {
		cmd.index = cpu_to_le32(n);
		cmd.addr = cpu_to_le64(bus);
		err = xiw_admin_exec(dev, &cmd);
		if (!err) {
			dev->stag_chunks[n] = chunk;
			dev->stag_chunk_bus[n] = bus;
			chunk = NULL;
			/* release: write the pointer to the chunk before the count */
			smp_store_release(&dev->stag_chunk_count, n + 1);
		}
	}
	mutex_unlock(&dev->stag_lock);
	if (chunk)
		dev->rnic.ops->free(&dev->rnic, XIW_CHUNK_SIZE, chunk, bus);
	return err;
}

/*
 * Extend the table to include @index. If @gfp contains __GFP_ACCOUNT, the memory is charged to the
 * caller that extends the table, for the lifetime of the device. If the table already includes
 * @index, take no lock.
 */
static int xiw_stag_grow(struct xiw_device *dev, u32 index, gfp_t gfp)
{
	int err = 0;

	/* acquire: if the count includes the chunk, the RNIC has the chunk */
	while (!err && index / XIW_STAG_CHUNK >= smp_load_acquire(&dev->stag_chunk_count))
		err = xiw_stag_add_chunk(dev, index, gfp);
	return err;
}

/*
 * Find a free index, and extend the table to include it. A peer must not be able to guess STags
 * (RFC 5040 §8.1.1), and a freed index should not be reused soon. So take a range at least twice
 * as long as the number of used indexes, and search from a random index to the end of this range.
 * If this search finds no free index, search the whole table.
 */
static int xiw_stag_alloc(struct xiw_device *dev, gfp_t gfp)
{
	u32 most = le32_to_cpu(dev->rnic.caps.max_stags);
	u32 span = 2 * (atomic_read(&dev->objects[XIW_OBJ_MR]) +
			atomic_read(&dev->objects[XIW_OBJ_MW]) + 1);
	int index, err;
	u32 from;

	span = min(roundup(span, XIW_STAG_CHUNK), most);
	from = 1 + reciprocal_scale(get_random_u32(), span - 1);
	index = ida_alloc_range(&dev->stags, from, span - 1, gfp);
	if (index == -ENOSPC)
		index = ida_alloc_range(&dev->stags, 1, most - 1, gfp);
	if (index < 0)
		return index;
	err = xiw_stag_grow(dev, index, gfp);
	if (err) {
		ida_free(&dev->stags, index);
		return err;
	}
	return index;
}

int xiw_stag_set(struct xiw_device *dev, struct ib_pd *ibpd, u32 stag,
		 const struct xiw_stag_entry *entry)
{
	struct xiw_admin_cmd cmd = {
		.op = XIW_ADM_STAG_SET,
		.index = cpu_to_le32(stag),
	};

	cmd.entry = *entry;
	cmd.entry.pd = cpu_to_le32(to_xiw_pd(ibpd)->id);
	cmd.entry.key = xiw_stag_key(stag);
	return xiw_admin_exec(dev, &cmd);
}

void xiw_stag_clear(struct xiw_device *dev, u32 stag)
{
	struct xiw_admin_cmd cmd = {
		.op = XIW_ADM_STAG_CLEAR,
		.index = cpu_to_le32(stag),
	};

	xiw_admin_revoke(dev, &cmd);
}

int xiw_stag_give(struct xiw_device *dev, struct ib_pd *ibpd,
		  const struct xiw_stag_entry *entry, u32 *stag, u32 *share)
{
	/*
	 * A storage driver may allocate an MR when it reconnects, so reclaim must not wait for I/O
	 * in this allocation.
	 */
	gfp_t gfp = GFP_NOIO | (ibpd->uobject ? __GFP_ACCOUNT : 0);
	int index, err;

	*share = ibpd->uobject ? xiw_share_caller() : XIW_SHARE_NOBODY;
	err = xiw_share_take(dev, *share, XIW_SHARED_STAG);
	if (err)
		return err;
	index = xiw_stag_alloc(dev, gfp);
	if (index < 0) {
		err = index;
		goto give;
	}
	*stag = (u32)index << 8 | (get_random_u32() & 0xff);
	err = xiw_stag_set(dev, ibpd, *stag, entry);
	if (!err)
		return 0;
	ida_free(&dev->stags, index);
give:
	xiw_share_give(dev, *share, XIW_SHARED_STAG);
	return err;
}

void xiw_stag_take(struct xiw_device *dev, u32 stag, u32 share)
{
	xiw_stag_clear(dev, stag);
	ida_free(&dev->stags, xiw_stag_index(stag));
	xiw_share_give(dev, share, XIW_SHARED_STAG);
}

/*
 * Copy an entry. The read may race with a write of the RNIC. This is harmless, because the RNIC
 * checks the entry again when it uses the STag.
 */
static void xiw_stag_look(struct xiw_stag_view *view, const struct xiw_stag_entry *entry)
{
	kcsan_disable_current();
	xiw_stag_view_get(view, entry);
	kcsan_enable_current();
}

void xiw_stag_find(struct xiw_device *dev, u32 stag, struct xiw_stag_found *found)
{
	struct xiw_stag_entry *entry = xiw_stag_entry(dev, xiw_stag_index(stag));

	memset(found, 0, sizeof(*found));
	if (!entry)
		return;
	xiw_stag_look(&found->view, entry);
	if (!(found->view.flags & XIW_STAGF_WINDOW))
		return;
	entry = xiw_stag_entry(dev, xiw_stag_index(found->view.parent));
	if (entry)
		xiw_stag_look(&found->region, entry);
}
