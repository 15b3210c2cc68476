// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Conversion of work requests to slots, and of completions to the structures of libibverbs.
#include "slot.h"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr uint8_t untouched = 0x5a;

// A slot with old contents, like the slots of a queue that has wrapped.
struct Slot {
    Slot() { bytes.fill(untouched); }
    struct xiw_abi_send *send() { return reinterpret_cast<struct xiw_abi_send *>(bytes.data()); }
    struct xiw_abi_recv *recv() { return reinterpret_cast<struct xiw_abi_recv *>(bytes.data()); }
    struct xiw_abi_sge *sges() { return xiw_send_sges(send()); }
    // Return true if no byte at or after `offset` was written.
    [[nodiscard]] bool clean_from(size_t offset) const {
        for (size_t i = offset; i < bytes.size(); i++)
            if (bytes[i] != untouched)
                return false;
        return true;
    }

    alignas(8) std::array<uint8_t, sizeof(struct xiw_abi_send) + 64> bytes;
};

constexpr struct xiw_slot_limits limits = {.max_sge = 2, .max_inline = 32};

struct ibv_send_wr request(enum ibv_wr_opcode opcode, struct ibv_sge *sges, int count) {
    struct ibv_send_wr wr = {};
    wr.wr_id = 0x1122334455667788;
    wr.opcode = opcode;
    wr.sg_list = sges;
    wr.num_sge = count;
    return wr;
}

} // namespace

TEST_CASE("provider: a Send is encoded as a slot") {
    Slot slot;
    struct ibv_sge sges[2] = {{0x1000, 10, 7}, {0x2000, 20, 8}};
    auto wr = request(IBV_WR_SEND, sges, 2);
    wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_FENCE;

    REQUIRE(xiw_slot_send(slot.send(), &wr, false, &limits) == 0);
    CHECK(slot.send()->wr_id == 0x1122334455667788);
    CHECK(slot.send()->opcode == XIW_ABI_OP_SEND);
    CHECK(slot.send()->flags ==
          (XIW_ABI_SEND_SIGNALED | XIW_ABI_SEND_SOLICITED | XIW_ABI_SEND_FENCE));
    CHECK(slot.send()->num_sge == 2);
    CHECK(slot.send()->inline_length == 0);
    CHECK(slot.send()->rkey == 0);
    CHECK(slot.send()->rsvd == 0);
    CHECK(slot.sges()[1].addr == 0x2000);
    CHECK(slot.sges()[1].length == 20);
    CHECK(slot.sges()[1].lkey == 8);
    CHECK(slot.clean_from(sizeof(struct xiw_abi_send) + 2 * sizeof(struct xiw_abi_sge)));
}

TEST_CASE("provider: each operation sets only its own fields") {
    struct ibv_sge sge = {0x1000, 8, 7};

    SECTION("Send with Invalidate") {
        Slot slot;
        auto wr = request(IBV_WR_SEND_WITH_INV, nullptr, 0);
        wr.invalidate_rkey = 0xabcd;
        REQUIRE(xiw_slot_send(slot.send(), &wr, true, &limits) == 0);
        CHECK(slot.send()->opcode == XIW_ABI_OP_SEND_INV);
        CHECK(slot.send()->invalidate == 0xabcd);
        CHECK(slot.send()->flags == XIW_ABI_SEND_SIGNALED);
        CHECK(slot.send()->num_sge == 0);
    }
    SECTION("Send with Immediate: four unchanged octets, then zeros") {
        Slot slot;
        auto wr = request(IBV_WR_SEND_WITH_IMM, &sge, 1);
        std::memcpy(&wr.imm_data, "\x01\x02\x03\x04", 4);
        wr.send_flags = IBV_SEND_SOLICITED;
        REQUIRE(xiw_slot_send(slot.send(), &wr, false, &limits) == 0);
        CHECK(slot.send()->opcode == XIW_ABI_OP_SEND_IMM);
        CHECK(std::memcmp(slot.send()->imm, "\x01\x02\x03\x04\0\0\0\0", 8) == 0);
        CHECK(slot.send()->flags == XIW_ABI_SEND_SOLICITED);
        CHECK(slot.send()->num_sge == 1);
        CHECK(slot.send()->rkey == 0);
        CHECK(slot.send()->invalidate == 0);
    }
    SECTION("Write") {
        Slot slot;
        auto wr = request(IBV_WR_RDMA_WRITE, &sge, 1);
        wr.wr.rdma.remote_addr = 0x123456789a;
        wr.wr.rdma.rkey = 0xbeef;
        REQUIRE(xiw_slot_send(slot.send(), &wr, false, &limits) == 0);
        CHECK(slot.send()->opcode == XIW_ABI_OP_WRITE);
        CHECK(slot.send()->remote_addr == 0x123456789a);
        CHECK(slot.send()->rkey == 0xbeef);
        CHECK(slot.send()->flags == 0);
        CHECK(std::memcmp(slot.send()->imm, "\0\0\0\0\0\0\0\0", 8) == 0);
    }
    SECTION("Write with Immediate: four unchanged octets, then zeros") {
        Slot slot;
        auto wr = request(IBV_WR_RDMA_WRITE_WITH_IMM, &sge, 1);
        std::memcpy(&wr.imm_data, "\x01\x02\x03\x04", 4);
        wr.wr.rdma.rkey = 0xbeef;
        REQUIRE(xiw_slot_send(slot.send(), &wr, false, &limits) == 0);
        CHECK(slot.send()->opcode == XIW_ABI_OP_WRITE_IMM);
        CHECK(std::memcmp(slot.send()->imm, "\x01\x02\x03\x04\0\0\0\0", 8) == 0);
        CHECK(slot.send()->rkey == 0xbeef);
        CHECK(slot.send()->invalidate == 0);
    }
    SECTION("Read") {
        Slot slot;
        auto wr = request(IBV_WR_RDMA_READ, &sge, 1);
        wr.wr.rdma.remote_addr = 5;
        REQUIRE(xiw_slot_send(slot.send(), &wr, false, &limits) == 0);
        CHECK(slot.send()->opcode == XIW_ABI_OP_READ);
        CHECK(slot.send()->remote_addr == 5);
    }
    SECTION("FetchAdd") {
        Slot slot;
        auto wr = request(IBV_WR_ATOMIC_FETCH_AND_ADD, &sge, 1);
        wr.wr.atomic.remote_addr = 16;
        wr.wr.atomic.rkey = 3;
        wr.wr.atomic.compare_add = 77;
        wr.wr.atomic.swap = 88; // FetchAdd does not use this field
        REQUIRE(xiw_slot_send(slot.send(), &wr, false, &limits) == 0);
        CHECK(slot.send()->opcode == XIW_ABI_OP_FETCH_ADD);
        CHECK(slot.send()->remote_addr == 16);
        CHECK(slot.send()->rkey == 3);
        CHECK(slot.send()->data == 77);
        CHECK(slot.send()->compare == 0);
        CHECK(slot.send()->mask == 0);
    }
    SECTION("CmpSwap") {
        Slot slot;
        auto wr = request(IBV_WR_ATOMIC_CMP_AND_SWP, &sge, 1);
        wr.wr.atomic.compare_add = 77;
        wr.wr.atomic.swap = 88;
        REQUIRE(xiw_slot_send(slot.send(), &wr, false, &limits) == 0);
        CHECK(slot.send()->opcode == XIW_ABI_OP_CMP_SWAP);
        CHECK(slot.send()->compare == 77);
        CHECK(slot.send()->data == 88);
    }
}

TEST_CASE("provider: memory windows are bound and invalidated") {
    struct ibv_mr mr = {};
    mr.lkey = 0x55aa00;
    struct ibv_mw mw = {};
    mw.type = IBV_MW_TYPE_2;
    mw.rkey = 0x123401;
    auto wr = request(IBV_WR_BIND_MW, nullptr, 0);
    wr.bind_mw = {&mw, 0x123402, {&mr, 0x10000, 4096, IBV_ACCESS_REMOTE_READ}};
    Slot slot;
    REQUIRE(xiw_slot_send(slot.send(), &wr, false, &limits) == 0);
    CHECK(slot.send()->opcode == XIW_ABI_OP_BIND);
    CHECK(slot.send()->rkey == 0x123402);
    CHECK(slot.send()->region == 0x55aa00);
    CHECK(slot.send()->remote_addr == 0x10000);
    CHECK(slot.send()->length == 4096);
    CHECK(slot.send()->rights == IBV_ACCESS_REMOTE_READ);
    CHECK(slot.send()->num_sge == 0);

    auto wrong = [&](auto &&change) {
        auto other = wr;
        change(other.bind_mw);
        return xiw_slot_send(slot.send(), &other, false, &limits) == EINVAL;
    };
    CHECK(mw.rkey == 0x123402);
    CHECK(slot.send()->compare == 0x123401);
    CHECK(wrong([](auto &bind) { bind.bind_info.mr = nullptr; }));
    CHECK(wrong([](auto &bind) { bind.bind_info.length = 0; }));
    CHECK(wrong([](auto &bind) { bind.bind_info.mw_access_flags |= IBV_ACCESS_ZERO_BASED; }));
    CHECK(wrong([](auto &bind) { bind.bind_info.mw_access_flags |= IBV_ACCESS_MW_BIND; }));
    // A local right has no meaning for an MW, so the provider does not pass it to the kernel.
    wr.bind_mw.bind_info.mw_access_flags |= IBV_ACCESS_LOCAL_WRITE;
    REQUIRE(xiw_slot_send(slot.send(), &wr, false, &limits) == 0);
    CHECK(slot.send()->rights == IBV_ACCESS_REMOTE_READ);
    // The new rkey takes only its lowest byte from the work request.
    wr.bind_mw.rkey = 0xba;
    REQUIRE(xiw_slot_send(slot.send(), &wr, false, &limits) == 0);
    CHECK(slot.send()->rkey == 0x1234ba);
    CHECK(mw.rkey == 0x1234ba);
    mw.type = IBV_MW_TYPE_1;
    CHECK(wrong([](auto &) {}));

    wr = request(IBV_WR_LOCAL_INV, nullptr, 0);
    wr.invalidate_rkey = 0x123402;
    REQUIRE(xiw_slot_send(slot.send(), &wr, false, &limits) == 0);
    CHECK(slot.send()->opcode == XIW_ABI_OP_LOCAL_INV);
    CHECK(slot.send()->invalidate == 0x123402);
    CHECK(slot.send()->rkey == 0);
}

TEST_CASE("provider: unsupported operations are refused") {
    const std::vector<int> opcodes = {IBV_WR_TSO, IBV_WR_DRIVER1, 12, 99, -1};
    for (int opcode : opcodes) {
        Slot slot;
        auto wr = request(IBV_WR_SEND, nullptr, 0);
        std::memcpy(&wr.opcode, &opcode, sizeof(opcode)); // a cast of 99 or -1 would be undefined
        CHECK(xiw_slot_send(slot.send(), &wr, false, &limits) == EOPNOTSUPP);
        CHECK(slot.clean_from(0));
    }
}

TEST_CASE("provider: requests with invalid SGEs or flags are refused") {
    Slot slot;
    struct ibv_sge sges[3] = {{1, 8, 1}, {2, 8, 1}, {3, 8, 1}};
    auto refused = [&](enum ibv_wr_opcode opcode, int count, unsigned int flags = 0) {
        auto wr = request(opcode, sges, count);
        wr.send_flags = flags;
        return xiw_slot_send(slot.send(), &wr, false, &limits);
    };
    CHECK(refused(IBV_WR_SEND, 3) == EINVAL);
    CHECK(refused(IBV_WR_SEND, -1) == EINVAL);
    CHECK(refused(IBV_WR_RDMA_WRITE, 3) == EINVAL);
    CHECK(refused(IBV_WR_RDMA_READ, 2) == EINVAL);
    CHECK(refused(IBV_WR_RDMA_READ, 1, IBV_SEND_INLINE) == EINVAL);
    CHECK(refused(IBV_WR_RDMA_READ, 0) == 0);
    CHECK(refused(IBV_WR_ATOMIC_FETCH_AND_ADD, 0) == EINVAL);
    CHECK(refused(IBV_WR_ATOMIC_FETCH_AND_ADD, 2) == EINVAL);
    CHECK(refused(IBV_WR_ATOMIC_CMP_AND_SWP, 1, IBV_SEND_INLINE) == EINVAL);
    // The provider has written nothing after the two SGEs that fit into a slot.
    CHECK(slot.clean_from(sizeof(struct xiw_abi_send) + 2 * sizeof(struct xiw_abi_sge)));
}

TEST_CASE("provider: inline payload is gathered up to the limit") {
    std::string first = "0123456789", second(22, 'x'), third = "y";
    struct ibv_sge sges[3] = {
        {reinterpret_cast<uintptr_t>(first.data()), 10, 0},
        {reinterpret_cast<uintptr_t>(second.data()), 22, 0},
        {reinterpret_cast<uintptr_t>(third.data()), 1, 0},
    };
    Slot slot;
    auto wr = request(IBV_WR_SEND, sges, 2);
    wr.send_flags = IBV_SEND_INLINE;

    REQUIRE(xiw_slot_send(slot.send(), &wr, false, &limits) == 0);
    CHECK(slot.send()->flags == XIW_ABI_SEND_INLINE);
    CHECK(slot.send()->num_sge == 0);
    CHECK(slot.send()->inline_length == 32);
    CHECK(std::memcmp(xiw_send_payload(slot.send()), (first + second).data(), 32) == 0);
    CHECK(slot.clean_from(sizeof(struct xiw_abi_send) + 32));

    // Inline data may come from more SGEs than fit into a slot, but must not exceed the limit.
    wr.num_sge = 3;
    CHECK(xiw_slot_send(slot.send(), &wr, false, &limits) == ENOMEM);
    CHECK(slot.clean_from(sizeof(struct xiw_abi_send) + 32));
    sges[1].length = 0xffffffff;
    CHECK(xiw_slot_send(slot.send(), &wr, false, &limits) == ENOMEM);

    wr.num_sge = 0;
    REQUIRE(xiw_slot_send(slot.send(), &wr, false, &limits) == 0);
    CHECK(slot.send()->flags == XIW_ABI_SEND_INLINE);
    CHECK(slot.send()->inline_length == 0);
}

TEST_CASE("provider: a receive is encoded as a slot") {
    Slot slot;
    struct ibv_sge sges[2] = {{0x1000, 10, 7}, {0x2000, 20, 8}};
    struct ibv_recv_wr wr = {.wr_id = 42, .next = nullptr, .sg_list = sges, .num_sge = 2};

    REQUIRE(xiw_slot_recv(slot.recv(), &wr, 2) == 0);
    CHECK(slot.recv()->wr_id == 42);
    CHECK(slot.recv()->num_sge == 2);
    CHECK(slot.recv()->rsvd == 0);
    CHECK(reinterpret_cast<struct xiw_abi_sge *>(slot.recv() + 1)[1].lkey == 8);
    CHECK(slot.clean_from(sizeof(struct xiw_abi_recv) + 2 * sizeof(struct xiw_abi_sge)));

    CHECK(xiw_slot_recv(slot.recv(), &wr, 1) == EINVAL);
    wr.num_sge = -1;
    CHECK(xiw_slot_recv(slot.recv(), &wr, 2) == EINVAL);
    wr.num_sge = 0;
    CHECK(xiw_slot_recv(slot.recv(), &wr, 2) == 0);
}

TEST_CASE("provider: completions are converted for libibverbs") {
    struct xiw_abi_cqe cqe = {};
    struct ibv_wc wc = {};
    cqe.wr_id = 9;
    cqe.byte_len = 100;
    cqe.qp_num = 3;

    const std::vector<std::pair<int, enum ibv_wc_opcode>> opcodes = {
        {XIW_ABI_WC_SEND, IBV_WC_SEND},
        {XIW_ABI_WC_WRITE, IBV_WC_RDMA_WRITE},
        {XIW_ABI_WC_READ, IBV_WC_RDMA_READ},
        {XIW_ABI_WC_FETCH_ADD, IBV_WC_FETCH_ADD},
        {XIW_ABI_WC_MASKED_FETCH_ADD, IBV_WC_FETCH_ADD},
        {XIW_ABI_WC_CMP_SWAP, IBV_WC_COMP_SWAP},
        {XIW_ABI_WC_MASKED_CMP_SWAP, IBV_WC_COMP_SWAP},
        {XIW_ABI_WC_RECV, IBV_WC_RECV},
        {XIW_ABI_WC_RECV_IMM, IBV_WC_RECV_RDMA_WITH_IMM},
    };
    for (auto [ours, theirs] : opcodes) {
        cqe.opcode = static_cast<uint8_t>(ours);
        xiw_wc_fill(&wc, &cqe);
        CHECK(wc.opcode == theirs);
    }
    CHECK(wc.wr_id == 9);
    CHECK(wc.byte_len == 100);
    CHECK(wc.qp_num == 3);
    CHECK(wc.wc_flags == 0);

    cqe.flags = XIW_ABI_CQE_IMM;
    std::memcpy(cqe.imm, "\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11", 8);
    xiw_wc_fill(&wc, &cqe);
    CHECK(wc.wc_flags == IBV_WC_WITH_IMM);
    CHECK(std::memcmp(&wc.imm_data, "\x0a\x0b\x0c\x0d", 4) == 0);

    cqe.flags = XIW_ABI_CQE_INVALIDATED;
    cqe.invalidated = 0x77;
    cqe.opcode = XIW_ABI_WC_RECV;
    xiw_wc_fill(&wc, &cqe);
    CHECK(wc.wc_flags == IBV_WC_WITH_INV);
    CHECK(wc.invalidated_rkey == 0x77);

    cqe.status = IBV_WC_REM_ACCESS_ERR;
    cqe.vendor_err = 0x10203;
    xiw_wc_fill(&wc, &cqe);
    CHECK(wc.status == IBV_WC_REM_ACCESS_ERR);
    CHECK(wc.vendor_err == 0x10203);
}
