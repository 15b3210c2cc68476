// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_CAPTURE_HPP
#define XIW_MODEL_CAPTURE_HPP

#include <cstdint>
#include <vector>

namespace xiw {

// The result of one read of a capture in the kernel: segments, the oldest first, and totals.
struct Captured {
    struct Segment {
        uint64_t time = 0; // nanoseconds since 1970
        uint64_t qpn = 0;
        bool sent = false, damaged = false;
        uint32_t length = 0;         // octets
        std::vector<uint8_t> octets; // from the start of the segment
    };
    std::vector<Segment> segments;
    uint64_t seen = 0, lost = 0; // numbers of segments since the start of the capture
};

} // namespace xiw

#endif
