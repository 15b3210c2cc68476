/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Arrays of the driver. kmalloc() rounds a size of more than two pages up to a power of two. The
 * functions below allocate only as many pages as an array needs.
 */
#ifndef XIW_ARRAY_H
#define XIW_ARRAY_H

#include <linux/types.h>

/**
 * xiw_array_alloc - allocate a zeroed array that no device accesses
 * @n: number of entries
 * @size: octets of an entry
 * @gfp: GFP_KERNEL, GFP_KERNEL_ACCOUNT or GFP_NOIO
 *
 * Context: process.
 *
 * Return: the array, which xiw_array_free() frees; NULL if the allocation fails.
 */
void *xiw_array_alloc(size_t n, size_t size, gfp_t gfp);

/*
 * Round up the number of entries of an array. xiw_array_alloc() may allocate more memory than @n
 * entries of @size octets need. Return: the number of entries that fit into this memory. The caller
 * ensures that the result fits into 32 bits.
 */
size_t xiw_array_room(size_t n, size_t size);

/* Free an array of @n entries of @size octets. The array may be NULL. Process context. */
void xiw_array_free(void *array, size_t n, size_t size);

#endif
