// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "queue/array.h"

#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

void *xiw_array_alloc(size_t n, size_t size, gfp_t gfp)
{
	size_t octets = array_size(n, size);
	void *array;

	if (octets <= KMALLOC_MAX_CACHE_SIZE)
		return kzalloc(octets, gfp);
	if (octets == SIZE_MAX)
		return NULL;
	array = alloc_pages_exact(octets, gfp | __GFP_ZERO | __GFP_NORETRY | __GFP_NOWARN);
	return array ?: __vmalloc(octets, gfp | __GFP_ZERO);
}

size_t xiw_array_room(size_t n, size_t size)
{
	size_t octets = n * size;

	if (octets <= KMALLOC_MAX_CACHE_SIZE)
		return roundup_pow_of_two(octets) / size;
	return PAGE_ALIGN(octets) / size;
}

void xiw_array_free(void *array, size_t n, size_t size)
{
	if (is_vmalloc_addr(array))
		vfree(array);
	else if (array && n * size > KMALLOC_MAX_CACHE_SIZE)
		free_pages_exact(array, n * size);
	else
		kfree(array);
}
