// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/attributes.hpp"
#include "error.hpp"
#include "message.hpp"
#include "nl/request.hpp"

#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <linux/genetlink.h>
#include <linux/netlink.h>

using test::Attrs;
using test::Octets;
using xiw::Malformed;
using xiw::nl::Attributes;

namespace {

// Write `length` into the header of the first attribute.
void claim(Octets &octets, uint16_t length) {
    std::memcpy(octets.data(), &length, sizeof(length));
}

} // namespace

TEST_CASE("attributes return what was put in") {
    const Attrs octets = Attrs()
                             .u8(1, 0xff)
                             .u16(2, 0xfffe)
                             .u32(3, 0xfffffffd)
                             .u64(4, 0xfffffffffffffffc)
                             .text(5, "xiw0")
                             .flag(6)
                             .nest(7, Attrs().u8(1, 9))
                             .nest(7, Attrs().u8(1, 10));
    const Attributes attributes{octets};

    CHECK(attributes.number(1) == 0xffU);
    CHECK(attributes.number(2) == 0xfffeU);
    CHECK(attributes.number(3) == 0xfffffffdU);
    CHECK(attributes.number(4) == 0xfffffffffffffffcU);
    CHECK(attributes.text(5) == "xiw0");
    CHECK(attributes.has(6));
    CHECK(attributes.nest(7)->number(1) == 9U);
    REQUIRE(attributes.nests(7).size() == 2);
    CHECK(attributes.nests(7)[1].number(1) == 10U);
}

TEST_CASE("an absent attribute is not an error") {
    const Attributes attributes{xiw::nl::Bytes()};

    CHECK_FALSE(attributes.has(1));
    CHECK_FALSE(attributes.number(1));
    CHECK_FALSE(attributes.text(1));
    CHECK_FALSE(attributes.bytes(1));
    CHECK_FALSE(attributes.nest(1));
    CHECK(attributes.nests(1).empty());
    CHECK_THROWS_AS(attributes.required(1), Malformed);
}

TEST_CASE("text ends at the first NUL, or at its end without one") {
    const Attrs octets = Attrs().raw(1, "abc", 3).raw(2, "ab\0c", 4).raw(3, "", 0);
    const Attributes attributes{octets};

    CHECK(attributes.text(1) == "abc");
    CHECK(attributes.text(2) == "ab");
    CHECK(attributes.text(3) == "");
}

TEST_CASE("a number of an invalid size is malformed") {
    const Attrs octets = Attrs().raw(1, "abc", 3).flag(2);
    const Attributes attributes{octets};

    CHECK_THROWS_AS(attributes.number(1), Malformed);
    CHECK_THROWS_AS(attributes.number(2), Malformed);
    CHECK(attributes.numbers().empty());
}

TEST_CASE("an attribute that is longer than its message is malformed") {
    Octets octets = Attrs().u32(1, 5).octets();
    claim(octets, 12);
    CHECK_THROWS_AS(Attributes{octets}, Malformed);
}

TEST_CASE("an attribute shorter than its own header is malformed") {
    Octets octets = Attrs().u32(1, 5).octets();
    claim(octets, 3);
    CHECK_THROWS_AS(Attributes{octets}, Malformed);
    claim(octets, 0);
    CHECK_THROWS_AS(Attributes{octets}, Malformed);
}

TEST_CASE("octets after the last attribute are malformed") {
    Octets octets = Attrs().u32(1, 5).octets();
    octets.resize(octets.size() + 2);
    CHECK_THROWS_AS(Attributes{octets}, Malformed);
}

TEST_CASE("the last attribute may lack its padding") {
    Octets octets = Attrs().u8(1, 5).octets();
    octets.resize(NLA_HDRLEN + 1);
    CHECK(Attributes{octets}.number(1) == 5U);
}

TEST_CASE("a request finds its attribute by the offset in an acknowledgement") {
    xiw::nl::Request request(0x20, 6, 1, NLM_F_ACK);
    const auto first = static_cast<uint32_t>(request.bytes().size());
    request.number(1, uint32_t{7});
    const auto second = static_cast<uint32_t>(request.bytes().size());
    request.number(3, uint8_t{1});

    CHECK(first == NLMSG_HDRLEN + GENL_HDRLEN);
    CHECK(request.attribute_at(first) == uint16_t{1});
    CHECK(request.attribute_at(second) == uint16_t{3});
    CHECK_FALSE(request.attribute_at(0));
    CHECK_FALSE(request.attribute_at(4096));
}

TEST_CASE("a request that grows too long is refused") {
    xiw::nl::Request request(0x20, 6, 1, 0);
    CHECK_THROWS_AS(request.text(1, std::string(2000, 'x')), std::length_error);
}
