// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// DDP segments with their RDMAP headers (RFC 5040, 5041, 7306), as FPDUs without
// markers. Offsets count from ULPDU Length.
#pragma once

#include "frame.hpp"

#include <map>

namespace xiw::peer {

struct Kind {
    std::string_view name;
    bool tagged;
    uint8_t opcode;
    uint8_t queue;                 // of an untagged one
    std::span<const Field> header; // of RDMAP
    unsigned header_len;

    unsigned payload_at() const { return (tagged ? 16 : 20) + header_len; }
};

std::span<const Kind> kinds();
// The kind of that name, or of an alias (fetchadd, cmpswap); nullptr if none is.
const Kind *kind_named(std::string_view name);
// What a key of a send or expect may be besides data, pad and crc.
bool kind_has(const Kind &kind, std::string_view key);

// Keys that are no fields of the frame: octets or the framing itself.
using Keys = std::map<std::string, std::string, std::less<>>;

// The ULPDU and its framing as the keys say; everything else as the standard says.
// msn is used unless the keys have one. Throws std::invalid_argument.
Octets build(std::string_view kind, const Keys &keys, uint32_t msn);

// An FPDU around this ULPDU; keys len, pad and crc (bad, none, or hex octets) may spoil it.
Octets frame_ulpdu(const Octets &ulpdu, const Keys &keys);

// Never fails: what makes no sense has kind "unknown" and the fields that it has room for.
Frame decode(const Octets &fpdu);

bool crc_good(const Octets &fpdu);
void crc_renew(Octets &fpdu);

} // namespace xiw::peer
