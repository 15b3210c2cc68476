// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The sender that both the software RNIC and the PCIe RNIC for QEMU use. The tests check in which
// order the sender executes the descriptors of two rings, which messages it builds, and which
// descriptors it refuses.
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstring>

using namespace xiw;

namespace {

constexpr u8 requests = XIW_TXQ_REQUEST, responses = XIW_TXQ_RESPONSE;
constexpr u32 max_sges = 4;

struct Sender {
    Sender() {
        xiw_send_init(&tx, 4, max_sges);
        xiw_ddp_rx_init(&rx.ddp, 4, XIW_CONNF_OPCODES);
        xiw_solicited_init(&rx.fifo, entries, 2);
        desc().units = 1;
    }
    Sender(const Sender &) = delete;
    Sender &operator=(const Sender &) = delete;
    Sender(Sender &&) = delete;
    Sender &operator=(Sender &&) = delete;
    ~Sender() = default;

    xiw_tx_desc &desc() { return *reinterpret_cast<xiw_tx_desc *>(octets); }
    xiw_tx_sink &sink() { return *reinterpret_cast<xiw_tx_sink *>(octets + sizeof(xiw_tx_desc)); }
    xiw_send_step next(u8 op, u8 queue = requests) {
        desc().op = op;
        return xiw_send_next(&tx, &rx.fifo, queue, &desc());
    }
    bool invalid(u8 op) {
        const u32 msn = tx.msg.desc == nullptr ? tx.msn[desc().queue % XIW_QN_COUNT] : 0;
        const bool failed = next(op) == XIW_SEND_FAILED && tx.failed && tx.error_due &&
                            tx.error_status == XIW_ERR_INVALID && tx.msg.desc == nullptr &&
                            tx.msn[desc().queue % XIW_QN_COUNT] == msn;

        tx.failed = tx.error_due = false;
        return failed;
    }
    u8 done() { return xiw_send_done(&tx, &rx); }

    alignas(8) u8 octets[XIW_TX_MAX_UNITS * XIW_TX_UNIT]{};
    xiw_solicited_entry entries[2];
    xiw_sender tx{};
    xiw_receiver rx{};
};

} // namespace

TEST_CASE("send: a Send takes its payload from a gather list") {
    Sender s;

    s.desc().rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_SEND_INV);
    s.desc().length = cpu_to_le32(1000);
    s.desc().stag = cpu_to_le32(77);
    s.desc().sges = 2;
    REQUIRE(s.next(XIW_TX_UNTAGGED) == XIW_SEND_MESSAGE);
    CHECK(s.tx.msg.desc == &s.desc());
    CHECK(s.tx.msg.queue == requests);
    CHECK(s.tx.msg.header == s.octets + sizeof(xiw_tx_desc));
    CHECK(reinterpret_cast<const u8 *>(s.tx.msg.sge) == s.octets + sizeof(xiw_tx_desc));
    CHECK(s.tx.msg.inline_data == nullptr);
    CHECK_FALSE(s.tx.msg.seg.tagged);
    CHECK(s.tx.msg.seg.length == 1000);
    CHECK(s.tx.msg.seg.stag == 77);
    CHECK(s.tx.msg.seg.qn == XIW_QN_SEND);
    CHECK(s.tx.msg.seg.msn == XIW_DDP_FIRST_MSN);
    CHECK(s.tx.msn[XIW_QN_SEND] == XIW_DDP_FIRST_MSN + 1);
    CHECK(s.tx.msn[XIW_QN_REQUEST] == XIW_DDP_FIRST_MSN);
    CHECK(s.tx.ring[requests].head == 0);
    CHECK(s.done() == XIW_OP_SEND_INV);
    CHECK(s.tx.msg.desc == nullptr);
    CHECK(s.tx.ring[requests].head == 1);
    CHECK(s.rx.ddp.requests == 4);
}

TEST_CASE("send: a Write takes inline data after a padded header") {
    Sender s;

    s.desc().rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_WRITE);
    s.desc().units = 2;
    s.desc().flags = XIW_TXF_INLINE;
    s.desc().header_length = 17;
    s.desc().stag = cpu_to_le32(5);
    s.desc().to = cpu_to_le64(0x123456789);
    s.desc().length = cpu_to_le32(2UL * XIW_TX_UNIT - sizeof(xiw_tx_desc) - 32);
    REQUIRE(s.next(XIW_TX_TAGGED) == XIW_SEND_MESSAGE);
    CHECK(s.tx.msg.sge == nullptr);
    CHECK(s.tx.msg.inline_data == s.octets + sizeof(xiw_tx_desc) + 32);
    CHECK(s.tx.msg.seg.tagged);
    CHECK(s.tx.msg.seg.stag == 5);
    CHECK(s.tx.msg.seg.to == 0x123456789);
    CHECK(s.tx.msg.seg.length == le32_to_cpu(s.desc().length) + 17);
    for (const u32 msn : s.tx.msn)
        CHECK(msn == XIW_DDP_FIRST_MSN);
    s.desc().length = cpu_to_le32(le32_to_cpu(s.desc().length) + 1);
    s.tx.msg.desc = nullptr;
    CHECK(s.invalid(XIW_TX_TAGGED));
}

TEST_CASE("send: the answer to a request is expected before the request is sent") {
    Sender s;

    s.desc().queue = XIW_QN_REQUEST;
    s.desc().flags = XIW_TXF_SOLICIT_TAGGED;
    s.desc().cookie = cpu_to_le32(9);
    s.desc().sink_flags = XIW_SINK_INVALIDATE;
    s.desc().header_length = 16;
    s.sink().stag = cpu_to_le32(3);
    s.sink().to = cpu_to_le64(4);
    s.sink().length = cpu_to_le32(100);
    REQUIRE(s.next(XIW_TX_UNTAGGED) == XIW_SEND_MESSAGE);
    CHECK(s.tx.msg.header == s.octets + sizeof(xiw_tx_desc) + sizeof(xiw_tx_sink));
    REQUIRE(s.rx.fifo.count == 1);
    CHECK(s.entries[0].kind == XIW_SOLICITED_READ);
    CHECK(s.entries[0].stag == 3);
    CHECK(s.entries[0].to == 4);
    CHECK(s.entries[0].length == 100);
    CHECK(s.entries[0].cookie == 9);
    CHECK(s.entries[0].flags == XIW_SINK_INVALIDATE);
    s.done();

    s.desc().flags = XIW_TXF_SOLICIT_QUEUE3;
    CHECK(s.invalid(XIW_TX_UNTAGGED)); // the sink of an Atomic must have eight octets
    s.sink().length = cpu_to_le32(sizeof(u64));
    s.desc().flags = XIW_TXF_SOLICIT_QUEUE3 | XIW_TXF_SOLICIT_TAGGED;
    CHECK(s.invalid(XIW_TX_UNTAGGED));
    s.desc().flags = XIW_TXF_SOLICIT_QUEUE3;
    REQUIRE(s.next(XIW_TX_UNTAGGED) == XIW_SEND_MESSAGE);
    CHECK(s.entries[1].kind == XIW_SOLICITED_QUEUE3);
    CHECK(s.entries[1].cookie == 9);
    s.done();
    CHECK(s.invalid(XIW_TX_UNTAGGED)); // the FIFO is full
    CHECK(s.rx.fifo.count == 2);
}

TEST_CASE("send: invalid messages are refused") {
    Sender s;

    s.desc().queue = XIW_QN_COUNT;
    CHECK(s.invalid(XIW_TX_UNTAGGED));
    CHECK(s.next(XIW_TX_TAGGED) == XIW_SEND_MESSAGE); // a tagged message has no queue number
    s.tx.msg.desc = nullptr;
    s.desc().queue = 0;
    s.desc().length = cpu_to_le32(~0U);
    s.desc().header_length = 1;
    CHECK(s.invalid(XIW_TX_UNTAGGED));
    s.desc().length = 0;
    s.desc().units = 2;
    s.desc().header_length = XIW_RDMAP_HDR_MAX + 1;
    CHECK(s.invalid(XIW_TX_UNTAGGED));
    s.desc().header_length = XIW_RDMAP_HDR_MAX;
    CHECK(s.next(XIW_TX_UNTAGGED) == XIW_SEND_MESSAGE);
    s.tx.msg.desc = nullptr;
    s.desc().units = 1;
    CHECK(s.invalid(XIW_TX_UNTAGGED));
    s.desc().header_length = 0;
    s.desc().units = 2;
    s.desc().sges = max_sges;
    CHECK(s.next(XIW_TX_UNTAGGED) == XIW_SEND_MESSAGE);
    s.tx.msg.desc = nullptr;
    s.desc().sges = max_sges + 1;
    CHECK(s.invalid(XIW_TX_UNTAGGED));
    s.desc().units = 1;
    s.desc().sges = 3; // a descriptor of one unit has room for two SGEs
    CHECK(s.invalid(XIW_TX_UNTAGGED));
    CHECK(s.invalid(XIW_TX_STAG_INVALIDATE + 1));
}

TEST_CASE("send: an atomic becomes a message after its execution") {
    Sender s;
    auto &atomic = *reinterpret_cast<xiw_tx_atomic *>(s.octets);

    s.rx.ddp.requests = 0;
    s.desc().rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_ATOMIC_RESPONSE);
    s.desc().queue = XIW_QN_RESPONSE;
    s.desc().header_length = XIW_TX_ANSWER_LEN;
    s.desc().units = 1;
    CHECK(s.invalid(XIW_TX_ATOMIC));
    s.desc().units = 2;
    s.desc().header_length = XIW_TX_ANSWER_LEN - 1;
    CHECK(s.invalid(XIW_TX_ATOMIC));
    s.desc().header_length = XIW_TX_ANSWER_LEN;
    s.desc().queue = XIW_QN_COUNT;
    CHECK(s.invalid(XIW_TX_ATOMIC));
    s.desc().queue = XIW_QN_RESPONSE;
    atomic.aop = cpu_to_le32(1);
    CHECK(s.invalid(XIW_TX_ATOMIC));
    atomic.aop = cpu_to_le32(XIW_ATOMIC_CMP_SWAP);
    std::memcpy(atomic.answer, "id??", 4);
    REQUIRE(s.next(XIW_TX_ATOMIC, responses) == XIW_SEND_ATOMIC);
    CHECK(s.tx.msg.desc == nullptr);
    xiw_send_answer(&s.tx, responses, &s.desc(), 0x0102030405060708);
    CHECK(s.tx.msg.desc == &s.desc());
    CHECK(s.tx.msg.queue == responses);
    CHECK(s.tx.msg.header == s.tx.msg.answer);
    CHECK(!std::memcmp(s.tx.msg.answer, "id??\1\2\3\4\5\6\7\10", XIW_TX_ANSWER_LEN));
    CHECK(s.tx.msg.seg.qn == XIW_QN_RESPONSE);
    CHECK(s.tx.msg.seg.msn == XIW_DDP_FIRST_MSN);
    CHECK(s.tx.msg.seg.length == XIW_TX_ANSWER_LEN);
    CHECK(s.tx.msn[XIW_QN_RESPONSE] == XIW_DDP_FIRST_MSN + 1);
    CHECK(s.done() == XIW_OP_ATOMIC_RESPONSE);
    CHECK(s.tx.ring[responses].head == 2);
    CHECK(s.rx.ddp.requests == 1);
}

TEST_CASE("send: STag changes are returned for execution") {
    Sender s;

    CHECK(s.next(XIW_TX_STAG_INVALIDATE) == XIW_SEND_STAG_INVALIDATE);
    CHECK(s.tx.ring[requests].head == 0);
    xiw_send_executed(&s.tx, requests, &s.desc());
    CHECK(s.tx.ring[requests].head == 1);
    s.desc().units =
        static_cast<u8>((sizeof(xiw_tx_desc) + sizeof(xiw_stag_entry) - 1) / XIW_TX_UNIT);
    CHECK(s.invalid(XIW_TX_STAG_SET));
    s.desc().units++;
    CHECK(s.next(XIW_TX_STAG_SET) == XIW_SEND_STAG_SET);
}

TEST_CASE("send: the rings take turns, and a chain keeps its turn") {
    Sender s;
    auto step = [&](u8 queue, u8 flags, u8 op = XIW_TX_UNTAGGED) {
        s.desc().flags = flags;
        REQUIRE(s.next(op, queue) == XIW_SEND_MESSAGE);
        s.done();
    };

    CHECK(s.tx.turn == requests);
    CHECK(xiw_send_other(&s.tx) == responses);
    step(requests, 0);
    CHECK(s.tx.turn == responses);
    CHECK(xiw_send_other(&s.tx) == requests);
    step(responses, 0, XIW_TX_TAGGED);
    CHECK(s.tx.turn == requests);
    step(requests, XIW_TXF_CHAIN);
    CHECK(s.tx.turn == requests);
    CHECK(xiw_send_other(&s.tx) == XIW_TXQ_COUNT);
    REQUIRE(s.next(XIW_TX_NOP) == XIW_SEND_AGAIN);
    CHECK(s.tx.turn == requests);
    CHECK(xiw_send_other(&s.tx) == XIW_TXQ_COUNT);
    step(requests, 0);
    CHECK(s.tx.turn == responses);
    CHECK(xiw_send_other(&s.tx) == requests);
    CHECK(s.tx.ring[requests].head == 4);
    CHECK(s.tx.ring[requests].built == 4);
    CHECK(s.tx.ring[responses].head == 1);
}

TEST_CASE("send: a descriptor must be posted whole and may not wrap around") {
    Sender s; // each ring of the sender has 16 units
    struct {
        u32 head, units, tail;
        bool fits;
    } rows[] = {
        {0, 1, 1, true},
        {0, 0, 1, false},
        {0, 2, 1, false},
        {0, XIW_TX_MAX_UNITS, 16, true},
        {0, XIW_TX_MAX_UNITS + 1, 16, false},
        {0, 1, 17, false}, // more units than the ring has
        {0, 1, ~0U, false},
        {14, 2, 16, true},
        {15, 2, 17, false},
        {~0U - 1, 2, 0, true},
    };

    for (const auto &row : rows) {
        CAPTURE(row.head, row.units, row.tail);
        s.tx.ring[responses].head = row.head;
        CHECK(xiw_send_fits(&s.tx, responses, row.units, row.tail) == row.fits);
    }
    for (const u8 op : {XIW_TX_UNTAGGED, XIW_TX_TAGGED, XIW_TX_ATOMIC, XIW_TX_NOP, XIW_TX_STAG_SET,
                        XIW_TX_STAG_INVALIDATE}) {
        s.desc().op = op;
        CHECK(xiw_send_is_message(&s.desc()) ==
              (op == XIW_TX_UNTAGGED || op == XIW_TX_TAGGED || op == XIW_TX_ATOMIC));
    }
}

TEST_CASE("send: progress is always published, but quiet descriptors are not reported") {
    Sender s;
    xiw_send_ring &ring = s.tx.ring[requests];
    auto send = [&](u8 flags) {
        s.desc().flags = flags;
        REQUIRE(s.next(XIW_TX_UNTAGGED) == XIW_SEND_MESSAGE);
        s.done();
    };

    CHECK_FALSE(xiw_send_publish(&ring));
    CHECK_FALSE(xiw_send_report(&ring));
    send(0);
    send(XIW_TXF_QUIET);
    CHECK(ring.built == 2);
    CHECK(ring.done == 0);
    CHECK_FALSE(xiw_send_report(&ring)); // TCP has not accepted the messages yet
    CHECK(xiw_send_publish(&ring));
    CHECK_FALSE(xiw_send_publish(&ring));
    CHECK(ring.done == 2);
    CHECK(xiw_send_report(&ring));
    CHECK_FALSE(xiw_send_report(&ring));
    send(XIW_TXF_QUIET);
    CHECK(xiw_send_publish(&ring));
    CHECK(ring.done == 3);
    CHECK_FALSE(xiw_send_report(&ring)); // the descriptor is unsignaled
    REQUIRE(s.next(XIW_TX_NOP) == XIW_SEND_AGAIN);
    CHECK(xiw_send_publish(&ring));
    CHECK_FALSE(xiw_send_report(&ring));
}

TEST_CASE("send: a failure reports its descriptor") {
    Sender s;

    s.tx.ring[responses].head = 7;
    REQUIRE(s.next(XIW_TX_UNTAGGED, responses) == XIW_SEND_MESSAGE);
    xiw_send_fail(&s.tx, responses, XIW_ERR_BOUNDS, 33);
    CHECK(s.tx.failed);
    CHECK(s.tx.error_due);
    CHECK(s.tx.error_queue == responses);
    CHECK(s.tx.error_status == XIW_ERR_BOUNDS);
    CHECK(s.tx.error_index == 7);
    CHECK(s.tx.error_done == 33);
    CHECK(s.tx.msg.desc == nullptr);
}
