/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* 6.12 moved the unaligned accessors here. Older kernels find this file instead. */
#include <asm/unaligned.h>
