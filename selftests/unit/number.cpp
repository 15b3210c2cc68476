// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The private data of connections to peers that are named by QP number, and the choice of the end
// that opens a connection.
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>

using namespace xiw;

namespace {

using Data = std::array<u8, XIW_NUMBER_LEN>;
using Gid = std::array<u8, XIW_NUMBER_GID_LEN>;

constexpr Data request{'X', 'I', 'W', 'Q', 1, 1, 0, 0, 0, 0, 0x12, 0x34, 0, 0xab, 0xcd, 0xef};

} // namespace

TEST_CASE("the private data of a connection by number is as documented") {
    xiw_number number{.kind = XIW_NUMBER_OPEN, .source = 0x1234, .destination = 0xabcdef};
    Data data;

    data.fill(0xff);
    xiw_number_put(data.data(), &number);
    CHECK(data == request);
}

TEST_CASE("private data of a peer is read back") {
    xiw_number number{};

    REQUIRE(xiw_number_get(&number, request.data(), request.size()));
    CHECK(number.kind == XIW_NUMBER_OPEN);
    CHECK(number.source == 0x1234);
    CHECK(number.destination == 0xabcdef);
}

TEST_CASE("private data of another protocol or version is refused") {
    xiw_number number{};

    for (u32 length : {0U, 15U, 17U}) {
        std::array<u8, 32> longer{};

        std::copy(request.begin(), request.end(), longer.begin());
        CHECK_FALSE(xiw_number_get(&number, longer.data(), length));
    }
    for (size_t at : {0U, 1U, 2U, 3U, 4U}) {
        Data other = request;

        other[at]++;
        CHECK_FALSE(xiw_number_get(&number, other.data(), other.size()));
    }
}

TEST_CASE("exactly one of two ends opens the connection") {
    Gid low{}, high{};

    low[15] = 1;
    high[15] = 2;
    CHECK(xiw_number_order(low.data(), 9, high.data(), 3) < 0);
    CHECK(xiw_number_order(high.data(), 3, low.data(), 9) > 0);
    CHECK(xiw_number_order(low.data(), 3, low.data(), 9) < 0);
    CHECK(xiw_number_order(low.data(), 9, low.data(), 3) > 0);
    CHECK(xiw_number_order(low.data(), 9, low.data(), 9) == 0);
    // QP numbers, and the octets of addresses, are compared as unsigned values.
    high[0] = 0xfe;
    CHECK(xiw_number_order(low.data(), 9, high.data(), 3) < 0);
    CHECK(xiw_number_order(low.data(), 0x80000000, low.data(), 1) > 0);
}
