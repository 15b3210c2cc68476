// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The headers that the parser finds in a received Terminate are inside the message. A Terminate
// that is built from any code and any offending header is not too long, and parses as the same
// Terminate.
#include "input.hpp"

#include <cstring>
#include <vector>

using namespace xiw;

extern "C" int LLVMFuzzerTestOneInput(const u8 *p, size_t length) {
    Input in(p, length);
    bool full = in.octet() & 1;
    std::span<const u8> message = in.rest();
    u32 n = static_cast<u32>(message.size());
    xiw_term_info info;

    if (!xiw_term_parse(&info, message.data(), n, full)) {
        must(n < XIW_TERM_LEN_MIN);
        return 0;
    }
    must(info.row && info.row->words);
    if (info.ddp_hdr)
        must(info.ddp_hdr >= message.data() &&
             info.ddp_hdr + info.ddp_hdr_len <= message.data() + n);
    if (info.read_hdr)
        must(info.read_hdr == info.ddp_hdr + info.ddp_hdr_len &&
             info.read_hdr + XIW_READ_REQ_LEN <= message.data() + n);

    u8 out[XIW_TERM_LEN_MAX];
    std::vector<u8> header(message.begin() + XIW_TERM_LEN_MIN, message.end());
    u32 built = xiw_term_build(out, info.code, header.data(), static_cast<u32>(header.size()),
                               info.seg_len);
    xiw_term_info back;

    must(built >= XIW_TERM_LEN_MIN && built <= XIW_TERM_LEN_MAX);
    must(xiw_term_parse(&back, out, built, full));
    must(back.row == info.row);
    if (back.ddp_hdr)
        must(back.seg_len == info.seg_len &&
             !std::memcmp(back.ddp_hdr, header.data(), back.ddp_hdr_len));
    return 0;
}
