// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Test data whose octets depend on a key and on their offsets, so that missing, old or misplaced
// data is detected.
#ifndef XIW_TRAFFIC_PATTERN_HPP
#define XIW_TRAFFIC_PATTERN_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace xiw::traffic {

using Octets = std::span<uint8_t>;

// Fill `octets` with the pattern of `key`, from the offset `place` of the pattern.
void fill(Octets octets, uint64_t key, uint64_t place = 0);

struct Difference {
    size_t offset;
    uint8_t is;
    uint8_t wanted;
};
std::optional<Difference> difference(std::span<const uint8_t> octets, uint64_t key,
                                     uint64_t place = 0);
// Describe the first difference: "octet 17 of 64 is 0x12 instead of 0x13".
std::string difference_word(const Difference &difference, size_t size);

} // namespace xiw::traffic

#endif
