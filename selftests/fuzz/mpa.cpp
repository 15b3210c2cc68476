// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// MPA frames: a frame that parses can be built and parses again as the same; whatever the peer
// sends, both roles reach an agreement within their limits, or end.
#include "input.hpp"

#include <cstring>

using namespace xiw;

namespace {

void round_trip(const xiw_mpa_frame &frame, const u8 *pd) {
    u8 out[XIW_MPA_FRAME_MAX];
    u32 total, length = xiw_mpa_build(out, &frame, pd);
    xiw_mpa_frame back;

    must(length >= XIW_MPA_HDR_LEN && length <= XIW_MPA_FRAME_MAX);
    must(xiw_mpa_parse(&back, static_cast<xiw_mpa_kind>(frame.kind), out, length, &total) ==
         XIW_MPA_FRAME);
    must(back.pd_len == frame.pd_len && !std::memcmp(out + back.pd_at, pd, frame.pd_len));
    must(back.ird == frame.ird && back.ord == frame.ord && back.rtr == frame.rtr);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *p, size_t length) {
    Input in(p, length);
    u8 flags = in.octet();
    xiw_mpa_kind kind = flags & 1 ? XIW_MPA_REPLY : XIW_MPA_REQUEST;
    xiw_mpa_config cfg{};
    xiw_mpa_frame frame, other;
    xiw_mpa_agreed agreed;
    xiw_fault fault;
    u32 total;

    cfg.rev = flags & 2 ? 2 : 1;
    cfg.crc = flags & 4;
    cfg.markers = flags & 8;
    cfg.p2p = flags & 16;
    cfg.strict = flags & 32;
    cfg.rtr = static_cast<u8>(1 + in.octet() % XIW_RTR_ALL);
    cfg.max_ird = in.octet();
    cfg.ird = std::min<u16>(in.octet(), cfg.max_ird);
    cfg.ord = in.octet();
    std::span<const u8> octets = in.rest();
    xiw_mpa_verdict verdict =
        xiw_mpa_parse(&frame, kind, octets.data(), static_cast<u32>(octets.size()), &total);
    if (verdict == XIW_MPA_NEED)
        must(total > octets.size() && total <= XIW_MPA_FRAME_MAX);
    if (verdict != XIW_MPA_FRAME)
        return 0;
    must(frame.pd_at + frame.pd_len == total && total <= octets.size());
    round_trip(frame, octets.data() + frame.pd_at);
    if (kind == XIW_MPA_REQUEST) {
        xiw_mpa_outcome outcome = xiw_mpa_respond(&other, &agreed, &frame, &cfg);

        must(outcome != XIW_MPA_TERMINATE);
        if (outcome == XIW_MPA_OPEN && frame.enhanced)
            must(agreed.ird <= std::max<u16>(cfg.max_ird, 1) && agreed.ord <= cfg.ord &&
                 (!agreed.p2p || other.rtr));
    } else {
        xiw_mpa_request(&other, &cfg);
        xiw_mpa_outcome outcome = xiw_mpa_conclude(&agreed, &fault, &other, &frame, &cfg);

        must((outcome == XIW_MPA_TERMINATE) == (fault != XIW_FAULT_NONE));
        if (outcome == XIW_MPA_OPEN)
            must(agreed.ird <= cfg.max_ird && agreed.ord <= cfg.ord);
    }
    return 0;
}
