// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "octets.hpp"
#include "crc32c.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw::peer;

TEST_CASE("peer: octets are parsed from text") {
    CHECK(octets_of("").empty());
    CHECK(octets_of("00fFa5") == Octets{0x00, 0xff, 0xa5});
    CHECK(octets_of("count:3") == Octets{0, 1, 2});
    CHECK(octets_of("count:3:254") == Octets{254, 255, 0});
    CHECK(octets_of("fill:aa:2,text:hi,01") == Octets{0xaa, 0xaa, 'h', 'i', 1});
    for (const char *bad : {"0", "0g", "count:", "count:x", "fill:a:2", "fill:aabb:1", "fill:aa",
                            "count:99999999999"})
        CHECK_THROWS_AS(octets_of(bad), std::invalid_argument);
}

TEST_CASE("peer: numbers are parsed") {
    CHECK(number("0") == 0);
    CHECK(number("0xffffffffffffffff") == ~uint64_t{0});
    CHECK(number("0x10+8-1") == 23);
    CHECK(number("1-2") == ~uint64_t{0});
    for (const char *bad : {"", "x", "0x", "1+", "-1", "1 ", "18446744073709551616", "1+-1"})
        CHECK_THROWS_AS(number(bad), std::invalid_argument);
}

TEST_CASE("peer: big-endian words are stored and loaded") {
    Octets octets(8);

    store(octets, 2, 4, 0x01020304);
    CHECK(hex(octets) == "0000010203040000");
    CHECK(load(octets, 2, 4) == 0x01020304);
    CHECK(load(octets, 1, 2) == 1);
}

TEST_CASE("peer: CRC32C gives the published values [M-CRC-001]", "[M-CRC-001]") {
    Crc32c crc;

    crc.add(octets_of("text:123456789"));
    CHECK(crc.value() == 0xe3069283);
    CHECK(hex(crc.wire()) == "839206e3");
    // The CRC examples for iSCSI (RFC 3720 B.4).
    Crc32c zeros, ones, up;
    zeros.add(octets_of("fill:00:32"));
    ones.add(octets_of("fill:ff:32"));
    up.add(octets_of("count:32"));
    CHECK(zeros.value() == 0x8a9136aa);
    CHECK(ones.value() == 0x62a8ab43);
    CHECK(up.value() == 0x46dd794e);
}

TEST_CASE("peer: a dump marks differing octets") {
    std::string text = dump_differences(Octets{1, 2, 3}, Octets{1, 9, 3});

    CHECK(text == "    0000  01 02 03\n             ^^   \n");
    CHECK(dump(Octets{1, 2}) == "    0000  01 02\n");
}
