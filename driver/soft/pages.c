// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/mm.h>
#include <net/sock.h>

#include "soft/pages.h"

/* Return: true if this is the last reference, so that no other context can take one. */
static bool is_ours(struct page *page)
{
	return page_ref_count(page) == 1;
}

static void frag_start(struct page_frag *frag, struct page *page)
{
	frag->page = page;
	frag->offset = 0;
	frag->size = page_size(page);
}

bool xiw_soft_pages_refill(struct xiw_soft_pages *pages)
{
	struct page_frag *frag = &pages->frag;
	struct page *page;

	if (frag->page) {
		if (frag->offset < frag->size)
			return true;
		if (is_ours(frag->page)) {
			frag->offset = 0;
			return true;
		}
		page = pages->filled[pages->oldest];
		pages->filled[pages->oldest] = frag->page;
		pages->oldest = (pages->oldest + 1) % XIW_PAGES_FILLED;
		frag->page = NULL;
		if (page && is_ours(page)) {
			frag_start(frag, page);
			return true;
		}
		if (page)
			put_page(page);
	}
	return skb_page_frag_refill(1, frag, GFP_ATOMIC | __GFP_NOWARN);
}

void xiw_soft_pages_rewind(struct xiw_soft_pages __percpu *pages)
{
	struct page_frag *frag;

	local_lock_nested_bh(&pages->lock);
	frag = &this_cpu_ptr(pages)->frag;
	if (frag->page && is_ours(frag->page))
		frag->offset = 0;
	local_unlock_nested_bh(&pages->lock);
}

struct xiw_soft_pages __percpu *xiw_soft_pages_alloc(void)
{
	struct xiw_soft_pages __percpu *pages = alloc_percpu(struct xiw_soft_pages);
	int cpu;

	if (!pages)
		return NULL;
	for_each_possible_cpu(cpu)
		local_lock_init(&per_cpu_ptr(pages, cpu)->lock);
	return pages;
}

void xiw_soft_pages_free(struct xiw_soft_pages __percpu *pages)
{
	int cpu, i;

	if (!pages)
		return;
	for_each_possible_cpu(cpu) {
		struct xiw_soft_pages *p = per_cpu_ptr(pages, cpu);

		if (p->frag.page)
			put_page(p->frag.page);
		for (i = 0; i < XIW_PAGES_FILLED; i++)
			if (p->filled[i])
				put_page(p->filled[i]);
	}
	free_percpu(pages);
}
