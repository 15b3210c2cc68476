/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
#ifndef XIW_COMPAT_CRC32C_H
#define XIW_COMPAT_CRC32C_H

#include <linux/crc32c.h>
#include <linux/unaligned.h>

#if defined(CONFIG_X86_64) && !defined(HAVE_CRC32_LIBRARY)
#include <asm/cpufeature.h>

/* Up to here the kernel's own code makes one chain of the same instruction, too. */
#define XIW_CRC32C_SHORT 512

/**
 * xiw_crc32c() - crc32c() for many short pieces
 * @crc: register so far
 * @p: octets
 * @len: their number, any
 *
 * Older kernels call it through the crypto API, by a request that is cleared and filled in
 * for each piece: more work than the sum of a few hundred octets.
 *
 * Context: any; the instruction needs no FPU.
 *
 * Return: new register value.
 */
static inline u32 xiw_crc32c(u32 crc, const void *p, u32 len)
{
	u64 sum = crc;

	if (len >= XIW_CRC32C_SHORT || !boot_cpu_has(X86_FEATURE_XMM4_2))
		return crc32c(crc, p, len);
	for (; len >= sizeof(u64); len -= sizeof(u64), p += sizeof(u64))
		asm("crc32q %1, %0" : "+r" (sum) : "r" (get_unaligned((const u64 *)p)));
	crc = sum;
	for (; len; len--, p++)
		asm("crc32b %1, %0" : "+r" (crc) : "r" (*(const u8 *)p));
	return crc;
}
#else
/* A plain call. */
static inline u32 xiw_crc32c(u32 crc, const void *p, u32 len)
{
	return crc32c(crc, p, len);
}
#endif

#endif
