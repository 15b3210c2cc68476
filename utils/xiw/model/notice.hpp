// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_NOTICE_HPP
#define XIW_MODEL_NOTICE_HPP

#include "model/model.hpp"

#include <span>

namespace xiw {

// The header of a DDP segment, from a Terminate message or from the flight recorder.
struct SegmentHeader {
    uint8_t opcode = 0;
    bool tagged = false;
    bool last = false; // last segment of its message
    uint32_t stag = 0; // tagged: STag; untagged: STag to invalidate, or immediate value, if any
    uint64_t to = 0;
    uint32_t queue = 0;
    uint32_t msn = 0;
    uint32_t mo = 0;
};
// Parse a header; empty if there are too few octets.
std::optional<SegmentHeader> parse_segment_header(std::span<const uint8_t> octets);

// The header of a Read Request. It follows the header of the DDP segment.
struct ReadHeader {
    uint32_t sink_stag = 0;
    uint64_t sink_to = 0;
    uint32_t size = 0;
    uint32_t source_stag = 0;
    uint64_t source_to = 0;
};
std::optional<ReadHeader> parse_read_header(std::span<const uint8_t> octets);

// Describe the offending header; empty if there is none.
std::string notice_header_text(const Notice &notice);
// Returns true if the event is an error.
bool is_trouble(const Notice &notice);
// Format the time since 1970: "2026-11-22T08:30:00.123456Z".
std::string time_text(uint64_t nanoseconds);

} // namespace xiw

#endif
