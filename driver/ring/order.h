/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Order of words that are shared with an RNIC, which may be a device: barriers against
 * other CPUs alone (smp_*) are nothing on a kernel for one CPU, and on some machines
 * too weak for what a device sees. On x86 these are the same instructions.
 */
#ifndef XIW_ORDER_H
#define XIW_ORDER_H

#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* Release: the RNIC sees what was written before when it sees the word. */
static inline void xiw_publish(__le32 *word, __le32 value)
{
	dma_wmb();
	WRITE_ONCE(*word, value);
}

/* Acquire: what the RNIC wrote before the word is seen by reads behind this. */
static inline __le32 xiw_observe(const __le32 *word)
{
	__le32 value = READ_ONCE(*word);

	dma_rmb();
	return value;
}

static inline u8 xiw_observe_u8(const u8 *word)
{
	u8 value = READ_ONCE(*word);

	dma_rmb();
	return value;
}

#endif
