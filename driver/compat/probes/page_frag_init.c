// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.13: page_frag_cache_init, the layout is private from here
#include <linux/gfp.h>
#include <linux/mm_types.h>
#include <linux/skbuff.h>

static void __maybe_unused probe(struct page_frag_cache *nc)
{
	page_frag_cache_init(nc);
}
