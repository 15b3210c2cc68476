// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A complete receiver gets each golden FPDU: in one piece, split at each octet, and with a change
// in each octet.
#include "receiver.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw;

namespace {

template <typename Check>
void for_each_fpdu(Check check) {
    unsigned count = 0;

    for (const WireVector &v : wire_vectors()) {
        if (v.is_startup())
            continue;
        INFO(v.id);
        check(v);
        count++;
    }
    REQUIRE(count > 180);
}

void check_accepted(const WireVector &v, Endpoint &e) {
    CHECK(e.fault == XIW_FAULT_NONE);
    CHECK(e.deframer.have == 0);
    if (v.kind == "terminate") {
        REQUIRE(e.received_terminate);
        return;
    }
    if (v.effects.contains("respond")) {
        const WireVector &answer = wire_vector(v.effects.at("respond"));

        e.tx_msn[XIW_QN_RESPONSE] = static_cast<u32>(number(answer.fields, "msn", 1));
        CHECK(hex_of(e.transmit()) == hex_of(answer.octets));
    }
    if (v.effects.contains("mem_after")) {
        u64 to = number(v.fields, "remote_to");

        CHECK(word_at(e, to) == number(v.effects, "mem_after"));
    }
}

void check_refused(const WireVector &v, Endpoint &e) {
    REQUIRE(e.fault != XIW_FAULT_NONE);
    REQUIRE(e.fault != XIW_FAULT_SILENT);
    xiw_term_code code = xiw_fault_code(e.fault);
    CHECK(code.layer == number(v.effects, "layer"));
    CHECK(code.etype == number(v.effects, "etype"));
    CHECK(code.code == number(v.effects, "code"));
    REQUIRE(e.terminate);
    u8 flags =
        static_cast<u8>(number(v.effects, "M") * XIW_TERM_M + number(v.effects, "D") * XIW_TERM_D +
                        number(v.effects, "R") * XIW_TERM_R);
    CHECK(e.terminate->at(2) == flags);
    CHECK(e.completions.empty());
    CHECK(hex_of(e.transmit()) == hex_of(v.answer));
}

void check(const WireVector &v, Endpoint &e) {
    if (v.expect == "accept") {
        check_accepted(v, e);
    } else if (v.expect == "close") {
        CHECK(e.fault == XIW_FAULT_SILENT);
        CHECK_FALSE(e.terminate);
    } else {
        REQUIRE(v.expect == "terminate");
        check_refused(v, e);
    }
}

} // namespace

TEST_CASE("golden FPDUs: verdict, memory and answer are as expected",
          "[vectors][R-ERR-009][R-ERR-010][R-ERR-011][D-ERR-018][R-HDR-036][X-ATOM-014]"
          "[X-ATOM-015][X-ATOM-018][X-ATOM-028][X-ATOM-035][X-ATOM-040][X-ATOM-045][X-ATOM-046]"
          "[X-DISC-003][X-DISC-004][X-DISC-005][D-ERR-002][D-ERR-003][D-ERR-005][D-ERR-006]"
          "[D-ERR-007][D-ERR-008][D-ERR-009][D-ERR-010][D-ERR-011][D-ERR-012][D-ERR-019]"
          "[R-ERR-012][R-ERR-013][R-ERR-014][R-ERR-015][R-ERR-016][R-ERR-017][R-ERR-018]"
          "[R-ERR-019][R-TRM-007][R-RD-015][R-RD-020][I-INV-002][I-INV-006][S-REM-002][X-HDR-030]["
          "I-ATOM-007]") {
    for_each_fpdu([](const WireVector &v) {
        auto e = receiver_for(v);

        e->receive(v.octets);
        check(v, *e);
    });
}

TEST_CASE("golden FPDUs: a split at any octet changes nothing", "[vectors]") {
    for_each_fpdu([](const WireVector &v) {
        auto whole = receiver_for(v);

        whole->receive(v.octets);
        const std::string outcome = outcome_of(*whole);
        for (size_t cut = 1; cut < v.octets.size(); cut++) {
            auto e = receiver_for(v);
            std::span<const u8> all(v.octets);

            e->receive(all.first(cut));
            CAPTURE(cut);
            REQUIRE_FALSE(e->fault);
            e->receive(all.subspan(cut));
            REQUIRE(outcome_of(*e) == outcome);
        }
        auto e = receiver_for(v);
        for (const u8 &octet : v.octets)
            e->receive({&octet, 1});
        REQUIRE(outcome_of(*e) == outcome);
    });
}

TEST_CASE("golden FPDUs: a change in any octet is detected", "[vectors][M-CRC-011][M-CRC-012]") {
    for_each_fpdu([](const WireVector &v) {
        if (v.id.starts_with("N-CRC"))
            return;
        auto whole = receiver_for(v);

        whole->receive(v.octets);
        const std::string outcome = outcome_of(*whole);
        for (size_t i = 0; i < v.octets.size(); i++) {
            Octets changed = v.octets;
            auto e = receiver_for(v);

            CAPTURE(i);
            changed[i] ^= static_cast<u8>(1U << i % 8);
            e->receive(changed);
            REQUIRE(outcome_of(*e) != outcome);
            REQUIRE(e->completions.empty());
        }
    });
}

TEST_CASE("golden FPDUs: octets after the first error are ignored",
          "[vectors][D-ERR-016][D-LLP-007][R-ERR-002]") {
    const WireVector &good = wire_vector("S-01");

    for_each_fpdu([&good](const WireVector &v) {
        if (v.expect == "accept")
            return;
        auto e = receiver_for(v);

        e->receive(v.octets);
        const std::string outcome = outcome_of(*e);
        e->post_receive(99, 4096);
        e->receive(good.octets);
        REQUIRE(outcome_of(*e) == outcome);
    });
}

// Without the last octet of the FPDU, memory does not change, and there is no event and no answer.
TEST_CASE("golden FPDUs: nothing happens before the last octet",
          "[vectors][M-TCP-008][R-ORD-011][R-ORD-019][X-ORD-004]") {
    for_each_fpdu([](const WireVector &v) {
        auto e = receiver_for(v);
        e->deframer.have = 0;
        const std::string outcome = outcome_of(*e);

        e->receive(std::span<const u8>(v.octets).first(v.octets.size() - 1));
        CHECK(e->deframer.have != 0);
        e->deframer.have = 0;
        CHECK(outcome_of(*e) == outcome);
        CHECK(e->transmit().empty());
    });
}

TEST_CASE("a repeated atomic is executed once", "[I-ATOM-012][X-ATOM-006]") {
    const WireVector &v = wire_vector("AR-01");
    auto e = receiver_for(v);

    e->rx.requests = 4;
    e->receive(v.octets);
    REQUIRE_FALSE(e->transmit().empty());
    REQUIRE(word_at(*e, number(v.fields, "remote_to")) == number(v.effects, "mem_after"));
    e->receive(v.octets);
    CHECK(e->fault == XIW_FAULT_DDP_MSN);
    CHECK(word_at(*e, number(v.fields, "remote_to")) == number(v.effects, "mem_after"));
}
