// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Compile the core's CRC32C for an architecture other than x86-64. */
#include <linux/compiler.h>
#undef CONFIG_X86_64

#define xiw_crc32c_update crc32c_update_no_x86
#define xiw_crc32c_copy crc32c_copy_no_x86
#include "../../../driver/core/crc32c.c"
