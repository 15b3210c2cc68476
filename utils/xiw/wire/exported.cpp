// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire/exported.hpp"

#include <algorithm>
#include <string_view>

namespace xiw::wire {

namespace {

enum Tag : uint16_t {
    tag_end = 0,
    tag_dissector = 12,
    tag_ipv4_from = 20,
    tag_ipv4_to = 21,
    tag_ipv6_from = 22,
    tag_ipv6_to = 23,
    tag_port_type = 24,
    tag_port_from = 25,
    tag_port_to = 26,
};

constexpr uint32_t port_type_tcp = 2;
constexpr size_t tag_header = 4;
constexpr size_t ipv4_octets = 4;

// Names of Wireshark's dissectors: for DDP segments, and for undecodable data.
constexpr std::string_view segment_name = "iwarp_ddp_rdmap";
constexpr std::string_view damaged_name = "data";

void put16(Octets &out, uint16_t value) {
    out.push_back(static_cast<uint8_t>(value >> 8));
    out.push_back(static_cast<uint8_t>(value));
}

// Append a tag and its value. The length of a tag includes the padding.
template <typename Range>
void put(Octets &out, Tag tag, const Range &value) {
    const size_t padded = (value.size() + 3) / 4 * 4;
    put16(out, tag);
    put16(out, static_cast<uint16_t>(padded));
    out.insert(out.end(), value.begin(), value.end());
    out.resize(out.size() + padded - value.size());
}

void put_number(Octets &out, Tag tag, uint32_t value) {
    put(out, tag,
        Octets{static_cast<uint8_t>(value >> 24), static_cast<uint8_t>(value >> 16),
               static_cast<uint8_t>(value >> 8), static_cast<uint8_t>(value)});
}

void put_host(Octets &out, Tag v4, Tag v6, const Endpoint &endpoint) {
    const Span octets(endpoint.address);
    put(out, endpoint.v6 ? v6 : v4, endpoint.v6 ? octets : octets.first(ipv4_octets));
}

uint16_t get16(Span p) {
    return static_cast<uint16_t>(p[0] << 8 | p[1]);
}

bool get_host(Endpoint &endpoint, Span value, bool v6) {
    const size_t octets = v6 ? endpoint.address.size() : ipv4_octets;
    if (value.size() != octets)
        return false;
    std::ranges::copy(value, endpoint.address.begin());
    endpoint.v6 = v6;
    return true;
}

bool get_port(Endpoint &endpoint, Span value) {
    if (value.size() != 4)
        return false;
    endpoint.port = get16(value.subspan(2));
    return true;
}

// Compare a name that may be padded.
bool names(Span value, std::string_view name) {
    return value.size() >= name.size() &&
           std::equal(name.begin(), name.end(), value.begin(),
                      [](char one, uint8_t other) { return static_cast<uint8_t>(one) == other; }) &&
           std::ranges::all_of(value.subspan(name.size()), [](uint8_t pad) { return pad == 0; });
}

} // namespace

Octets exported_tags(const Exported &segment) {
    Octets out;
    put(out, tag_dissector, segment.damaged ? damaged_name : segment_name);
    put_host(out, tag_ipv4_from, tag_ipv6_from, segment.from);
    put_host(out, tag_ipv4_to, tag_ipv6_to, segment.to);
    put_number(out, tag_port_type, port_type_tcp);
    put_number(out, tag_port_from, segment.from.port);
    put_number(out, tag_port_to, segment.to.port);
    put(out, tag_end, Span());
    return out;
}

std::optional<Exported> parse_exported(Span packet, uint32_t length) {
    Exported segment;
    bool named = false;
    size_t at = 0;

    for (;;) {
        if (packet.size() < at + tag_header)
            return std::nullopt;
        const uint16_t tag = get16(packet.subspan(at));
        const size_t octets = get16(packet.subspan(at + 2));
        at += tag_header;
        if (packet.size() < at + octets)
            return std::nullopt;
        const Span value = packet.subspan(at, octets);
        at += octets;
        bool good = true;
        switch (tag) {
        case tag_end:
            if (!named || length < packet.size())
                return std::nullopt;
            segment.octets = packet.subspan(at);
            segment.length = static_cast<uint32_t>(length - at);
            return segment;
        case tag_dissector:
            segment.damaged = names(value, damaged_name);
            named = segment.damaged || names(value, segment_name);
            good = named;
            break;
        case tag_ipv4_from:
        case tag_ipv6_from:
            good = get_host(segment.from, value, tag == tag_ipv6_from);
            break;
        case tag_ipv4_to:
        case tag_ipv6_to:
            good = get_host(segment.to, value, tag == tag_ipv6_to);
            break;
        case tag_port_from:
            good = get_port(segment.from, value);
            break;
        case tag_port_to:
            good = get_port(segment.to, value);
            break;
        default: // not needed
            break;
        }
        if (!good)
            return std::nullopt;
    }
}

} // namespace xiw::wire
