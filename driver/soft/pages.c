// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <net/sock.h>

#include "diag/trace.h"
#include "soft/pages.h"

/*
 * Return: true if pages.c holds the only reference to the page. In this case, no other context can
 * take a reference.
 */
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

static u32 full_count(const struct xiw_soft_pages *pages)
{
	return pages->newest - pages->oldest;
}

static struct page **full_slot(struct xiw_soft_pages *pages, u32 index)
{
	return &pages->full[(pages->oldest + index) % XIW_PAGES_MAX];
}

static struct page *full_pop(struct xiw_soft_pages *pages)
{
	return pages->full[pages->oldest++ % XIW_PAGES_MAX];
}

/*
 * Put a full page into the ring. If the ring is at its limit, drop the reference instead, and TCP
 * frees the page. Do not keep small pages or pages of the kernel's emergency reserve. The kernel
 * allocates small pages if memory is fragmented.
 */
static void full_push(struct xiw_soft_pages *pages, struct page *page)
{
	if (page_size(page) < SZ_32K || page_is_pfmemalloc(page)) {
		put_page(page);
	} else if (full_count(pages) == XIW_PAGES_MAX) {
		put_page(page);
		/* The oldest page becomes the newest, so that the next refill tries other pages. */
		pages->oldest++;
		pages->newest++;
	} else {
		pages->full[pages->newest++ % XIW_PAGES_MAX] = page;
	}
}

/*
 * Take the page at @index from the ring if all its octets are acknowledged. The oldest page moves
 * to @index, so the ring has one page less. Return: the page or NULL.
 */
static struct page *full_take_at(struct xiw_soft_pages *pages, u32 index)
{
	struct page **slot = full_slot(pages, index), *page = *slot;

	if (!is_ours(page))
		return NULL;
	*slot = full_pop(pages);
	return page;
}

/*
 * Take a page whose octets are all acknowledged. Peers acknowledge pages nearly in the order of the
 * ring, so try the @tries oldest pages. These pages may contain octets for a peer that acknowledges
 * nothing, so also try the page in the middle. Return: the page; NULL if none is free.
 */
static struct page *full_take(struct xiw_soft_pages *pages, u32 tries)
{
	u32 i, count = full_count(pages);
	struct page *page;

	if (count && !is_ours(*full_slot(pages, count / 4)))
		pages->needed = true;
	for (i = 0; i < min(count, tries); i++) {
		page = full_take_at(pages, i);
		if (page)
			return page;
	}
	return count ? full_take_at(pages, count / 2) : NULL;
}

static void trim_arm(struct xiw_soft_pages *pages)
{
	if (full_count(pages) > XIW_PAGES_KEPT && !timer_pending(&pages->trim))
		mod_timer(&pages->trim, jiffies + HZ / 4);
}

/*
 * Get the number of pages to free now. A ring of at most XIW_PAGES_KEPT pages loses none. A larger
 * ring loses pages if there was no refill since the last expiry of the timer, or if each refill
 * since then found that all octets of the page at index count / 4 were acknowledged. A ring at its
 * limit always loses pages, because peers that acknowledge nothing may have filled it.
 */
static u32 surplus(const struct xiw_soft_pages *pages)
{
	u32 spare, count = full_count(pages);

	if (count <= XIW_PAGES_KEPT)
		return 0;
	spare = min_t(u32, count - XIW_PAGES_KEPT, XIW_PAGES_TRIMMED);
	if (!pages->refilled || count == XIW_PAGES_MAX)
		return spare;
	return pages->needed ? 0 : min(spare, count / 4);
}

static void trim(struct xiw_soft_pages *pages, u32 n)
{
	if (n)
		trace_xiw_tx_pages(pages->ifindex, full_count(pages) - n, -n);
	while (n--)
		put_page(full_pop(pages));
}

/*
 * Free the full pages of another CPU if that CPU is offline. If that CPU is online again, keep its
 * pages, because its next refill starts the timer.
 */
static void trim_offline(struct xiw_soft_pages *pages)
{
	/* While no CPU can come online, no other context uses the pages of an offline CPU. */
	if (!cpus_read_trylock()) {
		mod_timer(&pages->trim, jiffies + HZ / 4);
		return;
	}
	if (!cpu_online(pages->cpu))
		trim(pages, full_count(pages));
	cpus_read_unlock();
}

/* Shrink the ring of this CPU. The timer of a CPU that went offline expires on another CPU. */
static void trim_expired(struct timer_list *timer)
{
	struct xiw_soft_pages *pages = timer_container_of(pages, timer, trim);

	if (pages != this_cpu_ptr(pages->all)) {
		trim_offline(pages);
		return;
	}
	local_lock_nested_bh(&pages->all->lock);
	trim(pages, surplus(pages));
	pages->refilled = false;
	pages->needed = false;
	trim_arm(pages);
	local_unlock_nested_bh(&pages->all->lock);
}

bool xiw_soft_pages_refill(struct xiw_soft_pages *pages)
{
	struct page_frag *frag = &pages->frag;
	struct page *page;

	if (frag->page && frag->offset < frag->size)
		return true;
	if (frag->page && is_ours(frag->page)) {
		frag->offset = 0;
		return true;
	}
	pages->refilled = true;
	page = full_take(pages, XIW_PAGES_TRIED);
	if (frag->page)
		full_push(pages, frag->page);
	frag->page = NULL;
	trim_arm(pages);
	if (!page && skb_page_frag_refill(1, frag, GFP_ATOMIC | __GFP_NOWARN)) {
		trace_xiw_tx_pages(pages->ifindex, full_count(pages), 1);
		return true;
	}
	if (!page)
		page = full_take(pages, XIW_PAGES_MAX);
	if (!page)
		return false;
	frag_start(frag, page);
	return true;
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

struct xiw_soft_pages __percpu *xiw_soft_pages_alloc(int ifindex)
{
	struct xiw_soft_pages __percpu *pages = alloc_percpu(struct xiw_soft_pages);
	int cpu;

	BUILD_BUG_ON_NOT_POWER_OF_2(XIW_PAGES_MAX);
	if (!pages)
		return NULL;
	for_each_possible_cpu(cpu) {
		struct xiw_soft_pages *p = per_cpu_ptr(pages, cpu);

		local_lock_init(&p->lock);
		timer_setup(&p->trim, trim_expired, TIMER_PINNED);
		p->all = pages;
		p->cpu = cpu;
		p->ifindex = ifindex;
	}
	return pages;
}

void xiw_soft_pages_free(struct xiw_soft_pages __percpu *pages)
{
	int cpu;

	if (!pages)
		return;
	for_each_possible_cpu(cpu) {
		struct xiw_soft_pages *p = per_cpu_ptr(pages, cpu);

		timer_shutdown_sync(&p->trim);
		if (p->frag.page)
			put_page(p->frag.page);
		while (full_count(p))
			put_page(full_pop(p));
	}
	free_percpu(pages);
}
