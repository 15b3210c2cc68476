/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_PAGEFRAG_H
#define XIW_COMPAT_PAGEFRAG_H

#include <linux/mm.h>
#include <linux/page_frag_cache.h>

#ifndef HAVE_PAGE_FRAG_INIT
static inline void page_frag_cache_init(struct page_frag_cache *nc)
{
	nc->va = NULL;
}
#endif

#ifndef HAVE_PAGE_FRAG_DRAIN
static inline void page_frag_cache_drain(struct page_frag_cache *nc)
{
	if (!nc->va)
		return;
	__page_frag_cache_drain(virt_to_head_page(nc->va), nc->pagecnt_bias);
	nc->va = NULL;
}
#endif

#endif
