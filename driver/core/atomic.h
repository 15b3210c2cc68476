/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause */
/*
 * Arithmetic of RFC 7306 §5.1 on host integers. The caller loads the word, computes the new value,
 * and stores it by compare-exchange. If another access has changed the word in the meantime, the
 * caller repeats these steps.
 */
#ifndef XIW_CORE_ATOMIC_H
#define XIW_CORE_ATOMIC_H

#include <rnic/xiw_rnic.h>
#include "core/fault.h"

#define XIW_ATOMIC_LEN 8	/* size in octets and alignment of the word */

/**
 * xiw_atomic_fetch_add - compute a masked FetchAdd (RFC 7306 §5.1.1)
 * @orig: original value
 * @add: Add Data
 * @mask: each set bit is the top bit of a field, and a carry out of a field is dropped; 0 means one
 *	field of 64 bits
 *
 * Adds all fields at once. The sum without the top bits has no carry out of a field. The exclusive
 * or then adds the top bits without a carry.
 *
 * Return: new value.
 */
static inline u64 xiw_atomic_fetch_add(u64 orig, u64 add, u64 mask)
{
	u64 top = mask | 1ULL << 63;

	return ((orig & ~top) + (add & ~top)) ^ ((orig ^ add) & top);
}

/**
 * xiw_atomic_hits - check whether a CmpSwap swaps
 * @orig: original value
 * @compare: Compare Data
 * @compare_mask: bits to compare
 *
 * Return: true if the masked values are equal.
 */
static inline bool xiw_atomic_hits(u64 orig, u64 compare, u64 compare_mask)
{
	return !((orig ^ compare) & compare_mask);
}

/**
 * xiw_atomic_cmp_swap - compute a masked CmpSwap (RFC 7306 §5.1.2)
 * @orig: original value
 * @swap: Swap Data
 * @swap_mask: bits to replace
 * @compare: Compare Data
 * @compare_mask: bits to compare
 *
 * Return: new value; @orig if the comparison fails.
 */
static inline u64 xiw_atomic_cmp_swap(u64 orig, u64 swap, u64 swap_mask, u64 compare,
				      u64 compare_mask)
{
	if (!xiw_atomic_hits(orig, compare, compare_mask))
		return orig;
	return (orig & ~swap_mask) | (swap & swap_mask);
}

/**
 * xiw_atomic_apply - compute the new value of a word
 * @aop: XIW_ATOMIC_FETCH_ADD or XIW_ATOMIC_CMP_SWAP
 * @orig: original value
 * @data: Add or Swap Data
 * @mask: Add or Swap Mask
 * @compare: Compare Data, CmpSwap only
 * @compare_mask: Compare Mask, CmpSwap only
 * @result: new value, always written
 *
 * Return: true if the caller must store @result; false if the comparison of a CmpSwap failed.
 */
static inline bool xiw_atomic_apply(u32 aop, u64 orig, u64 data, u64 mask, u64 compare,
				    u64 compare_mask, u64 *result)
{
	if (aop == XIW_ATOMIC_FETCH_ADD) {
		*result = xiw_atomic_fetch_add(orig, data, mask);
		return true;
	}
	*result = xiw_atomic_cmp_swap(orig, data, mask, compare, compare_mask);
	return xiw_atomic_hits(orig, compare, compare_mask);
}

/**
 * xiw_atomic_supported - check an AOpCode
 * @aop: AOpCode of a request
 *
 * Call this function before all STag checks (DEC-07).
 *
 * Return: XIW_FAULT_NONE or XIW_FAULT_RDMA_OPCODE.
 */
static inline enum xiw_fault xiw_atomic_supported(u32 aop)
{
	return aop == XIW_ATOMIC_FETCH_ADD || aop == XIW_ATOMIC_CMP_SWAP ?
		       XIW_FAULT_NONE : XIW_FAULT_RDMA_OPCODE;
}

/**
 * xiw_atomic_aligned - check the alignment of an address
 * @address: memory address of the octet at TO, or any number that is congruent to this address
 *	modulo 8, such as TO - base + offset of the base in its page (DEC-22)
 *
 * Call this function after all STag checks (DEC-23).
 *
 * Return: XIW_FAULT_NONE or XIW_FAULT_RDMA_STREAM.
 */
static inline enum xiw_fault xiw_atomic_aligned(u64 address)
{
	return address % XIW_ATOMIC_LEN ? XIW_FAULT_RDMA_STREAM : XIW_FAULT_NONE;
}

#endif
