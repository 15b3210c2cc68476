// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// If an MPA frame parses, a frame that is built from the result parses as the same frame. Whatever
// the peer sends, an initiator or responder agrees to parameters within its limits, or ends the
// negotiation. This also holds for driver/core/setup.h, the negotiation of the software RNIC and of
// the PCIe RNIC.
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

// Run the negotiation of an RNIC, as initiator or responder, until it ends or needs more octets.
void negotiate(bool initiator, const xiw_mpa_config &cfg, std::span<const u8> octets) {
    xiw_conn_params params{};
    xiw_setup s{};
    size_t at = 0;

    params.flags =
        cpu_to_le32((cfg.crc ? XIW_CONNF_CRC : 0) | (cfg.markers ? XIW_CONNF_RX_MARKERS : 0) |
                    (cfg.p2p ? XIW_CONNF_P2P | XIW_CONNF_RTR_WRITE : 0));
    params.mpa_rev = cfg.rev;
    params.ird = cpu_to_le16(cfg.ird);
    params.ord = cpu_to_le16(cfg.ord);
    if (initiator)
        must(xiw_setup_initiate(&s, &params, cfg.max_ird, s.rx, 0));
    else
        xiw_setup_await(&s, cfg.rev, cfg.max_ird);
    for (int steps = 0;; steps++) {
        must(steps < XIW_MPA_FRAME_MAX + 8);
        switch (xiw_setup_next(&s)) {
        case XIW_SETUP_SEND:
            must(s.tx_at < s.tx_len && s.tx_len <= sizeof(s.tx));
            s.tx_at = s.tx_len;
            continue;
        case XIW_SETUP_RECEIVE:
            must(s.rx_want != 0 && s.rx_len + s.rx_want <= sizeof(s.rx));
            if (at == octets.size())
                return;
            // Pass the octets in pieces: first one octet, and then half of the wanted octets
            // each time.
            for (u32 n = s.rx_len == 0 ? 1 : (s.rx_want + 1) / 2; n != 0 && at < octets.size(); n--)
                s.rx[s.rx_len++] = octets[at++];
            continue;
        case XIW_SETUP_DECIDE:
            must(!initiator && xiw_setup_fits(&s, 0));
            if (cfg.strict) // in this fuzzer, strict means that the ULP rejects the Request
                xiw_setup_reject(&s, &params, s.rx, 0);
            else
                must(xiw_setup_accept(&s, &params, s.rx, 0));
            continue;
        case XIW_SETUP_OPEN:
            xiw_setup_agree(&s, &params);
            must(bool(le32_to_cpu(params.flags) & XIW_CONNF_INITIATOR) == initiator);
            must(le16_to_cpu(params.ird) <= std::max<u16>(cfg.max_ird, 1));
            must(le16_to_cpu(params.ord) <= cfg.ord);
            if (!initiator)
                return;
            xiw_setup_refuse(&s, XIW_FAULT_LLP_LOCAL);
            continue;
        case XIW_SETUP_UNABLE:
            must(initiator);
            continue;
        case XIW_SETUP_CLOSE:
        case XIW_SETUP_REJECTED:
        case XIW_SETUP_UNFIT:
        case XIW_SETUP_BAD:
            return;
        }
    }
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
    negotiate(kind == XIW_MPA_REPLY, cfg, octets);
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
