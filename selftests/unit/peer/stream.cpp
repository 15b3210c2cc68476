// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "stream.hpp"
#include "message.hpp"
#include "peer.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw::peer;

namespace {

Octets zeros(uint32_t msn) {
    return build("send", {{"data", "fill:00:24"}}, msn);
}

} // namespace

// RFC 5044, appendix A, has two example frames with markers.
TEST_CASE("peer: frames with markers match the published ones [M-MARK-001]", "[M-MARK-001]") {
    Framer framer;

    framer.markers = true;
    CHECK(hex(framer.frame(zeros(1))) == hex(golden().at("MPA-MK-01").octets));
    framer.passed(0x1ec - framer.position());
    CHECK(hex(framer.frame(zeros(2))) == hex(golden().at("MPA-MK-02").octets));
}

TEST_CASE("peer: frames of all sizes are received by octets, with and without markers") {
    for (bool markers : {false, true}) {
        Framer framer;
        Deframer deframer;
        Octets wire, input;
        std::vector<Octets> sent;

        framer.markers = deframer.markers = markers;
        for (size_t n = 0; n < 1100; n += 7) {
            sent.push_back(build("send", {{"data", "count:" + std::to_string(n)}}, 1));
            append(wire, framer.frame(sent.back()));
        }
        size_t got = 0;
        for (uint8_t octet : wire) {
            input.push_back(octet);
            while (auto received = deframer.next(input)) {
                REQUIRE(got < sent.size());
                REQUIRE(received->crc_good);
                REQUIRE(received->trouble.empty());
                REQUIRE(received->fpdu.size() == sent[got].size());
                // The received CRC also covers markers. Replace it with the CRC of the FPDU without
                // markers.
                crc_renew(received->fpdu);
                REQUIRE(received->fpdu == sent[got++]);
            }
        }
        CHECK(got == sent.size());
        CHECK(input.empty());
        CHECK(wire.size() == framer.position());
    }
}

TEST_CASE("peer: each wrong octet of a marked frame is detected") {
    Framer framer;

    framer.markers = true;
    Octets wire = framer.frame(build("write", {{"data", "count:700"}}, 1));
    for (size_t i = 0; i < wire.size(); i++) {
        Deframer deframer;
        Octets input = wire;

        deframer.markers = true;
        input[i] ^= 0x04;
        auto received = deframer.next(input);
        // If the wrong octet makes the length too large, the deframer waits for more octets.
        CHECK((!received || !received->crc_good || !received->trouble.empty()));
    }
}

TEST_CASE("peer: a wrong marker pointer is detected although the CRC is right") {
    Framer framer;
    Deframer deframer;

    framer.markers = deframer.markers = true;
    Octets wire = framer.frame(build("write", {{"data", "count:600"}}, 1), 4);
    auto received = deframer.next(wire);
    REQUIRE(received);
    CHECK(received->crc_good);
    CHECK(received->trouble == "FPDUPTR 512 at stream octet 512 instead of 508");
}
