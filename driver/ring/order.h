/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Memory ordering for words that are shared with an RNIC, which may be a PCIe function. Barriers
 * against other CPUs (smp_*) are not sufficient: on a kernel for one CPU, they are only compiler
 * barriers, and on some machines they do not order accesses of a device. On x86, the barriers used
 * here have no extra cost: dma_rmb() and dma_wmb() are only compiler barriers, like smp_rmb() and
 * smp_wmb().
 */
#ifndef XIW_ORDER_H
#define XIW_ORDER_H

#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* Release: if the RNIC sees this word, it sees all earlier writes. */
static inline void xiw_publish(__le32 *word, __le32 value)
{
	dma_wmb();
	WRITE_ONCE(*word, value);
}

/* Acquire: later reads see all writes of the RNIC that precede its write of this word. */
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
