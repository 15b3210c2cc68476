// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The golden file, with values translated to those of an endpoint.
#include "vectors.hpp"
#include "message.hpp"
#include "peer.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw::peer;

TEST_CASE("peer: translated values, in what a Terminate returns too") {
    Translation t;
    t.stag[0x11223344] = 0xaabbccdd;
    t.stag[0xcafe0010] = 1;
    t.to[0x100000000] = 7;

    Frame write = decode(t.apply(golden().at("W-01").octets));
    CHECK(write.value("stag") == 0xaabbccdd);
    CHECK(write.value("to") == 7);
    CHECK(crc_good(write.octets));

    Frame terminate = decode(t.apply(golden().at("N-RR-02").terminate));
    CHECK(hex(*terminate.part("header")) ==
          "4141000000000000000100000001000000000000000100000000000020000000"
          "1001aabbccdd0000000000000007");
    CHECK(crc_good(terminate.octets));

    Frame bad = decode(t.apply(golden().at("N-CRC-01").octets));
    CHECK_FALSE(crc_good(bad.octets));
    CHECK(t.apply(golden().at("S-01").octets) == golden().at("S-01").octets);
}
