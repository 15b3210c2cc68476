/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Per-CPU pages for octets that are passed to TCP. To use the pages of a CPU, disable BH and take
 * their lock. On PREEMPT_RT, disabling BH is not sufficient, because another task on the CPU may
 * preempt a task with BH disabled. Without PREEMPT_RT, the lock costs nothing.
 *
 * TCP holds references to a page until the peer has acknowledged its octets. Then pages.c has the
 * only reference, and can reuse the page. Until then, a full page waits in a ring, because reuse is
 * cheaper than a new page, which the kernel may clear. A path with a long round trip has many
 * octets that are not acknowledged, so the ring grows with their number. A timer shrinks the ring
 * to XIW_PAGES_KEPT pages when the demand declines. If the CPU has gone offline before the timer
 * expires, the timer frees all pages of the ring.
 */
#ifndef XIW_SOFT_PAGES_H
#define XIW_SOFT_PAGES_H

#include <linux/local_lock.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/timer.h>

enum xiw_soft_pages_limit {
	/*
	 * The limits below count full pages: compound pages in which no octet is free. The ring
	 * keeps only pages of at least 32 KiB.
	 */
	XIW_PAGES_KEPT = 16,		/* pages that an idle CPU keeps */
	XIW_PAGES_MAX = 256,		/* size of the ring; a power of two */
	XIW_PAGES_TRIED = 4,		/* number of oldest pages that a refill checks */
	XIW_PAGES_TRIMMED = 32,		/* max pages that the timer frees at once */
};

struct xiw_soft_pages {
	local_lock_t lock;		/* held while an FPDU is built; inside the socket lock */
	struct page_frag frag;		/* current page; frag.page may be NULL */
	struct page *full[XIW_PAGES_MAX];	/* ring of full pages */
	u32 oldest;			/* free-running index of the oldest full page */
	u32 newest;			/* free-running index of the next free slot */
	/* since the last expiry of trim: */
	bool refilled;			/* a page was taken from the ring, or allocated */
	/* A refill found that TCP still used the page at index count / 4, see surplus(). */
	bool needed;
	struct timer_list trim;		/* pending while the ring has over XIW_PAGES_KEPT pages */
	struct xiw_soft_pages __percpu *all;	/* the pages of all CPUs */
	unsigned int cpu;
	int ifindex;			/* for the tracepoint */
};

/*
 * Allocate the pages of a device on the interface @ifindex. Context: process. Return: NULL if there
 * is no memory.
 */
struct xiw_soft_pages __percpu *xiw_soft_pages_alloc(int ifindex);

/*
 * Make contiguous room of at least 1 octet at the end of frag. The lock is held. Return: false if
 * there is no memory.
 */
bool xiw_soft_pages_refill(struct xiw_soft_pages *pages);

/*
 * If all octets of the current page are acknowledged, reuse the page from its start. This page is
 * in the cache of the CPU. Call this before each batch, with BH disabled.
 */
void xiw_soft_pages_rewind(struct xiw_soft_pages __percpu *pages);

/* Free the pages. The caller ensures that no context uses them. Context: process. */
void xiw_soft_pages_free(struct xiw_soft_pages __percpu *pages);

#endif
