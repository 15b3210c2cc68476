// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The receiver that both the software RNIC and the PCIe RNIC use. For each kind of segment, the
// tests check the steps of the receiver, the operands of each step, the effect of the step's
// result, and the event.
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstring>

using namespace xiw;

namespace {

constexpr u32 stag = 0x1234;
constexpr u64 to = 0xfedcba9876543210;

struct Receiver {
    Receiver() {
        xiw_opcode_match(match);
        xiw_ddp_rx_init(&rx.ddp, 4, XIW_CONNF_OPCODES);
        xiw_solicited_init(&rx.fifo, entries, 3);
        rx.match = match;
    }
    Receiver(const Receiver &) = delete;
    Receiver &operator=(const Receiver &) = delete;
    Receiver(Receiver &&) = delete;
    Receiver &operator=(Receiver &&) = delete;
    ~Receiver() = default;

    xiw_receive_step begin(Octets octets) {
        ulpdu = std::move(octets);
        whole = {ulpdu.data(), static_cast<u32>(ulpdu.size())};
        std::memset(&seg, 0xee, sizeof(seg));
        seg.spans = &whole;
        seg.count = 1;
        seg.at = 0;
        return again();
    }
    xiw_receive_step again() { return xiw_receive_header(&rx, &seg, ulpdu.data(), whole.len); }
    xiw_receive_step tagged(u8 opcode, u32 payload, bool last = true, u64 at = to, u32 of = stag) {
        Octets octets(XIW_DDP_TAGGED_LEN + payload, 0xab);

        xiw_ddp_put_tagged(octets.data(), xiw_rdmap_ctrl(opcode), last, of, at);
        return begin(std::move(octets));
    }
    xiw_receive_step untagged(u8 opcode, u32 payload, bool last = true, u32 mo = 0) {
        Octets octets(XIW_DDP_UNTAGGED_LEN + payload, 0xcd);
        const u32 qn = xiw_opcode_table[opcode].qn;

        xiw_ddp_put_untagged(octets.data(), xiw_rdmap_ctrl(opcode), last, stag, qn, rx.ddp.msn[qn],
                             mo);
        return begin(std::move(octets));
    }
    xiw_receive_step next() { return xiw_receive_next(&rx, &seg); }
    // Return true if xiw_receive_continues() accepts the segment. The receiver then omits the full
    // check, so this function checks that the full check has the same result.
    bool continues() {
        if (!xiw_receive_continues(&rx, ulpdu.data(), whole.len))
            return false;
        if (again() == XIW_RECEIVE_CHECK)
            next();
        REQUIRE(seg.step == XIW_RECEIVE_PLACE_TAGGED);
        CHECK(seg.stag == rx.more.stag);
        CHECK(seg.to == rx.more.to);
        CHECK(seg.access == rx.more.access);
        return true;
    }
    xiw_receive_step taken(u32 room = 100, bool available = true) {
        REQUIRE(seg.step == XIW_RECEIVE_TAKE);
        seg.available = available;
        seg.room = room;
        seg.cookie = 77;
        return next();
    }
    xiw_receive_step fails(xiw_fault fault) {
        seg.fault = fault;
        return next();
    }
    bool refused(xiw_fault fault) const {
        return seg.step == XIW_RECEIVE_FAULT && seg.fault == fault;
    }
    u32 deliver() {
        REQUIRE(seg.step == XIW_RECEIVE_DELIVER);
        CHECK(seg.complete);
        return xiw_receive_event(&rx, &seg, 9, &event);
    }
    void expect_read(u32 length, u8 flags = 0, u32 of = stag) {
        REQUIRE(xiw_solicited_push_read(&rx.fifo, of, to, length, 55, flags));
    }
    void expect_value() { REQUIRE(xiw_solicited_push_queue3(&rx.fifo, stag, to, 66)); }

    xiw_match_row match[XIW_MATCH_ROWS];
    xiw_solicited_entry entries[3];
    xiw_receiver rx{};
    Octets ulpdu;
    xiw_span whole{};
    xiw_rx_segment seg;
    xiw_event event{};
};

constexpr u32 message_size = offsetof(xiw_event, message.data);

} // namespace

TEST_CASE("receive: a Write is placed and counted, and raises no event") {
    Receiver r;

    REQUIRE(r.tagged(XIW_OP_WRITE, 10, false) == XIW_RECEIVE_PLACE_TAGGED);
    CHECK(r.seg.headed);
    CHECK(r.seg.stag == stag);
    CHECK(r.seg.to == to);
    CHECK(r.seg.access == XIW_ACCESS_REMOTE_WRITE);
    CHECK_FALSE(r.seg.receive);
    CHECK(r.next() == XIW_RECEIVE_DONE);
    CHECK_FALSE(r.seg.complete);
    CHECK(r.rx.write_octets == 10);
    CHECK(r.rx.writes == 0);
    REQUIRE(r.tagged(XIW_OP_WRITE, 5, true, to + 10) == XIW_RECEIVE_PLACE_TAGGED);
    CHECK(r.next() == XIW_RECEIVE_DONE);
    CHECK(r.next() == XIW_RECEIVE_DONE);
    CHECK(r.seg.complete);
    CHECK(r.rx.write_octets == 15);
    CHECK(r.rx.writes == 1);
}

TEST_CASE("receive: the number of Writes has 64 bits") {
    Receiver r;

    r.rx.writes = 0xffffffff;
    REQUIRE(r.tagged(XIW_OP_WRITE, 10, true) == XIW_RECEIVE_PLACE_TAGGED);
    CHECK(r.next() == XIW_RECEIVE_DONE);
    CHECK(r.next() == XIW_RECEIVE_DONE);
    CHECK(r.rx.writes == 0x100000000);
}

TEST_CASE("receive: a refused Write changes nothing") {
    Receiver r;

    REQUIRE(r.tagged(XIW_OP_WRITE, 10) == XIW_RECEIVE_PLACE_TAGGED);
    CHECK(r.fails(XIW_FAULT_DDP_BOUNDS) == XIW_RECEIVE_FAULT);
    CHECK(r.refused(XIW_FAULT_DDP_BOUNDS));
    CHECK_FALSE(r.seg.complete);
    CHECK(r.rx.write_octets == 0);
    CHECK(r.rx.writes == 0);
    CHECK(r.next() == XIW_RECEIVE_FAULT);
}

TEST_CASE("receive: only a Write without any octets skips placement") {
    Receiver r;

    REQUIRE(r.tagged(XIW_OP_WRITE, 0) == XIW_RECEIVE_CHECK);
    CHECK(r.next() == XIW_RECEIVE_DONE);
    CHECK(r.seg.complete);
    CHECK(r.rx.writes == 1);
    REQUIRE(r.tagged(XIW_OP_WRITE, 0, false) == XIW_RECEIVE_PLACE_TAGGED);
    CHECK(r.next() == XIW_RECEIVE_DONE);
    REQUIRE(r.tagged(XIW_OP_WRITE, 0) == XIW_RECEIVE_PLACE_TAGGED);
    CHECK(r.next() == XIW_RECEIVE_DONE);
    CHECK(r.rx.writes == 2);
}

TEST_CASE("receive: each segment continues a long Write, except the first and the last") {
    Receiver r;

    REQUIRE(r.tagged(XIW_OP_WRITE, 10, false) == XIW_RECEIVE_PLACE_TAGGED);
    CHECK_FALSE(r.continues());
    REQUIRE(r.next() == XIW_RECEIVE_DONE);
    for (u64 at = 10; at < 40; at += 10) {
        r.tagged(XIW_OP_WRITE, 10, false, to + at);
        REQUIRE(r.continues());
        xiw_receive_continued(&r.rx, 10);
        CHECK(r.rx.write_octets == at + 10);
        CHECK(r.rx.ddp.length == at + 10);
    }
    REQUIRE(r.tagged(XIW_OP_WRITE, 5, true, to + 40) == XIW_RECEIVE_PLACE_TAGGED);
    CHECK_FALSE(r.continues());
    REQUIRE(r.next() == XIW_RECEIVE_DONE);
    CHECK(r.seg.complete);
    CHECK(r.rx.ddp.length == 45);
    CHECK(r.rx.write_octets == 45);
    CHECK(r.rx.writes == 1);
    r.tagged(XIW_OP_WRITE, 5, false, to + 45);
    CHECK_FALSE(r.continues());
}

TEST_CASE("receive: a segment with another header does not continue a Write",
          "[D-HDR-011][R-ERR-010][R-ERR-011][R-WR-003][R-ERR-009]") {
    Receiver r;

    r.expect_read(100);
    REQUIRE(r.tagged(XIW_OP_WRITE, 10, false) == XIW_RECEIVE_PLACE_TAGGED);
    REQUIRE(r.next() == XIW_RECEIVE_DONE);
    r.tagged(XIW_OP_WRITE, 5, false, to + 11);
    CHECK_FALSE(r.continues());
    r.tagged(XIW_OP_WRITE, 5, false, to + 10, stag + 1);
    CHECK_FALSE(r.continues());
    r.tagged(XIW_OP_READ_RESPONSE, 5, false, to + 10);
    CHECK_FALSE(r.continues());
    // Change each bit of the two control octets.
    for (u32 bit = 0; bit < 16; bit++) {
        r.tagged(XIW_OP_WRITE, 5, false, to + 10);
        r.ulpdu[XIW_DDP_CTRL_AT + bit / 8] ^= static_cast<u8>(1U << bit % 8);
        CAPTURE(bit);
        CHECK_FALSE(r.continues());
    }
    r.tagged(XIW_OP_WRITE, 5, false, to + 10);
    r.whole.len = XIW_DDP_TAGGED_LEN - 1;
    CHECK_FALSE(r.continues());
    r.whole.len = XIW_DDP_TAGGED_LEN;
    CHECK(r.continues());
}

TEST_CASE("receive: no segment continues a Read Response beyond the request",
          "[R-RD-020][R-RD-022]") {
    Receiver r;

    r.expect_read(100);
    REQUIRE(r.tagged(XIW_OP_READ_RESPONSE, 40, false) == XIW_RECEIVE_CHECK);
    REQUIRE(r.next() == XIW_RECEIVE_PLACE_TAGGED);
    REQUIRE(r.next() == XIW_RECEIVE_DONE);
    r.tagged(XIW_OP_READ_RESPONSE, 61, false, to + 40);
    CHECK_FALSE(r.continues());
    r.tagged(XIW_OP_READ_RESPONSE, 60, false, to + 40);
    CHECK(r.continues());
    r.tagged(XIW_OP_READ_RESPONSE, 30, false, to + 40);
    REQUIRE(r.continues());
    xiw_receive_continued(&r.rx, 30);
    CHECK(r.rx.write_octets == 0);
    r.tagged(XIW_OP_READ_RESPONSE, 31, false, to + 70);
    CHECK_FALSE(r.continues());
    REQUIRE(r.tagged(XIW_OP_READ_RESPONSE, 30, true, to + 70) == XIW_RECEIVE_CHECK);
    CHECK_FALSE(r.continues());
    REQUIRE(r.next() == XIW_RECEIVE_PLACE_TAGGED);
    REQUIRE(r.next() == XIW_RECEIVE_DELIVER);
    r.deliver();
    CHECK(le32_to_cpu(r.event.solicited.length) == 100);
}

TEST_CASE("receive: no segment continues a Read Response into a bus address") {
    Receiver r;

    r.expect_read(100, 0, XIW_STAG_LOCAL_DMA);
    REQUIRE(r.tagged(XIW_OP_READ_RESPONSE, 40, false, to, XIW_STAG_LOCAL_DMA) == XIW_RECEIVE_CHECK);
    REQUIRE(r.next() == XIW_RECEIVE_PLACE_BUS);
    REQUIRE(r.next() == XIW_RECEIVE_DONE);
    r.tagged(XIW_OP_READ_RESPONSE, 40, false, to + 40, XIW_STAG_LOCAL_DMA);
    CHECK_FALSE(r.continues());
}

TEST_CASE("receive: a Send of two segments takes a receive and is delivered") {
    Receiver r;

    REQUIRE(r.untagged(XIW_OP_SEND, 10, false) == XIW_RECEIVE_TAKE);
    CHECK(r.seg.receive);
    CHECK(r.taken() == XIW_RECEIVE_PLACE_RECEIVE);
    CHECK(r.next() == XIW_RECEIVE_DONE);
    CHECK_FALSE(r.seg.complete);
    REQUIRE(r.untagged(XIW_OP_SEND, 5, true, 10) == XIW_RECEIVE_TAKE);
    CHECK(r.taken() == XIW_RECEIVE_PLACE_RECEIVE);
    CHECK(r.next() == XIW_RECEIVE_DELIVER);
    CHECK(r.deliver() == message_size);
    CHECK(r.event.type == XIW_EV_MESSAGE);
    CHECK(r.event.status == XIW_OK);
    CHECK(le32_to_cpu(r.event.stream) == 9);
    CHECK(le32_to_cpu(r.event.message.cookie) == 77);
    CHECK(le32_to_cpu(r.event.message.length) == 15);
    CHECK(le32_to_cpu(r.event.message.msn) == 1);
    CHECK(le32_to_cpu(r.event.message.rsvdulp) == stag);
    CHECK(r.event.message.queue == XIW_QN_SEND);
    CHECK(r.event.message.ddp_ctrl == r.ulpdu[XIW_DDP_CTRL_AT]);
    CHECK(r.event.message.rdmap_ctrl == r.ulpdu[XIW_DDP_RDMAP_CTRL_AT]);
    CHECK(r.event.message.inline_length == 0);
    CHECK(le16_to_cpu(r.event.message.ulpdu_length) == r.ulpdu.size());
}

TEST_CASE("receive: a Send waits for a receive, or is refused") {
    Receiver r;

    REQUIRE(r.untagged(XIW_OP_SEND, 10) == XIW_RECEIVE_TAKE);
    // No receive is posted: the caller waits, and processes the segment again.
    REQUIRE(r.again() == XIW_RECEIVE_TAKE);
    CHECK(r.taken(10, false) == XIW_RECEIVE_FAULT);
    CHECK(r.refused(XIW_FAULT_DDP_NO_BUFFER));
    REQUIRE(r.again() == XIW_RECEIVE_TAKE);
    CHECK(r.taken(9) == XIW_RECEIVE_FAULT);
    CHECK(r.refused(XIW_FAULT_DDP_TOO_LONG));
    REQUIRE(r.again() == XIW_RECEIVE_TAKE);
    REQUIRE(r.taken(10) == XIW_RECEIVE_PLACE_RECEIVE);
    CHECK(r.fails(XIW_FAULT_RDMA_LOCAL) == XIW_RECEIVE_FAULT);
    CHECK(r.refused(XIW_FAULT_RDMA_LOCAL));
    CHECK(r.rx.ddp.msn[XIW_QN_SEND] == 1);
}

TEST_CASE("receive: Send with Invalidate invalidates after its last segment",
          "[I-INV-001][R-SND-016]") {
    Receiver r;

    REQUIRE(r.untagged(XIW_OP_SEND_INV, 10, false) == XIW_RECEIVE_TAKE);
    REQUIRE(r.taken() == XIW_RECEIVE_PLACE_RECEIVE);
    CHECK(r.next() == XIW_RECEIVE_DONE);
    REQUIRE(r.untagged(XIW_OP_SEND_INV, 0, true, 10) == XIW_RECEIVE_TAKE);
    REQUIRE(r.taken() == XIW_RECEIVE_PLACE_RECEIVE);
    REQUIRE(r.next() == XIW_RECEIVE_INVALIDATE);
    CHECK(r.seg.stag == stag);
    CHECK(r.seg.remote);
    CHECK(r.next() == XIW_RECEIVE_DELIVER);
    r.deliver();
    CHECK(r.event.status == XIW_OK);

    REQUIRE(r.untagged(XIW_OP_SEND_INV, 1) == XIW_RECEIVE_TAKE);
    REQUIRE(r.taken() == XIW_RECEIVE_PLACE_RECEIVE);
    REQUIRE(r.next() == XIW_RECEIVE_INVALIDATE);
    r.seg.status = XIW_ERR_STAG;
    CHECK(r.next() == XIW_RECEIVE_FAULT);
    CHECK(r.refused(XIW_FAULT_RDMA_INVALIDATE));
}

TEST_CASE("receive: Immediate Data takes a receive and arrives in the event") {
    Receiver r;

    REQUIRE(r.tagged(XIW_OP_WRITE, 10) == XIW_RECEIVE_PLACE_TAGGED);
    REQUIRE(r.next() == XIW_RECEIVE_DONE);
    REQUIRE(r.untagged(XIW_OP_IMM, XIW_IMM_LEN) == XIW_RECEIVE_TAKE);
    CHECK(r.seg.receive);
    CHECK(r.taken(0) == XIW_RECEIVE_DELIVER);
    CHECK(r.deliver() == message_size + XIW_IMM_LEN);
    CHECK(le32_to_cpu(r.event.message.cookie) == 77);
    CHECK(le32_to_cpu(r.event.message.write_length) == 10);
    CHECK(r.event.message.inline_length == XIW_IMM_LEN);
    CHECK(r.event.message.data[0] == 0xcd);
    CHECK(r.event.message.data[XIW_IMM_LEN - 1] == 0xcd);
}

TEST_CASE("receive: requests and a Terminate need no receive", "[R-RD-004][X-ATOM-038]") {
    Receiver r;

    REQUIRE(r.untagged(XIW_OP_READ_REQUEST, XIW_READ_REQ_LEN) == XIW_RECEIVE_CHECK);
    CHECK_FALSE(r.seg.receive);
    CHECK(r.next() == XIW_RECEIVE_DELIVER);
    CHECK(r.deliver() == message_size + XIW_READ_REQ_LEN);
    CHECK(r.event.message.queue == XIW_QN_REQUEST);
    CHECK(r.event.message.cookie == 0);
    CHECK(r.event.message.inline_length == XIW_READ_REQ_LEN);
    CHECK(r.rx.ddp.requests == 3);
    REQUIRE(r.untagged(XIW_OP_ATOMIC_REQUEST, XIW_ATOMIC_REQ_LEN) == XIW_RECEIVE_CHECK);
    CHECK_FALSE(r.seg.receive);
    CHECK(r.next() == XIW_RECEIVE_DELIVER);
    CHECK(r.deliver() == message_size + XIW_ATOMIC_REQ_LEN);
    CHECK(r.event.message.cookie == 0);
    CHECK(r.rx.ddp.requests == 2);
    REQUIRE(r.untagged(XIW_OP_TERMINATE, XIW_TERM_LEN_MAX) == XIW_RECEIVE_CHECK);
    CHECK(r.next() == XIW_RECEIVE_DELIVER);
    CHECK(r.deliver() == message_size + XIW_TERM_LEN_MAX);
    REQUIRE(r.untagged(XIW_OP_TERMINATE, XIW_TERM_LEN_MAX) == XIW_RECEIVE_CHECK);
    CHECK(r.next() == XIW_RECEIVE_FAULT);
    CHECK(r.refused(XIW_FAULT_SILENT));
}

TEST_CASE("receive: a Read Response is placed at its sink") {
    Receiver r;

    r.expect_read(30);
    REQUIRE(r.tagged(XIW_OP_READ_RESPONSE, 10, false) == XIW_RECEIVE_CHECK);
    REQUIRE(r.next() == XIW_RECEIVE_PLACE_TAGGED);
    CHECK(r.seg.stag == stag);
    CHECK(r.seg.to == to);
    CHECK(r.seg.access == XIW_ACCESS_LOCAL_WRITE);
    CHECK(r.next() == XIW_RECEIVE_DONE);
    CHECK_FALSE(r.seg.complete);
    REQUIRE(r.tagged(XIW_OP_READ_RESPONSE, 20, true, to + 10) == XIW_RECEIVE_CHECK);
    REQUIRE(r.next() == XIW_RECEIVE_PLACE_TAGGED);
    CHECK(r.next() == XIW_RECEIVE_DELIVER);
    CHECK(r.deliver() == offsetof(xiw_event, solicited) + sizeof(xiw_ev_solicited));
    CHECK(r.event.type == XIW_EV_SOLICITED);
    CHECK(le32_to_cpu(r.event.stream) == 9);
    CHECK(le32_to_cpu(r.event.solicited.cookie) == 55);
    CHECK(le32_to_cpu(r.event.solicited.length) == 30);
    CHECK(r.event.solicited.status == XIW_OK);
    CHECK(r.rx.write_octets == 0);
    CHECK(r.rx.writes == 0);

    r.expect_read(4);
    REQUIRE(r.tagged(XIW_OP_READ_RESPONSE, 4) == XIW_RECEIVE_CHECK);
    REQUIRE(r.next() == XIW_RECEIVE_PLACE_TAGGED);
    CHECK(r.fails(XIW_FAULT_DDP_STAG) == XIW_RECEIVE_FAULT);
    CHECK(r.rx.fifo.count == 1);
}

TEST_CASE("receive: an unsolicited Read Response is not placed") {
    Receiver r;

    REQUIRE(r.tagged(XIW_OP_READ_RESPONSE, 4) == XIW_RECEIVE_CHECK);
    CHECK(r.next() == XIW_RECEIVE_FAULT);
    CHECK(r.refused(XIW_FAULT_RDMA_OPCODE));
}

TEST_CASE("receive: the sink of a Read may be a bus address or empty") {
    Receiver r;

    r.expect_read(4, 0, XIW_STAG_LOCAL_DMA);
    REQUIRE(r.tagged(XIW_OP_READ_RESPONSE, 4, true, to, XIW_STAG_LOCAL_DMA) == XIW_RECEIVE_CHECK);
    REQUIRE(r.next() == XIW_RECEIVE_PLACE_BUS);
    CHECK(r.seg.to == to);
    CHECK(r.next() == XIW_RECEIVE_DELIVER);
    r.expect_read(4, 0, XIW_STAG_LOCAL_DMA);
    REQUIRE(r.tagged(XIW_OP_READ_RESPONSE, 4, true, to, XIW_STAG_LOCAL_DMA) == XIW_RECEIVE_CHECK);
    REQUIRE(r.next() == XIW_RECEIVE_PLACE_BUS);
    CHECK(r.fails(XIW_FAULT_RDMA_LOCAL) == XIW_RECEIVE_FAULT);
    r.rx.fifo.count = 0;
    r.expect_read(0);
    REQUIRE(r.tagged(XIW_OP_READ_RESPONSE, 0) == XIW_RECEIVE_CHECK);
    CHECK(r.next() == XIW_RECEIVE_DELIVER);
}

TEST_CASE("receive: Read with Invalidate reports the result of the invalidation") {
    for (const u8 status : {XIW_OK, XIW_ERR_STAG}) {
        Receiver r;

        r.expect_read(4, XIW_SINK_INVALIDATE);
        REQUIRE(r.tagged(XIW_OP_READ_RESPONSE, 4) == XIW_RECEIVE_CHECK);
        REQUIRE(r.next() == XIW_RECEIVE_PLACE_TAGGED);
        r.seg.stag = 0;
        REQUIRE(r.next() == XIW_RECEIVE_INVALIDATE);
        CHECK(r.seg.stag == stag);
        CHECK_FALSE(r.seg.remote);
        r.seg.status = status;
        CHECK(r.next() == XIW_RECEIVE_DELIVER);
        r.deliver();
        CHECK(r.event.status == XIW_OK);
        CHECK(r.event.solicited.status == status);
    }
}

TEST_CASE("receive: the value of an Atomic Response is placed and reported in the event") {
    Receiver r;

    REQUIRE(r.untagged(XIW_OP_ATOMIC_RESPONSE, XIW_ATOMIC_RSP_LEN) == XIW_RECEIVE_CHECK);
    CHECK(r.next() == XIW_RECEIVE_FAULT);
    CHECK(r.refused(XIW_FAULT_DDP_NO_BUFFER));
    r.expect_read(4);
    r.expect_value();
    REQUIRE(r.again() == XIW_RECEIVE_CHECK);
    CHECK(r.next() == XIW_RECEIVE_FAULT);
    CHECK(r.refused(XIW_FAULT_RDMA_STREAM));
    r.rx.fifo.head = 1;
    r.rx.fifo.count = 1;
    REQUIRE(r.again() == XIW_RECEIVE_CHECK);
    REQUIRE(r.next() == XIW_RECEIVE_PLACE_VALUE);
    REQUIRE(r.seg.entry);
    CHECK(r.seg.entry->stag == stag);
    CHECK(r.seg.entry->to == to);
    r.seg.status = XIW_ERR_ACCESS;
    CHECK(r.next() == XIW_RECEIVE_DELIVER);
    CHECK(r.deliver() == message_size + XIW_ATOMIC_RSP_LEN);
    CHECK(r.event.status == XIW_ERR_ACCESS);
    CHECK(r.event.message.queue == XIW_QN_RESPONSE);
    CHECK(le32_to_cpu(r.event.message.cookie) == 66);
    CHECK(r.rx.fifo.count == 0);
}

TEST_CASE("receive: a fault reports the header of its segment") {
    Receiver r;
    xiw_event ev;
    auto raised = [&](xiw_fault fault) {
        std::memset(&ev, 0xee, sizeof(ev));
        CHECK(xiw_receive_fault(&r.seg, fault, 3, &ev) ==
              offsetof(xiw_event, error) + sizeof(xiw_ev_error));
        CHECK(ev.type == XIW_EV_ERROR);
        CHECK(le32_to_cpu(ev.stream) == 3);
        CHECK(!std::memcmp(ev.error.header, r.ulpdu.data(), ev.error.header_length));
        return ev.error.header_length;
    };

    r.tagged(XIW_OP_WRITE, XIW_READ_REQ_LEN);
    CHECK(raised(XIW_FAULT_DDP_BOUNDS) == XIW_DDP_TAGGED_LEN);
    CHECK(ev.error.layer == xiw_fault_code(XIW_FAULT_DDP_BOUNDS).layer);
    CHECK(ev.error.etype == xiw_fault_code(XIW_FAULT_DDP_BOUNDS).etype);
    CHECK(ev.error.code == xiw_fault_code(XIW_FAULT_DDP_BOUNDS).code);
    CHECK(ev.error.silent == 0);
    CHECK(le16_to_cpu(ev.error.ulpdu_length) == r.ulpdu.size());
    r.untagged(XIW_OP_SEND, XIW_READ_REQ_LEN);
    CHECK(raised(XIW_FAULT_DDP_NO_BUFFER) == XIW_DDP_UNTAGGED_LEN);
    r.untagged(XIW_OP_READ_REQUEST, XIW_READ_REQ_LEN);
    CHECK(raised(XIW_FAULT_DDP_NO_BUFFER) == u32{XIW_DDP_UNTAGGED_LEN} + XIW_READ_REQ_LEN);
    r.untagged(XIW_OP_ATOMIC_REQUEST, XIW_ATOMIC_REQ_LEN);
    CHECK(raised(XIW_FAULT_SILENT) == XIW_DDP_UNTAGGED_LEN);
    CHECK(ev.error.silent == 1);
    CHECK(r.tagged(0xf, 0) == XIW_RECEIVE_FAULT);
    CHECK(r.refused(XIW_FAULT_RDMA_OPCODE));
    CHECK(r.seg.headed);
    CHECK(r.begin(Octets(XIW_DDP_TAGGED_LEN - 1)) == XIW_RECEIVE_FAULT);
    CHECK(r.refused(XIW_FAULT_DDP_LOCAL));
    CHECK_FALSE(r.seg.headed);
    CHECK(raised(XIW_FAULT_DDP_LOCAL) == 0);
    CHECK(ev.error.ulpdu_length == 0);
}

TEST_CASE("receive: an event gathers its octets from any pieces") {
    Receiver r;
    std::vector<u8> before(7, 0x11);

    r.untagged(XIW_OP_READ_REQUEST, XIW_READ_REQ_LEN);
    for (size_t i = 0; i < XIW_READ_REQ_LEN; i++)
        r.ulpdu[XIW_DDP_UNTAGGED_LEN + i] = static_cast<u8>(i);
    const u32 cut = XIW_DDP_UNTAGGED_LEN + 5;
    const xiw_span pieces[] = {{before.data(), 7},
                               {r.ulpdu.data(), cut},
                               {r.ulpdu.data() + cut, static_cast<u32>(r.ulpdu.size()) - cut}};
    r.seg.spans = pieces;
    r.seg.count = 3;
    r.seg.at = 7;
    REQUIRE(r.again() == XIW_RECEIVE_CHECK);
    REQUIRE(r.next() == XIW_RECEIVE_DELIVER);
    r.deliver();
    CHECK(!std::memcmp(r.event.message.data, r.ulpdu.data() + XIW_DDP_UNTAGGED_LEN,
                       XIW_READ_REQ_LEN));
    xiw_receive_fault(&r.seg, XIW_FAULT_DDP_NO_BUFFER, 0, &r.event);
    CHECK(!std::memcmp(r.event.error.header, r.ulpdu.data(), r.ulpdu.size()));
}
