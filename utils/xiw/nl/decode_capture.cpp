// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/decode.hpp"

#include "error.hpp"

#include <limits>

#include <linux/xiw.h>

namespace xiw::nl {

namespace {

Captured::Segment segment(const Attributes &entry) {
    const uint64_t flags = entry.number(XIW_A_SEGMENT_FLAGS).value_or(0);
    const uint64_t length = entry.required(XIW_A_SEGMENT_LENGTH);
    const Bytes octets = entry.bytes(XIW_A_SEGMENT_DATA).value_or(Bytes());

    if (length > std::numeric_limits<uint32_t>::max() || octets.size() > length)
        throw Malformed("segment shorter than its captured octets");
    Captured::Segment segment{
        .time = entry.required(XIW_A_SEGMENT_TIME),
        .qpn = entry.required(XIW_A_SEGMENT_QPN),
        .sent = (flags & XIW_NL_SEGMENT_FLAG_SENT) != 0,
        .damaged = (flags & XIW_NL_SEGMENT_FLAG_DAMAGED) != 0,
        .length = static_cast<uint32_t>(length),
        .octets = {},
    };
    segment.octets.reserve(octets.size());
    for (const std::byte octet : octets)
        segment.octets.push_back(std::to_integer<uint8_t>(octet));
    return segment;
}

} // namespace

Captured decode_captured(const Attributes &reply) {
    Captured captured{
        .segments = {},
        .seen = reply.required(XIW_A_CAPTURE_SEEN),
        .lost = reply.required(XIW_A_CAPTURE_LOST),
    };
    for (const Attributes &entry : reply.nests(XIW_A_CAPTURE_SEGMENT))
        captured.segments.push_back(segment(entry));
    return captured;
}

} // namespace xiw::nl
