// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire/packet.hpp"

#include <algorithm>
#include <cstddef>

namespace xiw::wire {

namespace {

enum : unsigned {
    ethertype_ipv4 = 0x0800,
    ethertype_vlan = 0x8100,
    ethertype_ipv6 = 0x86dd,
    ethertype_qinq = 0x88a8,
    protocol_hop_by_hop = 0,
    protocol_tcp = 6,
    protocol_routing = 43,
    protocol_destination = 60,
};

enum class Carries { ethertype, ip };

// A link layer: its DLT number, the length of its header, and the offset of the EtherType. If there
// is an EtherType, VLAN tags may follow the header.
struct Link {
    int number;
    size_t header;
    Carries carries;
    size_t type_at;
};

constexpr Link links[] = {
    {0, 4, Carries::ip, 0},            // DLT_NULL
    {1, 14, Carries::ethertype, 12},   // DLT_EN10MB
    {12, 0, Carries::ip, 0},           // DLT_RAW
    {101, 0, Carries::ip, 0},          // LINKTYPE_RAW
    {108, 4, Carries::ip, 0},          // DLT_LOOP
    {113, 16, Carries::ethertype, 14}, // DLT_LINUX_SLL
    {228, 0, Carries::ip, 0},          // DLT_IPV4
    {229, 0, Carries::ip, 0},          // DLT_IPV6
    {276, 20, Carries::ethertype, 0},  // DLT_LINUX_SLL2
};

const Link *find_link(int number) {
    const auto *it = std::ranges::find(links, number, &Link::number);
    return it == std::end(links) ? nullptr : it;
}

unsigned be16(Span p, size_t at) {
    return static_cast<unsigned>(p[at]) << 8 | p[at + 1];
}

uint32_t be32(Span p, size_t at) {
    return static_cast<uint32_t>(be16(p, at)) << 16 | be16(p, at + 2);
}

std::optional<Span> strip_link(const Link &link, Span packet) {
    constexpr size_t tag = 4;

    if (packet.size() < link.header)
        return std::nullopt;
    size_t at = link.header;
    if (link.carries == Carries::ethertype) {
        unsigned type = be16(packet, link.type_at);
        while (type == ethertype_vlan || type == ethertype_qinq) {
            if (packet.size() < at + tag)
                return std::nullopt;
            type = be16(packet, at + 2);
            at += tag;
        }
        if (type != ethertype_ipv4 && type != ethertype_ipv6)
            return std::nullopt;
    }
    return packet.subspan(at);
}

// The payload of IP, and its length before truncation.
struct Network {
    Span payload;
    size_t length;
};

std::optional<Network> strip_ipv4(Span ip, Segment &segment) {
    constexpr size_t least = 20;
    constexpr unsigned more_or_offset = 0x3fff;

    if (ip.size() < least)
        return std::nullopt;
    const size_t header = static_cast<size_t>(ip[0] & 0xf) * 4;
    size_t total = be16(ip, 2);
    if (total == 0) // with segmentation offload, the NIC sets the length later
        total = ip.size();
    if (header < least || ip.size() < header || total < header || ip[9] != protocol_tcp ||
        (be16(ip, 6) & more_or_offset) != 0)
        return std::nullopt;
    std::copy_n(&ip[12], 4, segment.from.address.begin());
    std::copy_n(&ip[16], 4, segment.to.address.begin());
    return Network{ip.subspan(header), total - header};
}

std::optional<Network> strip_ipv6(Span ip, Segment &segment) {
    constexpr size_t header = 40;

    if (ip.size() < header)
        return std::nullopt;
    std::copy_n(&ip[8], 16, segment.from.address.begin());
    std::copy_n(&ip[24], 16, segment.to.address.begin());
    segment.from.v6 = segment.to.v6 = true;
    size_t length = be16(ip, 4);
    Span rest = ip.subspan(header);
    if (length == 0)
        length = rest.size();
    unsigned next = ip[6];
    while (next == protocol_hop_by_hop || next == protocol_routing ||
           next == protocol_destination) {
        if (rest.size() < 8)
            return std::nullopt;
        const size_t extension = (static_cast<size_t>(rest[1]) + 1) * 8;
        if (rest.size() < extension || length < extension)
            return std::nullopt;
        next = rest[0];
        rest = rest.subspan(extension);
        length -= extension;
    }
    if (next != protocol_tcp)
        return std::nullopt;
    return Network{rest, length};
}

bool parse_tcp(const Network &network, Segment &segment) {
    constexpr size_t least = 20;
    const Span tcp = network.payload;

    if (tcp.size() < least)
        return false;
    const size_t header = static_cast<size_t>(tcp[12] >> 4) * 4;
    if (header < least || network.length < header || tcp.size() < header)
        return false;
    segment.from.port = static_cast<uint16_t>(be16(tcp, 0));
    segment.to.port = static_cast<uint16_t>(be16(tcp, 2));
    segment.seq = be32(tcp, 4);
    segment.ack = be32(tcp, 8);
    segment.fin = (tcp[13] & 0x01) != 0;
    segment.syn = (tcp[13] & 0x02) != 0;
    segment.rst = (tcp[13] & 0x04) != 0;
    segment.acks = (tcp[13] & 0x10) != 0;
    segment.length = static_cast<uint32_t>(network.length - header);
    segment.octets = tcp.subspan(header);
    // Drop the padding of short Ethernet frames.
    segment.octets = segment.octets.first(std::min<size_t>(segment.octets.size(), segment.length));
    return true;
}

} // namespace

bool link_known(int link) {
    return find_link(link) != nullptr;
}

std::optional<Segment> parse_packet(int link, Span packet) {
    const Link *row = find_link(link);
    if (row == nullptr)
        return std::nullopt;
    const auto ip = strip_link(*row, packet);
    if (!ip || ip->empty())
        return std::nullopt;

    Segment segment;
    const unsigned version = (*ip)[0] >> 4;
    const auto network = version == 4   ? strip_ipv4(*ip, segment)
                         : version == 6 ? strip_ipv6(*ip, segment)
                                        : std::nullopt;
    if (!network || !parse_tcp(*network, segment))
        return std::nullopt;
    return segment;
}

} // namespace xiw::wire
