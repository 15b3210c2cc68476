// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// MPA Request and Reply Frames (RFC 5044 §7.1, RFC 6581 §6).
#pragma once

#include "message.hpp"

namespace xiw::peer {

constexpr size_t STARTUP_MIN = 20;

// Builds a frame. kind is "request" or "reply". Keys: rev markers crc reject s a b c d ird ord res
// private pd_len key. By default, rev is 2, and s is on if rev is at least 2. Throws
// std::invalid_argument.
Octets build_startup(std::string_view kind, const Keys &keys);
bool startup_has(std::string_view key);

// Gets the length of the whole frame. `octets` must contain at least STARTUP_MIN octets.
size_t startup_size(OctetView octets);
Frame decode_startup(const Octets &octets);

} // namespace xiw::peer
