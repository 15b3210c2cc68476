// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_NOTICE_HPP
#define XIW_MODEL_NOTICE_HPP

#include "model/model.hpp"

#include <span>

namespace xiw {

// The header of a segment that a Terminate returned.
struct SegmentHeader {
    uint8_t opcode = 0;
    bool tagged = false;
    bool last = false; // of its message
    uint32_t stag = 0; // tagged; untagged: to invalidate, if the opcode does
    uint64_t to = 0;
    uint32_t queue = 0;
    uint32_t msn = 0;
    uint32_t mo = 0;
};
// Nothing if there are too few octets for a header.
std::optional<SegmentHeader> parse_segment_header(std::span<const uint8_t> octets);

// That of the Read Request behind it.
struct ReadHeader {
    uint32_t sink_stag = 0;
    uint64_t sink_to = 0;
    uint32_t size = 0;
    uint32_t source_stag = 0;
    uint64_t source_to = 0;
};
std::optional<ReadHeader> parse_read_header(std::span<const uint8_t> octets);

// What a notice is of in one line: "sent Terminate 1/1/0x00 ...".
std::string notice_text(const Notice &notice);
// The offending header in words; empty if there is none.
std::string notice_header_text(const Notice &notice);
// A segment or message of the recorder in one line, without its time and direction.
std::string record_text(const Record &record);
// What to look at; empty if there is nothing to say.
std::string notice_advice(const Notice &notice);
// Is it of something that went wrong?
bool is_trouble(const Notice &notice);
// "2026-11-22T08:30:00.123456Z"
std::string time_text(uint64_t nanoseconds);

} // namespace xiw

#endif
