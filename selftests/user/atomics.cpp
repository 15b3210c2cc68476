// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Atomic Operations and 64-bit immediates (RFC 7306). The masked atomics use direct verbs.
#include "pair.hpp"

#include <xiwdv.h>

#include <cstring>
#include <random>

namespace user {
namespace {

constexpr size_t result = 4096; // destination of the original value
constexpr size_t target = 64;
constexpr uint64_t atomic_ops = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
                                IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
                                IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;

uint64_t original(Pair &pair, struct ibv_send_wr &wr, enum ibv_wc_opcode opcode) {
    pair.a.sge = {pair.a.address(result), 8, pair.a.mr->lkey};
    wr.wr.atomic.remote_addr = pair.b.address(target);
    wr.wr.atomic.rkey = pair.b.mr->rkey;
    pair.a.word(result) = ~uint64_t{0};
    pair.a.post(wr);
    check(pair.a.completes(opcode, 1).byte_len == 8, "byte_len");
    return pair.a.word(result);
}

void plain() {
    Pair pair;
    pair.b.word(target) = 1000;
    auto add = pair.a.request(IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
    add.wr.atomic.compare_add = 0x100000007;
    check(original(pair, add, IBV_WC_FETCH_ADD) == 1000, "the original value of FetchAdd");
    check(pair.b.word(target) == 1000 + 0x100000007, "FetchAdd");

    auto swap = pair.a.request(IBV_WR_ATOMIC_CMP_AND_SWP, 8);
    swap.wr.atomic.compare_add = 5; // the target has another value
    swap.wr.atomic.swap = 6;
    check(original(pair, swap, IBV_WC_COMP_SWAP) == 1000 + 0x100000007, "CmpSwap's original");
    check(pair.b.word(target) == 1000 + 0x100000007, "CmpSwap of what is not there");
    swap.wr.atomic.compare_add = 1000 + 0x100000007;
    swap.wr.atomic.swap = ~uint64_t{1};
    check(original(pair, swap, IBV_WC_COMP_SWAP) == 1000 + 0x100000007, "CmpSwap's original");
    check(pair.b.word(target) == ~uint64_t{1}, "CmpSwap");
}

// Computes a FetchAdd as in RFC 7306 §5.1.1, bit by bit. The carry out of a bit that is set in the
// mask is dropped.
uint64_t masked_add(uint64_t value, uint64_t add, uint64_t mask) {
    uint64_t sum = 0, carry = 0;
    for (int i = 0; i < 64; i++) {
        uint64_t bits = ((value >> i) & 1) + ((add >> i) & 1) + carry;
        sum |= (bits & 1) << i;
        carry = (mask >> i) & 1 ? 0 : bits >> 1;
    }
    return sum;
}

struct Extended : Pair {
    Extended()
        : Pair([] {
              Options options;
              options.send_ops = atomic_ops;
              return options;
          }()) {}

    uint64_t run(enum ibv_wc_opcode opcode, const std::function<void(ibv_qp_ex *)> &build) {
        a.word(result) = ~uint64_t{0};
        ibv_qp_ex *qp = a.ex();
        ibv_wr_start(qp);
        qp->wr_id = 1;
        qp->wr_flags = IBV_SEND_SIGNALED;
        build(qp);
        ibv_wr_set_sge(qp, a.mr->lkey, a.address(result), 8);
        works(ibv_wr_complete(qp), "wr_complete");
        a.completes(opcode, 1);
        return a.word(result);
    }
};

void atomics_extended() {
    Extended pair;
    const uint64_t to = pair.b.address(target);
    const uint32_t rkey = pair.b.mr->rkey;
    pair.b.word(target) = 41;
    check(pair.run(IBV_WC_FETCH_ADD, [&](auto *qp) { ibv_wr_atomic_fetch_add(qp, rkey, to, 1); }) ==
              41,
          "the original value");
    check(pair.run(IBV_WC_COMP_SWAP,
                   [&](auto *qp) { ibv_wr_atomic_cmp_swp(qp, rkey, to, 42, 7); }) == 42,
          "the original value");
    check(pair.b.word(target) == 7, "CmpSwap");
}

void masked() {
    Extended pair;
    const uint64_t to = pair.b.address(target);
    const uint32_t rkey = pair.b.mr->rkey;
    std::mt19937_64 random(7306);
    for (int i = 0; i < 200; i++) {
        const uint64_t value = random(), add = random();
        const uint64_t mask = i < 2 ? -static_cast<uint64_t>(i) : random() & random();
        pair.b.word(target) = value;
        check(pair.run(IBV_WC_FETCH_ADD,
                       [&](auto *qp) { xiwdv_wr_masked_fetch_add(qp, rkey, to, add, mask); }) ==
                  value,
              "masked FetchAdd's original");
        check(pair.b.word(target) == masked_add(value, add, mask), "masked FetchAdd");
    }
    for (int i = 0; i < 200; i++) {
        const uint64_t value = random(), swap = random(), swap_mask = random();
        const uint64_t compare_mask = random() & random() & random();
        // Every second compare value differs from the target in some bits. The mask may exclude
        // these bits.
        const uint64_t compare = i % 2 ? value : value ^ (random() & random());
        const bool equal = !((value ^ compare) & compare_mask);
        pair.b.word(target) = value;
        check(pair.run(IBV_WC_COMP_SWAP,
                       [&](auto *qp) {
                           xiwdv_wr_masked_cmp_swp(qp, rkey, to, compare, compare_mask, swap,
                                                   swap_mask);
                       }) == value,
              "masked CmpSwap's original");
        check(pair.b.word(target) == (equal ? (value & ~swap_mask) | (swap & swap_mask) : value),
              "masked CmpSwap");
    }
}

void immediate64() {
    Extended pair;
    const uint8_t imm[8] = {1, 2, 3, 4, 0xfc, 0xfd, 0xfe, 0xff};
    pair.b.receive(0, 9);
    ibv_qp_ex *qp = pair.a.ex();
    ibv_wr_start(qp);
    qp->wr_id = 1;
    qp->wr_flags = IBV_SEND_SIGNALED;
    xiwdv_wr_rdma_write_imm64(qp, pair.b.mr->rkey, pair.b.address(target), imm);
    ibv_wr_set_sge(qp, pair.a.mr->lkey, pair.a.address(), 40);
    works(ibv_wr_complete(qp), "wr_complete");
    pair.a.completes(IBV_WC_RDMA_WRITE, 1);

    xiwdv_wc wc = {};
    wait_until("a completion", [&] { return xiwdv_poll_cq(pair.b.cq.get(), 1, &wc) == 1; });
    check(wc.wc.status == IBV_WC_SUCCESS && wc.wc.wr_id == 9 && wc.wc.byte_len == 40 &&
              wc.wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM,
          "the completion");
    check(!std::memcmp(wc.imm, imm, 8), "the eight octets");
    check(be32toh(wc.wc.imm_data) == 0x01020304, "libibverbs' four of them");
    check(wc.timestamp > 0, "no timestamp");
}

void peer() {
    Extended pair;
    check(xiwdv_is_supported(pair.a.context->device), "not our device");
    xiwdv_device_attr attr = {};
    works(xiwdv_query_device(pair.a.context, &attr), "query_device");
    // all capabilities except Send with Immediate, which is off
    check(attr.caps == 7, "capabilities " + std::to_string(attr.caps));
    check(attr.max_inline >= 64, "max_inline " + std::to_string(attr.max_inline));
    attr.comp_mask = 1;
    refused(EINVAL, xiwdv_query_device(pair.a.context, &attr), "an unknown comp_mask");
    uint32_t flags = 0;
    for (End *end : {&pair.a, &pair.b}) {
        works(xiwdv_query_peer(end->qp, &flags), "query_peer");
        check(flags & XIWDV_PEER_CONNECTED, "not connected");
    }
}

} // namespace

std::vector<Case> atomic_cases() {
    return {{"atomics", plain},
            {"atomics-wr-api", atomics_extended},
            {"atomics-masked", masked},
            {"immediate-64", immediate64},
            {"peer", peer}};
}

} // namespace user
