/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Per-CPU pages for octets that are handed to TCP. Used with BH disabled and under the lock
 * of the CPU's pages. The lock is free where disabling BH is sufficient. Disabling BH is not
 * sufficient on PREEMPT_RT, where another task may preempt a task with BH disabled on the same CPU.
 *
 * TCP holds references until the peer has acknowledged, so a page can be reused only when
 * this file has the last reference. A few full pages are kept for reuse, because reuse is
 * cheaper than a new page, which many kernels clear first.
 */
#ifndef XIW_SOFT_PAGES_H
#define XIW_SOFT_PAGES_H

#include <linux/local_lock.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>

enum xiw_soft_pages_limit {
	XIW_PAGES_FILLED = 16,		/* of 32 KiB each, if such pages are available */
};

struct xiw_soft_pages {
	local_lock_t lock;		/* from room to commit of an FPDU; inside the socket lock */
	struct page_frag frag;		/* current page; page NULL: none */
	struct page *filled[XIW_PAGES_FILLED];
	u32 oldest;
};

/* Context: process. Return: NULL without memory. */
struct xiw_soft_pages __percpu *xiw_soft_pages_alloc(void);

/* Make contiguous room at the end of frag, at least 1 octet; false: no memory. Lock held. */
bool xiw_soft_pages_refill(struct xiw_soft_pages *pages);

/* Before a batch: if all octets are acknowledged, reuse the cache-hot page. BH disabled. */
void xiw_soft_pages_rewind(struct xiw_soft_pages __percpu *pages);

void xiw_soft_pages_free(struct xiw_soft_pages __percpu *pages);

#endif
