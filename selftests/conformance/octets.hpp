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

// Reads or writes a big-endian word of 1 to 8 octets. The whole word must be inside `octets`.
uint64_t load(OctetView octets, size_t at, size_t size);
void store(Octets &octets, size_t at, size_t size, uint64_t value);

std::string hex(OctetView octets);
// Parses hex digits. Throws std::invalid_argument for an odd number of digits or another character.
Octets octets_of_hex(std::string_view text);

void append(Octets &to, OctetView what);

// Formats lines of 16 octets with their offsets. dump_differences() also marks the octets that
// differ from `wanted`.
std::string dump(OctetView octets);
std::string dump_differences(OctetView octets, OctetView wanted);

/*
 * Parses DATA:
 * 12ab34          hex digits
 * count:N[:FIRST] N octets, each one greater by one than the previous
 * fill:XX:N       N octets of the hex value XX
 * text:WORD       the characters of WORD
 * Parts are joined by commas. Throws std::invalid_argument.
 */
Octets octets_of(std::string_view text);

// Parses an expression of numbers (decimal or with 0x), + and -. Returns its value. Throws
// std::invalid_argument.
uint64_t number(std::string_view text);
// Parses text as number() does. Also accepts "on" for 1 and "off" for 0.
uint64_t flag_or_number(std::string_view text);

} // namespace xiw::peer
