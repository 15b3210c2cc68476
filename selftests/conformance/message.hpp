// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// DDP segments with their RDMAP headers (RFC 5040, 5041, 7306), as FPDUs without markers.
// Offsets are relative to the field ULPDU Length.
#pragma once

#include "frame.hpp"

#include <map>

namespace xiw::peer {

struct Kind {
    std::string_view name;
    bool tagged;
    uint8_t opcode;
    uint8_t queue;                 // queue number, if untagged
    std::span<const Field> header; // fields of the RDMAP header
    unsigned header_len;

    unsigned payload_at() const { return (tagged ? 16 : 20) + header_len; }
};

std::span<const Kind> kinds();
// Finds the kind with this name or alias (fetchadd, cmpswap); nullptr if there is none.
const Kind *kind_named(std::string_view name);
// Returns true if the key names a header field of this kind, or if it is "seg_len" or "header" and
// the kind is a Terminate.
bool kind_has(const Kind &kind, std::string_view key);

// The KEY=VALUE words of a step.
using Keys = std::map<std::string, std::string, std::less<>>;

// Builds a ULPDU and its framing from the keys. A field without a key has the value that a correct
// message has. Without a key "msn", the MSN is the argument msn. Throws std::invalid_argument.
Octets build(std::string_view kind, const Keys &keys, uint32_t msn);

// Builds an FPDU around the ULPDU. The keys len, pad and crc (bad, none, or hex octets) may make it
// incorrect.
Octets frame_ulpdu(const Octets &ulpdu, const Keys &keys);

// Parses a frame. This never fails: an invalid frame gets the kind "unknown" and only the fields
// that are inside the frame.
Frame decode(const Octets &fpdu);

bool crc_good(const Octets &fpdu);
void crc_renew(Octets &fpdu);

} // namespace xiw::peer
