/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * CRC32C for User-Mode Linux with SSE4.2 and PCLMULQDQ, as in the x86 kernel. Without this file,
 * User-Mode Linux can use only a table, which has a hundredth of the speed. This code may use the
 * vector registers: without PREEMPT, no other process of the guest gets the CPU in this code, and
 * signal handlers save the registers. This file needs a kernel with lib/crc.
 */
#include <asm/cpufeature.h>

static __ro_after_init bool have_crc32, have_pclmulqdq;

asmlinkage u32 crc32c_x86_3way(u32 crc, const u8 *buffer, size_t len);

#define crc32_le_arch crc32_le_base
#define crc32_be_arch crc32_be_base

static inline u32 crc32c_arch(u32 crc, const u8 *p, size_t len)
{
	u64 sum = crc;

	if (!have_crc32)
		return crc32c_base(crc, p, len);
	if (len >= 512 && have_pclmulqdq)
		return crc32c_x86_3way(crc, p, len);
	for (; len >= sizeof(u64); len -= sizeof(u64), p += sizeof(u64))
		asm("crc32q %1, %0" : "+r" (sum) : "m" (*(const u64 *)p));
	crc = sum;
	for (; len; len--, p++)
		asm("crc32b %1, %0" : "+r" (crc) : "m" (*p));
	return crc;
}

#define crc32_mod_init_arch crc32_mod_init_arch
static void crc32_mod_init_arch(void)
{
	have_crc32 = boot_cpu_has(X86_FEATURE_XMM4_2);
	have_pclmulqdq = boot_cpu_has(X86_FEATURE_PCLMULQDQ);
	pr_info("crc32c: crc32=%d pclmulqdq=%d\n", have_crc32, have_pclmulqdq);
}

static inline u32 crc32_optimizations_arch(void)
{
	return have_crc32 ? CRC32C_OPTIMIZATION : 0;
}
