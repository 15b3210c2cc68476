/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Per-CPU pages for octets that are passed to TCP. They are used with BH disabled and under the
 * lock of the CPU's pages. On PREEMPT_RT, disabling BH is not sufficient, because another task on
 * the same CPU may preempt a task with BH disabled. On other kernels the lock costs nothing.
 *
 * TCP holds references until the peer has acknowledged the octets, so a page can be reused only
 * when this file has the last reference. Full pages wait in a ring for that moment, because reuse
 * is cheaper than a new page, which many kernels clear first. The ring grows with the octets that
 * are not yet acknowledged, because a path with a long round trip has many of them. A timer shrinks
 * the ring when the demand declines.
 */
#ifndef XIW_SOFT_PAGES_H
#define XIW_SOFT_PAGES_H

#include <linux/local_lock.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/timer.h>

enum xiw_soft_pages_limit {
	/* full pages, of 32 KiB or more each */
	XIW_PAGES_KEPT = 16,		/* an idle CPU keeps them */
	XIW_PAGES_MAX = 256,		/* a power of two */
	XIW_PAGES_TRIED = 4,		/* how many of the oldest a refill examines */
	XIW_PAGES_TRIMMED = 32,		/* max pages that one expiry of the timer frees */
};

struct xiw_soft_pages {
	local_lock_t lock;		/* held while an FPDU is built; inside the socket lock */
	struct page_frag frag;		/* current page; its page may be NULL */
	struct page *full[XIW_PAGES_MAX];	/* ring */
	u32 oldest;			/* free-running, as is newest */
	u32 newest;			/* the next free slot */
	/* since the last expiry of trim: */
	bool refilled;			/* a page was taken from the ring, or allocated */
	bool needed;			/* the page at the first quarter was not acknowledged */
	struct timer_list trim;		/* pending while there are more than XIW_PAGES_KEPT */
	struct xiw_soft_pages __percpu *all;	/* the pages of all CPUs */
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
 * Call this before a batch: if all octets are acknowledged, reuse the cache-hot page. BH is
 * disabled.
 */
void xiw_soft_pages_rewind(struct xiw_soft_pages __percpu *pages);

/* Free the pages. The caller ensures that no context uses them. Context: process. */
void xiw_soft_pages_free(struct xiw_soft_pages __percpu *pages);

#endif
