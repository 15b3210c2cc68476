// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The core's CRC32C, compiled for other machines (no_sse42.c, no_x86.c).
#pragma once

#include <core.hpp>

extern "C" {
u32 crc32c_update_no_sse42(u32 crc, const void *p, size_t len);
u32 crc32c_copy_no_sse42(u32 crc, void *out, const void *from, size_t len);
u32 crc32c_update_no_x86(u32 crc, const void *p, size_t len);
u32 crc32c_copy_no_x86(u32 crc, void *out, const void *from, size_t len);
}
