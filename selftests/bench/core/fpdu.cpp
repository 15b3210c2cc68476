// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Build and parse FPDUs, with and without CRC and markers. In each deframe benchmark, the stream
// arrives in pieces of one size: 65536 octets, one TCP segment, or 100 octets.
#include "bench.hpp"

namespace xiw::bench {
namespace {

constexpr u32 fpdus = 32; // number of FPDUs in one stream

struct Kind {
    const char *name;
    bool crc;
    bool markers;
};
constexpr Kind kinds[] = {
    {"plain", false, false}, {"crc", true, false}, {"crc+markers", true, true}};

void encode(benchmark::State &state, const Path &path, const Kind &kind) {
    xiw_framing framing{0, kind.crc, kind.markers};
    u32 ulpdu_len = xiw_mulpdu(path.mss, kind.markers);
    Octets ulpdu = octets(ulpdu_len), out(XIW_FPDU_WIRE_MAX);
    xiw_span parts[] = {{ulpdu.data(), XIW_DDP_TAGGED_LEN},
                        {ulpdu.data() + XIW_DDP_TAGGED_LEN, ulpdu_len - XIW_DDP_TAGGED_LEN}};
    u32 len = 0;

    for (auto _ : state) {
        len = xiw_fpdu_encode(out.data(), &framing, parts, 2);
        keep(&len);
    }
    finish(state, len > ulpdu_len && len <= path.mss, ulpdu_len);
}

void deframe(benchmark::State &state, const Path &path, const Kind &kind, u32 piece) {
    xiw_framing framing{0, kind.crc, kind.markers};
    u32 ulpdu_len = xiw_mulpdu(path.mss, kind.markers), got = 0;
    Octets ulpdu = octets(ulpdu_len), stream, staging(XIW_FPDU_WIRE_MAX);
    xiw_span part{ulpdu.data(), ulpdu_len}, in{}, out{};
    xiw_deframer deframer;
    bool right = true;

    for (u32 i = 0; i < fpdus; i++) {
        Octets fpdu(XIW_FPDU_WIRE_MAX);
        fpdu.resize(xiw_fpdu_encode(fpdu.data(), &framing, &part, 1));
        stream.insert(stream.end(), fpdu.begin(), fpdu.end());
    }
    for (auto _ : state) {
        xiw_deframer_init(&deframer, kind.crc, kind.markers, staging.data(),
                          static_cast<u32>(staging.size()));
        got = 0;
        for (size_t at = 0; at < stream.size(); at += piece) {
            in = {stream.data() + at,
                  static_cast<u32>(std::min<size_t>(piece, stream.size() - at))};
            while (xiw_deframe_feed(&deframer, &in, &out) == XIW_DEFRAME_ULPDU) {
                got += out.len;
                keep(&out);
            }
        }
        right = right && !deframer.fault && xiw_deframer_idle(&deframer);
    }
    finish(state,
           right && got == fpdus * ulpdu_len && std::equal(ulpdu.begin(), ulpdu.end(), out.p), got);
}

} // namespace

void add_fpdu() {
    for (const Path &path : paths) {
        for (const Kind &kind : kinds) {
            add(name({"encode", path.name, kind.name}), [=](auto &s) { encode(s, path, kind); });
            for (u32 piece : {65536U, path.mss, 100U})
                add(name({"deframe", path.name, kind.name, std::to_string(piece)}),
                    [=](auto &s) { deframe(s, path, kind, piece); });
        }
    }
}

} // namespace xiw::bench
