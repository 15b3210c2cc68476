// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "pattern.h"

#include <linux/kernel.h>
#include <linux/string.h>

/* Finalizer of splitmix64, which maps adjacent numbers to unrelated words. */
u64 xt_mix(u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static u64 pattern_word(u64 seed, u64 index)
{
	return xt_mix(xt_mix(seed) + index);
}

/*
 * Copy the part of pattern word `pos / 8` that starts at `pos`. The octets do not depend on the
 * byte order of the CPU, because the peer may be another machine.
 */
static size_t word_slice(u8 out[8], size_t len, u64 seed, u64 pos)
{
	__le64 w = cpu_to_le64(pattern_word(seed, pos >> 3));
	unsigned int skip = pos & 7;
	size_t n = min_t(size_t, 8 - skip, len);

	memcpy(out, (u8 *)&w + skip, n);
	return n;
}

void xt_pattern_fill(void *dst, size_t len, u64 seed, u64 pos)
{
	u8 slice[8];
	size_t n;

	for (; len; dst += n, pos += n, len -= n) {
		n = word_slice(slice, len, seed, pos);
		memcpy(dst, slice, n);
	}
}

size_t xt_pattern_check(const void *src, size_t len, u64 seed, u64 pos, size_t *first)
{
	size_t done, n, i, bad = 0;
	u8 slice[8];

	for (done = 0; done < len; done += n) {
		const u8 *p = src + done;

		n = word_slice(slice, len - done, seed, pos + done);
		if (!memcmp(p, slice, n))
			continue;
		for (i = 0; i < n; i++) {
			if (p[i] == slice[i])
				continue;
			if (!bad++)
				*first = done + i;
		}
	}
	return bad;
}
