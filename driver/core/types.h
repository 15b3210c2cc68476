/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The kernel headers that the whole core uses. Only crc32c.c and crc32c.h include other kernel
 * headers. The kernel build uses the kernel's headers. Other builds supply headers of the same
 * names.
 */
#ifndef XIW_CORE_TYPES_H
#define XIW_CORE_TYPES_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>

/**
 * struct xiw_span - contiguous octets
 * @p: first octet; may be NULL if @len is 0
 * @len: number of octets
 */
struct xiw_span {
	const u8 *p;
	u32 len;
};

#endif
