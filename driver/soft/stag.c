// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * The STag table: lookup, translation and invalidation.
 *
 * A lookup takes no lock, and increments the use count of the entry unless the entry is dying. An
 * invalidation marks the entry as dying and returns. The context that drops the last reference
 * writes the new state to the driver's memory, and wakes the stream that waits for the
 * invalidation. So no context spins, and an entry does not change while a reference is held.
 */
#include <linux/slab.h>

#include "soft/stream.h"

static struct xiw_soft_stag_chunk *chunk_of(struct xiw_soft *soft, u32 index)
{
	if (index >= XIW_SOFT_MAX_STAGS)
		return NULL;
	/* Pairs with the release in xiw_soft_stag_chunk(). */
	return smp_load_acquire(&soft->stags[index / XIW_STAG_CHUNK]);
}

static struct xiw_soft_stag *shadow_of(const struct xiw_soft_stag_chunk *chunk, u32 i)
{
	return &chunk->shadow[i / XIW_STAG_PIECE][i % XIW_STAG_PIECE];
}

static bool stag_get(struct xiw_soft_stag *shadow)
{
	int use = atomic_read(&shadow->use);

	do {
		if (use < 0)
			return false;
	} while (!atomic_try_cmpxchg_acquire(&shadow->use, &use, use + 1));
	return true;
}

/*
 * Write the new state to the driver's memory, and end the invalidation. chunk->lock is held, and
 * there are no references.
 */
static void finish(struct xiw_soft_stag_chunk *chunk, u32 i)
{
	struct xiw_soft_stag *shadow = shadow_of(chunk, i);

	/* release: accesses to the entry precede the new state */
	smp_store_release(&chunk->entry[i].state,
			  shadow->clear ? XIW_STAG_FREE : XIW_STAG_INVALID);
	shadow->pending = false;
	shadow->clear = false;
	shadow->waiter = 0;
}

/*
 * Wake the stream @waiter - 1, whose invalidation has ended. The caller holds chunk->lock. So if
 * the stream is ending, xiw_soft_stag_forget() waits until the wake-up is complete. Otherwise, the
 * wake-up could reach a later stream with the same index.
 */
static void wake_waiter(struct xiw_soft *soft, u32 waiter, enum xiw_soft_pending bit)
{
	struct xiw_soft_stream *s;

	rcu_read_lock();
	s = xa_load(&soft->streams, waiter - 1);
	if (s)
		xiw_soft_stream_defer(s, bit);
	rcu_read_unlock();
}

static void stag_put(struct xiw_soft *soft, struct xiw_soft_stag_chunk *chunk, u32 i)
{
	struct xiw_soft_stag *shadow = shadow_of(chunk, i), old = {};
	unsigned long flags;

	if (likely(atomic_dec_return(&shadow->use) != XIW_STAG_DYING))
		return;
	spin_lock_irqsave(&chunk->lock, flags);
	if (shadow->pending && atomic_read(&shadow->use) == XIW_STAG_DYING) {
		old.waiter = shadow->waiter;
		old.waiter_bit = shadow->waiter_bit;
		old.clear = shadow->clear;
		old.clear_tag = shadow->clear_tag;
		finish(chunk, i);
		if (old.waiter)
			wake_waiter(soft, old.waiter, old.waiter_bit);
	}
	spin_unlock_irqrestore(&chunk->lock, flags);
	if (old.clear)
		xiw_soft_admin_done(soft, old.clear_tag, XIW_OK);
}

/* Drop the reference that @ref holds, if there is one. */
void xiw_soft_stag_put(struct xiw_soft *soft, struct xiw_soft_ref *ref)
{
	if (!ref->chunk)
		return;
	if (ref->region_chunk != ref->chunk || ref->region_index != ref->index)
		stag_put(soft, ref->region_chunk, ref->region_index);
	stag_put(soft, ref->chunk, ref->index);
	ref->chunk = NULL;
}

static inline const struct xiw_stag_entry *region_of(const struct xiw_soft_ref *ref)
{
	return &ref->region_chunk->entry[ref->region_index];
}

static bool ref_get(struct xiw_soft *soft, struct xiw_soft_ref *ref, u32 stag)
{
	u32 index = xiw_stag_index(stag), i = index % XIW_STAG_CHUNK, parent;
	struct xiw_soft_stag_chunk *chunk = chunk_of(soft, index), *region;

	if (!chunk || !stag_get(shadow_of(chunk, i)))
		return false;
	ref->stag = stag;
	ref->chunk = chunk;
	ref->index = i;
	ref->region_chunk = chunk;
	ref->region_index = i;
	xiw_stag_view_get(&ref->view, &chunk->entry[i]);
	if (!(ref->view.flags & XIW_STAGF_WINDOW))
		return true;
	parent = xiw_stag_index(ref->view.parent);
	region = chunk_of(soft, parent);
	if (!region || !stag_get(shadow_of(region, parent % XIW_STAG_CHUNK))) {
		xiw_soft_stag_put(soft, ref);
		return false;
	}
	ref->region_chunk = region;
	ref->region_index = parent % XIW_STAG_CHUNK;
	xiw_stag_view_get(&ref->region, region_of(ref));
	return true;
}

/**
 * xiw_soft_stag_check - check an access of the stream to memory
 * @s: stream
 * @ref: reference from the previous check of this pass; replaced if @stag differs
 * @pd: PD that must own the STag: pd of the stream, or receive_pd for the buffers of a receive
 * @stag: STag
 * @to: TO of the first octet
 * @length: number of octets
 * @access: enum xiw_stag_access bits, all of which are required
 *
 * Context: socket lock. On XIW_STAG_OK, @ref holds the entry until xiw_soft_stag_put().
 *
 * Return: XIW_STAG_OK or the first failure.
 */
enum xiw_stag_verdict xiw_soft_stag_check(struct xiw_soft_stream *s, struct xiw_soft_ref *ref,
					  u32 pd, u32 stag, u64 to, u64 length, u8 access)
{
	const struct xiw_stag_use use = {
		.stag = stag,
		.pd = pd,
		.stream = s->index,
		.access = access,
		.to = to,
		.length = length,
	};

	if (!ref->chunk || ref->stag != stag) {
		xiw_soft_stag_put(s->soft, ref);
		if (!ref_get(s->soft, ref, stag))
			return XIW_STAG_UNKNOWN;
	}
	return xiw_stag_judge(&ref->view, &ref->region, &use);
}

/**
 * xiw_soft_stag_span - translate a checked range
 * @ref: reference from xiw_soft_stag_check()
 * @to: TO of the first octet, inside the checked range
 * @length: number of octets
 * @va: address of the first octet
 *
 * An MW uses the TOs of its MR.
 *
 * Return: number of contiguous octets, at most @length.
 */
u32 xiw_soft_stag_span(const struct xiw_soft_ref *ref, u64 to, u32 length, void **va)
{
	const struct xiw_stag_entry *e = region_of(ref);
	u64 at = to - le64_to_cpu(e->base), size, page;
	u32 flags = le32_to_cpu(e->flags);
	const __le64 *list;

	if (flags & XIW_STAGF_LINEAR) {
		*va = (void *)(uintptr_t)(le64_to_cpu(e->pages) + at);
		return length;
	}
	at += le32_to_cpu(e->first);
	size = 1ULL << e->page_shift;
	page = at >> e->page_shift;
	at &= size - 1;
	list = xiw_soft_va(e->pages);
	if (flags & XIW_STAGF_TWO_LEVEL) {
		list = xiw_soft_va(list[page / 512]);
		page %= 512;
	}
	*va = xiw_soft_va(list[page]) + at;
	return min_t(u64, length, size - at);
}

int xiw_soft_stag_invalidate(struct xiw_soft_stream *s, u32 stag, bool remote, u8 bit)
{
	struct xiw_soft_stag_chunk *chunk;
	struct xiw_soft_ref ref = {};
	struct xiw_soft_stag *shadow;
	struct xiw_stag_view view;
	unsigned long flags;
	int status;

	/* Do not use ref_get(), because an MW can be invalidated after its MR is gone. */
	chunk = chunk_of(s->soft, xiw_stag_index(stag));
	ref.index = xiw_stag_index(stag) % XIW_STAG_CHUNK;
	if (!chunk || !stag_get(shadow_of(chunk, ref.index)))
		return XIW_ERR_STAG;
	shadow = shadow_of(chunk, ref.index);
	xiw_stag_view_get(&view, &chunk->entry[ref.index]);
	status = xiw_stag_invalidate_check(&view, stag, s->pd, s->index, remote);
	if (status == XIW_OK) {
		spin_lock_irqsave(&chunk->lock, flags);
		if (atomic_fetch_or(XIW_STAG_DYING, &shadow->use) < 0) {
			status = XIW_ERR_STAG;	/* another invalidation came first */
		} else {
			shadow->pending = true;
			shadow->waiter = s->index + 1;
			shadow->waiter_bit = bit;
			status = -EINPROGRESS;
			/*
			 * Drop the reference of this function. If others remain, the last
			 * stag_put() calls finish().
			 */
			if (atomic_dec_return(&shadow->use) == XIW_STAG_DYING) {
				finish(chunk, ref.index);
				status = XIW_OK;
			}
			spin_unlock_irqrestore(&chunk->lock, flags);
			return status;
		}
		spin_unlock_irqrestore(&chunk->lock, flags);
	}
	stag_put(s->soft, chunk, ref.index);
	return status;
}

/* Stop the wait of a stream for an invalidation. The invalidation continues. */
void xiw_soft_stag_forget(struct xiw_soft_stream *s, u32 stag)
{
	struct xiw_soft_stag_chunk *chunk = chunk_of(s->soft, xiw_stag_index(stag));
	struct xiw_soft_stag *shadow = shadow_of(chunk, xiw_stag_index(stag) % XIW_STAG_CHUNK);
	unsigned long flags;

	spin_lock_irqsave(&chunk->lock, flags);
	if (shadow->waiter == s->index + 1)
		shadow->waiter = 0;
	spin_unlock_irqrestore(&chunk->lock, flags);
}

int xiw_soft_stag_clear(struct xiw_soft *soft, u32 stag, u32 tag)
{
	u32 index = xiw_stag_index(stag), i = index % XIW_STAG_CHUNK;
	struct xiw_soft_stag_chunk *chunk = chunk_of(soft, index);
	struct xiw_soft_stag *shadow;
	unsigned long flags;
	int status = XIW_OK;

	if (!chunk)
		return XIW_ERR_STAG;
	shadow = shadow_of(chunk, i);
	spin_lock_irqsave(&chunk->lock, flags);
	if (shadow->clear) {
		status = XIW_ERR_BUSY;
	} else if (atomic_fetch_or(XIW_STAG_DYING, &shadow->use) & ~XIW_STAG_DYING ||
		   shadow->pending) {
		shadow->pending = true;
		shadow->clear = true;
		shadow->clear_tag = tag;
		status = -EINPROGRESS;
	} else {
		shadow->clear = true;
		finish(chunk, i);
	}
	spin_unlock_irqrestore(&chunk->lock, flags);
	return status;
}

/*
 * Check the MR of a bind (RFC 5040 §8.1). After XIW_OK, @generation is the generation of the MR.
 * The caller puts @ref, even after an error. Return: enum xiw_status.
 */
static int window_check(struct xiw_soft *soft, const struct xiw_stag_entry *window,
			struct xiw_soft_ref *ref, u32 *generation)
{
	u64 base = le64_to_cpu(window->base), length = le64_to_cpu(window->length), at;
	const struct xiw_stag_view *region = &ref->view;

	if (!ref_get(soft, ref, le32_to_cpu(window->parent)))
		return XIW_ERR_STAG;
	/* @window needs an MR, not another MW */
	if (region->flags & XIW_STAGF_WINDOW)
		return XIW_ERR_STAG;
	if (region->key != xiw_stag_key(le32_to_cpu(window->parent)))
		return XIW_ERR_STAG;
	if (region->pd != le32_to_cpu(window->pd))
		return XIW_ERR_PD;
	if (!xiw_stag_may_bind(window->access, region->access))
		return XIW_ERR_ACCESS;
	at = base - region->base;
	if (base < region->base || at > region->length || length > region->length - at)
		return XIW_ERR_BOUNDS;
	*generation = region->generation;
	return XIW_OK;
}

/**
 * xiw_soft_stag_set - write an entry that is not valid
 * @soft: the RNIC
 * @stag: STag of the entry
 * @entry: new contents; with XIW_STAG_VALID the RNIC owns the entry afterwards
 * @s: stream of the descriptor (fast registration, bind); NULL for an admin command
 *
 * Return: enum xiw_status.
 */
int xiw_soft_stag_set(struct xiw_soft *soft, u32 stag, const struct xiw_stag_entry *entry,
		      const struct xiw_soft_stream *s)
{
	u32 index = xiw_stag_index(stag), i = index % XIW_STAG_CHUNK, generation = 0;
	struct xiw_soft_stag_chunk *chunk = chunk_of(soft, index);
	bool window = entry->flags & cpu_to_le32(XIW_STAGF_WINDOW);
	bool valid = entry->state == XIW_STAG_VALID;
	struct xiw_soft_ref region = {};
	struct xiw_soft_stag *shadow;
	struct xiw_stag_entry *to;
	unsigned long flags;
	int status = XIW_OK;

	if (!chunk || entry->state > XIW_STAG_VALID)
		return XIW_ERR_INVALID;
	if (valid && !window && !(entry->flags & cpu_to_le32(XIW_STAGF_LINEAR)) &&
	    (entry->page_shift < 12 || entry->page_shift > 62))
		return XIW_ERR_INVALID;
	if (window && valid)
		status = window_check(soft, entry, &region, &generation);
	to = &chunk->entry[i];
	shadow = shadow_of(chunk, i);
	spin_lock_irqsave(&chunk->lock, flags);
	if (status)
		;
	else if (atomic_read(&shadow->use) >= 0 || shadow->pending)
		status = s ? XIW_ERR_STAG : XIW_ERR_BUSY;
	else if (s && (to->state != XIW_STAG_INVALID ||
		       (to->flags ^ entry->flags) & cpu_to_le32(XIW_STAGF_WINDOW)))
		status = XIW_ERR_STAG;
	else if (s && le32_to_cpu(to->pd) != s->pd)
		status = XIW_ERR_PD;
	if (!status) {
		/*
		 * Count generations per chunk, and not per entry, because an MW may have
		 * overwritten the generation of this entry.
		 */
		if (valid && !window)
			generation = ++chunk->generation;
		*to = *entry;
		to->generation = cpu_to_le32(generation);
		if (valid)	/* release: publishes the entry to stag_get() */
			atomic_set_release(&shadow->use, 0);
	}
	spin_unlock_irqrestore(&chunk->lock, flags);
	xiw_soft_stag_put(soft, &region);
	return status;
}

static void chunk_free(struct xiw_soft_stag_chunk *chunk)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(chunk->shadow); i++)
		kfree(chunk->shadow[i]);
	kfree(chunk);
}

int xiw_soft_stag_chunk(struct xiw_soft *soft, u32 index, struct xiw_stag_entry *entries)
{
	struct xiw_soft_stag_chunk *chunk;
	u32 i;

	BUILD_BUG_ON(XIW_STAG_PIECE * sizeof(struct xiw_soft_stag) > PAGE_SIZE);
	if (index >= XIW_SOFT_STAG_CHUNKS || !entries)
		return XIW_ERR_INVALID;
	if (soft->stags[index])
		return XIW_ERR_BUSY;
	chunk = kzalloc(sizeof(*chunk), GFP_ATOMIC);
	if (!chunk)
		return XIW_ERR_NOMEM;
	for (i = 0; i < ARRAY_SIZE(chunk->shadow); i++) {
		chunk->shadow[i] = kcalloc(XIW_STAG_PIECE, sizeof(*chunk->shadow[i]),
					   GFP_ATOMIC | __GFP_NOWARN);
		if (!chunk->shadow[i]) {
			chunk_free(chunk);
			return XIW_ERR_NOMEM;
		}
	}
	chunk->entry = entries;
	spin_lock_init(&chunk->lock);
	for (i = 0; i < XIW_STAG_CHUNK; i++)
		atomic_set(&shadow_of(chunk, i)->use, XIW_STAG_DYING);
	/* release: a reader that sees the chunk sees its contents */
	smp_store_release(&soft->stags[index], chunk);
	return XIW_OK;
}

void xiw_soft_stags_free(struct xiw_soft *soft)
{
	u32 i;

	for (i = 0; soft->stags && i < XIW_SOFT_STAG_CHUNKS; i++)
		if (soft->stags[i])
			chunk_free(soft->stags[i]);
	kvfree(soft->stags);
}
