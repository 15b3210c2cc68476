// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model.h"

#include <linux/bits.h>

/* A bit that is set in the mask is the top bit of a field. The carry out of this bit is dropped. */
u64 xt_model_fetch_add(u64 original, u64 add, u64 mask)
{
	unsigned int carry = 0, bit;
	u64 result = 0;

	for (bit = 0; bit < 64; bit++) {
		unsigned int sum = !!(original & BIT_ULL(bit)) + !!(add & BIT_ULL(bit)) + carry;

		if (sum & 1)
			result |= BIT_ULL(bit);
		carry = mask & BIT_ULL(bit) ? 0 : sum >> 1;
	}
	return result;
}

u64 xt_model_cmp_swap(u64 original, u64 cmp, u64 cmask, u64 swap, u64 smask)
{
	unsigned int bit;
	u64 result = 0;

	for (bit = 0; bit < 64; bit++)
		if (cmask & BIT_ULL(bit) && (original ^ cmp) & BIT_ULL(bit))
			return original;
	for (bit = 0; bit < 64; bit++)
		result |= (smask & BIT_ULL(bit) ? swap : original) & BIT_ULL(bit);
	return result;
}
