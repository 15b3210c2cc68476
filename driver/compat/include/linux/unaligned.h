/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * 6.12 moved the unaligned accessors to <linux/unaligned.h>. On older kernels, the driver uses
 * this file.
 */
#include <asm/unaligned.h>
