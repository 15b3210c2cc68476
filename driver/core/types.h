/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * The only door of the core to the outside. In the kernel these are the kernel's
 * own headers; elsewhere selftests/shim answers under the same names.
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
 * struct xiw_span - octets that lie in one piece
 * @p: first octet; may be NULL if @len is 0
 * @len: octets
 */
struct xiw_span {
	const u8 *p;
	u32 len;
};

#endif
