// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Split a message into DDP segments. Only the headers are built, tagged and untagged.
#include "bench.hpp"

namespace xiw::bench {
namespace {

void segment(benchmark::State &state, const Path &path, bool tagged, u32 size) {
    u32 mulpdu = xiw_mulpdu(path.mss, false), pieces = 0, sum = 0;
    std::array<u8, XIW_DDP_HDR_MAX> header{};
    xiw_ddp_seg seg{};
    xiw_ddp_piece piece{};

    for (auto _ : state) {
        if (tagged)
            xiw_ddp_seg_tagged(&seg, xiw_rdmap_ctrl(XIW_OP_WRITE), 0x100, 0x1000, size);
        else
            xiw_ddp_seg_untagged(&seg, xiw_rdmap_ctrl(XIW_OP_SEND), 0, XIW_QN_SEND, 1, size);
        pieces = sum = 0;
        while (!seg.done) {
            xiw_ddp_seg_next(&seg, mulpdu, header.data(), &piece);
            keep(header.data());
            pieces++;
            sum += piece.len;
        }
    }
    state.counters["segments"] = pieces;
    finish(state, sum == size && piece.last);
}

} // namespace

void add_segment() {
    for (const Path &path : paths)
        for (bool tagged : {true, false})
            for (u32 size : message_sizes)
                add(name({"segment", path.name, tagged ? "write" : "send", std::to_string(size)}),
                    [=](auto &s) { segment(s, path, tagged, size); });
}

} // namespace xiw::bench
