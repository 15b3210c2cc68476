// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/decode.hpp"
#include "error.hpp"
#include "samples.hpp"

#include <cstring>
#include <memory>

#include <netinet/in.h>
#include <sys/socket.h>

#include <catch2/catch_test_macros.hpp>
#include <linux/xiw.h>

using test::Attrs;
using test::Octets;
using xiw::Malformed;
using xiw::nl::Attributes;

namespace {

// Pass a message to all decoders, whatever the type of the message. No decoder may crash.
void decode_by_all(xiw::nl::Bytes octets) {
    const auto survive = [octets](auto decode) {
        try {
            (void)decode(Attributes(octets));
        } catch (const Malformed &) {
            // Malformed is the only exception that a decoder may throw for a broken message.
        }
    };
    survive(xiw::nl::decode_device);
    survive(xiw::nl::decode_capabilities);
    survive(xiw::nl::decode_connection);
    survive(xiw::nl::decode_counters);
    survive(xiw::nl::decode_config);
    survive(xiw::nl::decode_notice);
    survive(xiw::nl::decode_latency);
    survive(xiw::nl::decode_rings);
    survive(xiw::nl::decode_injections);
}

std::vector<Octets> all_samples() {
    return {test::device_reply().octets(),          test::capability_reply(false).octets(),
            test::capability_reply(true).octets(),  test::connection_reply(false).octets(),
            test::connection_reply(true).octets(),  test::listener_reply().octets(),
            test::dead_connection_reply().octets(), test::counter_reply().octets(),
            test::config_reply().octets(),          test::terminate_notice().octets(),
            test::reject_notice().octets(),         test::latency_reply().octets(),
            test::ring_reply(true).octets(),        test::ring_reply(false).octets(),
            test::injection_reply().octets()};
}

} // namespace

TEST_CASE("a device is decoded") {
    const auto device = xiw::nl::decode_device(Attributes(test::device_reply(3, "xiw3")));

    CHECK(device.ref.index == 3);
    CHECK(device.ref.name == "xiw3");
    CHECK(device.ifindex == 7U);
    CHECK(device.kind == uint64_t{XIW_NL_KIND_SOFT});
    CHECK(device.state == uint64_t{XIW_NL_DEVICE_STATE_ACTIVE});
    CHECK(device.version == "0.1.0");
    REQUIRE(device.limits.size() == 2);
    CHECK(device.limits[1].id == XIW_A_LIMITS_PRIVATE_DATA);
    CHECK(device.limits[1].value == 508);
    CHECK(device.objects.size() == 6);
}

TEST_CASE("capabilities of a QP are decoded") {
    const auto set = xiw::nl::decode_capabilities(Attributes(test::capability_reply(true)));

    CHECK(set.qpn == 17U);
    REQUIRE(set.entries.size() == 2);
    CHECK(set.entries[0].id == XIW_NL_CAPABILITY_RTR);
    CHECK(set.entries[0].peer == uint64_t{XIW_NL_RTR_READ | XIW_NL_RTR_SEND});
    CHECK(set.entries[0].agreed == uint64_t{XIW_NL_RTR_READ});
    CHECK(set.entries[0].known == uint64_t{XIW_NL_KNOWN_NEGOTIATED});
    CHECK_FALSE(set.entries[1].offered);
}

TEST_CASE("a connection is decoded") {
    const auto c = xiw::nl::decode_connection(Attributes(test::connection_reply()));

    CHECK(c.qpn == 17U);
    CHECK(c.cm_id == 4U);
    CHECK(c.role == uint64_t{XIW_NL_ROLE_INITIATOR});
    CHECK(c.local->host == "10.0.0.1");
    CHECK(c.local->port == 38000);
    CHECK(c.remote->host == "10.0.0.2");
    CHECK(c.remote->port == 4420);
    CHECK(c.crc == 1U);
    CHECK(c.markers_tx == 0U);
    CHECK(c.markers_rx == 1U);
    CHECK(c.mulpdu == 1442U);
    CHECK(c.ird == 32U);
    CHECK(c.ord == 16U);
    CHECK(c.ird_used == 2U);
    CHECK(c.ord_used == 0U);
    CHECK(c.tx_bytes == 0x1'0000'0001U);
    CHECK(c.frame_received->revision == 2U);
    CHECK(c.frame_received->crc == 1U);
    CHECK(c.frame_received->markers == 0U);
    CHECK(c.frame_received->enhanced == 1U);
    CHECK(c.frame_received->rtr_read == 1U);
    CHECK(c.frame_received->rtr_write == 0U);
    CHECK(c.frame_received->ird == 32U);
    CHECK(c.frame_received->ord == 1U);
    CHECK(c.frame_received->private_length == 36U);
    CHECK_FALSE(c.parked);
    CHECK_FALSE(c.terminate);
    CHECK(c.sq_depth == 128U);
    CHECK(c.sq_used == 3U);
    CHECK(c.rq_depth == 64U);
    CHECK(c.rq_used == 60U);
    REQUIRE(c.operations.size() == 2);
    CHECK(c.operations[0].opcode == 3);
    CHECK(c.operations[0].tx == 12);
    CHECK(c.operations[0].rx == 10);
    CHECK(c.operations[0].tx_bytes == 0x1'0000'0001U);
    CHECK(c.operations[0].rx_bytes == 4096U);
    CHECK_FALSE(c.operations[1].tx_bytes);
    REQUIRE(c.tcp);
    CHECK(c.tcp->rtt == 1200U);
    CHECK(c.tcp->rtt_var == 75U);
    CHECK(c.tcp->mss == 1448U);
    CHECK(c.tcp->cwnd == 10U);
    CHECK(c.tcp->peer_window == 65536U);
    CHECK(c.tcp->retransmits == 2U);
    CHECK(c.tcp->tx_queue == 2896U);
    CHECK(c.tcp->rx_queue == 0U);
    CHECK(c.tcp->congestion == "cubic");
    CHECK(c.tcp->cipher == XIW_NL_TLS_CIPHER_AES_GCM_256);
}

TEST_CASE("a listener is decoded, with its port and when the port is taken") {
    CHECK_FALSE(xiw::nl::decode_connection(Attributes(test::listener_reply())).port_taken);
    const auto c = xiw::nl::decode_connection(
        Attributes(test::listener_reply().flag(XIW_A_CONNECTION_PORT_TAKEN)));
    CHECK(c.port_taken);
    CHECK(c.local->port == 4420);
}

TEST_CASE("the QP number of a peer that is named by number is decoded") {
    CHECK_FALSE(xiw::nl::decode_connection(Attributes(test::dead_connection_reply())).peer_qpn);
    const auto c = xiw::nl::decode_connection(
        Attributes(test::dead_connection_reply().u32(XIW_A_CONNECTION_PEER_QPN, 77)));
    CHECK(c.peer_qpn == 77U);
}

TEST_CASE("what encrypts a connection is decoded") {
    CHECK_FALSE(xiw::nl::decode_connection(Attributes(test::connection_reply(false))).encryption);
    const auto c = xiw::nl::decode_connection(Attributes(
        test::connection_reply(false).u8(XIW_A_CONNECTION_ENCRYPTION, XIW_NL_ENCRYPTION_MACSEC)));
    CHECK(c.encryption == 4U);
}

TEST_CASE("an ended connection is decoded") {
    const auto c = xiw::nl::decode_connection(Attributes(test::dead_connection_reply()));

    CHECK(c.parked);
    CHECK(c.terminate == 0x2002U);
    CHECK(c.terminate_origin == uint64_t{XIW_NL_ORIGIN_LOCAL});
    CHECK_FALSE(c.local);
    CHECK_FALSE(c.frame_sent);
    CHECK_FALSE(c.sq_depth);
    CHECK_FALSE(c.tcp);
    CHECK(c.operations.empty());
}

TEST_CASE("IPv6 addresses keep their scope") {
    const auto c = xiw::nl::decode_connection(Attributes(test::connection_reply(true)));

    CHECK(c.local->host == "fe80::1%3");
    CHECK(c.local->v6);
    CHECK(c.remote->host == "fe80::2");
    CHECK(c.remote->port == 4420);
}

TEST_CASE("an address of another family is empty, and one of a wrong size is malformed") {
    sockaddr_in in{};
    const auto bytes = [&in](size_t size) {
        return std::as_bytes(std::span(reinterpret_cast<const char *>(&in), size));
    };
    in.sin_family = AF_UNIX;
    CHECK(xiw::nl::decode_address(bytes(sizeof(in))).host.empty());
    in.sin_family = AF_INET;
    CHECK_THROWS_AS(xiw::nl::decode_address(bytes(sizeof(in) - 1)), Malformed);
    CHECK_THROWS_AS(xiw::nl::decode_address(bytes(1)), Malformed);
    in.sin_family = AF_INET6;
    CHECK_THROWS_AS(xiw::nl::decode_address(bytes(sizeof(in))), Malformed);
}

TEST_CASE("MPA frames are decoded from any octets") {
    const xiw::MpaFrame first = xiw::mpa_frame(test::startup_frame("Req", {0x80, 1, 1, 0}));
    CHECK(first.revision == 1U);
    CHECK(first.markers == 1U);
    CHECK(first.enhanced == 0U);
    CHECK_FALSE(first.ird);
    CHECK(first.private_length == 256U);

    // 0x3fff: the ULPs negotiate IRD and ORD.
    const xiw::MpaFrame none =
        xiw::mpa_frame(test::startup_frame("Rep", {0x30, 2, 0, 4, 0x3f, 0xff, 0x3f, 0xff}));
    CHECK(none.reject == 1U);
    CHECK(none.ird == 0x3fffU);
    CHECK(none.ord == 0x3fffU);
    CHECK(none.private_length == 0U);

    CHECK(xiw::mpa_frame(test::startup_frame("Rep", {0, 9, 0, 0})).private_length == 0U);
    CHECK(xiw::mpa_frame(test::startup_frame("Ref", {0, 1, 0, 0})).revision == 0U);
    CHECK(xiw::mpa_frame(std::vector<uint8_t>()).revision == 0U);
}

TEST_CASE("counters are decoded as 64-bit numbers") {
    const Attrs reply =
        Attrs()
            .u32(XIW_A_COUNTER_DEV_INDEX, 1)
            .nest(XIW_A_COUNTER_ENTRY, Attrs()
                                           .text(XIW_A_COUNTER_ENTRY_NAME, "new")
                                           .u64(XIW_A_COUNTER_ENTRY_VALUE, UINT64_MAX));
    const auto set = xiw::nl::decode_counters(Attributes(reply));

    REQUIRE(set.counters.size() == 1);
    CHECK(set.value("new") == UINT64_MAX);
    CHECK_FALSE(set.value("tx_bytes"));
    CHECK(set.counters[0].meaning() == "new");
    CHECK_FALSE(set.counters[0].trouble());

    const auto full = xiw::nl::decode_counters(Attributes(test::counter_reply()));
    REQUIRE(full.operations.size() == 2);
    CHECK(full.operations[0].tx == 12);
    CHECK(full.operations[0].rx == 10);
    CHECK(full.value("tx_pkts") == 1234567U);
    REQUIRE(full.counters.size() == 4);
    CHECK_FALSE(full.counters[0].trouble());
    CHECK(full.counters[3].trouble());
    CHECK(full.counters[3].meaning() == "bad CRC");
}

TEST_CASE("every setting of a configuration is decoded") {
    const auto set = xiw::nl::decode_config(Attributes(test::config_reply()));
    CHECK(set.settings.size() == XIW_A_CONFIG_MAX - 2);
}

TEST_CASE("attributes that a newer kernel adds are skipped") {
    const Attrs reply = test::device_reply()
                            .text(900, "what is this")
                            .nest(901, Attrs().u64(1, 1))
                            .raw(902, "odd", 3);
    CHECK(xiw::nl::decode_device(Attributes(reply)).ref.name == "xiw0");
}

TEST_CASE("a field that a newer kernel widens is still read") {
    const Attrs reply = Attrs().u64(XIW_A_CONNECTION_DEV_INDEX, 1).u32(XIW_A_CONNECTION_CRC, 1);
    CHECK(xiw::nl::decode_connection(Attributes(reply)).crc == 1U);
}

TEST_CASE("an object without its identity is malformed") {
    const Attributes nothing{xiw::nl::Bytes()};

    CHECK_THROWS_AS(xiw::nl::decode_device(nothing), Malformed);
    CHECK_THROWS_AS(xiw::nl::decode_capabilities(nothing), Malformed);
    CHECK_THROWS_AS(xiw::nl::decode_connection(nothing), Malformed);
    CHECK_THROWS_AS(xiw::nl::decode_counters(nothing), Malformed);
    CHECK_THROWS_AS(xiw::nl::decode_config(nothing), Malformed);

    const Attrs no_name = Attrs()
                              .u32(XIW_A_COUNTER_DEV_INDEX, 1)
                              .nest(XIW_A_COUNTER_ENTRY, Attrs().u64(XIW_A_COUNTER_ENTRY_VALUE, 1));
    CHECK_THROWS_AS(xiw::nl::decode_counters(Attributes(no_name)), Malformed);
}

TEST_CASE("a truncated nest is malformed") {
    Attrs inner = Attrs().u64(XIW_A_COUNTER_ENTRY_VALUE, 0);
    const Attrs reply =
        Attrs()
            .u32(XIW_A_COUNTER_DEV_INDEX, 1)
            .raw(XIW_A_COUNTER_ENTRY, inner.octets().data(), inner.octets().size() - 3);
    CHECK_THROWS_AS(xiw::nl::decode_counters(Attributes(reply)), Malformed);
}

TEST_CASE("messages truncated at any octet do no harm") {
    for (const Octets &sample : all_samples())
        for (size_t size = 0; size < sample.size(); size++) {
            // Copy the message into a block of its size, so that the sanitizer detects a read
            // beyond the end.
            const auto block = std::make_unique<std::byte[]>(size);
            std::memcpy(block.get(), sample.data(), size);
            decode_by_all({block.get(), size});
        }
    SUCCEED();
}

TEST_CASE("messages with any octet changed do no harm") {
    for (const Octets &sample : all_samples())
        for (size_t at = 0; at < sample.size(); at++)
            for (const int value : {0x00, 0x01, 0x03, 0x7f, 0x80, 0xff}) {
                Octets changed = sample;
                changed[at] = static_cast<std::byte>(value);
                decode_by_all(changed);
            }
    SUCCEED();
}
