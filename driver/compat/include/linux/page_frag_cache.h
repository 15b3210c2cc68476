/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/* 6.13 gave page fragments a header; found only where the kernel lacks it. */
#include <linux/gfp.h>
#include <linux/mm_types.h>
