/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Pages for octets on their way into TCP, per CPU, used with BH off and under the lock of
 * the CPU's pages. The lock costs nothing where BH off is enough. On PREEMPT_RT it may not be:
 * a task with BH off can be preempted there by another one, on the same CPU.
 *
 * TCP holds references until the peer has acknowledged, so a page is taken again
 * only when ours is the last one. A few that were filled wait for that: taking a
 * page again is cheaper than a new one, which many kernels clear first.
 */
#ifndef XIW_SOFT_PAGES_H
#define XIW_SOFT_PAGES_H

#include <linux/local_lock.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>

enum xiw_soft_pages_limit {
	XIW_PAGES_FILLED = 16,		/* of 32 KiB each, where there are such pages */
};

struct xiw_soft_pages {
	local_lock_t lock;		/* from room to commit of an FPDU; inside the socket lock */
	struct page_frag frag;		/* being filled; page NULL: none */
	struct page *filled[XIW_PAGES_FILLED];
	u32 oldest;
};

/* Context: process. Return: NULL: no memory. */
struct xiw_soft_pages __percpu *xiw_soft_pages_alloc(void);

/* Room in one piece at frag's end, 1 octet or more; false: no memory. The lock is held. */
bool xiw_soft_pages_refill(struct xiw_soft_pages *pages);

/* Before a batch: all octets acknowledged, start over while the page is in the cache. BH off. */
void xiw_soft_pages_rewind(struct xiw_soft_pages __percpu *pages);

void xiw_soft_pages_free(struct xiw_soft_pages __percpu *pages);

#endif
