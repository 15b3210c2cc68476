// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The queues of outbound and inbound Reads and Atomics, and the checks of inbound requests.
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <deque>
#include <random>

using namespace xiw;

TEST_CASE("ORD is never exceeded", "[R-STR-005][X-ATOM-032]") {
    xiw_orq orq;

    xiw_orq_init(&orq, 2, 7);
    CHECK(xiw_orq_idle(&orq));
    CHECK(xiw_orq_take(&orq));
    CHECK(xiw_orq_take(&orq));
    CHECK_FALSE(xiw_orq_take(&orq));
    CHECK_FALSE(xiw_orq_idle(&orq));
    xiw_orq_answered(&orq);
    CHECK(xiw_orq_take(&orq));
    xiw_orq_answered(&orq);
    xiw_orq_answered(&orq);
    CHECK(xiw_orq_idle(&orq));
    CHECK(xiw_orq_next_id(&orq) == 7);
    CHECK(xiw_orq_next_id(&orq) == 8);
    xiw_orq_init(&orq, 0, 0);
    CHECK_FALSE(xiw_orq_take(&orq));
}

TEST_CASE("an Atomic Response must have the identifier of the oldest request",
          "[X-ATOM-033][X-ATOM-051]") {
    xiw_atomic_rsp rsp{5, 1};

    CHECK(xiw_orq_check_atomic(true, 5, &rsp) == XIW_FAULT_NONE);
    CHECK(xiw_orq_check_atomic(true, 6, &rsp) == XIW_FAULT_RDMA_STREAM);
    CHECK(xiw_orq_check_atomic(false, 5, &rsp) == XIW_FAULT_RDMA_STREAM);
}

TEST_CASE("the inbound queue agrees with a plain model",
          "[R-RD-009][R-RD-018][R-RD-021][R-ORD-022][R-ORD-027][X-ATOM-043][X-ATOM-044]") {
    const u32 seed = std::random_device{}();
    std::mt19937 random(seed);

    CAPTURE(seed);
    for (u32 depth : {0U, 1U, 2U, 3U, 16U}) {
        std::deque<u32> waiting, answering; // slot numbers
        xiw_irrq q;

        xiw_irrq_init(&q, depth);
        for (int i = 0; i < 20000; i++) {
            REQUIRE(xiw_irrq_used(&q) == waiting.size() + answering.size());
            REQUIRE(xiw_irrq_answering(&q) == answering.size());
            switch (random() % 3) {
            case 0: {
                u32 slot = xiw_irrq_push(&q);
                bool full = waiting.size() + answering.size() == depth;

                REQUIRE((slot == XIW_IRRQ_NONE) == full);
                if (full)
                    break;
                REQUIRE(slot < depth);
                for (u32 s : waiting)
                    REQUIRE(s != slot);
                for (u32 s : answering)
                    REQUIRE(s != slot);
                waiting.push_back(slot);
                break;
            }
            case 1:
                if (waiting.empty()) {
                    REQUIRE(xiw_irrq_next(&q) == XIW_IRRQ_NONE);
                    break;
                }
                REQUIRE(xiw_irrq_next(&q) == waiting.front());
                xiw_irrq_begun(&q);
                answering.push_back(waiting.front());
                waiting.pop_front();
                break;
            default:
                if (answering.empty()) {
                    REQUIRE(xiw_irrq_oldest(&q) == XIW_IRRQ_NONE);
                    break;
                }
                REQUIRE(xiw_irrq_oldest(&q) == answering.front());
                xiw_irrq_done(&q);
                answering.pop_front();
            }
            REQUIRE(xiw_irrq_idle(&q) == (waiting.empty() && answering.empty()));
        }
    }
}

namespace {

xiw_stag_view region(u8 access) {
    xiw_stag_view v{};

    v.state = XIW_STAG_VALID;
    v.key = 0x44;
    v.access = access;
    v.pd = 1;
    v.base = 0x1000;
    v.length = 0x100;
    return v;
}

} // namespace

TEST_CASE("an empty Read is not checked", "[R-RD-014][R-RD-015][S-REM-012]") {
    xiw_read_req req{0, 0, 0, 0, 0};

    CHECK(xiw_read_req_check(nullptr, nullptr, &req, 1, 1) == XIW_FAULT_NONE);
    req.size = 1;
    CHECK(xiw_read_req_check(nullptr, nullptr, &req, 1, 1) == XIW_FAULT_RDMA_STAG);
}

TEST_CASE("Reads and Atomics need separate rights", "[I-ATOM-020]") {
    xiw_stag_view r = region(XIW_ACCESS_REMOTE_READ | XIW_ACCESS_REMOTE_WRITE);
    xiw_stag_view a = region(XIW_ACCESS_REMOTE_ATOMIC);
    xiw_read_req read{0, 8, 0, 0x1000, 0x44};
    xiw_atomic_req atomic{};

    atomic.stag = 0x44;
    atomic.to = 0x1000;
    CHECK(xiw_read_req_check(&r, nullptr, &read, 1, 1) == XIW_FAULT_NONE);
    CHECK(xiw_read_req_check(&a, nullptr, &read, 1, 1) == XIW_FAULT_RDMA_ACCESS);
    CHECK(xiw_atomic_req_check(&r, nullptr, &atomic, 1, 1) == XIW_FAULT_RDMA_ACCESS);
    CHECK(xiw_atomic_req_check(&a, nullptr, &atomic, 1, 1) == XIW_FAULT_NONE);
}

TEST_CASE("an Atomic Request is checked in order",
          "[X-ATOM-017][X-ATOM-034][I-ATOM-002][I-ATOM-014][X-SEC-003]") {
    xiw_stag_view v = region(XIW_ACCESS_REMOTE_ATOMIC);
    xiw_atomic_req req{};
    auto check = [&](u64 first = 0) {
        v.first = first;
        return xiw_atomic_req_check(&v, nullptr, &req, 1, 1);
    };

    req.aop = 1;
    req.stag = 0x45;
    req.to = ~0ULL;
    CHECK(check() == XIW_FAULT_RDMA_OPCODE);
    req.aop = XIW_ATOMIC_CMP_SWAP;
    CHECK(check() == XIW_FAULT_RDMA_STAG);
    req.stag = 0x44;
    v.pd = 2;
    CHECK(check() == XIW_FAULT_RDMA_NOT_ASSOCIATED);
    v.pd = 1;
    v.access = 0;
    CHECK(check() == XIW_FAULT_RDMA_ACCESS);
    v.access = XIW_ACCESS_REMOTE_ATOMIC;
    CHECK(check() == XIW_FAULT_RDMA_WRAP);
    req.to = 0x10fc;
    CHECK(check() == XIW_FAULT_RDMA_BOUNDS);
    req.to = 0x1004;
    CHECK(check() == XIW_FAULT_RDMA_STREAM);
    // The address in memory must be aligned. The TO need not be.
    CHECK(check(4) == XIW_FAULT_NONE);
    req.to = 0x1008;
    CHECK(check(4) == XIW_FAULT_RDMA_STREAM);
    CHECK(check(0) == XIW_FAULT_NONE);
}

TEST_CASE("requests through a memory window need its memory region") {
    xiw_stag_view parent = region(XIW_ACCESS_BIND | XIW_ACCESS_LOCAL_WRITE),
                  window = region(XIW_ACCESS_REMOTE_READ | XIW_ACCESS_REMOTE_ATOMIC);
    xiw_read_req read{0, 8, 0, 0x1010, 0x44};
    xiw_atomic_req atomic{};

    parent.key = 1;
    parent.base = 0x1004; // the MR's first octet is at the start of a page
    window.flags = XIW_STAGF_WINDOW;
    window.parent = 0x101;
    atomic.stag = 0x44;
    atomic.to = 0x100c;
    CHECK(xiw_read_req_check(&window, &parent, &read, 1, 1) == XIW_FAULT_NONE);
    CHECK(xiw_read_req_check(&window, nullptr, &read, 1, 1) == XIW_FAULT_RDMA_STAG);
    CHECK(xiw_atomic_req_check(&window, &parent, &atomic, 1, 1) == XIW_FAULT_NONE);
    atomic.to = 0x1010;
    CHECK(xiw_atomic_req_check(&window, &parent, &atomic, 1, 1) == XIW_FAULT_RDMA_STREAM);
    CHECK(xiw_atomic_req_check(&window, nullptr, &atomic, 1, 1) == XIW_FAULT_RDMA_STAG);
}

TEST_CASE("the alignment of an atomic through a memory window follows from its region",
          "[X-ATOM-034]") {
    xiw_stag_entry region_entry{}, window_entry{};
    xiw_stag_view parent, window;
    xiw_atomic_req atomic{};
    auto check = [&](u64 to) {
        xiw_stag_view_get(&parent, &region_entry);
        xiw_stag_view_get(&window, &window_entry);
        atomic.to = to;
        return xiw_atomic_req_check(&window, &parent, &atomic, 1, 1);
    };

    region_entry.state = window_entry.state = XIW_STAG_VALID;
    region_entry.key = 1;
    window_entry.key = 0x44;
    region_entry.pd = window_entry.pd = cpu_to_le32(1);
    region_entry.base = cpu_to_le64(0x1004); // the buffer starts inside a page
    region_entry.first = cpu_to_le32(4);
    region_entry.length = cpu_to_le64(0x1000);
    region_entry.access = XIW_ACCESS_BIND | XIW_ACCESS_LOCAL_WRITE;
    window_entry.base = cpu_to_le64(0x1004);
    window_entry.length = cpu_to_le64(0x100);
    window_entry.access = XIW_ACCESS_REMOTE_ATOMIC;
    window_entry.flags = cpu_to_le32(XIW_STAGF_WINDOW);
    window_entry.parent = cpu_to_le32(0x101);
    atomic.stag = 0x44;
    CHECK(check(0x1008) == XIW_FAULT_NONE);
    CHECK(check(0x100c) == XIW_FAULT_RDMA_STREAM);
    // Give the MR contiguous bus addresses. The results do not change.
    region_entry.flags = cpu_to_le32(XIW_STAGF_LINEAR);
    region_entry.pages = cpu_to_le64(0xffff888000000004);
    region_entry.first = 0;
    CHECK(check(0x1008) == XIW_FAULT_NONE);
    CHECK(check(0x100c) == XIW_FAULT_RDMA_STREAM);
}
