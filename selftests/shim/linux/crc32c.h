/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_SHIM_CRC32C_H
#define XIW_SHIM_CRC32C_H

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Compute the CRC as the kernel does: without inversion, and from any initial value. */
u32 crc32c(u32 crc, const void *address, size_t length);

#ifdef __cplusplus
}
#endif

#endif
