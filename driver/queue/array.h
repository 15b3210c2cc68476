/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Arrays of the driver. kmalloc() rounds memory of more than two pages up to a power of two
 * pages; these arrays have only as many pages as they need.
 */
#ifndef XIW_ARRAY_H
#define XIW_ARRAY_H

#include <linux/types.h>

/**
 * xiw_array_alloc - allocate zeroed memory that is not for a device
 * @n: entries
 * @size: octets of an entry
 * @gfp: GFP_KERNEL, or GFP_KERNEL_ACCOUNT
 *
 * Context: process.
 *
 * Return: memory; NULL if the allocation fails.
 */
void *xiw_array_alloc(size_t n, size_t size, gfp_t gfp);

/*
 * Get the number of entries that fit into the pages of an array of @n entries. The result must fit
 * into 32 bits.
 */
size_t xiw_array_room(size_t n, size_t size);

/* Free an array of @n entries of @size octets. The array may be NULL. Process context. */
void xiw_array_free(void *array, size_t n, size_t size);

#endif
