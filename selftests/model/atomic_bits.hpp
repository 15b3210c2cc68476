// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The atomics of RFC 7306, computed bit by bit, independently of the core's arithmetic.
#pragma once

#include "core.hpp"

namespace xiw {

// Compute a FetchAdd as in RFC 7306 §5.1.1, bit by bit. A carry moves to the next bit, and is
// dropped at the end of a field.
inline u64 fetch_add_by_bits(u64 orig, u64 add, u64 mask) {
    unsigned carry = 0;
    u64 sum = 0;

    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned total = (orig >> bit & 1) + (add >> bit & 1) + carry;

        sum |= static_cast<u64>(total & 1) << bit;
        carry = mask >> bit & 1 ? 0 : total >> 1;
    }
    return sum;
}

// Compute a CmpSwap as in RFC 7306 §5.1.2, bit by bit.
inline u64 cmp_swap_by_bits(u64 orig, u64 swap, u64 swap_mask, u64 compare, u64 compare_mask) {
    u64 result = 0;

    for (unsigned bit = 0; bit < 64; bit++)
        if (compare_mask >> bit & 1 && (orig >> bit & 1) != (compare >> bit & 1))
            return orig;
    for (unsigned bit = 0; bit < 64; bit++)
        result |= (swap_mask >> bit & 1 ? swap : orig) & 1ULL << bit;
    return result;
}

} // namespace xiw
