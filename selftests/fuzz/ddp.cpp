// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A receiver with work in all of its queues gets random ULPDUs with a valid CRC. Memory to
// which the peer has no write access does not change, and no work completes after a fault.
#include "endpoint.hpp"
#include "input.hpp"

using namespace xiw;

namespace {

constexpr u32 open_stag = 0x100, guarded = 0x200;

void prepare(Endpoint &e) {
    WorkRequest wr;

    e.region(open_stag, 0, 64, 0x1f, XIW_STAGF_REMOTE_INV);
    e.region(guarded, 0, 64, XIW_ACCESS_REMOTE_READ);
    for (u64 id = 0; id < 3; id++)
        e.post_receive(id, 32);
    wr.verb = Verb::Read;
    wr.sink_stag = open_stag;
    wr.length = 16;
    e.post(wr);
    wr.verb = Verb::FetchAdd;
    e.post(wr);
    while (!e.transmit().empty())
        ;
}

bool untouched(Endpoint &e) {
    for (u8 o : e.find(guarded)->memory)
        if (o)
            return false;
    return true;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8 *p, size_t length) {
    Input in(p, length);
    Endpoint e({});
    xiw_framing tx{0, true, false};
    Octets fpdu(XIW_FPDU_WIRE_MAX);

    prepare(e);
    while (!in.empty()) {
        std::span<const u8> ulpdu = in.octets(in.octet());
        xiw_span part{ulpdu.data(), static_cast<u32>(ulpdu.size())};
        u32 n = xiw_fpdu_encode(fpdu.data(), &tx, &part, 1);
        bool over = e.fault || e.received_terminate;
        size_t before = e.completions.size();

        e.receive({fpdu.data(), n});
        must(untouched(e));
        must(!over || e.completions.size() == before);
        must(e.fault != XIW_FAULT_LLP_CRC);
        if (e.terminate) {
            xiw_term_info info;

            must(xiw_term_parse(&info, e.terminate->data(), static_cast<u32>(e.terminate->size()),
                                false));
        }
        e.transmit();
    }
    must(e.completions.size() <= 5);
    return 0;
}
