// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "crc32c.hpp"

#include <array>

namespace xiw::peer {

namespace {

constexpr uint32_t POLYNOMIAL = 0x82f63b78; // bits reflected

constexpr std::array<uint32_t, 256> make_table() {
    std::array<uint32_t, 256> table{};

    for (uint32_t i = 0; i < table.size(); i++) {
        uint32_t value = i;

        for (int bit = 0; bit < 8; bit++)
            value = (value & 1) != 0 ? value >> 1 ^ POLYNOMIAL : value >> 1;
        table.at(i) = value;
    }
    return table;
}

constexpr auto TABLE = make_table();

} // namespace

void Crc32c::add(OctetView octets) {
    for (uint8_t octet : octets)
        state_ = TABLE[(state_ ^ octet) & 0xff] ^ state_ >> 8;
}

Octets Crc32c::wire() const {
    uint32_t v = value();
    Octets made;

    for (int i = 0; i < 4; i++, v >>= 8)
        made.push_back(static_cast<uint8_t>(v));
    return made;
}

} // namespace xiw::peer
