// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* CRC32C with the reflected polynomial 0x82f63b78, by the CPU's instruction or by a table. */
#include <linux/crc32c.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#define HARDWARE __attribute__((target("sse4.2")))
#define HARDWARE_THERE() __builtin_cpu_supports("sse4.2")
#define STEP8(crc, v) _mm_crc32_u64(crc, v)
#define STEP1(crc, v) _mm_crc32_u8(crc, v)
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#define HARDWARE
#define HARDWARE_THERE() 1
#define STEP8(crc, v) __crc32cd(crc, v)
#define STEP1(crc, v) __crc32cb(crc, v)
#endif

static u32 by_table(u32 crc, const u8 *p, size_t length)
{
	/* Process four bits at a time. */
	static const u32 table[16] = {
		0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
		0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
		0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
	};

	while (length--) {
		crc ^= *p++;
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return crc;
}

#ifdef HARDWARE
HARDWARE static u32 by_hardware(u32 crc, const u8 *p, size_t length)
{
	u64 wide = crc, v;

	for (; length >= sizeof(v); p += sizeof(v), length -= sizeof(v)) {
		memcpy(&v, p, sizeof(v));
		wide = STEP8(wide, v);
	}
	crc = (u32)wide;
	while (length--)
		crc = STEP1(crc, *p++);
	return crc;
}
#endif

u32 crc32c(u32 crc, const void *address, size_t length)
{
#ifdef HARDWARE
	if (HARDWARE_THERE())
		return by_hardware(crc, address, length);
#endif
	return by_table(crc, address, length);
}
