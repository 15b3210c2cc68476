// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * CRC32C with the CRC instruction of x86-64, for eight octets at a time. The instruction has a
 * latency of three cycles, and one instruction can start in each cycle. So this file computes the
 * CRCs of three adjacent ranges of octets (lanes) in parallel, and then combines them.
 *
 * The kernel's implementation of this method combines the lanes with FPU instructions, so it must
 * save the FPU state. It also cannot copy the data in the same pass.
 */
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "core/crc32c.h"

#define XIW_CRC32C_CHUNK 4096

#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>

#include "core/crc32c_lanes.h"

static __always_inline bool by_instruction(void)
{
	return boot_cpu_has(X86_FEATURE_XMM4_2);
}

/*
 * Update the CRC with eight octets. If @copy is set, also write them to @out. All callers pass a
 * constant as @copy, so the compiler removes the test.
 */
static __always_inline u64 word(u64 crc, u8 *out, const u8 *in, bool copy)
{
	u64 octets = get_unaligned_le64(in);

	if (copy) {
		/*
		 * Read the word once: another task may write to it, and the CRC must cover the
		 * octets that are copied.
		 */
		OPTIMIZER_HIDE_VAR(octets);
		put_unaligned_le64(octets, out);
	}
	asm("crc32q %1, %0" : "+r" (crc) : "rm" (octets));
	return crc;
}

/* Process 64 octets of a lane. Out-of-order execution overlaps the rows of the three lanes. */
static __always_inline u64 row(u64 crc, u8 *out, const u8 *in, bool copy)
{
	crc = word(crc, out, in, copy);
	crc = word(crc, out + 8, in + 8, copy);
	crc = word(crc, out + 16, in + 16, copy);
	crc = word(crc, out + 24, in + 24, copy);
	crc = word(crc, out + 32, in + 32, copy);
	crc = word(crc, out + 40, in + 40, copy);
	crc = word(crc, out + 48, in + 48, copy);
	return word(crc, out + 56, in + 56, copy);
}

static __always_inline u32 skip_lane(u32 crc, const u32 (*lane)[16])
{
	return lane[0][crc & 15] ^ lane[1][crc >> 4 & 15] ^
	       lane[2][crc >> 8 & 15] ^ lane[3][crc >> 12 & 15] ^
	       lane[4][crc >> 16 & 15] ^ lane[5][crc >> 20 & 15] ^
	       lane[6][crc >> 24 & 15] ^ lane[7][crc >> 28];
}

static __always_inline u32 lanes(u32 crc, u8 *out, const u8 *in, u32 len, const u32 (*lane)[16],
				 bool copy)
{
	u64 a = crc, b = 0, c = 0;
	u32 at;

	for (at = 0; at < len; at += XIW_CRC32C_ROW) {
		a = row(a, out + at, in + at, copy);
		b = row(b, out + len + at, in + len + at, copy);
		c = row(c, out + 2 * len + at, in + 2 * len + at, copy);
	}
	return skip_lane(skip_lane(a, lane) ^ b, lane) ^ c;
}

static __always_inline u32 run(u32 crc, u8 *out, const u8 *in, size_t len, bool copy)
{
	u64 sum;

	for (; len >= 3 * XIW_CRC32C_LANE; len -= 3 * XIW_CRC32C_LANE) {
		crc = lanes(crc, out, in, XIW_CRC32C_LANE, xiw_crc32c_lane, copy);
		in += 3 * XIW_CRC32C_LANE;
		out += 3 * XIW_CRC32C_LANE;
	}
	for (; len >= 3 * XIW_CRC32C_LANE_SHORT; len -= 3 * XIW_CRC32C_LANE_SHORT) {
		crc = lanes(crc, out, in, XIW_CRC32C_LANE_SHORT, xiw_crc32c_lane_short, copy);
		in += 3 * XIW_CRC32C_LANE_SHORT;
		out += 3 * XIW_CRC32C_LANE_SHORT;
	}
	for (sum = crc; len >= XIW_CRC32C_ROW; len -= XIW_CRC32C_ROW) {
		sum = row(sum, out, in, copy);
		in += XIW_CRC32C_ROW;
		out += XIW_CRC32C_ROW;
	}
	for (; len >= sizeof(u64); len -= sizeof(u64)) {
		sum = word(sum, out, in, copy);
		in += sizeof(u64);
		out += sizeof(u64);
	}
	for (crc = sum; len; len--, in++, out++) {
		u8 octet = *in;

		if (copy) {
			OPTIMIZER_HIDE_VAR(octet);
			*out = octet;
		}
		asm("crc32b %1, %0" : "+r" (crc) : "rm" (octet));
	}
	return crc;
}
#else
static bool by_instruction(void)
{
	return false;
}

static u32 run(u32 crc, u8 *out, const u8 *in, size_t len, bool copy)
{
	return crc;
}
#endif

u32 xiw_crc32c_update(u32 crc, const void *p, size_t len)
{
	if (unlikely(!by_instruction()))
		return crc32c(crc, p, len);
	/*
	 * Without a copy, run() writes nothing, but advances its output pointer. This pointer must
	 * not be NULL, because arithmetic on NULL is undefined.
	 */
	return run(crc, (u8 *)p, p, len, false);
}

u32 xiw_crc32c_copy(u32 crc, void *out, const void *from, size_t len)
{
	size_t n;

	if (likely(by_instruction()))
		return run(crc, out, from, len, true);
	/* Compute the CRC of each copied chunk while the chunk is in the L1 cache. */
	for (; len; len -= n, out += n, from += n) {
		n = min_t(size_t, len, XIW_CRC32C_CHUNK);
		memcpy(out, from, n);
		crc = crc32c(crc, out, n);
	}
	return crc;
}
