// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A stream of octets gives the same ULPDUs whether it arrives in one piece or in several pieces. If
// the ULPDUs are framed again, the deframer returns the same ULPDUs. The deframer checks no CRC,
// because the CRC of almost every input would be wrong.
#include "input.hpp"

#include <vector>

using namespace xiw;

namespace {

struct Result {
    std::vector<std::vector<u8>> ulpdus;
    xiw_fault fault;
    u32 have;
    bool operator==(const Result &) const = default;
};

Result run(std::span<const u8> stream, bool markers, size_t piece) {
    static std::vector<u8> staging(XIW_FPDU_WIRE_MAX);
    xiw_deframer d;
    Result r{};

    xiw_deframer_init(&d, false, markers, staging.data(), static_cast<u32>(staging.size()));
    while (!stream.empty()) {
        std::span<const u8> part = stream.first(std::min(piece, stream.size()));
        xiw_span in{part.data(), static_cast<u32>(part.size())}, out{};

        while (xiw_deframe_feed(&d, &in, &out) == XIW_DEFRAME_ULPDU)
            r.ulpdus.emplace_back(out.p, out.p + out.len);
        must(d.fault || !in.len);
        stream = stream.subspan(part.size());
    }
    r.fault = d.fault;
    r.have = d.have;
    if (d.fault)
        r.have = 0;
    return r;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *p, size_t length) {
    Input in(p, length);
    bool markers = in.octet() & 1;
    size_t piece = in.octet() + 1;
    std::span<const u8> stream = in.rest();
    Result whole = run(stream, markers, stream.size() + 1);

    must(whole == run(stream, markers, piece));
    must(whole.fault == XIW_FAULT_NONE || whole.fault == XIW_FAULT_LLP_MARKER);

    xiw_framing tx{0, true, markers};
    static std::vector<u8> fpdu(XIW_FPDU_WIRE_MAX);
    std::vector<u8> again;
    for (const std::vector<u8> &u : whole.ulpdus) {
        xiw_span part{u.data(), static_cast<u32>(u.size())};
        u32 n = xiw_fpdu_encode(fpdu.data(), &tx, &part, 1);

        again.insert(again.end(), fpdu.begin(), fpdu.begin() + n);
    }
    must(run(again, markers, piece).ulpdus == whole.ulpdus);
    return 0;
}
