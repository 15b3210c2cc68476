/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Per-CPU pages for octets that are passed to TCP. They are used with BH disabled and under the
 * lock of the CPU's pages. On PREEMPT_RT, disabling BH is not sufficient, because another task on
 * the same CPU may preempt a task with BH disabled. On other kernels the lock costs nothing.
 *
 * TCP holds references until the peer has acknowledged the octets, so a page can be reused only
 * when this file has the last reference. A few full pages are kept for reuse, because reuse is
 * cheaper than a new page, which many kernels clear first.
 */
#ifndef XIW_SOFT_PAGES_H
#define XIW_SOFT_PAGES_H

#include <linux/local_lock.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>

enum xiw_soft_pages_limit {
	XIW_PAGES_FILLED = 16,		/* pages of 32 KiB each, if they are available */
};

struct xiw_soft_pages {
	local_lock_t lock;		/* held while an FPDU is built; inside the socket lock */
	struct page_frag frag;		/* current page; its page may be NULL */
	struct page *filled[XIW_PAGES_FILLED];
	u32 oldest;
};

/* Allocate the pages. Context: process. Return: NULL if there is no memory. */
struct xiw_soft_pages __percpu *xiw_soft_pages_alloc(void);

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

void xiw_soft_pages_free(struct xiw_soft_pages __percpu *pages);

#endif
