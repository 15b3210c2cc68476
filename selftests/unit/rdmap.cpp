// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw;

TEST_CASE("a Read Request header is built and parsed", "[R-HDR-015][R-HDR-019][R-RD-010]") {
    xiw_read_req r{0x01020304, 0xffffffff, 0x05060708090a0b0c, 0x1112131415161718, 0x0d0e0f10},
        back{};
    Octets out(XIW_READ_REQ_LEN);

    xiw_read_req_put(out.data(), &r);
    CHECK(hex_of(out) == "0102030405060708090a0b0cffffffff0d0e0f101112131415161718");
    xiw_read_req_get(&back, out.data());
    CHECK(back.sink_stag == r.sink_stag);
    CHECK(back.sink_to == r.sink_to);
    CHECK(back.size == r.size);
    CHECK(back.src_stag == r.src_stag);
    CHECK(back.src_to == r.src_to);
}

TEST_CASE("an Atomic Request header is built and parsed",
          "[X-HDR-018][X-HDR-021][X-HDR-026][X-HDR-027][X-HDR-028][X-HDR-029]"
          "[X-ATOM-040][X-IANA-003][I-ATOM-009][I-ATOM-010][I-ATOM-011]") {
    xiw_atomic_req r{}, back{};
    Octets out(XIW_ATOMIC_REQ_LEN);

    r.aop = XIW_ATOMIC_CMP_SWAP;
    r.req_id = 0x01020304;
    r.stag = 0x05060708;
    r.to = 0x1112131415161718;
    r.data = 0x2122232425262728;
    r.mask = 0x3132333435363738;
    r.compare = 0x4142434445464748;
    r.compare_mask = 0x5152535455565758;
    xiw_atomic_req_put(out.data(), &r);
    CHECK(hex_of(out) == "00000002010203040506070811121314151617182122232425262728"
                         "313233343536373841424344454647485152535455565758");
    out[0] = 0xff;
    out[3] |= 0xf0; // set reserved bits
    xiw_atomic_req_get(&back, out.data());
    CHECK(back.aop == r.aop);
    CHECK(back.req_id == r.req_id);
    CHECK(back.stag == r.stag);
    CHECK(back.to == r.to);
    CHECK(back.data == r.data);
    CHECK(back.mask == r.mask);
    CHECK(back.compare == r.compare);
    CHECK(back.compare_mask == r.compare_mask);
    for (u8 aop = 0; aop < 16; aop++) {
        out[3] = 0xf0 | aop;
        xiw_atomic_req_get(&back, out.data());
        CHECK(back.aop == aop);
    }

    r.aop = XIW_ATOMIC_FETCH_ADD;
    xiw_atomic_req_put(out.data(), &r);
    CHECK(get_unaligned_be64(&out[36]) == 0);
    CHECK(get_unaligned_be64(&out[44]) == ~0ULL);
}

TEST_CASE("an Atomic Response header is parsed", "[X-HDR-017][X-HDR-031]") {
    const Octets in = octets_of("010203041112131415161718");
    xiw_atomic_rsp r{};

    REQUIRE(in.size() == XIW_ATOMIC_RSP_LEN);
    xiw_atomic_rsp_get(&r, in.data());
    CHECK(r.req_id == 0x01020304);
    CHECK(r.value == 0x1112131415161718);
}

TEST_CASE("Immediate Data is parsed") {
    const Octets in = octets_of("0123456789abcdef");

    REQUIRE(in.size() == XIW_IMM_LEN);
    CHECK(xiw_imm64_get(in.data()) == 0x0123456789abcdef);
}
