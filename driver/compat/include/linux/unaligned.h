/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* 6.12 moved the unaligned accessors here; found only where the kernel lacks it. */
#include <asm/unaligned.h>
