// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Each golden MPA frame is parsed at each length up to its own, and built again from the result.
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw;

namespace {

bool flag(const WireVector &v, std::string_view key) {
    return number(v.fields, key, 0) == 1;
}

xiw_mpa_kind awaited(const WireVector &v) {
    auto role = v.context.find("role");

    if (role != v.context.end())
        return role->second == "initiator" ? XIW_MPA_REPLY : XIW_MPA_REQUEST;
    return v.fields.at("key") == "Rep" ? XIW_MPA_REPLY : XIW_MPA_REQUEST;
}

xiw_mpa_verdict parse(const WireVector &v, xiw_mpa_frame &frame, size_t have, u32 &total) {
    return xiw_mpa_parse(&frame, awaited(v), v.octets.data(), static_cast<u32>(have), &total);
}

u8 kinds(const WireVector &v) {
    return static_cast<u8>((flag(v, "B") ? XIW_RTR_SEND : 0) | (flag(v, "Cf") ? XIW_RTR_WRITE : 0) |
                           (flag(v, "D") ? XIW_RTR_READ : 0));
}

void check_frame(const WireVector &v, const xiw_mpa_frame &frame) {
    CHECK(frame.rev == number(v.fields, "Rev"));
    CHECK(frame.markers == flag(v, "M"));
    CHECK(frame.crc == flag(v, "C"));
    CHECK(frame.reject == flag(v, "R"));
    CHECK(frame.enhanced == (flag(v, "S") && frame.rev >= 2));
    if (frame.enhanced) {
        CHECK(frame.p2p == flag(v, "A"));
        CHECK(frame.rtr == (flag(v, "A") ? kinds(v) : 0));
        CHECK(frame.ird == number(v.fields, "IRD"));
        CHECK(frame.ord == number(v.fields, "ORD"));
    } else {
        CHECK(frame.ird == XIW_MPA_DEPTH_NONE);
        CHECK(frame.ord == XIW_MPA_DEPTH_NONE);
    }
    Octets pd(v.octets.begin() + frame.pd_at, v.octets.begin() + frame.pd_at + frame.pd_len);
    const std::string &expected = v.fields.at("ulp_pd");
    CHECK(hex_of(pd) == (expected == "-" ? "" : expected));
}

} // namespace

TEST_CASE("golden startup frames are parsed and rebuilt",
          "[vectors][E-FRAME-002][E-FRAME-003][E-FRAME-006][E-FRAME-007]["
          "E-FRAME-008][E-FRAME-009][E-P2P-011][E-P2P-012][M-CONN-034]") {
    unsigned count = 0;

    for (const WireVector &v : wire_vectors()) {
        if (!v.is_startup() || !v.fields.contains("key"))
            continue;
        xiw_mpa_frame frame{};
        u32 total = 0;

        INFO(v.id);
        count++;
        if (v.expect == "close" && !v.context.contains("sent")) {
            CHECK(parse(v, frame, v.octets.size(), total) == XIW_MPA_BAD);
            continue;
        }
        for (size_t have = 0; have < v.octets.size(); have++) {
            REQUIRE(parse(v, frame, have, total) == XIW_MPA_NEED);
            REQUIRE(total == (have < XIW_MPA_HDR_LEN ? u32{XIW_MPA_HDR_LEN} : v.octets.size()));
        }
        REQUIRE(parse(v, frame, v.octets.size(), total) == XIW_MPA_FRAME);
        CHECK(total == v.octets.size());
        CHECK(frame.reject == (v.expect == "rejected"));
        check_frame(v, frame);

        // Skip frames with nonzero reserved bits, and frames that have RTR bits without flag A. In
        // both cases, xiw_mpa_build() clears these bits.
        if (number(v.fields, "Res") || (!flag(v, "A") && kinds(v)))
            continue;
        Octets out(XIW_MPA_FRAME_MAX);
        out.resize(xiw_mpa_build(out.data(), &frame, v.octets.data() + frame.pd_at));
        CHECK(hex_of(out) == hex_of(v.octets));

        // Change each octet before the private data, one at a time. If the changed frame is valid,
        // the frame that is built from it must differ from the golden frame.
        for (size_t i = 0; i < frame.pd_at; i++) {
            Octets changed = v.octets, again(XIW_MPA_FRAME_MAX);
            xiw_mpa_frame other{};

            changed[i] ^= i == XIW_MPA_FLAGS_AT ? 0xc0 : 0x01;
            if (xiw_mpa_parse(&other, awaited(v), changed.data(), static_cast<u32>(changed.size()),
                              &total) != XIW_MPA_FRAME)
                continue;
            again.resize(xiw_mpa_build(again.data(), &other, changed.data() + other.pd_at));
            CAPTURE(i);
            CHECK(hex_of(again) != hex_of(v.octets));
        }
    }
    CHECK(count == 24);
}

TEST_CASE("golden Replies that an initiator cannot accept end the startup",
          "[vectors][E-P2P-009][E-IRD-006][E-IRD-009][E-INTER-001]") {
    unsigned count = 0;

    for (const WireVector &v : wire_vectors()) {
        if (!v.is_startup() || v.kind != "negative" || awaited(v) != XIW_MPA_REPLY ||
            v.id == "N-MPA-03")
            continue;
        xiw_mpa_config cfg{};
        xiw_mpa_frame req, rep;
        xiw_mpa_agreed agreed;
        xiw_fault fault;
        u32 total;

        INFO(v.id);
        count++;
        cfg.rev = 2;
        cfg.crc = true;
        cfg.p2p = flag(v, "A") || v.context.contains("sent");
        cfg.rtr = v.context.contains("rtr_supported") ? XIW_RTR_SEND : XIW_RTR_ALL;
        cfg.ird = 8;
        cfg.ord = 16;
        cfg.max_ird = static_cast<u16>(number(v.context, "max_ird", 64));
        xiw_mpa_request(&req, &cfg);
        REQUIRE(parse(v, rep, v.octets.size(), total) == XIW_MPA_FRAME);
        xiw_mpa_outcome outcome = xiw_mpa_conclude(&agreed, &fault, &req, &rep, &cfg);
        if (v.expect == "close") {
            CHECK(outcome == XIW_MPA_CLOSE);
            continue;
        }
        REQUIRE(outcome == XIW_MPA_TERMINATE);
        CHECK(xiw_fault_code(fault).layer == number(v.effects, "layer"));
        CHECK(xiw_fault_code(fault).code == number(v.effects, "code"));
        Octets message(XIW_TERM_LEN_MAX);
        message.resize(xiw_term_build(message.data(), xiw_fault_code(fault), nullptr, 0, 0));
        CHECK(hex_of(message) ==
              hex_of(Octets(v.answer.begin() + 20, v.answer.end() - XIW_CRC_LEN)));
    }
    CHECK(count == 3);
}
