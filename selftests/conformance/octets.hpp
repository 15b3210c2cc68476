// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Octet strings: hex, big-endian words, and the text form that scenarios use.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xiw::peer {

using Octets = std::vector<uint8_t>;
using OctetView = std::span<const uint8_t>;

// Big-endian; size is 1 to 8 octets and must lie inside.
uint64_t load(OctetView octets, size_t at, size_t size);
void store(Octets &octets, size_t at, size_t size, uint64_t value);

std::string hex(OctetView octets);
// Throws std::invalid_argument unless it is an even number of hex digits.
Octets octets_of_hex(std::string_view text);

void append(Octets &to, OctetView what);

// Lines of 16 octets with their offsets; differences from other are marked.
std::string dump(OctetView octets);
std::string dump_differences(OctetView octets, OctetView wanted);

/*
 * 12ab34          hex digits
 * count:N[:FIRST] N octets, each one greater by one than the previous
 * fill:XX:N       N octets of the hex value XX
 * text:WORD       its characters
 * Parts are joined by commas. Throws std::invalid_argument.
 */
Octets octets_of(std::string_view text);

// Decimal or 0x, joined by + and -. Throws std::invalid_argument.
uint64_t number(std::string_view text);

} // namespace xiw::peer
