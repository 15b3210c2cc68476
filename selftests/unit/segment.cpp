// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw;

namespace {

struct Cut {
    xiw_ddp_header h;
    xiw_ddp_piece piece;
};

std::vector<Cut> cut(xiw_ddp_seg seg, u32 mulpdu) {
    std::vector<Cut> cuts;

    while (!seg.done) {
        u8 header[XIW_DDP_HDR_MAX];
        Cut c;

        u32 told = xiw_ddp_seg_ulpdu_len(&seg, mulpdu);

        xiw_ddp_seg_next(&seg, mulpdu, header, &c.piece);
        REQUIRE(told == c.piece.header_len + c.piece.len);
        REQUIRE(xiw_ddp_parse(&c.h, header, c.piece.header_len + c.piece.len));
        cuts.push_back(c);
        REQUIRE(cuts.size() < 100000);
    }
    return cuts;
}

} // namespace

TEST_CASE("a message is cut into segments of at most the MULPDU",
          "[D-XFER-001][D-XFER-003][D-XFER-005][D-XFER-006][D-XFER-008]"
          "[D-XFER-012][D-HDR-003][D-HDR-004][D-HDR-006][D-HDR-013]"
          "[D-HDR-016][D-HDR-019][D-HDR-021][D-HDR-025][D-HDR-026]"
          "[D-HDR-017][M-SIZE-004][M-DDP-004][R-GEN-002][R-WR-009][D-HDR-005][M-DDP-002]") {
    const u64 to = 0xfffffff0; // the TO's low 32 bits wrap inside the message

    for (bool tagged : {false, true})
        for (u32 length : {0U, 1U, 109U, 110U, 111U, 113U, 114U, 115U, 228U, 5000U})
            for (u32 mulpdu : {128U, 1442U, 64768U}) {
                xiw_ddp_seg seg;
                u32 at = 0;

                if (tagged)
                    xiw_ddp_seg_tagged(&seg, 0x40, 7, to, length);
                else
                    xiw_ddp_seg_untagged(&seg, 0x43, 9, XIW_QN_SEND, 0xffffffff, length);
                auto cuts = cut(seg, mulpdu);
                CAPTURE(tagged, length, mulpdu);
                for (size_t i = 0; i < cuts.size(); i++) {
                    const Cut &c = cuts[i];
                    bool last = i + 1 == cuts.size();

                    CHECK(c.piece.offset == at);
                    CHECK(c.piece.last == last);
                    CHECK(xiw_ddp_is_last(&c.h) == last);
                    CHECK(xiw_ddp_is_tagged(&c.h) == tagged);
                    CHECK(c.h.rdmap_ctrl == (tagged ? 0x40 : 0x43));
                    CHECK(c.piece.header_len + c.piece.len <= mulpdu);
                    if (!last)
                        CHECK(c.piece.header_len + c.piece.len == mulpdu);
                    CHECK(c.h.stag == (tagged ? 7 : 9));
                    if (tagged) {
                        CHECK(c.h.to == to + at);
                    } else {
                        CHECK(c.h.mo == at);
                        CHECK(c.h.msn == 0xffffffff);
                        CHECK(c.h.qn == XIW_QN_SEND);
                    }
                    at += c.piece.len;
                }
                CHECK(at == length);
                CHECK(cuts.size() == std::max(1U, (length + mulpdu - (tagged ? 15 : 19)) /
                                                      (mulpdu - (tagged ? 14 : 18))));
            }
}

TEST_CASE("the longest message has a last segment", "[R-HDR-019]") {
    for (const bool tagged : {false, true})
        // For some of these lengths, the sum of message length and header length exceeds 32 bits.
        for (const u32 length : {0xffffffedU, 0xfffffff2U, ~0U}) {
            xiw_ddp_seg seg;
            u8 header[XIW_DDP_HDR_MAX];
            xiw_ddp_piece piece;
            u64 sum = 0;

            if (tagged)
                xiw_ddp_seg_tagged(&seg, 0x42, 1, 0, length);
            else
                xiw_ddp_seg_untagged(&seg, 0x43, 9, XIW_QN_SEND, 1, length);
            CAPTURE(tagged, length);
            while (!seg.done) {
                const u32 told = xiw_ddp_seg_ulpdu_len(&seg, XIW_MULPDU_MAX);

                xiw_ddp_seg_next(&seg, XIW_MULPDU_MAX, header, &piece);
                REQUIRE(told == piece.header_len + piece.len);
                sum += piece.len;
            }
            CHECK(sum == length);
        }
}

TEST_CASE("the MULPDU may change inside a message", "[D-LLP-001][D-LLP-002]") {
    xiw_ddp_seg seg;
    u8 header[XIW_DDP_HDR_MAX];
    xiw_ddp_piece piece;

    xiw_ddp_seg_tagged(&seg, 0x40, 1, 0, 2000);
    xiw_ddp_seg_next(&seg, 1014, header, &piece);
    CHECK(piece.len == 1000);
    xiw_ddp_seg_next(&seg, 514, header, &piece);
    CHECK(piece.offset == 1000);
    CHECK(piece.len == 500);
    xiw_ddp_seg_next(&seg, 1014, header, &piece);
    CHECK(piece.offset == 1500);
    CHECK(piece.last);
}
