// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_WIRE_PACKET_HPP
#define XIW_WIRE_PACKET_HPP

#include "wire/wire.hpp"

namespace xiw::wire {

// A TCP segment of a captured packet.
struct Segment {
    Endpoint from, to;
    uint32_t seq = 0, ack = 0;
    bool syn = false, fin = false, rst = false, acks = false;
    uint32_t length = 0; // octets of payload, before truncation
    Span octets;         // captured octets, from the start of the payload
};

// Returns true if parse_packet() supports IP on a link layer. `link` is a DLT_* number of pcap.
bool link_known(int link);

// Parse a packet. The result is empty if the packet is not TCP over IP, is a fragment, or is too
// short for its headers.
std::optional<Segment> parse_packet(int link, Span packet);

} // namespace xiw::wire

#endif
