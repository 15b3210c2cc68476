// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "buffer.h"

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <rdma/ib_verbs.h>

#include "pattern.h"
#include "session.h"

#define XT_DUMP_MAX 4096	/* max octets of a dump: their hex digits fit into an answer */

struct xt_buf *xt_buf_find(struct xt_session *s, const char *name)
{
	struct xt_buf *b;

	list_for_each_entry(b, &s->bufs, node)
		if (!strcmp(b->name, name))
			return b;
	return NULL;
}

/*
 * Get the buffer that the argument @key names, by default the oldest one. If there is none, set
 * a->err.
 */
struct xt_buf *xt_buf_arg(struct xt_session *s, struct xt_args *a, const char *key)
{
	const char *name = xt_arg_str(a, key, NULL);
	struct xt_buf *b;

	b = name ? xt_buf_find(s, name) : list_first_entry_or_null(&s->bufs, struct xt_buf, node);
	if (!b && !a->err) {
		a->err = -ENOENT;
		a->bad = key;
	}
	return b;
}

bool xt_buf_holds(const struct xt_buf *b, u64 off, u64 len)
{
	return off <= b->size && len <= b->size - off;
}

static void buf_free(struct xt_buf *b)
{
	struct xt_map *m, *next;
	unsigned int i;

	xt_user_stop(b);
	list_for_each_entry_safe(m, next, &b->maps, node)
		xt_map_free(m);
	if (b->va)
		vunmap(b->va);
	for (i = 0; i < b->npages && b->pages[i]; i++)
		__free_page(b->pages[i]);
	kvfree(b->pages);
	kfree(b);
	xt_died(XT_BUF);
}

void xt_buffers_destroy(struct xt_session *s)
{
	struct xt_buf *b, *next;

	list_for_each_entry_safe(b, next, &s->bufs, node) {
		list_del(&b->node);
		buf_free(b);
	}
}

/* Allocate chunks of the requested size if possible, so that few SGEs suffice. */
static int buf_fill_pages(struct xt_buf *b, unsigned int max_order)
{
	unsigned int done = 0;

	while (done < b->npages) {
		unsigned int i, order = min_t(unsigned int, max_order, ilog2(b->npages - done));
		struct page *page;

		do {
			gfp_t gfp = GFP_KERNEL | __GFP_ZERO;

			if (order)
				gfp |= __GFP_NOWARN | __GFP_NORETRY;
			page = alloc_pages(gfp, order);
		} while (!page && order--);
		if (!page)
			return -ENOMEM;
		if (order)
			split_page(page, order);
		for (i = 0; i < 1U << order; i++)
			b->pages[done++] = page + i;
	}
	return 0;
}

static struct xt_buf *buf_new(const char *name, size_t size, unsigned int max_order)
{
	struct xt_buf *b = kzalloc(sizeof(*b), GFP_KERNEL);

	if (!b)
		return NULL;
	xt_born(XT_BUF);
	INIT_LIST_HEAD(&b->maps);
	strscpy(b->name, name, sizeof(b->name));
	b->size = size;
	b->npages = DIV_ROUND_UP(size, PAGE_SIZE);
	b->pages = kvcalloc(b->npages, sizeof(*b->pages), GFP_KERNEL);
	if (!b->pages) {
		b->npages = 0;
		goto err;
	}
	if (buf_fill_pages(b, max_order))
		goto err;
	b->va = vmap(b->pages, b->npages, VM_MAP, PAGE_KERNEL);
	if (!b->va)
		goto err;
	return b;
err:
	buf_free(b);
	return NULL;
}

struct xt_map *xt_map_new(struct xt_buf *b, struct ib_device *ib, size_t base, size_t len)
{
	unsigned int first = base >> PAGE_SHIFT;
	struct xt_map *m;
	int err;

	if (!len || !xt_buf_holds(b, base, len))
		return ERR_PTR(-EINVAL);
	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return ERR_PTR(-ENOMEM);
	/* Limit the length of entries: the DMA layer cannot use bounce buffers for longer ones. */
	err = sg_alloc_table_from_pages_segment(&m->sgt, b->pages + first,
						DIV_ROUND_UP(offset_in_page(base) + len, PAGE_SIZE),
						offset_in_page(base), len,
						ib_dma_max_seg_size(ib) & PAGE_MASK, GFP_KERNEL);
	if (err)
		goto err_free;
	m->nents = ib_dma_map_sg(ib, m->sgt.sgl, m->sgt.orig_nents, DMA_BIDIRECTIONAL);
	if (m->nents <= 0) {
		err = -EIO;
		goto err_table;
	}
	m->ib = ib;
	m->base = base;
	m->len = len;
	list_add(&m->node, &b->maps);
	xt_born(XT_MAP);
	return m;

err_table:
	sg_free_table(&m->sgt);
err_free:
	kfree(m);
	return ERR_PTR(err);
}

/* Map the whole buffer for the device, on first use. */
struct xt_map *xt_map_whole(struct xt_buf *b, struct ib_device *ib)
{
	struct xt_map *m;

	list_for_each_entry(m, &b->maps, node)
		if (m->whole && m->ib == ib)
			return m;
	m = xt_map_new(b, ib, 0, b->size);
	if (!IS_ERR(m))
		m->whole = true;
	return m;
}

void xt_map_free(struct xt_map *m)
{
	list_del(&m->node);
	ib_dma_unmap_sg(m->ib, m->sgt.sgl, m->sgt.orig_nents, DMA_BIDIRECTIONAL);
	sg_free_table(&m->sgt);
	kfree(m);
	xt_died(XT_MAP);
}

/* Drop the mappings of a device, or of every device if ib is NULL. */
void xt_maps_forget(struct xt_session *s, struct ib_device *ib)
{
	struct xt_map *m, *next;
	struct xt_buf *b;

	list_for_each_entry(b, &s->bufs, node)
		list_for_each_entry_safe(m, next, &b->maps, node)
			if (!ib || m->ib == ib)
				xt_map_free(m);
}

/*
 * Sync the octets [off, off + len) of the buffer for the CPU or for the device. Do not sync
 * adjacent octets: copying a bounce buffer could overwrite data that the device has just placed in
 * these octets.
 */
void xt_map_sync(struct xt_map *m, size_t off, size_t len, bool for_cpu)
{
	size_t pos = m->base, end = off + len;
	struct scatterlist *sg;
	int i;

	for_each_sg(m->sgt.sgl, sg, m->nents, i) {
		size_t lo = max(pos, off), hi = min(pos + sg_dma_len(sg), end);
		u64 addr = sg_dma_address(sg) + (lo - pos);

		if (lo < hi && for_cpu)
			ib_dma_sync_single_for_cpu(m->ib, addr, hi - lo, DMA_BIDIRECTIONAL);
		else if (lo < hi)
			ib_dma_sync_single_for_device(m->ib, addr, hi - lo, DMA_BIDIRECTIONAL);
		pos += sg_dma_len(sg);
	}
}

void xt_buf_sync(struct xt_buf *b, size_t off, size_t len, bool for_cpu)
{
	struct xt_map *m;

	list_for_each_entry(m, &b->maps, node)
		xt_map_sync(m, off, len, for_cpu);
}

/*
 * Describe [off, off + len) of the buffer by `want` SGEs, or by more if the memory is not
 * contiguous.
 * Return: number of SGEs; -E2BIG if more than max are needed; -EINVAL if the mapping is too short.
 */
int xt_map_sges(struct xt_map *m, size_t off, u32 len, unsigned int want, u32 lkey,
		struct ib_sge *sge, unsigned int max)
{
	u32 piece = len / max(want, 1U), left_in_piece = piece;
	unsigned int n = 0, pieces = 1;
	size_t pos = m->base;
	struct scatterlist *sg;
	int i;

	for_each_sg(m->sgt.sgl, sg, m->nents, i) {
		u32 chunk = sg_dma_len(sg), skip = 0;

		if (off > pos)
			skip = min_t(size_t, off - pos, chunk);
		pos += chunk;
		while (len && skip < chunk) {
			u32 take = min(chunk - skip, len);

			/* the last piece takes the remainder of the division */
			if (pieces < want && left_in_piece)
				take = min(take, left_in_piece);
			if (n == max)
				return -E2BIG;
			sge[n].addr = sg_dma_address(sg) + skip;
			sge[n].length = take;
			sge[n++].lkey = lkey;
			skip += take;
			off += take;
			len -= take;
			left_in_piece -= min(take, left_in_piece);
			if (!left_in_piece && pieces < want) {
				pieces++;
				left_in_piece = piece;
			}
		}
		if (!len)
			break;
	}
	return len ? -EINVAL : n;
}

int xt_buf_command(struct xt_session *s, struct xt_args *a)
{
	const char *name = xt_arg_str(a, "name", "b");
	u64 size = xt_arg_max(a, "size", PAGE_SIZE, 256 << 20);
	u64 chunk = xt_arg_max(a, "chunk", 1 << 20, 4 << 20);
	struct xt_buf *b;

	if (!size || chunk < PAGE_SIZE || strlen(name) >= XT_NAME_MAX)
		return -EINVAL;
	if (a->err)
		return a->err;
	if (xt_buf_find(s, name))
		return -EEXIST;
	b = buf_new(name, size, ilog2(chunk >> PAGE_SHIFT));
	if (!b)
		return -ENOMEM;
	list_add_tail(&b->node, &s->bufs);
	xt_say(s, " name=%s size=%zu", b->name, b->size);
	return 0;
}

struct span {
	struct xt_buf *b;
	size_t off, len;
	u64 seed, pos;
	u8 byte;
	bool bytes;
};

/* Read the arguments of the commands fill, check and dump. */
static int span_args(struct xt_session *s, struct xt_args *a, struct span *span)
{
	span->b = xt_buf_arg(s, a, "buf");
	if (!span->b)
		return a->err;
	span->off = xt_arg_max(a, "off", 0, span->b->size);
	span->len = xt_arg_num(a, "len", span->b->size - span->off);
	span->seed = xt_arg_num(a, "seed", 0);
	span->pos = xt_arg_num(a, "pos", span->off);
	span->byte = xt_arg_max(a, "byte", 0, 255);
	span->bytes = xt_arg_has(a, "byte");
	if (a->err)
		return a->err;
	return xt_buf_holds(span->b, span->off, span->len) ? 0 : -ERANGE;
}

int xt_fill_command(struct xt_session *s, struct xt_args *a)
{
	struct span span;
	int err = span_args(s, a, &span);

	if (err)
		return err;
	if (span.bytes)
		memset(span.b->va + span.off, span.byte, span.len);
	else
		xt_pattern_fill(span.b->va + span.off, span.len, span.seed, span.pos);
	xt_buf_sync(span.b, span.off, span.len, false);
	return 0;
}

int xt_check_command(struct xt_session *s, struct xt_args *a)
{
	size_t bad, first = 0;
	struct span span;
	const u8 *p;
	int err = span_args(s, a, &span);

	if (err)
		return err;
	p = span.b->va + span.off;
	xt_buf_sync(span.b, span.off, span.len, true);
	if (span.bytes) {
		const u8 *q = memchr_inv(p, span.byte, span.len);

		bad = !!q;
		first = q ? q - p : 0;
	} else {
		bad = xt_pattern_check(p, span.len, span.seed, span.pos, &first);
	}
	if (!bad)
		return 0;
	xt_say(s, " bad=%zu first=%zu got=%02x", bad, span.off + first, p[first]);
	return -EILSEQ;
}

int xt_dump_command(struct xt_session *s, struct xt_args *a)
{
	struct span span;
	int err = span_args(s, a, &span);
	size_t i;

	if (err)
		return err;
	xt_buf_sync(span.b, span.off, span.len, true);
	xt_say(s, " hex=");
	for (i = 0; i < min_t(size_t, span.len, XT_DUMP_MAX); i++)
		xt_say(s, "%02x", ((u8 *)span.b->va)[span.off + i]);
	return 0;
}

/* Get the word at off=. Callers access it atomically: a device or user.c may change it, too. */
static u64 *word_arg(struct xt_session *s, struct xt_args *a, struct xt_buf **b, u64 *off)
{
	*b = xt_buf_arg(s, a, "buf");
	*off = xt_arg_num(a, "off", 0);
	if (a->err)
		return NULL;
	if (*off & 7 || !xt_buf_holds(*b, *off, 8)) {
		a->err = -EINVAL;
		a->bad = "off";
		return NULL;
	}
	return (*b)->va + *off;
}

int xt_peek_command(struct xt_session *s, struct xt_args *a)
{
	struct xt_buf *b;
	u64 off, *word = word_arg(s, a, &b, &off);

	if (!word)
		return a->err;
	xt_buf_sync(b, off, 8, true);
	xt_say(s, " val=0x%016llx dec=%llu", READ_ONCE(*word), READ_ONCE(*word));
	return 0;
}

int xt_poke_command(struct xt_session *s, struct xt_args *a)
{
	u64 val = xt_arg_num(a, "val", 0);
	struct xt_buf *b;
	u64 off, *word = word_arg(s, a, &b, &off);

	if (!word)
		return a->err;
	WRITE_ONCE(*word, val);
	xt_buf_sync(b, off, 8, false);
	return 0;
}
