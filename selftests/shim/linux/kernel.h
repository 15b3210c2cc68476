/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_SHIM_KERNEL_H
#define XIW_SHIM_KERNEL_H

#include <linux/types.h>
#include <linux/byteorder.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
