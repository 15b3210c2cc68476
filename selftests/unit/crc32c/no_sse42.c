// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* Compile the core's CRC32C for an x86-64 CPU without SSE4.2. */
#include <asm/cpufeature.h>
#undef boot_cpu_has
#define boot_cpu_has(feature) 0

#define xiw_crc32c_update crc32c_update_no_sse42
#define xiw_crc32c_copy crc32c_copy_no_sse42
#include "../../../driver/core/crc32c.c"
