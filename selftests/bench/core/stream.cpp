// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Measure all of the core's work for an RDMA Write: from the message to the TCP stream, and from
// the TCP stream to memory. This work does not depend on how TCP carries the octets.
#include "bench.hpp"

#include <cstring>

namespace xiw::bench {
namespace {

constexpr u32 stag = 0x101;
constexpr u64 base = 0x10000;

// Build the FPDUs of a message one after the other in `out`, as in a TCP stream. For each FPDU,
// copy the payload and then compute the CRC. Return the number of octets in `out`.
u32 send(u8 *out, const Octets &message, u32 mulpdu) {
    xiw_framing framing{0, true, false};
    u8 *at = out;
    xiw_ddp_piece piece;
    xiw_ddp_seg seg;

    xiw_ddp_seg_tagged(&seg, xiw_rdmap_ctrl(XIW_OP_WRITE), stag, base,
                       static_cast<u32>(message.size()));
    while (!seg.done) {
        xiw_ddp_seg_next(&seg, mulpdu, at + XIW_FPDU_LEN_LEN, &piece);
        u32 ulpdu_len = piece.header_len + piece.len, head = XIW_FPDU_LEN_LEN + piece.header_len;
        put_unaligned_be16(ulpdu_len, at);
        std::memcpy(at + head, message.data() + piece.offset, piece.len);
        u32 crc = xiw_crc32c_update(xiw_crc32c_begin(), at, head + piece.len);
        at += head + piece.len;
        at += xiw_fpdu_trailer(at, &framing, crc, ulpdu_len);
    }
    return static_cast<u32>(at - out);
}

struct Receiver {
    std::array<xiw_match_row, XIW_MATCH_ROWS> match{};
    xiw_framing framing{0, true, false};
    xiw_stag_entry entry;
    xiw_ddp_rx rx{};
    Octets memory;

    explicit Receiver(u32 size) : entry(region(stag, base, size)), memory(size) {
        xiw_opcode_match(match.data());
        xiw_ddp_rx_init(&rx, 1, XIW_CONNF_OPCODES);
    }

    // Process the FPDU at `fpdu` in place, and store its length in `used`. Return false if the FPDU
    // is incomplete or causes a fault.
    bool take(const u8 *fpdu, u32 have, u32 *used) {
        xiw_ddp_header h;
        xiw_frame frame;
        xiw_stag_view view;

        xiw_frame_peek(&frame, &framing, fpdu);
        if (frame.wire_len > have ||
            !xiw_crc32c_matches(fpdu + frame.crc_at,
                                xiw_crc32c_update(xiw_crc32c_begin(), fpdu, frame.crc_at)) ||
            xiw_ddp_rx_header(&rx, match.data(), fpdu + frame.ulpdu_at, frame.ulpdu_len, &h))
            return false;
        xiw_stag_use use{h.stag, 1, 1, XIW_ACCESS_REMOTE_WRITE, h.to, h.payload_len};
        xiw_stag_view_get(&view, &entry);
        if (xiw_stag_judge(&view, nullptr, &use))
            return false;
        std::memcpy(memory.data() + (h.to - base), fpdu + frame.ulpdu_at + h.header_len,
                    h.payload_len);
        xiw_ddp_rx_placed(&rx, &h);
        xiw_frame_done(&framing, &frame);
        *used = frame.wire_len;
        return true;
    }
};

void write_tx(benchmark::State &state, const Path &path, u32 size) {
    u32 mulpdu = xiw_mulpdu(path.mss, false), len = 0;
    Octets message = octets(size), out(2 * size + 256);

    for (auto _ : state) {
        len = send(out.data(), message, mulpdu);
        keep(&len);
    }
    finish(state, len > size, size);
}

void write_rx(benchmark::State &state, const Path &path, u32 size) {
    Octets message = octets(size), stream(2 * size + 256);
    u32 len = send(stream.data(), message, xiw_mulpdu(path.mss, false)), used = 0;
    Receiver receiver(size);
    bool right = true;

    for (auto _ : state) {
        for (u32 at = 0; at < len && right; at += used)
            right = receiver.take(stream.data() + at, len - at, &used);
        benchmark::ClobberMemory();
    }
    finish(state, right && receiver.memory == message, size);
}

} // namespace

void add_stream() {
    for (const Path &path : paths) {
        for (u32 size : message_sizes) {
            add(name({"write-tx", path.name, std::to_string(size)}),
                [=](auto &s) { write_tx(s, path, size); });
            add(name({"write-rx", path.name, std::to_string(size)}),
                [=](auto &s) { write_rx(s, path, size); });
        }
    }
}

} // namespace xiw::bench
