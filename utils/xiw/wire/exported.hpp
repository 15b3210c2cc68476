// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// DDP segments without the packets that carried them, as packets of the link layer that
// Wireshark calls "upper PDU": tags that say who passed them to whom, then the segment.
#ifndef XIW_WIRE_EXPORTED_HPP
#define XIW_WIRE_EXPORTED_HPP

#include "wire/wire.hpp"

namespace xiw::wire {

// LINKTYPE_WIRESHARK_UPPER_PDU, and pcap's DLT_ of the same number.
constexpr int exported_link = 252;

struct Exported {
    Endpoint from, to;
    bool damaged = false; // what it says is not to be believed
    uint32_t length = 0;  // octets of the segment, or of a whole message
    Span octets = {};     // the first of them
};

// What stands in front of the octets.
Octets exported_tags(const Exported &segment);

// length: octets of the packet before it was cut. Empty if it is no packet of exported_tags()
// or says not enough.
std::optional<Exported> parse_exported(Span packet, uint32_t length);

} // namespace xiw::wire

#endif
