// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Frames of a peer without verbs: MPA revision 1, with CRC and without markers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace uverbs {

using Bytes = std::vector<uint8_t>;

/** Appends @p value in network order. */
template <typename T>
void number(Bytes &to, T value) {
    for (size_t i = sizeof value; i-- > 0;)
        to.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

/**
 * Make an MPA Request Frame without private data (RFC 5044 §7.1.1). Its length, mpa_frame, is also
 * the length of a Reply without private data.
 */
Bytes mpa_request();
constexpr size_t mpa_frame = 20;
/** Appends a message of one untagged segment (RFC 5041 §4.3) as an FPDU (RFC 5044 §4). */
void untagged(Bytes &to, uint8_t opcode, uint32_t queue, uint32_t msn, const Bytes &payload);

} // namespace uverbs
