// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace xiw;

namespace {

xiw_term_code code(u8 layer, u8 etype, u8 value) {
    return {layer, etype, value, 0};
}

Octets build(xiw_term_code c, const Octets &header, u32 ulpdu = 46) {
    Octets out(XIW_TERM_LEN_MAX);

    out.resize(
        xiw_term_build(out.data(), c, header.data(), static_cast<u32>(header.size()), ulpdu));
    return out;
}

Octets ulpdu_of(const char *id) {
    const Octets &o = wire_vector(id).octets;

    return Octets(o.begin() + XIW_FPDU_LEN_LEN, o.end() - XIW_CRC_LEN);
}

xiw_term_info parse(const Octets &message, bool full = true) {
    xiw_term_info info;

    REQUIRE(xiw_term_parse(&info, message.data(), static_cast<u32>(message.size()), full));
    return info;
}

} // namespace

TEST_CASE("golden Terminates are parsed",
          "[vectors][R-TRM-001][R-TRM-002][R-TRM-006][R-HDR-021][R-HDR-023][R-HDR-028]"
          "[X-DISC-006]") {
    unsigned count = 0;

    for (const WireVector &v : wire_vectors()) {
        if (v.kind != "terminate")
            continue;
        const Fields &f = v.fields;
        Octets message(v.octets.begin() + 20, v.octets.end() - XIW_CRC_LEN);
        xiw_term_info info = parse(message);

        INFO(v.id);
        count++;
        CHECK(info.code.layer == number(f, "layer"));
        CHECK(info.code.etype == number(f, "etype"));
        CHECK(info.code.code == number(f, "code"));
        CHECK(bool(info.code.flags & XIW_TERM_M) == (number(f, "M") == 1));
        CHECK(bool(info.code.flags & XIW_TERM_D) == (number(f, "D") == 1));
        CHECK(bool(info.code.flags & XIW_TERM_R) == (number(f, "R") == 1));
        CHECK(bool(info.ddp_hdr) == (number(f, "D") == 1));
        CHECK(bool(info.read_hdr) == (number(f, "R") == 1));
        CHECK(info.seg_len == number(f, "seglen", 0));
        if (info.ddp_hdr)
            CHECK(hex_of(Octets(info.ddp_hdr, info.ddp_hdr + info.ddp_hdr_len)) ==
                  f.at("term_ddp_hdr"));
        CHECK(xiw_term_fault(info.code.layer, info.code.etype, info.code.code) != XIW_FAULT_NONE);
        // The receiver ignores the 13 reserved bits.
        message[2] |= 0x1f;
        message[3] = 0xff;
        CHECK(parse(message).code.flags == info.code.flags);
    }
    CHECK(count == 35);
}

TEST_CASE("every fault has its own code and description", "[D-ERR-018][R-HDR-024][R-HDR-025]") {
    std::set<std::string> words;
    std::set<u32> codes;

    for (int f = XIW_FAULT_NONE; f < XIW_FAULT_COUNT; f++) {
        const xiw_term_row &row = xiw_term_table[f];
        auto fault = static_cast<xiw_fault>(f);

        CAPTURE(f);
        REQUIRE(row.words);
        REQUIRE(row.rfc);
        CHECK(words.insert(row.words).second);
        if (f < XIW_FAULT_RDMA_LOCAL)
            continue;
        CHECK(codes.insert(row.code.layer << 16 | row.code.etype << 8 | row.code.code).second);
        CHECK(xiw_term_fault(row.code.layer, row.code.etype, row.code.code) == fault);
    }
    CHECK(codes.size() == 33);
    CHECK(xiw_fault_code(XIW_FAULT_SILENT).flags == XIW_TERM_SILENT);
    CHECK(xiw_term_fault(1, 1, 0x77) == XIW_FAULT_NONE);
}

TEST_CASE("a Terminate has the headers that its code requires",
          "[R-HDR-034][R-HDR-035][R-HDR-037][R-HDR-038][R-HDR-039]"
          "[R-HDR-032][R-ERR-005][R-ERR-006][R-ERR-007][X-ERR-003]") {
    const Octets read = ulpdu_of("RR-01"), atomic = ulpdu_of("AR-01"), write = ulpdu_of("W-01");

    CHECK(build(code(0, 1, 0), read).size() == 52);
    CHECK(build(code(0, 1, 0), atomic).size() == 24);
    CHECK(build(code(0, 1, 9), read).size() == 24);
    CHECK(build(code(0, 2, 7), read).size() == 24);
    CHECK(build(code(1, 1, 0), write).size() == 20);
    CHECK(build(code(1, 0, 0), write).size() == 4);
    CHECK(build(code(0, 0, 0), write).size() == 4);
    CHECK(build(code(2, 0, 2), write).size() == 4);
    // A Terminate omits a header that is truncated.
    CHECK(build(code(0, 1, 0), Octets(read.begin(), read.begin() + 45)).size() == 24);
    CHECK(build(code(0, 1, 0), Octets(read.begin(), read.begin() + 17)).size() == 4);
    CHECK(build(code(1, 1, 0), Octets(write.begin(), write.begin() + 13)).size() == 4);
    CHECK(build(code(1, 1, 0), {}).size() == 4);
    CHECK(xiw_term_build(Octets(52).data(), code(1, 1, 0), nullptr, 99, 0) == 4);
    // A Terminate with an undefined code has no headers.
    CHECK(build(code(1, 3, 0), write).size() == 4);
}

TEST_CASE("a Terminate for a partly served Read describes the rest", "[R-HDR-036]") {
    Octets read = ulpdu_of("RR-01");
    const WireVector &v = wire_vector("T-PARTIAL");

    xiw_term_advance(read.data() + XIW_DDP_UNTAGGED_LEN, 2048);
    CHECK(hex_of(build(code(0, 1, 0xff), read)) ==
          hex_of(Octets(v.octets.begin() + 20, v.octets.end() - XIW_CRC_LEN)));
}

TEST_CASE("a Terminate may be truncated at any length", "[R-TRM-007]") {
    Octets message = build(code(0, 1, 0), ulpdu_of("RR-01"));
    xiw_term_info info;

    for (u32 length = 0; length <= message.size(); length++) {
        // Allocate exactly `length` octets, so that the sanitizer detects a read beyond their end.
        Octets part(message.begin(), message.begin() + length);

        CAPTURE(length);
        CHECK(xiw_term_parse(&info, part.data(), length, true) == (length >= 4));
        if (length < 4)
            continue;
        CHECK(bool(info.code.flags & XIW_TERM_M) == (length >= 6));
        CHECK(bool(info.ddp_hdr) == (length >= 24));
        CHECK(bool(info.read_hdr) == (length >= 52));
    }
}

TEST_CASE("a parsed Terminate has only the headers that it announces", "[R-HDR-028][R-TRM-006]") {
    Octets message = build(code(0, 1, 0), ulpdu_of("RR-01"));

    REQUIRE(message.size() == XIW_TERM_LEN_MAX);
    for (u8 bits = 0; bits < 8; bits++) {
        bool m = bits & 1, d = bits & 2, r = bits & 4;

        message[2] =
            static_cast<u8>((m ? XIW_TERM_M : 0) | (d ? XIW_TERM_D : 0) | (r ? XIW_TERM_R : 0));
        xiw_term_info info = parse(message);
        CAPTURE(bits);
        CHECK(bool(info.code.flags & XIW_TERM_M) == m);
        CHECK((info.seg_len == 46) == m);
        CHECK(bool(info.ddp_hdr) == d);
        CHECK(bool(info.read_hdr) == (d && r));
    }
}

TEST_CASE("a received code determines status and event", "[R-TRM-006]") {
    auto meaning = [](u8 layer, u8 etype, u8 value, bool full = true) {
        const xiw_term_row *row =
            parse({static_cast<u8>(layer << 4 | etype), value, 0, 0}, full).row;

        return std::pair<int, int>(row->status, row->event);
    };
    using P = std::pair<int, int>;

    for (u8 c = 0; c <= 4; c++) {
        CHECK(meaning(0, 1, c) == P(XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS));
        CHECK(meaning(1, 1, c) == P(XIW_TERM_REM_ACCESS, XIW_TERM_EV_ACCESS));
    }
    CHECK(meaning(0, 1, 9) == P(XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ));
    CHECK(meaning(0, 2, 9) == P(XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ));
    CHECK(meaning(0, 2, 5) == P(XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ));
    CHECK(meaning(0, 2, 6) == P(XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ));
    for (u8 c : {0x07, 0x08, 0xff})
        CHECK(meaning(0, 2, c) == P(XIW_TERM_REM_OP, XIW_TERM_EV_FATAL));
    CHECK(meaning(0, 0, 0) == P(XIW_TERM_REM_OP, XIW_TERM_EV_FATAL));
    CHECK(meaning(0, 0, 0x42) == P(XIW_TERM_REM_OP, XIW_TERM_EV_FATAL));
    for (u8 c = 1; c <= 6; c++)
        CHECK(meaning(1, 2, c) == (c == 2 ? P(XIW_TERM_RNR, XIW_TERM_EV_REQ)
                                          : P(XIW_TERM_REM_INV_REQ, XIW_TERM_EV_REQ)));
    CHECK(meaning(1, 0, 0) == P(XIW_TERM_FATAL, XIW_TERM_EV_FATAL));
    for (u8 c = 1; c <= 4; c++)
        CHECK(meaning(2, 0, c) == P(XIW_TERM_FATAL, XIW_TERM_EV_FATAL));
    // Some deployed peers swap layer and type in their Terminates. The codes 2/0/5 to 2/0/7 belong
    // to the MPA negotiation only if the Terminate is the first FPDU that a responder receives.
    // Otherwise they are the swapped codes 0/2/5 to 0/2/7.
    for (u8 c = 5; c <= 7; c++) {
        CHECK(meaning(2, 0, c) == meaning(0, 2, c));
        CHECK(meaning(2, 0, c, false) == P(XIW_TERM_FATAL, XIW_TERM_EV_FATAL));
    }
    for (u8 c : {0x08, 0x09, 0xff})
        CHECK(meaning(2, 0, c) == meaning(0, 2, c));
    for (u8 c : {0x01, 0x02, 0x03, 0x04, 0x09, 0xff})
        CHECK(meaning(1, 0, c) == meaning(0, 1, c));
    for (u8 c = 1; c <= 6; c++)
        CHECK(meaning(2, 1, c) == meaning(1, 2, c));
    for (u8 c = 1; c <= 4; c++)
        CHECK(meaning(0, 2, c) == meaning(2, 0, c));
    for (u8 layer = 0; layer < 16; layer++)
        for (u8 etype = 0; etype < 16; etype++)
            CHECK(parse({static_cast<u8>(layer << 4 | etype), 0x6e, 0, 0}).row->words);
}
