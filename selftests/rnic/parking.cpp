// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Streams that wait for a receive or for room in the event ring.
#include "driver.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <thread>

using namespace xiw::test;

namespace {

u32 word(const Driver &d, const Stream &s, size_t offset) {
    return d.machine.word<u32>(s.context + offset);
}

// Submit `count` NOPs without reading the answers. 16 commands fill the admin ring. After each 16
// commands, wait until the RNIC has consumed them. Return the tag of the last command.
u32 submit_nops(Driver &d, u32 count) {
    xiw_admin_cmd nop{};
    u32 tag = 0;
    d.consume(0);
    for (u32 i = 0; i < count; i++) {
        const u64 start = d.machine.read(XIW_REG_HEARTBEAT);
        tag = d.submit(nop);
        if (i % 16 == 15)
            eventually([&] { return d.machine.read(XIW_REG_HEARTBEAT) > start + 1; });
    }
    return tag;
}

// Shared receive ring 2 of the responder of a Pair. The constructor replaces both streams of the
// Pair. The responder's new stream uses the ring.
class SharedRing {
  public:
    SharedRing(Pair &pair, u32 domain)
        : b_(pair.b), ring_(b_.machine.alloc(u64{1} << (4 + rx_slot_log2))),
          context_(b_.machine.alloc(sizeof(xiw_shared_rx_ctx))) {
        xiw_admin_cmd create{};

        pair.hello();
        CHECK(pair.a.command(XIW_ADM_STREAM_DESTROY, 1) == XIW_OK);
        CHECK(b_.command(XIW_ADM_STREAM_DESTROY, 1) == XIW_OK);
        CHECK(b_.command(XIW_ADM_CONN_FREE, 5) == XIW_OK);
        CHECK(b_.command(XIW_ADM_UNLISTEN, 3) == XIW_OK);
        CHECK(pair.a.command(XIW_ADM_CONN_FREE, 9) == XIW_OK);
        create.op = XIW_ADM_SHARED_RX_CREATE;
        create.index = 2;
        create.ring.ring = ring_;
        create.ring.ctx = context_;
        create.ring.log2_entries = 4;
        create.ring.log2_slot = rx_slot_log2;
        create.ring.pd = domain;
        CHECK(b_.command(create) == XIW_OK);
        pair.s = pair.a.stream(1);
        pair.t = b_.stream(1, 2);
        pair.listen();
        pair.connect();
    }

    void post(u32 cookie, const xiw_sge &memory) {
        const u64 slot = ring_ + (u64{tail_ % 16} << rx_slot_log2);
        auto *desc = b_.machine.at<xiw_rx_desc>(slot);
        *desc = {};
        desc->cookie = cookie;
        desc->sges = 1;
        desc->length = memory.length;
        *b_.machine.at<xiw_sge>(slot + sizeof(*desc)) = memory;
        b_.machine.word<u32>(context_) = ++tail_;
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (b_.machine.word<u32>(context_ + offsetof(xiw_shared_rx_ctx, rx_starved)) != 0)
            b_.doorbell(XIW_DB_SHARED_RX, 2, 0);
    }

  private:
    Driver &b_;
    u64 ring_, context_;
    u32 tail_ = 0;
};

} // namespace

TEST_CASE("rnic: a stream without a receive parks, and the next receive wakes it") {
    Pair p;
    const u64 buffer = p.b.machine.alloc(64);

    p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("wait for me"));
    CHECK(eventually([&] { return word(p.b, p.t, offsetof(xiw_stream_ctx, rx_waiting)) != 0; }));
    CHECK(word(p.b, p.t, offsetof(xiw_stream_ctx, rx_starved)) == 1);
    CHECK(word(p.b, p.t, offsetof(xiw_stream_ctx, parked)) == 1);
    CHECK_FALSE(p.b.has(XIW_EV_MESSAGE));
    p.b.receive(p.t, buffer, 64, 4);
    CHECK(p.b.wait(XIW_EV_MESSAGE).message.cookie == 4);
    CHECK(word(p.b, p.t, offsetof(xiw_stream_ctx, rx_waiting)) == 0);
    CHECK(word(p.b, p.t, offsetof(xiw_stream_ctx, rx_head)) == 1);
    CHECK(word(p.b, p.t, offsetof(xiw_stream_ctx, rx_starved)) == 0);
}

TEST_CASE("rnic: a message waits for its receive after both ends have closed TCP") {
    Pair p;
    const u64 buffer = p.b.machine.alloc(64);

    p.hello();
    p.b.order(p.t, XIW_ORDER_CLOSE);
    CHECK(p.a.wait_state(p.s, XIW_ST_PEER_CLOSED));
    p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("the last one"));
    p.a.order(p.s, XIW_ORDER_CLOSE);
    CHECK(p.a.wait_state(p.s, XIW_ST_STOPPED));
    CHECK(eventually([&] { return word(p.b, p.t, offsetof(xiw_stream_ctx, rx_waiting)) != 0; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK((p.b.state(p.t) & XIW_ST_STOPPED) == 0);
    p.b.receive(p.t, buffer, 64, 4);
    CHECK(p.b.wait(XIW_EV_MESSAGE).message.cookie == 4);
    CHECK(p.b.wait_state(p.t, XIW_ST_STOPPED | XIW_ST_PEER_CLOSED));
    CHECK((p.b.state(p.t) & XIW_ST_LOST) == 0);
}

TEST_CASE("rnic: a stream that waits too long for a receive, or may not wait, has an error") {
    for (const u32 park_ms : {0U, 50U}) {
        CAPTURE(park_ms);
        Pair p(XIW_CONNF_CRC, park_ms);
        p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("nobody home"));
        const xiw_event error = p.b.wait(XIW_EV_ERROR);
        CHECK(error.error.layer == 1);
        CHECK(error.error.etype == 2);
        CHECK(error.error.code == 2);
        CHECK(error.error.header_length == XIW_DDP_UNTAGGED_LEN);
        CHECK(word(p.b, p.t, offsetof(xiw_stream_ctx, parked)) == (park_ms != 0 ? 1 : 0));
    }
}

TEST_CASE("rnic: a full event ring stalls its streams and loses nothing") {
    Pair p(XIW_CONNF_CRC, 20000, 4);
    const u64 buffers = p.b.machine.alloc(1024);
    u32 wrong = 0;

    // Post 16 receives, as many as the event ring has entries. Other events also need entries, so
    // the events of 16 messages do not all fit into the event ring.
    for (u32 i = 0; i < 16; i++)
        p.b.receive(p.t, buffers + u64{i} * 64, 64, i);
    p.b.consume(0);
    p.b.consuming = false;
    for (u32 i = 0; i < 60; i++) {
        p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("number " + std::to_string(i)));
        p.a.consume(0);
    }
    const auto stalls = [&] {
        // The driver has consumed the events of the connection setup. So most of the 16 entries are
        // free for messages.
        return word(p.b, p.t, offsetof(xiw_stream_ctx, rx_head)) >= 12;
    };
    CHECK(eventually(stalls));
    p.b.consuming = true;
    for (u32 i = 0; i < 60; i++) {
        const xiw_event event = p.b.wait(XIW_EV_MESSAGE);
        wrong += event.message.cookie != i || event.message.msn != i + 1;
        p.b.receive(p.t, buffers + u64{i % 16} * 64, 64, i + 16);
    }
    CHECK(wrong == 0);
    CHECK(p.b.command(XIW_ADM_NOP, 0) == XIW_OK);
}

TEST_CASE("rnic: commands also wait for room in the event ring, and are answered in order") {
    Driver d("127.0.0.1", {}, 4);
    u32 wrong = 0;

    // The admin ring and the event ring have 16 entries each. The answers to 16 commands fill the
    // event ring, so the answers to 8 more commands wait.
    const u32 tag = submit_nops(d, 24);
    for (u32 i = 24; i > 0; i--)
        wrong += d.wait(XIW_EV_ADMIN).admin.tag != tag - i + 1;
    CHECK(wrong == 0);
    CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
}

TEST_CASE("rnic: no more commands are open than the admin ring has entries") {
    Driver d("127.0.0.1", {}, 4);
    Driver other("127.0.0.2");
    xiw_admin_cmd set{};

    // The answers to 16 commands fill the event ring. The answers to 16 more commands wait. The
    // admin ring has 16 entries, so the RNIC executes no other command while 16 answers wait.
    submit_nops(d, 32);
    set.op = XIW_ADM_STAG_SET;
    set.index = 9 << 8;
    set.entry.state = XIW_STAG_INVALID;
    const u32 last = d.submit(set);
    const u64 start = other.machine.read(XIW_REG_HEARTBEAT);
    CHECK(eventually([&] { return other.machine.read(XIW_REG_HEARTBEAT) > start + 2; }));
    CHECK(d.entry(9).state == XIW_STAG_FREE);
    while (d.wait(XIW_EV_ADMIN).admin.tag != last) {
    }
    CHECK(d.entry(9).state == XIW_STAG_INVALID);
}

TEST_CASE("rnic: a stream takes receives from a shared ring in order, or waits for one") {
    Pair p;
    SharedRing shared(p, pd);
    Driver &b = p.b;

    p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("one"));
    CHECK(eventually([&] { return word(b, p.t, offsetof(xiw_stream_ctx, rx_waiting)) != 0; }));
    shared.post(31, sge(b.machine.alloc(64), 64));
    CHECK(b.wait(XIW_EV_MESSAGE).message.cookie == 31);
    shared.post(32, sge(b.machine.alloc(64), 64));
    p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("two"));
    CHECK(b.wait(XIW_EV_MESSAGE).message.cookie == 32);
    p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("three"));
    CHECK(eventually([&] { return word(b, p.t, offsetof(xiw_stream_ctx, rx_waiting)) != 0; }));
    // Destroy the shared ring before the stream. The RNIC executes both commands.
    CHECK(b.command(XIW_ADM_SHARED_RX_DESTROY, 2) == XIW_OK);
    CHECK(b.command(XIW_ADM_STREAM_DESTROY, 1) == XIW_OK);
}

TEST_CASE("rnic: the memory of a receive in a shared ring belongs to the PD of the ring") {
    Pair p;
    SharedRing shared(p, pd + 1);
    Driver &b = p.b;
    const u64 memory = b.machine.alloc(64);
    const u32 of_ring = b.region(memory, 64, XIW_ACCESS_LOCAL_WRITE, pd + 1);
    const u32 of_stream = b.region(memory, 64, XIW_ACCESS_LOCAL_WRITE);

    shared.post(31, sge(memory, 64, of_ring));
    shared.post(32, sge(memory, 64, of_stream));
    p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("one"));
    CHECK(b.wait(XIW_EV_MESSAGE).message.cookie == 31);
    p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("two"));
    const xiw_event error = b.wait(XIW_EV_ERROR);
    CHECK((error.error.layer << 4 | error.error.etype) == 0);
    CHECK(error.error.code == 0);
    CHECK(error.error.header_length == XIW_DDP_UNTAGGED_LEN);
    CHECK(std::memcmp(b.machine.at(memory), "one", 3) == 0);
    b.order(p.t, XIW_ORDER_ABORT);
    CHECK(b.wait_state(p.t, XIW_ST_STOPPED));
    CHECK(b.rx_taken(p.t) == 32);
}
