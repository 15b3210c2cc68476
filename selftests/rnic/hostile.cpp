// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A driver that writes arbitrary data into its rings harms only itself. This file also tests the
// device misbehaviour that `xiw-rnic --fault` orders.
#include "captured.hpp"
#include "driver.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <random>

using namespace xiw::test;
namespace rnic = xiw::rnic;

namespace {

rnic::Function::Settings with(const char *fault) {
    rnic::Function::Settings settings;

    settings.faults.add(fault);
    return settings;
}

// Return true if the RNIC still answers, or if it becomes idle after a reset.
bool alive(Driver &d) {
    if (d.machine.state() == XIW_PCI_READY && d.command(XIW_ADM_NOP, 0) == XIW_OK)
        return true;
    d.machine.write(XIW_REG_CONTROL, XIW_CTL_RESET);
    return d.machine.wait_state(XIW_PCI_IDLE);
}

} // namespace

TEST_CASE("rnic: invalid descriptors stop their stream") {
    const auto make = [](auto change) {
        std::vector<u8> desc = inline_send("x");
        change(*reinterpret_cast<xiw_tx_desc *>(desc.data()));
        return desc;
    };
    const std::vector<u8> rows[] = {
        make([](xiw_tx_desc &d) { d.units = 0; }),
        make([](xiw_tx_desc &d) { d.units = 200; }),
        make([](xiw_tx_desc &d) { d.units = 2; }), // more units than were posted
        make([](xiw_tx_desc &d) { d.op = 77; }),
        make([](xiw_tx_desc &d) { d.op = XIW_TX_ATOMIC; }), // the operation needs several units
        make([](xiw_tx_desc &d) { d.flags |= XIW_TXF_SOLICIT_QUEUE3; }),
        make([](xiw_tx_desc &d) {
            d.flags |= XIW_TXF_SOLICIT_QUEUE3 | XIW_TXF_SOLICIT_TAGGED;
            d.length = 0;
        }),
        make([](xiw_tx_desc &d) { d.op = XIW_TX_STAG_SET; }),
        make([](xiw_tx_desc &d) { d.header_length = 200; }),
        make([](xiw_tx_desc &d) { d.header_length = 40; }),
        make([](xiw_tx_desc &d) { d.queue = 4; }),
        make([](xiw_tx_desc &d) { d.length = 33; }),
        make([](xiw_tx_desc &d) { d.length = 0xffffffff; }),
        make([](xiw_tx_desc &d) {
            d.flags = 0;
            d.sges = 3;
        }),
        make([](xiw_tx_desc &d) {
            d.flags = 0;
            d.sges = 0;
            d.length = 5;
        }),
    };

    for (const auto &row : rows) {
        Pair p;
        p.a.post(p.s, XIW_TXQ_REQUEST, row);
        const xiw_event error = p.a.wait(XIW_EV_TX_ERROR);
        CHECK((error.status == XIW_ERR_INVALID || error.status == XIW_ERR_LENGTH));
        CHECK(error.tx.index == 0);
        // The RNIC executes no descriptor after the error.
        p.a.post(p.s, XIW_TXQ_RESPONSE, inline_send("x"));
        CHECK(p.a.command(XIW_ADM_NOP, 0) == XIW_OK);
        CHECK_FALSE(p.a.has(XIW_EV_TX_DONE));
    }
}

TEST_CASE("rnic: a request that exceeds the solicited FIFO is invalid") {
    Pair p;
    const u64 sink = p.a.machine.alloc(64);
    const u32 key = p.a.region(sink, 64, XIW_ACCESS_LOCAL_WRITE);

    for (u32 i = 0; i < 10; i++)
        p.a.post(p.s, XIW_TXQ_REQUEST, read_request(key, sink, 8, 1, 1, i));
    CHECK(p.a.wait(XIW_EV_TX_ERROR).status == XIW_ERR_INVALID);
}

TEST_CASE("rnic: runaway indexes stop at most their stream") {
    Pair p;
    auto *context = p.b.machine.at<xiw_stream_ctx>(p.t.context);

    p.hello();
    context->rx_tail = 0x80000000;
    p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("x"));
    context->tx_tail[0] = 0x12345678;
    p.b.doorbell(XIW_DB_TX_REQUEST, 1, 0);
    CHECK(p.b.wait(XIW_EV_TX_ERROR).status == XIW_ERR_INVALID);
    CHECK(p.b.command(XIW_ADM_NOP, 0) == XIW_OK);
}

TEST_CASE("rnic: a ring that vanishes under a stream fails the RNIC, but not the model") {
    Pair p;
    xiw_admin_cmd ring{}, create{};

    ring.op = XIW_ADM_EVENT_CREATE;
    ring.index = 1;
    ring.ring.ring = 0x7fff00000000; // there is no memory at this address
    ring.ring.log2_entries = 4;
    CHECK(p.a.command(XIW_ADM_EVENT_DESTROY, 1) == XIW_OK);
    CHECK(p.a.command(ring) == XIW_OK);
    create.op = XIW_ADM_STREAM_CREATE;
    create.index = 2;
    create.stream.vector = 1;
    create.stream.ctx = 64;
    create.stream.tx[0] = 64;
    create.stream.tx[1] = 64;
    create.stream.shared_rx = XIW_RX_NONE;
    create.stream.log2_units = 5;
    CHECK(p.a.command(create) == XIW_OK);
    p.a.doorbell(XIW_DB_STREAM, 2, XIW_ORDER_ABORT);
    CHECK(p.a.machine.wait_state(XIW_PCI_FAILED));
    CHECK(p.b.wait_state(p.t, XIW_ST_LOST));
    CHECK(alive(p.a));
}

TEST_CASE("rnic: a reset works after random commands, descriptors and doorbells") {
    std::minstd_rand random(7306);
    u32 survived = 0;
    const auto some = [&](u32 most) { return static_cast<u32>(random() % most); };

    for (int round = 0; round < 20; round++) {
        Pair p;
        const u64 memory = p.a.machine.alloc(8192);
        for (int i = 0; i < 60; i++) {
            if (p.a.machine.state() != XIW_PCI_READY)
                break;
            xiw_admin_cmd command{};
            auto *octets_of = reinterpret_cast<u8 *>(&command);
            for (size_t j = 0; j < sizeof(command); j++)
                octets_of[j] = some(4) == 0 ? static_cast<u8>(random()) : 0;
            command.op = static_cast<u8>(some(22));
            command.index = some(5);
            command.other = some(5);
            command.addr = memory + some(4096);
            std::vector<u8> desc = inline_send(std::string(1 + some(60), 'x'));
            for (u32 j = some(8); j > 0; j--)
                desc[some(static_cast<u32>(desc.size()))] = static_cast<u8>(random());
            auto *context = p.a.machine.at<xiw_stream_ctx>(p.s.context);
            std::memcpy(p.a.machine.at(p.s.tx[i & 1]) +
                            u64{context->tx_tail[i & 1] % 32} * XIW_TX_UNIT,
                        desc.data(), std::min<size_t>(desc.size(), 64));
            context->tx_tail[i & 1]++;
            p.a.doorbell(XIW_DB_TX_REQUEST, 1, 0);
            // Omit doorbells that immediately fail the RNIC. registers.cpp tests them.
            const auto kind = static_cast<xiw_doorbell>(XIW_DB_TX_REQUEST + some(6));
            p.a.doorbell(kind, some(4), 1 + some(4));
            p.a.consume(0);
            // Omit commands that destroy or create an event ring: the answer to such a command may
            // be lost with the ring.
            if (command.op == XIW_ADM_EVENT_DESTROY || command.op == XIW_ADM_EVENT_CREATE)
                continue;
            p.a.submit(command);
        }
        survived += p.a.machine.state() == XIW_PCI_READY ? 1 : 0;
        CHECK(eventually([&] {
            p.a.consume(0);
            return p.a.machine.state() != XIW_PCI_RESETTING;
        }));
        p.a.machine.write(XIW_REG_CONTROL, XIW_CTL_RESET);
        CHECK(p.a.machine.wait_state(XIW_PCI_IDLE));
        CHECK(p.b.command(XIW_ADM_NOP, 0) == XIW_OK);
    }
    INFO(survived);
    CHECK(survived > 0);
}

TEST_CASE("faults: each fault has its documented effect") {
    CHECK_THROWS(with("no-such-thing"));
    CHECK_THROWS(with("phase@0"));
    CHECK_THROWS(with("phase@x"));
    CHECK_THROWS(with("delay=@1"));
    SECTION("a command fails") {
        Driver d("127.0.0.1", with("completion@6"));
        CHECK(d.command(XIW_ADM_NOP, 0) == XIW_ERR_INVALID);
        CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
    }
    SECTION("a command fails with a status of choice") {
        Driver d("127.0.0.1", with("completion=255@6"));
        CHECK(d.command(XIW_ADM_NOP, 0) == 255);
        CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
    }
    SECTION("a stuck RNIC recovers only by a function level reset") {
        Driver d("127.0.0.1", with("stop@40"));
        for (int i = 0; i < 60; i++)
            d.doorbell(XIW_DB_RX, static_cast<u32>(i), 0);
        // The heartbeat of another function serves as the clock.
        Driver other("127.0.0.2");
        const auto stands = [&] {
            const u64 before = d.machine.read(XIW_REG_HEARTBEAT);
            const u64 start = other.machine.read(XIW_REG_HEARTBEAT);
            eventually([&] { return other.machine.read(XIW_REG_HEARTBEAT) > start + 3; });
            d.doorbell(XIW_DB_RX, 1, 0);
            return d.machine.read(XIW_REG_HEARTBEAT) == before;
        };
        CHECK(eventually(stands));
        d.machine.write(XIW_REG_CONTROL, XIW_CTL_RESET);
        CHECK(stands());
        CHECK(d.machine.state() == XIW_PCI_RESETTING);
        d.machine.function_level_reset();
        CHECK(d.machine.wait_state(XIW_PCI_IDLE));
        d.machine.bus_master(true);
        d.bring_up();
    }
    SECTION("the link goes down until a reset") {
        Driver d("127.0.0.1", with("link@12"));
        for (u32 i = 0; i < 30; i++)
            d.command(XIW_ADM_NOP, 0);
        CHECK(d.wait(XIW_EV_DEVICE).status == XIW_DEV_LINK_DOWN);
        CHECK(d.machine.read(XIW_REG_LINK) == 0);
        d.machine.write(XIW_REG_CONTROL, XIW_CTL_RESET);
        CHECK(d.machine.wait_state(XIW_PCI_IDLE));
        CHECK(eventually([&] { return d.machine.read(XIW_REG_LINK) == 1; }));
    }
    SECTION("the MTU changes until a reset") {
        Driver d("127.0.0.1", with("mtu=1400@12"));
        const u64 before = d.machine.read(XIW_REG_MTU);
        for (u32 i = 0; i < 30; i++)
            d.command(XIW_ADM_NOP, 0);
        CHECK(d.wait(XIW_EV_DEVICE).status == XIW_DEV_LINK_UP);
        CHECK(d.machine.read(XIW_REG_MTU) == 1400);
        d.machine.write(XIW_REG_CONTROL, XIW_CTL_RESET);
        CHECK(d.machine.wait_state(XIW_PCI_IDLE));
        CHECK(d.machine.read(XIW_REG_MTU) == before);
    }
    SECTION("admin commands are no longer answered, but the heartbeat continues") {
        Driver d("127.0.0.1", with("mute@7"));
        xiw_admin_cmd nop{};
        CHECK(d.command(nop) == XIW_OK);
        d.submit(nop);
        d.submit(nop);
        const u64 before = d.machine.read(XIW_REG_HEARTBEAT);
        CHECK(eventually([&] { return d.machine.read(XIW_REG_HEARTBEAT) > before + 3; }));
        CHECK_FALSE(d.has(XIW_EV_ADMIN));
        d.machine.write(XIW_REG_CONTROL, XIW_CTL_RESET);
        CHECK(d.machine.wait_state(XIW_PCI_IDLE));
        d.bring_up();
    }
    SECTION("the heartbeat stops, but commands are answered") {
        Driver d("127.0.0.1", with("heart@12"));
        for (u32 i = 0; i < 30; i++)
            d.command(XIW_ADM_NOP, 0);
        Driver other("127.0.0.2");
        const u64 before = d.machine.read(XIW_REG_HEARTBEAT);
        const u64 start = other.machine.read(XIW_REG_HEARTBEAT);
        CHECK(eventually([&] { return other.machine.read(XIW_REG_HEARTBEAT) > start + 3; }));
        CHECK(d.machine.read(XIW_REG_HEARTBEAT) == before);
        CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
        d.machine.write(XIW_REG_CONTROL, XIW_CTL_RESET);
        CHECK(d.machine.wait_state(XIW_PCI_IDLE));
        CHECK(eventually([&] { return d.machine.read(XIW_REG_HEARTBEAT) > before; }));
    }
    SECTION("a destroyed stream raises events") {
        Driver d("127.0.0.1", with("ghost"));
        d.stream(3, XIW_RX_NONE, 1);
        CHECK(d.command(XIW_ADM_STREAM_DESTROY, 3) == XIW_OK);
        for (u8 type = XIW_EV_TX_DONE; type <= XIW_EV_STATE; type++)
            CHECK(d.wait(type, 1).stream == 3);
        CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
    }
    SECTION("an outcome of a connection is not reported") {
        Driver d("127.0.0.1", with("outcome"));
        // Without a listener, the peer refuses both connections. The device misbehaviour
        // suppresses the first event, so the driver gets only the event of the second connection.
        for (u32 slot = 10; slot <= 11; slot++) {
            d.stream(slot);
            xiw_conn_buf &buf = d.buffer(slot);
            buf.local = d.address(0);
            buf.remote = d.address(9);
            buf.params = d.params();
            CHECK(d.command(XIW_ADM_CONNECT, slot, slot, d.conn_buffer(slot)) == XIW_OK);
        }
        const xiw_event event = d.wait(XIW_EV_CONN);
        CHECK(event.status == XIW_ERR_REFUSED);
        CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
        CHECK_FALSE(d.has(XIW_EV_CONN));
    }
    SECTION("an event is garbage") {
        Driver d("127.0.0.1", with("garbage@7"));
        xiw_admin_cmd nop{};
        d.submit(nop);
        d.submit(nop);
        CHECK(d.wait(0xa5).stream == 0xa5a5a5a5);
    }
}

TEST_CASE("faults: events arrive in bursts and in order") {
    Pair p(XIW_CONNF_CRC, 20000, event_log2, with("burst=8@20"));
    const u64 buffer = p.a.machine.alloc(64);
    u32 waited = 0;

    p.hello();
    for (u32 i = 0; i < 8; i++)
        p.a.receive(p.s, buffer, 64, i);
    p.a.machine.interrupts(0);
    for (u32 i = 0; i < 8; i++)
        p.b.post(p.t, XIW_TXQ_REQUEST, inline_send("x"));
    for (u32 i = 0; i < 8; i++) {
        CHECK(p.a.wait(XIW_EV_MESSAGE).message.cookie == i);
        // "burst" makes the RNIC hold events back and then write them together. So the driver need
        // not wait for each event.
        waited += p.a.has(XIW_EV_MESSAGE) ? 0 : 1;
    }
    CHECK(waited < 8);
    // The RNIC writes an event even if no other event follows it.
    p.a.receive(p.s, buffer, 64, 99);
    p.b.post(p.t, XIW_TXQ_REQUEST, inline_send("x"));
    CHECK(p.a.wait(XIW_EV_MESSAGE).message.cookie == 99);
    // No event of a stream follows the answer to its destruction.
    p.a.order(p.s, XIW_ORDER_ABORT);
    CHECK(p.a.command(XIW_ADM_STREAM_DESTROY, p.s.index) == XIW_OK);
    while (p.a.has(XIW_EV_STATE))
        p.a.wait(XIW_EV_STATE);
    CHECK(p.a.command(XIW_ADM_NOP, 0) == XIW_OK);
    CHECK_FALSE(p.a.has(XIW_EV_STATE));
}

TEST_CASE("faults: fuzz mangles what the driver reads, identically for the same seed") {
    const auto made = [](uint32_t seed) {
        rnic::Faults faults;
        std::array<uint8_t, 64> octets{};
        faults.add("fuzz=2");
        faults.seed(seed);
        unsigned times = 0;
        for (int i = 0; i < 1000; i++)
            times += faults.mangle(octets) != rnic::Faults::Mangled::no ? 1 : 0;
        return std::pair(times, octets);
    };
    CHECK_THROWS(with("fuzz"));
    CHECK(made(1) == made(1));
    CHECK(made(1).second != made(2).second);
    CHECK(made(3).first > 400);
    CHECK(made(3).first < 600);
    rnic::Faults none;
    std::array<uint8_t, 4> octets{};
    CHECK(none.mangle(octets) == rnic::Faults::Mangled::no);
}

TEST_CASE("rnic: a capture contains the traffic of both directions") {
    const std::string all = captured([](const rnic::Function::Settings &settings) {
        Pair p(XIW_CONNF_CRC, 20000, event_log2, settings);
        p.hello();
    });
    CHECK(all.find("MPA ID Req Frame") != std::string::npos);
    CHECK(all.find("MPA ID Rep Frame") != std::string::npos);
    CHECK(all.find("hello") != std::string::npos);
    // The length of each pcap record equals the length in the IP header of its packet.
    size_t at = 24, records = 0, wrong = 0;
    while (at + 16 < all.size()) {
        u32 length = 0;
        std::memcpy(&length, all.data() + at + 8, sizeof(length));
        const auto total =
            static_cast<u32>(static_cast<u8>(all[at + 18]) << 8 | static_cast<u8>(all[at + 19]));
        wrong += total != length;
        at += 16 + length;
        records++;
    }
    CHECK(at == all.size());
    CHECK(wrong == 0);
    CHECK(records >= 6);
}
