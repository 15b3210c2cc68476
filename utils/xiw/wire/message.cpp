// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire/message.hpp"

#include <core.hpp>

namespace xiw::wire {

namespace {

// wire.hpp cannot include the core, so it repeats this constant.
static_assert(depth_none == XIW_MPA_DEPTH_NONE);

ReadRequest read_request(const u8 *octets) {
    xiw_read_req r{};
    xiw_read_req_get(&r, octets);
    return {r.sink_stag, r.size, r.src_stag, r.sink_to, r.src_to};
}

AtomicRequest atomic_request(const u8 *octets) {
    xiw_atomic_req r{};
    xiw_atomic_req_get(&r, octets);
    return {r.aop, r.req_id, r.stag, r.to, r.data, r.mask, r.compare, r.compare_mask};
}

AtomicResponse atomic_response(const u8 *octets) {
    xiw_atomic_rsp r{};
    xiw_atomic_rsp_get(&r, octets);
    return {r.req_id, r.value};
}

std::optional<Terminate> terminate(Span payload) {
    xiw_term_info info{};
    if (!xiw_term_parse(&info, payload.data(), static_cast<u32>(payload.size()), true))
        return std::nullopt;

    Terminate t{};
    t.cause = static_cast<uint16_t>(info.code.layer << 12 | info.code.etype << 8 | info.code.code);
    if ((info.code.flags & XIW_TERM_M) != 0)
        t.segment_length = info.seg_len;
    if (info.ddp_hdr != nullptr) {
        t.header = parse_header({info.ddp_hdr, info.ddp_hdr_len});
        // A Terminate contains the header and the length of the segment, but not the payload.
        // Calculate the length of the payload.
        if (t.header && t.segment_length)
            t.header->payload =
                static_cast<uint32_t>(std::max<int>(*t.segment_length - info.ddp_hdr_len, 0));
    }
    if (info.read_hdr != nullptr)
        t.read = read_request(info.read_hdr);
    return t;
}

} // namespace

std::optional<DdpHeader> parse_header(Span ulpdu) {
    xiw_ddp_header h{};
    if (!xiw_ddp_parse(&h, ulpdu.data(), static_cast<u32>(ulpdu.size())))
        return std::nullopt;
    const bool valued = xiw_ddp_opcode(&h) == XIW_OP_SEND_IMM && !xiw_ddp_is_tagged(&h);
    const bool solicited = valued ? (h.rdmap_ctrl & XIW_RDMAP_SOLICITED) != 0
                                  : (xiw_opcode_of(h.rdmap_ctrl)->flags & XIW_OPF_SOLICITED) != 0;
    return DdpHeader{
        .tagged = xiw_ddp_is_tagged(&h),
        .last = xiw_ddp_is_last(&h),
        .ddp_version = static_cast<uint8_t>(h.ddp_ctrl & XIW_DDP_DV_MASK),
        .rdmap_version = static_cast<uint8_t>((h.rdmap_ctrl & XIW_RDMAP_RV_MASK) >> 6),
        .opcode = xiw_ddp_opcode(&h),
        .stag = valued ? 0 : h.stag,
        .immediate = valued ? std::optional(h.stag) : std::nullopt,
        .solicited = solicited,
        .to = h.to,
        .queue = h.qn,
        .msn = h.msn,
        .mo = h.mo,
        .payload = h.payload_len,
    };
}

Body parse_body(const DdpHeader &header, Span ulpdu) {
    const xiw_opcode_row &row = *xiw_opcode_of(header.opcode);
    const Span payload = ulpdu.last(header.payload);

    // The body must be at the start of an untagged message, and have its full length.
    if ((row.flags & XIW_OPF_SINGLE) == 0 || header.tagged || header.mo != 0 ||
        payload.size() < row.len_min)
        return {};
    switch (header.opcode) {
    case XIW_OP_READ_REQUEST:
        return read_request(payload.data());
    case XIW_OP_ATOMIC_REQUEST:
        return atomic_request(payload.data());
    case XIW_OP_ATOMIC_RESPONSE:
        return atomic_response(payload.data());
    case XIW_OP_IMM:
    case XIW_OP_IMM_SE:
        return Immediate{xiw_imm64_get(payload.data())};
    case XIW_OP_TERMINATE:
        if (const auto t = terminate(payload))
            return *t;
        return {};
    default:
        return {};
    }
}

Startup make_startup(const xiw_mpa_frame &frame, bool good, Span octets) {
    const Span pd = good ? octets.subspan(frame.pd_at, frame.pd_len) : Span();
    Startup s{
        .reply = frame.kind == XIW_MPA_REPLY,
        .good = good,
        .revision = frame.rev,
        .markers = frame.markers,
        .crc = frame.crc,
        .reject = frame.reject,
        .enhanced = frame.enhanced,
        .peer_to_peer = frame.p2p,
        .rtr_write = (frame.rtr & XIW_RTR_WRITE) != 0,
        .rtr_read = (frame.rtr & XIW_RTR_READ) != 0,
        .rtr_send = (frame.rtr & XIW_RTR_SEND) != 0,
        .ird = {},
        .ord = {},
        .private_data = Octets(pd.begin(), pd.end()),
    };
    if (frame.enhanced && frame.ird != XIW_MPA_DEPTH_NONE)
        s.ird = frame.ird;
    if (frame.enhanced && frame.ord != XIW_MPA_DEPTH_NONE)
        s.ord = frame.ord;
    return s;
}

Startup parse_startup(Span octets) {
    xiw_mpa_frame frame{};

    for (const xiw_mpa_kind kind : {XIW_MPA_REQUEST, XIW_MPA_REPLY}) {
        Octets whole(octets.begin(), octets.end());
        const auto parse = [&](u32 *total) {
            return xiw_mpa_parse(&frame, kind, whole.data(), static_cast<u32>(whole.size()), total);
        };
        u32 total = 0;
        xiw_mpa_verdict verdict = parse(&total);
        while (verdict == XIW_MPA_NEED) {
            whole.resize(total);
            verdict = parse(&total);
        }
        if (verdict == XIW_MPA_FRAME)
            return make_startup(frame, true, whole);
    }
    return make_startup(frame, false, {});
}

} // namespace xiw::wire
