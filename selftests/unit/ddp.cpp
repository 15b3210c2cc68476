// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The receiver's checks of segments, and their order. A segment with two errors causes the fault of
// the earlier check.
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw;

namespace {

struct SegmentReceiver {
    explicit SegmentReceiver(u32 flags = XIW_CONNF_OPCODES) {
        xiw_opcode_match(match);
        xiw_ddp_rx_init(&rx, 2, flags);
    }
    // Return the fault of an untagged segment whose payload is zeros.
    xiw_fault untagged(u8 opcode, u32 qn, u32 msn, u32 mo, u32 payload, bool last = true,
                       bool available = true, u64 buffer = 4096) {
        Octets ulpdu(XIW_DDP_UNTAGGED_LEN + payload);

        xiw_ddp_put_untagged(ulpdu.data(), xiw_rdmap_ctrl(opcode), last, 0, qn, msn, mo);
        return judge(ulpdu, available, buffer);
    }
    xiw_fault tagged(u8 opcode, u32 payload, bool last = true) {
        Octets ulpdu(XIW_DDP_TAGGED_LEN + payload);

        xiw_ddp_put_tagged(ulpdu.data(), xiw_rdmap_ctrl(opcode), last, 1, 0);
        return judge(ulpdu, true, 0);
    }
    xiw_fault judge(const Octets &ulpdu, bool available, u64 buffer) {
        xiw_fault fault =
            xiw_ddp_rx_header(&rx, match, ulpdu.data(), static_cast<u32>(ulpdu.size()), &h);

        if (!fault && !xiw_ddp_is_tagged(&h))
            fault = xiw_ddp_rx_untagged(&rx, match, &h, available, buffer);
        if (!fault)
            delivered = xiw_ddp_rx_placed(&rx, &h);
        return fault;
    }

    xiw_match_row match[XIW_MATCH_ROWS];
    xiw_ddp_rx rx;
    xiw_ddp_header h;
    bool delivered = false;
};

// Build a valid Send header. The tests corrupt or truncate the header.
Octets send_header() {
    Octets ulpdu(XIW_DDP_UNTAGGED_LEN + 8);

    xiw_ddp_put_untagged(ulpdu.data(), xiw_rdmap_ctrl(XIW_OP_SEND), true, 0, 0, 1, 0);
    return ulpdu;
}

} // namespace

TEST_CASE("header fields are checked in order", "[D-ERR-001]") {
    struct Step {
        xiw_fault fault;
        void (*spoil)(Octets &);
    };
    // The errors in the order of the receiver's checks, and the change that causes each error.
    const Step steps[] = {
        {XIW_FAULT_DDP_UNTAGGED_VERSION, [](Octets &o) { o[0] |= 2; }},
        {XIW_FAULT_DDP_QN, [](Octets &o) { o[9] = 7; }},
        {XIW_FAULT_RDMA_VERSION, [](Octets &o) { o[1] |= 0x80; }},
        {XIW_FAULT_RDMA_OPCODE, [](Octets &o) { o[1] = static_cast<u8>((o[1] & 0xf0) | 0xc); }},
        {XIW_FAULT_DDP_MSN, [](Octets &o) { o[13] = 9; }},
        {XIW_FAULT_DDP_MO, [](Octets &o) { o[17] = 1; }},
    };

    for (size_t first = 0; first < std::size(steps); first++)
        for (size_t second = first; second < std::size(steps); second++) {
            SegmentReceiver r;
            Octets ulpdu = send_header();

            steps[second].spoil(ulpdu);
            if (first != second)
                steps[first].spoil(ulpdu);
            CAPTURE(first, second);
            CHECK(r.judge(ulpdu, true, 4096) == steps[first].fault);
        }
}

TEST_CASE("a missing buffer is reported before a wrong offset, and that before a length",
          "[D-ERR-003][D-ERR-005][D-ERR-006][R-SND-004]") {
    SegmentReceiver r;

    CHECK(r.untagged(XIW_OP_SEND, 0, 1, 1, 100, true, false, 64) == XIW_FAULT_DDP_NO_BUFFER);
    CHECK(r.untagged(XIW_OP_SEND, 0, 1, 1, 100, true, true, 64) == XIW_FAULT_DDP_MO);
    CHECK(r.untagged(XIW_OP_SEND, 0, 1, 0, 65, true, true, 64) == XIW_FAULT_DDP_TOO_LONG);
    CHECK(r.untagged(XIW_OP_SEND, 0, 1, 0, 64, true, true, 64) == XIW_FAULT_NONE);
    CHECK(r.untagged(XIW_OP_SEND, 0, 2, 0, 40, false, true, 64) == XIW_FAULT_NONE);
    CHECK(r.untagged(XIW_OP_SEND, 0, 2, 40, 25, true, true, 64) == XIW_FAULT_DDP_TOO_LONG);
    CHECK(r.untagged(XIW_OP_SEND, 0, 2, 40, 24, true, true, 64) == XIW_FAULT_NONE);
    CHECK(r.untagged(XIW_OP_IMM, 0, 3, 0, 7, true, false) == XIW_FAULT_DDP_NO_BUFFER);
    CHECK(r.untagged(XIW_OP_IMM, 0, 3, 4, 7) == XIW_FAULT_DDP_MO);
    CHECK(r.untagged(XIW_OP_IMM, 0, 3, 0, 7) == XIW_FAULT_RDMA_STREAM);
}

TEST_CASE("an Immediate needs no room in the receive", "[X-IMM-001]") {
    SegmentReceiver r;

    CHECK(r.untagged(XIW_OP_IMM, 0, 1, 0, 8, true, true, 0) == XIW_FAULT_NONE);
    CHECK(r.h.kind == XIW_MATCH_CONSUME);
}

TEST_CASE("a segment shorter than its header is a fault", "[D-HDR-027]") {
    for (u32 length = 0; length < XIW_DDP_UNTAGGED_LEN; length++) {
        SegmentReceiver r;
        Octets untagged = send_header();

        untagged.resize(length);
        CHECK(r.judge(untagged, true, 64) == XIW_FAULT_DDP_LOCAL);
    }
    for (u32 length = 0; length < XIW_DDP_TAGGED_LEN; length++) {
        SegmentReceiver r;
        Octets tagged(XIW_DDP_TAGGED_LEN);

        xiw_ddp_put_tagged(tagged.data(), xiw_rdmap_ctrl(XIW_OP_WRITE), true, 1, 0);
        tagged.resize(length);
        CHECK(r.judge(tagged, true, 64) == XIW_FAULT_DDP_LOCAL);
    }
}

TEST_CASE("inside a message only its next segment is accepted", "[D-HDR-007][R-ERR-010]") {
    SegmentReceiver r;

    REQUIRE(r.untagged(XIW_OP_SEND, 0, 1, 0, 10, false) == XIW_FAULT_NONE);
    CHECK_FALSE(r.delivered);
    CHECK(r.tagged(XIW_OP_WRITE, 4) == XIW_FAULT_RDMA_OPCODE);
    CHECK(r.untagged(XIW_OP_SEND_SE, 0, 1, 10, 4) == XIW_FAULT_RDMA_OPCODE);
    CHECK(r.untagged(XIW_OP_READ_REQUEST, 1, 1, 0, 28) == XIW_FAULT_RDMA_OPCODE);
    CHECK(r.untagged(XIW_OP_SEND, 0, 1, 9, 4) == XIW_FAULT_DDP_MO);
    CHECK(r.untagged(XIW_OP_SEND, 0, 2, 0, 4) == XIW_FAULT_DDP_MSN);
    CHECK(r.untagged(XIW_OP_SEND, 0, 1, 10, 4) == XIW_FAULT_NONE);
    CHECK(r.delivered);
    CHECK(r.rx.length == 14);
    CHECK(r.rx.msn[0] == 2);

    REQUIRE(r.tagged(XIW_OP_WRITE, 4, false) == XIW_FAULT_NONE);
    CHECK(r.tagged(XIW_OP_READ_RESPONSE, 4) == XIW_FAULT_RDMA_OPCODE);
    CHECK(r.untagged(XIW_OP_SEND, 0, 2, 0, 4) == XIW_FAULT_RDMA_OPCODE);
    CHECK(r.tagged(XIW_OP_WRITE, 4) == XIW_FAULT_NONE);
}

TEST_CASE("MSNs count per queue and wrap", "[D-HDR-022][D-HDR-024][X-ATOM-031]") {
    SegmentReceiver r;

    for (u32 msn : r.rx.msn)
        CHECK(msn == 1);
    r.rx.msn[0] = 0xffffffff;
    CHECK(r.untagged(XIW_OP_SEND, 0, 0xffffffff, 0, 1) == XIW_FAULT_NONE);
    CHECK(r.untagged(XIW_OP_IMM, 0, 0, 0, 8) == XIW_FAULT_NONE);
    CHECK(r.untagged(XIW_OP_READ_REQUEST, 1, 1, 0, 28) == XIW_FAULT_NONE);
    CHECK(r.untagged(XIW_OP_ATOMIC_REQUEST, 1, 2, 0, 52) == XIW_FAULT_NONE);
    CHECK(r.rx.msn[1] == 3);
    CHECK(r.untagged(XIW_OP_ATOMIC_RESPONSE, 3, 1, 0, 12) == XIW_FAULT_NONE);
}

TEST_CASE("each inbound request takes a credit",
          "[R-STR-006][R-RD-003][X-ATOM-037][I-ATOM-015][X-RES-001][X-ATOM-032]") {
    SegmentReceiver r;

    CHECK(r.untagged(XIW_OP_READ_REQUEST, 1, 1, 0, 28) == XIW_FAULT_NONE);
    CHECK(r.untagged(XIW_OP_ATOMIC_REQUEST, 1, 2, 0, 52) == XIW_FAULT_NONE);
    CHECK(r.untagged(XIW_OP_READ_REQUEST, 1, 3, 0, 28) == XIW_FAULT_DDP_NO_BUFFER);
    CHECK(r.untagged(XIW_OP_ATOMIC_REQUEST, 1, 3, 0, 52) == XIW_FAULT_DDP_NO_BUFFER);
    xiw_ddp_rx_credit(&r.rx);
    CHECK(r.untagged(XIW_OP_ATOMIC_REQUEST, 1, 3, 0, 52) == XIW_FAULT_NONE);
}

TEST_CASE("a message of fixed length must have that length", "[X-HDR-013][X-IMM-014]") {
    struct {
        u8 opcode;
        u32 qn, good, room; // a message of more than `room` octets is too long
    } rows[] = {
        {XIW_OP_READ_REQUEST, 1, 28, 52},    {XIW_OP_ATOMIC_REQUEST, 1, 52, 52},
        {XIW_OP_ATOMIC_RESPONSE, 3, 12, 12}, {XIW_OP_IMM, 0, 8, ~0U},
        {XIW_OP_IMM_SE, 0, 8, ~0U},
    };

    for (auto &row : rows)
        for (u32 length = 0; length < 80; length++) {
            xiw_fault expected = length == row.good  ? XIW_FAULT_NONE
                                 : length > row.room ? XIW_FAULT_DDP_TOO_LONG
                                                     : XIW_FAULT_RDMA_STREAM;

            CAPTURE(row.opcode, length);
            CHECK(SegmentReceiver().untagged(row.opcode, row.qn, 1, 0, length) == expected);
            if (length <= row.good)
                CHECK(SegmentReceiver().untagged(row.opcode, row.qn, 1, 0, length, false) ==
                      XIW_FAULT_RDMA_STREAM);
        }
}

TEST_CASE("the room of a queue comes from the match table only") {
    xiw_match_row rows[XIW_MATCH_ROWS + 1];
    Octets ulpdu(XIW_DDP_UNTAGGED_LEN + 60);
    xiw_ddp_header h;
    xiw_ddp_rx rx;

    // The receiver does not read a row after the end of the match table.
    xiw_opcode_match(rows);
    rows[XIW_MATCH_ROWS] = rows[XIW_OP_READ_REQUEST];
    rows[XIW_MATCH_ROWS].length_max = 255;
    xiw_ddp_rx_init(&rx, 2, XIW_CONNF_OPCODES);
    xiw_ddp_put_untagged(ulpdu.data(), xiw_rdmap_ctrl(XIW_OP_READ_REQUEST), true, 0, 1, 1, 0);
    REQUIRE(xiw_ddp_rx_header(&rx, rows, ulpdu.data(), static_cast<u32>(ulpdu.size()), &h) ==
            XIW_FAULT_NONE);
    CHECK(xiw_ddp_rx_untagged(&rx, rows, &h, true, 0) == XIW_FAULT_DDP_TOO_LONG);
}

TEST_CASE("an invalid Terminate is not answered", "[R-TRM-003][R-TRM-005][R-TRM-007]") {
    for (u32 length = 0; length < 100; length++)
        CHECK(SegmentReceiver().untagged(XIW_OP_TERMINATE, 2, 1, 0, length) ==
              (length >= 4 && length <= 52 ? XIW_FAULT_NONE : XIW_FAULT_SILENT));
    CHECK(SegmentReceiver().untagged(XIW_OP_TERMINATE, 2, 2, 0, 4) == XIW_FAULT_SILENT);
    CHECK(SegmentReceiver().untagged(XIW_OP_TERMINATE, 2, 1, 1, 4) == XIW_FAULT_SILENT);
    CHECK(SegmentReceiver().untagged(XIW_OP_TERMINATE, 2, 1, 0, 4, false) == XIW_FAULT_SILENT);
    // Queue 2 accepts only a Terminate, and the other queues accept no Terminate.
    CHECK(SegmentReceiver().untagged(XIW_OP_TERMINATE, 0, 1, 0, 4) == XIW_FAULT_RDMA_OPCODE);
    CHECK(SegmentReceiver().untagged(XIW_OP_SEND, 2, 1, 0, 4) == XIW_FAULT_RDMA_OPCODE);

    SegmentReceiver r;
    CHECK(r.untagged(XIW_OP_TERMINATE, 2, 1, 0, 4) == XIW_FAULT_NONE);
    CHECK(r.untagged(XIW_OP_TERMINATE, 2, 2, 0, 4) == XIW_FAULT_SILENT);
}

TEST_CASE("a Terminate may follow any segment of a message", "[R-TRM-006]") {
    SegmentReceiver send, write;

    CHECK(send.untagged(XIW_OP_SEND, 0, 1, 0, 10, false) == XIW_FAULT_NONE);
    CHECK(send.untagged(XIW_OP_TERMINATE, 2, 1, 10, 4) == XIW_FAULT_SILENT);
    CHECK(send.untagged(XIW_OP_TERMINATE, 2, 1, 0, 4) == XIW_FAULT_NONE);
    CHECK(write.tagged(XIW_OP_WRITE, 10, false) == XIW_FAULT_NONE);
    CHECK(write.untagged(XIW_OP_TERMINATE, 2, 1, 0, 4) == XIW_FAULT_NONE);
}

TEST_CASE("a Terminate with wrong headers on its own queue is not answered",
          "[R-TRM-003][R-TRM-005]") {
    auto verdict = [](u8 ddp, u8 rdmap, u32 qn, bool inside = false) {
        SegmentReceiver r;
        Octets ulpdu(XIW_DDP_UNTAGGED_LEN + 4);

        if (inside)
            REQUIRE(r.untagged(XIW_OP_SEND, 0, 1, 0, 10, false) == XIW_FAULT_NONE);
        xiw_ddp_put_untagged(ulpdu.data(), rdmap, true, 0, qn, 1, 0);
        ulpdu[0] = ddp;
        return r.judge(ulpdu, true, 64);
    };

    CHECK(verdict(0x41, 0x47, 2) == XIW_FAULT_NONE);
    CHECK(verdict(0x40, 0x47, 2) == XIW_FAULT_SILENT);
    CHECK(verdict(0x41, 0x07, 2) == XIW_FAULT_SILENT);
    CHECK(verdict(0x41, 0x47, 2, true) == XIW_FAULT_NONE);
    CHECK(verdict(0x40, 0x47, 2, true) == XIW_FAULT_SILENT);
    // The receiver answers an invalid message with a Terminate, unless the message itself is a
    // Terminate on queue 2.
    CHECK(verdict(0x40, 0x47, 0) == XIW_FAULT_DDP_UNTAGGED_VERSION);
    CHECK(verdict(0x41, 0x07, 0) == XIW_FAULT_RDMA_VERSION);
    CHECK(verdict(0x40, 0x43, 2) == XIW_FAULT_DDP_UNTAGGED_VERSION);
    CHECK(verdict(0xc0, 0x47, 2) == XIW_FAULT_DDP_TAGGED_VERSION);
    CHECK(verdict(0xc1, 0x07, 2) == XIW_FAULT_RDMA_VERSION);
    CHECK(verdict(0xc1, 0x47, 2) == XIW_FAULT_RDMA_OPCODE);
    CHECK(verdict(0x41, 0x47, 4) == XIW_FAULT_DDP_QN);
}

TEST_CASE("opcodes of disabled features are refused", "[X-DISC-004][X-DISC-005]") {
    CHECK(SegmentReceiver(0).untagged(XIW_OP_IMM, 0, 1, 0, 8) == XIW_FAULT_RDMA_OPCODE);
    CHECK(SegmentReceiver(XIW_CONNF_ATOMICS).untagged(XIW_OP_IMM_SE, 0, 1, 0, 8) ==
          XIW_FAULT_RDMA_OPCODE);
    CHECK(SegmentReceiver(XIW_CONNF_IMMEDIATE).untagged(XIW_OP_IMM_SE, 0, 1, 0, 8) ==
          XIW_FAULT_NONE);
    CHECK(SegmentReceiver(XIW_CONNF_IMMEDIATE).untagged(XIW_OP_ATOMIC_REQUEST, 1, 1, 0, 52) ==
          XIW_FAULT_RDMA_OPCODE);
    CHECK(SegmentReceiver(XIW_CONNF_ATOMICS | XIW_CONNF_IMMEDIATE)
              .untagged(XIW_OP_SEND_IMM, 0, 1, 0, 8) == XIW_FAULT_RDMA_OPCODE);
    CHECK(SegmentReceiver(XIW_CONNF_SEND_IMM).untagged(XIW_OP_SEND_IMM, 0, 1, 0, 8) ==
          XIW_FAULT_NONE);
    // Without atomics, queue 3 does not exist.
    CHECK(SegmentReceiver(XIW_CONNF_IMMEDIATE).untagged(XIW_OP_ATOMIC_RESPONSE, 3, 1, 0, 12) ==
          XIW_FAULT_DDP_QN);
}

TEST_CASE("each opcode is accepted only with its T bit and on its queue", "[R-ERR-010]") {
    for (u8 op = 0; op < XIW_OP_COUNT; op++) {
        const xiw_opcode_row *row = xiw_opcode_of(op);
        bool is_tagged = row->flags & XIW_OPF_TAGGED;

        CAPTURE(op);
        CHECK(SegmentReceiver().tagged(op, 4) ==
              (is_tagged ? XIW_FAULT_NONE : XIW_FAULT_RDMA_OPCODE));
        for (u32 qn = 0; qn < XIW_QN_COUNT; qn++) {
            bool fits = !is_tagged && row->kind != XIW_CLASS_REFUSED && row->qn == qn;
            u32 length = row->len_min;

            CHECK(SegmentReceiver().untagged(op, qn, 1, 0, length) ==
                  (fits ? XIW_FAULT_NONE : XIW_FAULT_RDMA_OPCODE));
        }
    }
}

TEST_CASE("a row of the match table may need a flag that nothing else uses") {
    for (u32 flags : {0U, 0x4000U, 0x8000U, 0xc000U}) {
        SegmentReceiver r(flags);

        r.match[XIW_OP_SEND].needs = cpu_to_le16(0xc000);
        CHECK(r.untagged(XIW_OP_SEND, 0, 1, 0, 8) ==
              (flags == 0xc000 ? XIW_FAULT_NONE : XIW_FAULT_RDMA_OPCODE));
    }
}

TEST_CASE("a Send with Immediate has the sequence and the segments of a Send") {
    SegmentReceiver r;

    CHECK(r.untagged(XIW_OP_SEND, 0, 1, 0, 5) == XIW_FAULT_NONE);
    CHECK(r.untagged(XIW_OP_SEND_IMM, 0, 2, 0, 5, false) == XIW_FAULT_NONE);
    CHECK(SegmentReceiver(r).untagged(XIW_OP_SEND, 0, 2, 5, 5) == XIW_FAULT_RDMA_OPCODE);
    CHECK(r.untagged(XIW_OP_SEND_IMM, 0, 2, 5, 0) == XIW_FAULT_NONE);
    CHECK(r.rx.length == 5);
    CHECK(r.untagged(XIW_OP_SEND, 0, 3, 0, 5, false) == XIW_FAULT_NONE);
    CHECK(r.untagged(XIW_OP_SEND_IMM, 0, 3, 5, 5) == XIW_FAULT_RDMA_OPCODE);
    CHECK(SegmentReceiver().untagged(XIW_OP_SEND_IMM, 0, 2, 0, 5) == XIW_FAULT_DDP_MSN);
    CHECK(SegmentReceiver().untagged(XIW_OP_SEND_IMM, 0, 1, 1, 5) == XIW_FAULT_DDP_MO);
    CHECK(SegmentReceiver().untagged(XIW_OP_SEND_IMM, 0, 1, 0, 0) == XIW_FAULT_NONE);
}

TEST_CASE("an Immediate reports the length of the Write directly before it",
          "[I-IMM-006][X-IMM-001]") {
    SegmentReceiver r;

    CHECK(r.untagged(XIW_OP_IMM, 0, 1, 0, 8) == XIW_FAULT_NONE);
    CHECK(r.rx.write_length == 0);
    r.tagged(XIW_OP_WRITE, 100, false);
    r.tagged(XIW_OP_WRITE, 23);
    CHECK(r.untagged(XIW_OP_IMM, 0, 2, 0, 8) == XIW_FAULT_NONE);
    CHECK(r.rx.write_length == 123);
    CHECK(r.untagged(XIW_OP_IMM, 0, 3, 0, 8) == XIW_FAULT_NONE);
    CHECK(r.rx.write_length == 0);
    r.tagged(XIW_OP_WRITE, 0);
    CHECK(r.untagged(XIW_OP_SEND, 0, 4, 0, 5, false) == XIW_FAULT_NONE);
    CHECK(r.untagged(XIW_OP_SEND, 0, 4, 5, 5) == XIW_FAULT_NONE);
    CHECK(r.rx.write_length == 0);
    r.tagged(XIW_OP_READ_RESPONSE, 9);
    CHECK(r.untagged(XIW_OP_IMM, 0, 5, 0, 8) == XIW_FAULT_NONE);
    CHECK(r.rx.write_length == 0);
}

TEST_CASE("the octet count of a Write saturates instead of wrapping") {
    SegmentReceiver r;

    r.rx.open = true;
    r.rx.open_ctrl = static_cast<u8>(XIW_DDP_T) | u8{XIW_OP_WRITE};
    r.rx.length = 0xfffffff0;
    CHECK(r.tagged(XIW_OP_WRITE, 100) == XIW_FAULT_NONE);
    CHECK(r.rx.length == 0xffffffff);
}

TEST_CASE("an empty segment of a longer message is not an empty message", "[D-XFER-009]") {
    SegmentReceiver r;

    r.tagged(XIW_OP_WRITE, 0);
    CHECK(xiw_ddp_is_empty(&r.h));
    r.tagged(XIW_OP_WRITE, 0, false);
    CHECK_FALSE(xiw_ddp_is_empty(&r.h));
    r.tagged(XIW_OP_WRITE, 0);
    CHECK_FALSE(xiw_ddp_is_empty(&r.h));
}

TEST_CASE("every DDP field of the RFC 7306 messages is checked",
          "[X-ERR-006][X-ERR-008][X-IANA-002][X-IANA-003][X-IANA-004]") {
    struct {
        u8 opcode;
        u32 qn, length;
    } rows[] = {{XIW_OP_IMM, 0, 8},
                {XIW_OP_IMM_SE, 0, 8},
                {XIW_OP_ATOMIC_REQUEST, 1, 52},
                {XIW_OP_ATOMIC_RESPONSE, 3, 12}};

    for (auto &row : rows) {
        auto make = [&row] {
            Octets ulpdu(XIW_DDP_UNTAGGED_LEN + row.length);

            xiw_ddp_put_untagged(ulpdu.data(), xiw_rdmap_ctrl(row.opcode), true, 0, row.qn, 1, 0);
            return ulpdu;
        };
        auto verdict = [&make](auto spoil) {
            Octets ulpdu = make();

            spoil(ulpdu);
            return SegmentReceiver().judge(ulpdu, true, 4096);
        };

        CAPTURE(row.opcode);
        CHECK(verdict([](Octets &) {}) == XIW_FAULT_NONE);
        for (u8 dv : {0, 2, 3})
            CHECK(verdict([dv](Octets &o) { o[0] = static_cast<u8>((o[0] & 0xfc) | dv); }) ==
                  XIW_FAULT_DDP_UNTAGGED_VERSION);
        CHECK(verdict([](Octets &o) { o[0] |= XIW_DDP_T; }) == XIW_FAULT_RDMA_OPCODE);
        CHECK(verdict([](Octets &o) { o[0] &= static_cast<u8>(~XIW_DDP_L); }) ==
              XIW_FAULT_RDMA_STREAM);
        // The receiver ignores reserved bits.
        CHECK(verdict([](Octets &o) { o[0] |= 0x3c; }) == XIW_FAULT_NONE);
        for (u8 rv : {0x00, 0x80, 0xc0})
            CHECK(verdict([rv](Octets &o) { o[1] = static_cast<u8>((o[1] & 0x3f) | rv); }) ==
                  XIW_FAULT_RDMA_VERSION);
        for (u32 qn : {0U, 1U, 2U, 3U, 4U, 255U, 256U, 0x10000U, 0x80000000U, ~0U})
            CHECK(verdict([qn](Octets &o) { put_unaligned_be32(qn, &o[XIW_DDP_QN_AT]); }) ==
                  (qn == row.qn ? XIW_FAULT_NONE
                   : qn <= 3    ? XIW_FAULT_RDMA_OPCODE
                                : XIW_FAULT_DDP_QN));
        for (u32 msn : {0U, 2U, 0x80000001U, ~0U})
            CHECK(verdict([msn](Octets &o) { put_unaligned_be32(msn, &o[XIW_DDP_MSN_AT]); }) ==
                  XIW_FAULT_DDP_MSN);
        for (u32 mo : {1U, 8U, 0x80000000U, ~0U})
            CHECK(verdict([mo](Octets &o) { put_unaligned_be32(mo, &o[XIW_DDP_MO_AT]); }) ==
                  XIW_FAULT_DDP_MO);
    }
}

TEST_CASE("the DDP version is checked in every segment", "[D-HDR-011]") {
    for (bool is_tagged : {false, true}) {
        SegmentReceiver r;
        Octets next(is_tagged ? XIW_DDP_TAGGED_LEN : XIW_DDP_UNTAGGED_LEN);

        if (is_tagged) {
            REQUIRE(r.tagged(XIW_OP_WRITE, 10, false) == XIW_FAULT_NONE);
            xiw_ddp_put_tagged(next.data(), xiw_rdmap_ctrl(XIW_OP_WRITE), true, 1, 10);
        } else {
            REQUIRE(r.untagged(XIW_OP_SEND, 0, 1, 0, 10, false) == XIW_FAULT_NONE);
            xiw_ddp_put_untagged(next.data(), xiw_rdmap_ctrl(XIW_OP_SEND), true, 0, 0, 1, 10);
        }
        for (u8 dv : {0, 2, 3}) {
            Octets other = next;

            other[0] = static_cast<u8>((other[0] & 0xfc) | dv);
            CHECK(r.judge(other, true, 4096) ==
                  (is_tagged ? XIW_FAULT_DDP_TAGGED_VERSION : XIW_FAULT_DDP_UNTAGGED_VERSION));
        }
        CHECK(r.judge(next, true, 4096) == XIW_FAULT_NONE);
    }
}

TEST_CASE("no message is delivered twice", "[D-LLP-010][I-ATOM-012]") {
    struct {
        u8 opcode;
        u32 qn, length;
    } rows[] = {
        {XIW_OP_SEND, 0, 8}, {XIW_OP_SEND_INV, 0, 8},        {XIW_OP_READ_REQUEST, 1, 28},
        {XIW_OP_IMM, 0, 8},  {XIW_OP_ATOMIC_REQUEST, 1, 52}, {XIW_OP_ATOMIC_RESPONSE, 3, 12}};

    for (auto &row : rows) {
        SegmentReceiver r;

        CAPTURE(row.opcode);
        CHECK(r.untagged(row.opcode, row.qn, 1, 0, row.length) == XIW_FAULT_NONE);
        CHECK(r.untagged(row.opcode, row.qn, 1, 0, row.length) == XIW_FAULT_DDP_MSN);
        CHECK(r.untagged(row.opcode, row.qn, 2, 0, row.length) == XIW_FAULT_NONE);
        CHECK(r.untagged(row.opcode, row.qn, 1, 0, row.length) == XIW_FAULT_DDP_MSN);
    }
}

TEST_CASE("each stream has its own credits") {
    SegmentReceiver greedy, other;

    CHECK(greedy.untagged(XIW_OP_READ_REQUEST, 1, 1, 0, 28) == XIW_FAULT_NONE);
    CHECK(greedy.untagged(XIW_OP_READ_REQUEST, 1, 2, 0, 28) == XIW_FAULT_NONE);
    CHECK(greedy.untagged(XIW_OP_READ_REQUEST, 1, 3, 0, 28) == XIW_FAULT_DDP_NO_BUFFER);
    CHECK(other.untagged(XIW_OP_READ_REQUEST, 1, 1, 0, 28) == XIW_FAULT_NONE);
    CHECK(other.untagged(XIW_OP_ATOMIC_REQUEST, 1, 2, 0, 52) == XIW_FAULT_NONE);
}

// The receiver accepts the segments of the sender. The test builds only the headers of the
// segments.
TEST_CASE("messages of 0 to 2^31 octets are received",
          "[R-GEN-002][R-GEN-007][D-XFER-017][D-HDR-005]") {
    for (u32 length : {0U, 1U, 64750U, 64751U, 1U << 20, (1U << 31) - 1, 1U << 31})
        for (u8 opcode : {XIW_OP_SEND, XIW_OP_WRITE, XIW_OP_READ_RESPONSE}) {
            SegmentReceiver r;
            xiw_solicited_entry entry;
            xiw_solicited awaited;
            xiw_ddp_seg seg;
            bool is_tagged = opcode != XIW_OP_SEND;
            u32 deliveries = 0;

            xiw_solicited_init(&awaited, &entry, 1);
            REQUIRE(xiw_solicited_push_read(&awaited, 7, 0x1000, length, 0, 0));
            if (is_tagged)
                xiw_ddp_seg_tagged(&seg, xiw_rdmap_ctrl(opcode), 7, 0x1000, length);
            else
                xiw_ddp_seg_untagged(&seg, xiw_rdmap_ctrl(opcode), 0, XIW_QN_SEND, 1, length);
            while (!seg.done) {
                u8 header[XIW_DDP_HDR_MAX];
                xiw_ddp_piece piece;

                xiw_ddp_seg_next(&seg, XIW_MULPDU_MAX, header, &piece);
                REQUIRE(xiw_ddp_rx_header(&r.rx, r.match, header, piece.header_len + piece.len,
                                          &r.h) == XIW_FAULT_NONE);
                if (!is_tagged)
                    REQUIRE(xiw_ddp_rx_untagged(&r.rx, r.match, &r.h, true, 1ULL << 31) ==
                            XIW_FAULT_NONE);
                if (opcode == XIW_OP_READ_RESPONSE) {
                    REQUIRE(xiw_solicited_check(&awaited, &r.h) == XIW_FAULT_NONE);
                    xiw_solicited_placed(&awaited, &r.h);
                }
                deliveries += xiw_ddp_rx_placed(&r.rx, &r.h);
                REQUIRE((deliveries == 1) == bool(seg.done));
            }
            CAPTURE(length, opcode);
            CHECK(deliveries == 1);
            CHECK(r.rx.length == length);
            CHECK(awaited.count == (opcode == XIW_OP_READ_RESPONSE ? 0 : 1));
        }
}
