// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Measure what a ULPDU of each opcode costs the receiver, without placement. The receiver parses
// the header. Depending on the opcode, it checks the queue, the STag, the solicited FIFO or the
// request. Then it updates its state.
#include "bench.hpp"

namespace xiw::bench {
namespace {

constexpr u32 stag = 0x101;
constexpr u64 base = 0x10000;
constexpr u32 payload_len = 64; // for opcodes whose payload has no fixed length

struct Receiver {
    std::array<xiw_match_row, XIW_MATCH_ROWS> match{};
    std::array<xiw_solicited_entry, 1> answers{};
    xiw_ddp_rx rx{};
    xiw_solicited solicited{};
    xiw_irrq irrq{};
    xiw_orq orq{};
    xiw_stag_entry entry = region(stag, base, 1048576);

    Receiver() {
        xiw_opcode_match(match.data());
        xiw_ddp_rx_init(&rx, 1, XIW_CONNF_OPCODES);
        xiw_solicited_init(&solicited, answers.data(), 1);
        xiw_irrq_init(&irrq, 1);
        xiw_orq_init(&orq, 1, 0);
    }

    xiw_fault tagged(const xiw_ddp_header &h, u8 access) {
        xiw_stag_use use{h.stag, 1, 1, access, h.to, h.payload_len};
        xiw_stag_view view;

        xiw_stag_view_get(&view, &entry);
        return xiw_stag_placement_fault(xiw_stag_judge(&view, nullptr, &use));
    }

    xiw_fault request(const xiw_ddp_header &h, const u8 *payload) {
        xiw_stag_view view;

        xiw_stag_view_get(&view, &entry);
        if (xiw_ddp_opcode(&h) == XIW_OP_READ_REQUEST) {
            xiw_read_req req;
            xiw_read_req_get(&req, payload);
            return xiw_read_req_check(&view, nullptr, &req, 1, 1);
        }
        xiw_atomic_req req;
        xiw_atomic_req_get(&req, payload);
        return xiw_atomic_req_check(&view, nullptr, &req, 1, 1);
    }

    // Answer a request immediately.
    void respond() {
        xiw_irrq_push(&irrq);
        xiw_irrq_begun(&irrq);
        xiw_irrq_done(&irrq);
        xiw_ddp_rx_credit(&rx);
    }

    xiw_fault step(const xiw_ddp_header &h, const u8 *payload) {
        xiw_fault why = XIW_FAULT_NONE;
        xiw_atomic_rsp rsp;

        switch (xiw_opcode_of(h.rdmap_ctrl)->kind) {
        case XIW_CLASS_WRITE:
            return tagged(h, XIW_ACCESS_REMOTE_WRITE);
        case XIW_CLASS_SOLICITED_TAGGED:
            why = xiw_solicited_check(&solicited, &h);
            return why ? why : tagged(h, XIW_ACCESS_LOCAL_WRITE);
        case XIW_CLASS_REQUEST:
            return request(h, payload);
        case XIW_CLASS_RESPONSE:
            why = xiw_solicited_check(&solicited, &h);
            xiw_atomic_rsp_get(&rsp, payload);
            return why ? why : xiw_orq_check_atomic(true, orq.request_id, &rsp);
        case XIW_CLASS_DELIVER_INVALIDATE: {
            xiw_stag_view view;
            xiw_stag_view_get(&view, &entry);
            return xiw_stag_invalidate_check(&view, h.stag, 1, 1, true) == XIW_OK
                       ? XIW_FAULT_NONE
                       : XIW_FAULT_RDMA_INVALIDATE;
        }
        default:
            return why;
        }
    }

    xiw_fault take(const u8 *ulpdu, u32 len) {
        xiw_ddp_header h;
        xiw_fault why = xiw_ddp_rx_header(&rx, match.data(), ulpdu, len, &h);

        if (!why && !xiw_ddp_is_tagged(&h))
            why = xiw_ddp_rx_untagged(
                &rx, match.data(), &h,
                h.qn != XIW_QN_RESPONSE || xiw_solicited_available(&solicited), 4096);
        if (!why)
            why = step(h, ulpdu + h.header_len);
        if (why)
            return why;
        xiw_ddp_rx_placed(&rx, &h);
        if (h.kind == XIW_MATCH_SOLICITED || h.qn == XIW_QN_RESPONSE)
            xiw_solicited_placed(&solicited, &h);
        else if (h.qn == XIW_QN_REQUEST)
            respond();
        return XIW_FAULT_NONE;
    }
};

// Build a message of one segment, and return its ULPDU.
Octets ulpdu_of(u8 opcode) {
    const xiw_opcode_row &row = xiw_opcode_table[opcode];
    bool is_tagged = row.flags & XIW_OPF_TAGGED;
    u32 header = is_tagged ? XIW_DDP_TAGGED_LEN : XIW_DDP_UNTAGGED_LEN;
    u32 len = row.flags & XIW_OPF_SINGLE ? row.len_min : payload_len;
    Octets out(header + len);

    if (is_tagged)
        xiw_ddp_put_tagged(out.data(), xiw_rdmap_ctrl(opcode), true, stag, base);
    else
        xiw_ddp_put_untagged(out.data(), xiw_rdmap_ctrl(opcode), true,
                             row.flags & XIW_OPF_INVALIDATE ? stag : 0, row.qn, 1, 0);
    if (opcode == XIW_OP_READ_REQUEST) {
        xiw_read_req req{0x202, payload_len, 0, base, stag};
        xiw_read_req_put(out.data() + header, &req);
    } else if (opcode == XIW_OP_ATOMIC_REQUEST) {
        xiw_atomic_req req{0, stag, base, 1, 0, 0, 0, XIW_ATOMIC_FETCH_ADD};
        xiw_atomic_req_put(out.data() + header, &req);
    }
    return out;
}

void dispatch(benchmark::State &state, u8 opcode) {
    const xiw_opcode_row &row = xiw_opcode_table[opcode];
    Octets ulpdu = ulpdu_of(opcode);
    xiw_fault why = XIW_FAULT_NONE;
    Receiver receiver;

    for (auto _ : state) {
        if (!(row.flags & XIW_OPF_TAGGED) && row.kind != XIW_CLASS_REFUSED)
            put_unaligned_be32(receiver.rx.msn[row.qn], ulpdu.data() + XIW_DDP_MSN_AT);
        if (row.kind == XIW_CLASS_SOLICITED_TAGGED)
            xiw_solicited_push_read(&receiver.solicited, stag, base, payload_len, 0, 0);
        else if (row.kind == XIW_CLASS_RESPONSE)
            xiw_solicited_push_queue3(&receiver.solicited, 0, 0, 0);
        receiver.rx.terminated = false;
        why = receiver.take(ulpdu.data(), static_cast<u32>(ulpdu.size()));
        keep(&why);
        if (why)
            break;
    }
    finish(state, !why);
}

// A refused opcode does not change the receiver, so the same ULPDU can be repeated.
void refuse(benchmark::State &state) {
    Octets ulpdu = ulpdu_of(0xe);
    xiw_fault why = XIW_FAULT_NONE;
    Receiver receiver;

    for (auto _ : state) {
        why = receiver.take(ulpdu.data(), static_cast<u32>(ulpdu.size()));
        keep(&why);
    }
    finish(state, why == XIW_FAULT_RDMA_OPCODE);
}

} // namespace

void add_dispatch() {
    for (u8 opcode = 0; opcode <= XIW_OP_ATOMIC_RESPONSE; opcode++)
        add(name({"dispatch", xiw_opcode_table[opcode].name}),
            [=](auto &s) { dispatch(s, opcode); });
    add("dispatch/undefined", refuse);
}

} // namespace xiw::bench
