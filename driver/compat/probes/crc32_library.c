// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// 6.14: crc32c() is a function of the architecture, no more the crypto API
#include <linux/crc32.h>

static u32 __maybe_unused probe(void)
{
	return crc32_optimizations();
}
