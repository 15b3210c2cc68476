/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Arrays of the driver's own. What is longer than two pages kmalloc() makes a power of two
 * of pages of; these have as many as they need.
 */
#ifndef XIW_ARRAY_H
#define XIW_ARRAY_H

#include <linux/types.h>

/**
 * xiw_array_alloc - zeroed memory, that no device masters
 * @n: entries
 * @size: octets of one
 * @gfp: GFP_KERNEL, or GFP_KERNEL_ACCOUNT
 *
 * Context: process. Return: memory, or NULL.
 */
void *xiw_array_alloc(size_t n, size_t size, gfp_t gfp);

/* How many entries fit into the memory that an array of @n takes; @n is not huge. */
size_t xiw_array_room(size_t n, size_t size);

/* @n and @size as they were allocated; the array may be NULL. Process context. */
void xiw_array_free(void *array, size_t n, size_t size);

#endif
