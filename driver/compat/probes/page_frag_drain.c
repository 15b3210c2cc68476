// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.9: page_frag_cache_drain; 6.13 gave the cache its own header
#include <linux/gfp.h>
#include <linux/mm_types.h>
#include <linux/skbuff.h>

static void __maybe_unused probe(struct page_frag_cache *nc)
{
	page_frag_cache_drain(nc);
}
