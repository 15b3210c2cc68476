// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// DDP segments without their packets, in Wireshark's link type "upper PDU": tags with the
// endpoints, followed by the segment.
#ifndef XIW_WIRE_EXPORTED_HPP
#define XIW_WIRE_EXPORTED_HPP

#include "wire/wire.hpp"

namespace xiw::wire {

// The number of LINKTYPE_WIRESHARK_UPPER_PDU, and of pcap's DLT_WIRESHARK_UPPER_PDU.
constexpr int exported_link = 252;

struct Exported {
    Endpoint from, to;
    bool damaged = false; // the octets are not a valid segment
    uint32_t length = 0;  // octets of the segment or whole message, before truncation
    Span octets = {};     // captured octets, from the start of the segment
};

// Get the tags that precede the octets of a segment.
Octets exported_tags(const Exported &segment);

// Parse a packet that had `length` octets before truncation. Returns nothing if a tag is malformed,
// if the dissector tag or the end tag is missing, if the dissector is not one of those that xiw
// writes, or if the packet is longer than `length`.
std::optional<Exported> parse_exported(Span packet, uint32_t length);

} // namespace xiw::wire

#endif
