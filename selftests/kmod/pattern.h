/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XT_PATTERN_H
#define XT_PATTERN_H

#include <linux/types.h>

/*
 * The byte at position p of pattern s depends only on p and s. So one host can write any part of a
 * pattern, and another host can check it.
 */
void xt_pattern_fill(void *dst, size_t len, u64 seed, u64 pos);

/* Return: number of wrong bytes. If there are any, *first is the index of the first one. */
size_t xt_pattern_check(const void *src, size_t len, u64 seed, u64 pos, size_t *first);

u64 xt_mix(u64 x);

#endif
