// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Messages between two functions over TCP.
#include "driver.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw::test;

namespace {

constexpr u8 all_rights = XIW_ACCESS_LOCAL_READ | XIW_ACCESS_LOCAL_WRITE | XIW_ACCESS_REMOTE_READ |
                          XIW_ACCESS_REMOTE_WRITE | XIW_ACCESS_REMOTE_ATOMIC | XIW_ACCESS_BIND;

void fill(Driver &d, u64 bus, u32 length, u32 seed) {
    for (u32 i = 0; i < length; i++)
        *d.machine.at(bus + i) = static_cast<u8>((i * 31 + seed) >> (i % 3));
}

bool same(Driver &a, u64 from, Driver &b, u64 to, u32 length) {
    return std::memcmp(a.machine.at(from), b.machine.at(to), length) == 0;
}

} // namespace

TEST_CASE("rnic: a Send arrives in the posted receive") {
    Pair p;
    const u64 buffer = p.b.machine.alloc(4096);

    p.b.receive(p.t, buffer, 4096, 77);
    p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("to whom it may concern"));
    const xiw_event event = p.b.wait(XIW_EV_MESSAGE);
    CHECK(event.stream == 1);
    CHECK(event.message.cookie == 77);
    CHECK(event.message.length == 22);
    CHECK(event.message.msn == 1);
    CHECK(event.message.queue == XIW_QN_SEND);
    CHECK(std::memcmp(p.b.machine.at(buffer), "to whom it may concern", 22) == 0);
    const xiw_event done = p.a.wait(XIW_EV_TX_DONE);
    CHECK(done.queue == XIW_TXQ_REQUEST);
    CHECK(done.tx.index == 1);
    CHECK(p.b.wait_state(p.t, XIW_ST_OPEN | XIW_ST_FIRST_FPDU));
}

TEST_CASE("rnic: quiet descriptors raise no event and are reported with the next other one") {
    Pair p;
    std::vector<u8> quiet = inline_send("hush");
    const u64 buffer = p.b.machine.alloc(4096);

    quiet.at(offsetof(xiw_tx_desc, flags)) |= XIW_TXF_QUIET;
    for (u32 i = 0; i < 3; i++)
        p.b.receive(p.t, buffer, 4096, i);
    p.a.post(p.s, XIW_TXQ_REQUEST, quiet);
    p.a.post(p.s, XIW_TXQ_REQUEST, quiet);
    CHECK(p.b.wait(XIW_EV_MESSAGE).message.msn == 1);
    CHECK(p.b.wait(XIW_EV_MESSAGE).message.msn == 2);
    // tx_head advances, although no event reports these messages.
    CHECK(eventually([&] {
        return p.a.machine.word<u32>(p.s.context + offsetof(xiw_stream_ctx, tx_head)) == 2;
    }));
    CHECK_FALSE(p.a.has(XIW_EV_TX_DONE));
    p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("now"));
    CHECK(p.a.wait(XIW_EV_TX_DONE).tx.index == 3);
    CHECK_FALSE(p.a.has(XIW_EV_TX_DONE));
}

TEST_CASE("rnic: long messages are segmented and gathered with every framing") {
    for (const u32 flags : {0U, u32{XIW_CONNF_CRC}, u32{XIW_CONNF_CRC | XIW_CONNF_RX_MARKERS}}) {
        CAPTURE(flags);
        Pair p(flags | XIW_CONNF_ATOMICS);
        const u32 length = 300001;
        const u64 from = p.a.machine.alloc(length), to = p.b.machine.alloc(length);
        const u32 key = p.a.region(from, length, XIW_ACCESS_LOCAL_READ);

        fill(p.a, from, length, flags);
        p.b.receive(p.t, to, length, 5);
        p.a.post(
            p.s, XIW_TXQ_REQUEST,
            untagged(XIW_OP_SEND, XIW_QN_SEND,
                     {sge(from, 1, key), sge(from + 1, 100000), sge(from + 100001, 200000, key)}));
        CHECK(p.b.wait(XIW_EV_MESSAGE).message.length == length);
        CHECK(same(p.a, from, p.b, to, length));
    }
}

TEST_CASE("rnic: a Write fills scattered pages, and its Immediate reports the length") {
    Pair p;
    const u32 length = 3 * 4096;
    const u64 from = p.a.machine.alloc(length);
    std::vector<u64> pages;
    for (int i = 0; i < 4; i++)
        pages.insert(pages.begin(), p.b.machine.alloc(4096, 4096));
    const u32 key = p.b.paged(pages, 100, length, XIW_ACCESS_REMOTE_WRITE);
    const u64 buffer = p.b.machine.alloc(64);
    u32 wrong = 0;

    fill(p.a, from, length, 9);
    p.b.receive(p.t, buffer, 64, 3);
    p.a.post(p.s, XIW_TXQ_REQUEST,
             tagged(XIW_OP_WRITE, key, 0x7000000, {sge(from, length)}, XIW_TXF_CHAIN), false);
    p.a.post(p.s, XIW_TXQ_REQUEST, untagged(XIW_OP_IMM, XIW_QN_SEND, {sge(from, 8)}));
    const xiw_event event = p.b.wait(XIW_EV_MESSAGE);
    CHECK(event.message.write_length == length);
    CHECK(event.message.inline_length == 8);
    CHECK(std::memcmp(event.message.data, p.a.machine.at(from), 8) == 0);
    for (u32 i = 0; i < length; i++)
        wrong += *p.a.machine.at(from + i) !=
                 *p.b.machine.at(pages[(100 + i) / 4096] + (100 + i) % 4096);
    CHECK(wrong == 0);
}

TEST_CASE("rnic: the stream context counts the peer's Writes, which raise no event") {
    Pair p;
    const u32 length = 100001;
    const u64 from = p.a.machine.alloc(length), to = p.b.machine.alloc(length);
    const u32 key = p.b.region(to, length, XIW_ACCESS_REMOTE_WRITE);
    const u64 buffer = p.b.machine.alloc(64);
    const auto context = [&p] { return p.b.machine.at<xiw_stream_ctx>(p.t.context); };

    for (const u32 size : {0U, 1U, length})
        p.a.post(p.s, XIW_TXQ_REQUEST, tagged(XIW_OP_WRITE, key, to, {sge(from, size)}));
    // The RNIC writes two separate words, so wait for each of them.
    CHECK(eventually([&] { return context()->rx_write_octets == length + 1; }));
    CHECK(eventually([&] { return context()->rx_writes == 3; }));
    // A Send after the Writes changes neither word.
    p.b.receive(p.t, buffer, 64, 3);
    p.a.post(p.s, XIW_TXQ_REQUEST, inline_send("no Write"));
    CHECK(eventually([&] { return context()->rx_octets == length + 9; }));
    CHECK(context()->rx_writes == 3);
    CHECK(context()->rx_write_octets == length + 1);
}

TEST_CASE("rnic: the peer's driver answers a Read, and an unsolicited response is an error") {
    Pair p;
    const u32 length = 70000;
    const u64 source = p.b.machine.alloc(length), sink = p.a.machine.alloc(length);
    const u32 from = p.b.region(source, length, XIW_ACCESS_REMOTE_READ);
    const u32 to = p.a.region(sink, length, XIW_ACCESS_LOCAL_WRITE);
    xiw_read_req request{};

    fill(p.b, source, length, 4);
    p.a.post(p.s, XIW_TXQ_REQUEST, read_request(to, sink, length, from, source, 42));
    const xiw_event asked = p.b.wait(XIW_EV_MESSAGE);
    REQUIRE(asked.message.queue == XIW_QN_REQUEST);
    REQUIRE(asked.message.inline_length == XIW_READ_REQ_LEN);
    xiw_read_req_get(&request, asked.message.data);
    CHECK(request.size == length);
    p.b.post(p.t, XIW_TXQ_RESPONSE,
             tagged(XIW_OP_READ_RESPONSE, request.sink_stag, request.sink_to,
                    {sge(request.src_to, request.size, request.src_stag)}, XIW_TXF_REMOTE_READ));
    const xiw_event got = p.a.wait(XIW_EV_SOLICITED);
    CHECK(got.solicited.cookie == 42);
    CHECK(got.solicited.length == length);
    CHECK(same(p.b, source, p.a, sink, length));

    // Send a Read Response without a request.
    p.b.post(p.t, XIW_TXQ_RESPONSE, tagged(XIW_OP_READ_RESPONSE, to, sink, {sge(source, 16)}));
    CHECK(p.a.wait(XIW_EV_ERROR).error.layer <= 1);
}

namespace {

xiw_atomic_req fetch_add(u32 stag, u64 to, u64 data, u32 id) {
    xiw_atomic_req request{};

    request.aop = XIW_ATOMIC_FETCH_ADD;
    request.req_id = id;
    request.stag = stag;
    request.to = to;
    request.data = data;
    return request;
}

} // namespace

TEST_CASE("rnic: atomics act on the target's memory, and their results on the requester's",
          "[X-ATOM-043][X-ATOM-045][X-ATOM-046][X-ATOM-050][X-ATOM-052]") {
    Pair p;
    const u64 word = p.b.machine.alloc(8, 8), results = p.a.machine.alloc(24, 8);
    const u32 key = p.b.region(word, 8, XIW_ACCESS_REMOTE_ATOMIC);
    const u32 own = p.a.region(results, 24, XIW_ACCESS_LOCAL_WRITE);
    xiw_atomic_req swap = fetch_add(key, word, 7, 0x79);

    *p.b.machine.at<u64>(word) = 1000;
    swap.aop = XIW_ATOMIC_CMP_SWAP;
    swap.mask = ~0ULL;
    swap.compare = 1011;
    swap.compare_mask = ~0ULL;
    const xiw_atomic_req requests[] = {fetch_add(key, word, 5, 0x77), fetch_add(key, word, 6, 0x78),
                                       swap};
    u32 cookie = 0;
    for (const auto &request : requests) {
        // The sink of the last request is a bus address.
        p.a.post(p.s, XIW_TXQ_REQUEST,
                 atomic_request(request, cookie < 2 ? own : 0, results + u64{cookie} * 8, cookie));
        cookie++;
        REQUIRE(p.b.wait(XIW_EV_MESSAGE).message.inline_length == XIW_ATOMIC_REQ_LEN);
    }
    for (const auto &request : requests)
        p.b.post(p.t, XIW_TXQ_RESPONSE, atomic(request));
    const u64 before[] = {1000, 1005, 1011};
    for (u32 i = 0; i < 3; i++) {
        const xiw_event answer = p.a.wait(XIW_EV_MESSAGE);
        xiw_atomic_rsp response{};

        CHECK(answer.status == XIW_OK);
        CHECK(answer.message.queue == XIW_QN_RESPONSE);
        CHECK(answer.message.cookie == i);
        REQUIRE(answer.message.inline_length == XIW_ATOMIC_RSP_LEN);
        xiw_atomic_rsp_get(&response, answer.message.data);
        CHECK(response.req_id == 0x77 + i);
        CHECK(response.value == before[i]);
        CHECK(*p.a.machine.at<u64>(results + u64{i} * 8) == before[i]);
    }
    CHECK(*p.b.machine.at<u64>(word) == 7);
}

TEST_CASE("rnic: a refused atomic touches nothing, and nothing after it is executed") {
    enum Key { atomics, readable, unknown };
    const struct {
        u32 aop;
        Key key;
        u64 offset;
        u8 status;
    } rows[] = {
        {XIW_ATOMIC_FETCH_ADD, atomics, 4, XIW_ERR_INVALID}, // misaligned
        {1, atomics, 0, XIW_ERR_INVALID},                    // no operation has this code
        {XIW_ATOMIC_FETCH_ADD, atomics, 16, XIW_ERR_BOUNDS},
        {XIW_ATOMIC_FETCH_ADD, readable, 0, XIW_ERR_ACCESS},
        {XIW_ATOMIC_FETCH_ADD, unknown, 0, XIW_ERR_STAG},
    };

    for (const auto &row : rows) {
        Pair p;
        p.hello();
        const u64 words = p.b.machine.alloc(16, 8);
        const u32 key = p.b.region(words, 16, XIW_ACCESS_REMOTE_ATOMIC);
        const u32 keys[] = {key, p.b.region(words, 16, XIW_ACCESS_REMOTE_READ), key + 1};
        xiw_atomic_req request = fetch_add(keys[row.key], words + row.offset, 1, 1);

        request.aop = row.aop;
        p.b.post(p.t, XIW_TXQ_RESPONSE, atomic(request));
        const xiw_event error = p.b.wait(XIW_EV_TX_ERROR);
        CHECK(error.status == row.status);
        CHECK(error.queue == XIW_TXQ_RESPONSE);
        CHECK(error.tx.index == 0);
        p.b.post(p.t, XIW_TXQ_RESPONSE, atomic(fetch_add(key, words, 1, 2)));
        CHECK(p.b.command(XIW_ADM_NOP, 0) == XIW_OK);
        CHECK(*p.b.machine.at<u64>(words) == 0);
        CHECK(*p.b.machine.at<u64>(words + 8) == 0);
    }
}

TEST_CASE("rnic: an answer reports the error of a sink that cannot be written") {
    Pair p;
    const u64 word = p.b.machine.alloc(8, 8), result = p.a.machine.alloc(16, 8);
    const u32 key = p.b.region(word, 8, XIW_ACCESS_REMOTE_ATOMIC);
    const u32 own = p.a.region(result, 12, XIW_ACCESS_LOCAL_WRITE);
    const struct {
        u32 stag;
        u64 to;
        u8 status;
    } rows[] = {
        {p.a.region(result, 16, XIW_ACCESS_REMOTE_READ), result, XIW_ERR_ACCESS},
        {own + 1, result, XIW_ERR_STAG},
        {own, result + 8, XIW_ERR_BOUNDS},
        {0, 0x10, XIW_ERR_INVALID}, // there is no memory at this address
        {own, result + 4, XIW_OK},  // a sink need not be aligned
    };

    for (const auto &row : rows) {
        const xiw_atomic_req request = fetch_add(key, word, 1, 1);

        p.a.post(p.s, XIW_TXQ_REQUEST, atomic_request(request, row.stag, row.to, 3));
        p.b.wait(XIW_EV_MESSAGE);
        CHECK(*p.a.machine.at<u64>(result) == 0);
        p.b.post(p.t, XIW_TXQ_RESPONSE, atomic(request));
        const xiw_event answer = p.a.wait(XIW_EV_MESSAGE);
        CHECK(answer.status == row.status);
        CHECK(answer.message.cookie == 3);
    }
    CHECK(*p.b.machine.at<u64>(word) == 5);
    CHECK(*p.a.machine.at<u64>(result) == u64{4} << 32);
}

TEST_CASE("rnic: an answer too short for a value is not placed") {
    Pair p;
    const u64 word = p.b.machine.alloc(8, 8), result = p.a.machine.alloc(8, 8);
    const u32 own = p.a.region(result, 8, XIW_ACCESS_LOCAL_WRITE);
    const u64 table = p.a.machine.alloc(XIW_MATCH_ROWS * sizeof(xiw_match_row));

    // Load a match table that accepts Atomic Responses that are too short.
    xiw_opcode_match(p.a.machine.at<xiw_match_row>(table));
    p.a.machine.at<xiw_match_row>(table)[XIW_OP_ATOMIC_RESPONSE].length_min = 0;
    REQUIRE(p.a.command(XIW_ADM_MATCH_LOAD, 0, 0, table) == XIW_OK);
    p.a.post(p.s, XIW_TXQ_REQUEST, atomic_request(fetch_add(1, word, 1, 1), own, result, 3));
    p.b.wait(XIW_EV_MESSAGE);
    p.b.post(p.t, XIW_TXQ_RESPONSE,
             untagged(XIW_OP_ATOMIC_RESPONSE, XIW_QN_RESPONSE, {sge(word, 7)}));
    const xiw_event answer = p.a.wait(XIW_EV_MESSAGE);
    CHECK(answer.status == XIW_ERR_LENGTH);
    CHECK(answer.message.cookie == 3);
    CHECK(answer.message.length == 7);
    CHECK(*p.a.machine.at<u64>(result) == 0);
}

TEST_CASE("rnic: an opcode needs the connection flags of its row") {
    for (const u32 flags : {0U, u32{XIW_CONNF_SEND_IMM}}) {
        CAPTURE(flags);
        Pair p(XIW_CONNF_CRC | flags);
        const u64 from = p.a.machine.alloc(64), buffer = p.b.machine.alloc(64);

        p.b.receive(p.t, buffer, 64, 3);
        p.a.post(p.s, XIW_TXQ_REQUEST,
                 untagged(XIW_OP_SEND_IMM, XIW_QN_SEND, {sge(from, 8)}, 0xa1b2c3d4));
        if (flags == 0) {
            const xiw_event error = p.b.wait(XIW_EV_ERROR);
            CHECK(error.error.layer == 0);
            CHECK(error.error.etype == 2);
            CHECK(error.error.code == 6);
            continue;
        }
        const xiw_event event = p.b.wait(XIW_EV_MESSAGE);
        CHECK(event.message.cookie == 3);
        CHECK(event.message.length == 8);
        CHECK(event.message.rsvdulp == 0xa1b2c3d4);
    }
}

TEST_CASE("rnic: a Send with Invalidate invalidates the STag before its event") {
    Pair p;
    const u64 memory = p.b.machine.alloc(4096), buffer = p.b.machine.alloc(64);
    const u32 key = p.b.region(memory, 4096, XIW_ACCESS_REMOTE_WRITE);

    CHECK(p.b.entry(key >> 8).state == XIW_STAG_VALID);
    CHECK(p.b.entry(key >> 8).generation == 1);
    p.b.receive(p.t, buffer, 64, 3);
    p.a.post(p.s, XIW_TXQ_REQUEST, untagged(XIW_OP_SEND_INV, XIW_QN_SEND, {}, key));
    CHECK(p.b.wait(XIW_EV_MESSAGE).message.rsvdulp == key);
    CHECK(p.b.entry(key >> 8).state == XIW_STAG_INVALID);
    // The STag is invalid, so a Write fails.
    p.a.post(p.s, XIW_TXQ_REQUEST,
             tagged(XIW_OP_WRITE, key, memory, {sge(p.a.machine.alloc(64), 64)}));
    const xiw_event error = p.b.wait(XIW_EV_ERROR);
    CHECK(error.error.layer == 1);
    CHECK(error.error.etype == 1);
    CHECK(error.error.code == 0);
    CHECK(error.error.header_length == XIW_DDP_TAGGED_LEN);
}

TEST_CASE("rnic: STags are set, bound and invalidated in descriptor order") {
    Pair p;
    p.hello();
    const u64 memory = p.b.machine.alloc(8192);
    const u32 region = p.b.region(memory, 8192, all_rights);
    xiw_stag_entry window{};

    // Allocate the STag first, because a descriptor may validate only an STag that already belongs
    // to the PD of the stream.
    window.state = XIW_STAG_INVALID;
    window.pd = pd;
    window.flags = XIW_STAGF_WINDOW;
    p.b.stag(20, window);
    window.state = XIW_STAG_VALID;
    window.key = 3;
    window.access = XIW_ACCESS_REMOTE_WRITE;
    window.flags = XIW_STAGF_WINDOW | XIW_STAGF_STREAM;
    window.stream = 1;
    window.base = memory + 4096;
    window.length = 64;
    window.parent = region;
    p.b.post(p.t, XIW_TXQ_REQUEST, stag_set(20 << 8 | 3, window));
    p.b.wait(XIW_EV_TX_DONE);
    CHECK(p.b.entry(20).state == XIW_STAG_VALID);
    CHECK(p.b.entry(20).generation == p.b.entry(region >> 8).generation);
    const u64 from = p.a.machine.alloc(64);
    fill(p.a, from, 64, 2);
    p.a.post(p.s, XIW_TXQ_REQUEST,
             tagged(XIW_OP_WRITE, 20 << 8 | 3, memory + 4096, {sge(from, 64)}));
    CHECK(eventually([&] { return same(p.a, from, p.b, memory + 4096, 64); }));
    p.b.post(p.t, XIW_TXQ_REQUEST, stag_invalidate(region));
    p.b.wait(XIW_EV_TX_DONE);
    CHECK(p.b.entry(region >> 8).state == XIW_STAG_INVALID);
    // The MW is invalid, because its MR is invalid.
    p.a.post(p.s, XIW_TXQ_REQUEST,
             tagged(XIW_OP_WRITE, 20 << 8 | 3, memory + 4096, {sge(from, 64)}));
    CHECK(p.b.wait(XIW_EV_ERROR).error.etype == 1);
}

TEST_CASE("rnic: a descriptor sets no region to a window, and no window to a region") {
    for (const bool bind : {false, true}) {
        Pair p;
        p.hello();
        const u64 memory = p.b.machine.alloc(4096);
        const u32 parent = p.b.region(memory, 4096, all_rights);
        xiw_stag_entry region = p.b.entry(parent >> 8), window{};

        window.pd = pd;
        window.flags = XIW_STAGF_WINDOW;
        window.base = memory;
        window.length = 64;
        window.parent = parent;
        xiw_stag_entry unused = bind ? region : window;
        unused.state = XIW_STAG_INVALID;
        const u32 stag = p.b.stag(20, unused);
        xiw_stag_entry wanted = bind ? window : region;
        wanted.state = XIW_STAG_VALID;
        wanted.key = unused.key;
        p.b.post(p.t, XIW_TXQ_REQUEST, stag_set(stag, wanted));
        CHECK(p.b.wait(XIW_EV_TX_ERROR).status == XIW_ERR_STAG);
        CHECK(p.b.entry(20).state == XIW_STAG_INVALID);
    }
}

TEST_CASE("rnic: a region has a new generation, whatever used its entry before") {
    Pair p;
    const u64 memory = p.b.machine.alloc(4096);
    const u32 parent = p.b.region(memory, 4096, all_rights);
    xiw_stag_entry region = p.b.entry(parent >> 8), window{};

    p.b.stag(20, region);
    const u32 before = le32_to_cpu(p.b.entry(20).generation);
    CHECK(p.b.command(XIW_ADM_STAG_CLEAR, 20 << 8 | region.key) == XIW_OK);
    window.state = XIW_STAG_VALID;
    window.pd = pd;
    window.flags = XIW_STAGF_WINDOW;
    window.base = memory;
    window.length = 64;
    window.parent = parent;
    p.b.stag(20, window);
    CHECK(p.b.command(XIW_ADM_STAG_CLEAR, 20 << 8) == XIW_OK);
    // An MW that was bound to the entry's old MR must not match the new MR.
    p.b.stag(20, region);
    CHECK(le32_to_cpu(p.b.entry(20).generation) != before);
}

TEST_CASE("rnic: rings wrap around many times and keep their order") {
    Pair p;
    const u64 buffers = p.b.machine.alloc(1024);
    u32 wrong = 0;

    for (u32 i = 0; i < 12; i++)
        p.b.receive(p.t, buffers + u64{i} * 64, 64, i);
    for (u32 i = 0; i < 500; i++) {
        p.a.post(p.s, XIW_TXQ_REQUEST,
                 inline_send(std::string(40 + i % 20, 'x') + std::to_string(i)));
        const xiw_event event = p.b.wait(XIW_EV_MESSAGE);
        wrong += event.message.cookie != i || event.message.msn != i + 1;
        p.b.receive(p.t, buffers + u64{i % 12} * 64, 64, i + 12);
        if (i % 7 == 0)
            p.a.consume(0);
    }
    CHECK(wrong == 0);
}
