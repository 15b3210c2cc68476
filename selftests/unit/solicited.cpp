// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw;

namespace {

xiw_ddp_header response(u32 stag, u64 to, u32 length, bool last = true, bool first = true) {
    xiw_ddp_header h{};

    h.ddp_ctrl = static_cast<u8>(XIW_DDP_T | XIW_DDP_DV | (last ? XIW_DDP_L : 0));
    h.rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_READ_RESPONSE);
    h.first = first;
    h.stag = stag;
    h.to = to;
    h.payload_len = length;
    return h;
}

xiw_ddp_header atomic_response() {
    xiw_ddp_header h{};

    h.ddp_ctrl = XIW_DDP_DV | XIW_DDP_L;
    h.qn = XIW_QN_RESPONSE;
    h.payload_len = XIW_ATOMIC_RSP_LEN;
    h.first = true;
    return h;
}

struct Fifo {
    Fifo() { xiw_solicited_init(&s, entries, 3); }
    xiw_fault check(const xiw_ddp_header &h) { return xiw_solicited_check(&s, &h); }
    xiw_solicited_entry *placed(const xiw_ddp_header &h) { return xiw_solicited_placed(&s, &h); }

    xiw_solicited_entry entries[3];
    xiw_solicited s;
};

} // namespace

TEST_CASE("a Read Response must fit the oldest request", "[R-RD-022][R-RD-020]") {
    Fifo f;

    CHECK(f.check(response(7, 100, 10)) == XIW_FAULT_RDMA_OPCODE);
    REQUIRE(xiw_solicited_push_read(&f.s, 7, 100, 30, 55, 1));
    CHECK(f.check(response(8, 100, 10, false)) == XIW_FAULT_DDP_STAG);
    CHECK(f.check(response(7, 101, 10, false)) == XIW_FAULT_DDP_BOUNDS);
    CHECK(f.check(response(7, 99, 10, false)) == XIW_FAULT_DDP_BOUNDS);
    CHECK(f.check(response(7, 100, 31)) == XIW_FAULT_DDP_BOUNDS);
    CHECK(f.check(response(7, 100, 0xffffffff)) == XIW_FAULT_DDP_BOUNDS);
    CHECK(f.check(response(7, 100, 29)) == XIW_FAULT_RDMA_STREAM);
    CHECK(f.check(response(7, 100, 0)) == XIW_FAULT_RDMA_STREAM);
    CHECK(f.check(response(7, 100, 30)) == XIW_FAULT_NONE);

    REQUIRE(f.check(response(7, 100, 10, false)) == XIW_FAULT_NONE);
    CHECK_FALSE(f.placed(response(7, 100, 10, false)));
    CHECK(f.check(response(7, 100, 20, true, false)) == XIW_FAULT_DDP_BOUNDS);
    CHECK(f.check(response(7, 110, 21, true, false)) == XIW_FAULT_DDP_BOUNDS);
    CHECK(f.check(response(7, 110, 0, true, false)) == XIW_FAULT_RDMA_STREAM);
    REQUIRE(f.check(response(7, 110, 20, true, false)) == XIW_FAULT_NONE);
    xiw_solicited_entry *e = f.placed(response(7, 110, 20, true, false));
    REQUIRE(e);
    CHECK(e->cookie == 55);
    CHECK(e->flags == 1);
    CHECK(f.check(response(7, 130, 1)) == XIW_FAULT_RDMA_OPCODE);
}

// All segments of a Read Response must fit into the sink range of the Read Request. The Read
// completes only with the last segment, even if earlier segments have placed all octets of the
// range.
TEST_CASE("each segment of a Read Response is checked against its request",
          "[R-RD-022][R-RD-023][R-ORD-021][D-XFER-016][D-HDR-007]") {
    Fifo f;

    REQUIRE(xiw_solicited_push_read(&f.s, 7, 100, 30, 55, 0));
    REQUIRE(f.check(response(7, 100, 10, false)) == XIW_FAULT_NONE);
    REQUIRE_FALSE(f.placed(response(7, 100, 10, false)));
    CHECK(f.check(response(8, 110, 10, false, false)) == XIW_FAULT_DDP_STAG);
    CHECK(f.check(response(8, 110, 20, true, false)) == XIW_FAULT_DDP_STAG);
    CHECK(f.check(response(0, 110, 20, true, false)) == XIW_FAULT_DDP_STAG);
    CHECK(f.check(response(7, 100, 20, true, false)) == XIW_FAULT_DDP_BOUNDS);

    REQUIRE(f.check(response(7, 110, 20, false, false)) == XIW_FAULT_NONE);
    CHECK_FALSE(f.placed(response(7, 110, 20, false, false)));
    CHECK(xiw_solicited_oldest(&f.s)->received == 30);
    CHECK(f.check(response(7, 130, 1, true, false)) == XIW_FAULT_DDP_BOUNDS);
    CHECK(f.check(response(8, 130, 1, true, false)) == XIW_FAULT_DDP_STAG);
}

TEST_CASE("a sink range may wrap at the end of the address space") {
    Fifo f;

    xiw_solicited_push_read(&f.s, 7, 0xfffffffffffffff0ULL, 32, 0, 0);
    CHECK(f.check(response(7, 0xfffffffffffffff0ULL, 16, false)) == XIW_FAULT_NONE);
    f.placed(response(7, 0xfffffffffffffff0ULL, 16, false));
    CHECK(f.check(response(7, 0, 16, true, false)) == XIW_FAULT_NONE);
}

TEST_CASE("an empty Read is answered by an empty message", "[R-RD-013][R-RD-016]") {
    Fifo f;

    xiw_solicited_push_read(&f.s, 7, 100, 0, 0, 0);
    CHECK(f.check(response(1, 2, 0)) == XIW_FAULT_NONE);
    CHECK(f.check(response(7, 100, 1)) == XIW_FAULT_DDP_BOUNDS);
    CHECK(f.placed(response(1, 2, 0)));
    CHECK(f.s.count == 0);
}

TEST_CASE("answers must arrive in the order of the requests",
          "[X-ATOM-007][X-ATOM-052][X-RES-002]") {
    Fifo f;

    CHECK_FALSE(xiw_solicited_available(&f.s));
    CHECK(f.check(atomic_response()) == XIW_FAULT_DDP_NO_BUFFER);
    REQUIRE(xiw_solicited_push_read(&f.s, 7, 0, 4, 1, 0));
    CHECK_FALSE(xiw_solicited_available(&f.s));
    REQUIRE(xiw_solicited_push_queue3(&f.s, 9, 0x28, 2));
    CHECK(xiw_solicited_available(&f.s));
    CHECK(f.check(atomic_response()) == XIW_FAULT_RDMA_STREAM);
    REQUIRE(xiw_solicited_push_read(&f.s, 7, 4, 4, 3, 0));
    CHECK_FALSE(xiw_solicited_push_read(&f.s, 7, 8, 4, 4, 0));
    CHECK_FALSE(xiw_solicited_push_queue3(&f.s, 9, 0x30, 4));

    CHECK(f.placed(response(7, 0, 4))->cookie == 1);
    CHECK(f.check(response(7, 4, 4)) == XIW_FAULT_RDMA_OPCODE);
    CHECK(f.check(atomic_response()) == XIW_FAULT_NONE);
    const xiw_solicited_entry *e = f.placed(atomic_response());
    CHECK(e->cookie == 2);
    CHECK(e->stag == 9);
    CHECK(e->to == 0x28);
    CHECK_FALSE(xiw_solicited_available(&f.s));
    CHECK(f.check(response(7, 4, 4)) == XIW_FAULT_NONE);
    CHECK(f.placed(response(7, 4, 4))->cookie == 3);
    CHECK_FALSE(xiw_solicited_oldest(&f.s));
}

TEST_CASE("the FIFO wraps around") {
    Fifo f;

    for (u32 i = 0; i < 100; i++) {
        REQUIRE(xiw_solicited_push_read(&f.s, 1, i, 1, i, 0));
        REQUIRE(xiw_solicited_push_queue3(&f.s, 1, i, i + 1000));
        REQUIRE(f.placed(response(1, i, 1))->cookie == i);
        REQUIRE(f.placed(atomic_response())->cookie == i + 1000);
    }
}

TEST_CASE("without an ORD no answer can be expected") {
    xiw_solicited s;

    xiw_solicited_init(&s, nullptr, 0);
    CHECK_FALSE(xiw_solicited_push_read(&s, 1, 0, 1, 0, 0));
    CHECK_FALSE(xiw_solicited_push_queue3(&s, 1, 0, 0));
}
