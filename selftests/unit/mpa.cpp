// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw;

namespace {

Octets build(const xiw_mpa_frame &frame, const Octets &pd = {}) {
    Octets out(XIW_MPA_FRAME_MAX);

    out.resize(xiw_mpa_build(out.data(), &frame, pd.data()));
    return out;
}

} // namespace

TEST_CASE("every startup frame survives a round trip", "[E-FRAME-002][E-FRAME-008]") {
    for (unsigned bits = 0; bits < 256; bits++)
        for (u16 depth : {0, 1, 64, 0x3ffe, 0x3fff}) {
            xiw_mpa_frame frame{}, back{};
            u32 total;

            frame.kind = bits & 1 ? XIW_MPA_REPLY : XIW_MPA_REQUEST;
            frame.markers = bits & 2;
            frame.crc = bits & 4;
            frame.reject = frame.kind == XIW_MPA_REPLY && bits & 8;
            frame.enhanced = true;
            frame.rev = 2;
            frame.p2p = bits & 16;
            frame.rtr = frame.p2p ? bits >> 5 : 0;
            frame.ird = depth;
            frame.ord = static_cast<u16>(0x3fff - depth);
            Octets out = build(frame);
            Octets header(XIW_MPA_HDR_LEN + XIW_MPA_ENHANCED_LEN);
            CHECK(xiw_mpa_build_header(header.data(), &frame) == header.size());
            CHECK(header == out);
            REQUIRE(xiw_mpa_parse(&back, static_cast<xiw_mpa_kind>(frame.kind), out.data(),
                                  static_cast<u32>(out.size()), &total) == XIW_MPA_FRAME);
            CHECK(back.markers == frame.markers);
            CHECK(back.crc == frame.crc);
            CHECK(back.reject == frame.reject);
            CHECK(back.p2p == frame.p2p);
            CHECK(back.rtr == frame.rtr);
            CHECK(back.ird == frame.ird);
            CHECK(back.ord == frame.ord);
        }
}

TEST_CASE("a frame without peer-to-peer has no RTR kinds", "[E-P2P-011]") {
    xiw_mpa_frame frame{};

    frame.rev = 2;
    frame.enhanced = true;
    frame.rtr = XIW_RTR_ALL;
    CHECK(hex_of(build(frame)).substr(40) == "00000000");
    frame.p2p = true;
    CHECK(hex_of(build(frame)).substr(40) == "c000c000");
}

TEST_CASE("private data that is too long is refused", "[E-FRAME-009][M-CONN-017][M-CONN-019]") {
    Octets pd(XIW_MPA_PD_MAX + 1, 0x55);
    xiw_mpa_frame frame{};

    frame.rev = 1;
    frame.pd_len = XIW_MPA_PD_MAX;
    CHECK(build(frame, pd).size() == XIW_MPA_FRAME_MAX);
    CHECK(xiw_mpa_build_header(pd.data(), &frame) == XIW_MPA_HDR_LEN);
    frame.pd_len++;
    CHECK(xiw_mpa_build_header(pd.data(), &frame) == 0);
    CHECK(build(frame, pd).empty());
    frame.rev = 2;
    frame.enhanced = true;
    frame.pd_len = XIW_MPA_ENHANCED_PD_MAX;
    CHECK(build(frame, pd).size() == XIW_MPA_FRAME_MAX);
    frame.pd_len++;
    CHECK(build(frame, pd).empty());
}

TEST_CASE("octets may follow a Reply, but not a Request") {
    Octets request = wire_vector("MPA-REQ1-01").octets, reply = wire_vector("MPA-REP1-01").octets;
    xiw_mpa_frame frame;
    u32 total;

    request.push_back(0);
    reply.push_back(0);
    CHECK(xiw_mpa_parse(&frame, XIW_MPA_REQUEST, request.data(), 21, &total) == XIW_MPA_BAD);
    CHECK(xiw_mpa_parse(&frame, XIW_MPA_REPLY, reply.data(), 21, &total) == XIW_MPA_FRAME);
    CHECK(total == 20);
}

TEST_CASE("revision 1 has no enhanced word") {
    Octets request = wire_vector("MPA-REQ2-01").octets;
    xiw_mpa_frame frame;
    u32 total;

    request[XIW_MPA_REV_AT] = 1; // S is a reserved bit in revision 1
    REQUIRE(xiw_mpa_parse(&frame, XIW_MPA_REQUEST, request.data(), static_cast<u32>(request.size()),
                          &total) == XIW_MPA_FRAME);
    CHECK_FALSE(frame.enhanced);
    CHECK(frame.pd_len == 4);
    CHECK(frame.pd_at == 20);
}

TEST_CASE("R in a Request is ignored") {
    Octets request = wire_vector("MPA-REQ1-01").octets;
    xiw_mpa_frame frame;
    u32 total;

    request[XIW_MPA_FLAGS_AT] |= XIW_MPA_F_REJECT;
    REQUIRE(xiw_mpa_parse(&frame, XIW_MPA_REQUEST, request.data(), 20, &total) == XIW_MPA_FRAME);
    CHECK_FALSE(frame.reject);
}
