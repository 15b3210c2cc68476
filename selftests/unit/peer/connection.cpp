// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "connection.hpp"
#include "peer.hpp"

#include <system_error>

#include <catch2/catch_test_macros.hpp>

using namespace xiw::peer;

namespace {

Connection connected(const Remote &remote) {
    Connection connection;

    connection.open(Tcp::connect(remote.address(), {}, soon()));
    return connection;
}

} // namespace

TEST_CASE("peer: each kind of stream end is recognized") {
    Remote closes([](Connection &) {});
    CHECK(connected(closes).receive_end(soon()) == Tcp::End::fin);

    // Reset the connection only after the frame has arrived: an earlier reset could make connect()
    // fail.
    Remote resets([](Connection &c) {
        c.receive_fpdu(soon());
        c.abort();
    });
    Connection reset = connected(resets);
    reset.transmit(build("send", {}, 1), soon());
    CHECK(reset.receive_end(soon()) == Tcp::End::rst);

    Remote talks([](Connection &c) { c.transmit(build("send", {}, 1), soon()); });
    CHECK_THROWS_AS(connected(talks).receive_end(soon()), Mismatch);

    Remote silent([](Connection &c) { c.receive_end(soon()); });
    Connection connection = connected(silent);
    CHECK_NOTHROW(connection.receive_nothing(Clock::now() + std::chrono::milliseconds(1)));
    CHECK_THROWS_AS(connection.receive_end(Clock::now()), Mismatch);
    CHECK_THROWS_AS(connection.receive_fpdu(Clock::now()), Mismatch);
}

TEST_CASE("peer: sending on a reset connection fails without waiting", "[host]") {
    Remote closes([](Connection &) {});
    Connection connection = connected(closes);

    REQUIRE(connection.receive_end(soon()) == Tcp::End::fin);
    connection.cut({.sizes = {3}, .each = true});
    CHECK_THROWS_AS(connection.transmit(build("send", {}, 1), soon()), std::system_error);
}

TEST_CASE("peer: an FPDU split at any octet arrives whole") {
    const Octets fpdu = build("send", {{"data", "count:5"}}, 1);
    std::vector<Octets> got;
    {
        Remote remote([&](Connection &c) {
            for (size_t i = 0; i < fpdu.size(); i++)
                got.push_back(c.receive_fpdu(soon()).fpdu);
        });
        Connection connection = connected(remote);
        for (size_t i = 1; i < fpdu.size(); i++) {
            connection.cut({.sizes = {i}, .each = false});
            connection.transmit(fpdu, soon());
        }
        connection.cut({.sizes = {1}, .each = true});
        connection.transmit(fpdu, soon());
    }
    CHECK(got == std::vector<Octets>(fpdu.size(), fpdu));
}

TEST_CASE("peer: octets that were corked arrive complete") {
    Octets got;
    {
        Remote remote([&](Connection &c) { got = c.receive_fpdu(soon()).fpdu; });
        Connection connection = connected(remote);
        const Octets fpdu = build("send", {}, 1);

        connection.cork();
        for (uint8_t octet : fpdu)
            connection.transmit(Octets{octet}, soon());
        connection.uncork(soon());
    }
    CHECK(got == build("send", {}, 1));
}

TEST_CASE("peer: the two startup frames settle CRCs and markers") {
    for (unsigned i = 0; i < 16; i++) {
        Connection connection;
        auto flag = [&](unsigned bit) { return (i >> bit & 1) != 0 ? "on" : "off"; };

        connection.startup_seen(
            decode_startup(build_startup("request", {{"crc", flag(0)}, {"markers", flag(1)}})),
            true);
        connection.startup_seen(
            decode_startup(build_startup("reply", {{"crc", flag(2)}, {"markers", flag(3)}})),
            false);
        CHECK(connection.crc == ((i & 5) != 0));
        CHECK(connection.tx.markers == ((i & 8) != 0));
    }
}
