// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Send with Immediate (docs/send-with-immediate.md). Both devices have it enabled.
#include "hostile.h"
#include "pair.hpp"

#include <xiwdv.h>

#include <cstring>

namespace user {
namespace {

void received(const Pair &pair, const struct ibv_wc &wc, uint32_t value, uint32_t size) {
    check(wc.wc_flags == IBV_WC_WITH_IMM, "flags " + std::to_string(wc.wc_flags));
    check(be32toh(wc.imm_data) == value, "value " + std::to_string(be32toh(wc.imm_data)));
    check(wc.byte_len == size, "byte_len " + std::to_string(wc.byte_len));
    check(!std::memcmp(pair.a.memory.get(), pair.b.memory.get(), size), "contents");
}

void send(Pair &pair, uint32_t size, unsigned int flags, uint64_t receive) {
    const uint32_t value = 0xfedcba98 - size;
    std::memset(pair.a.memory.get(), static_cast<int>(size + flags), size);
    auto wr = pair.a.request(IBV_WR_SEND_WITH_IMM, size, 14);
    wr.send_flags |= flags;
    wr.imm_data = htobe32(value);
    pair.a.post(wr);
    pair.a.completes(IBV_WC_SEND, 14);
    received(pair, pair.b.completes(IBV_WC_RECV, receive), value, size);
}

void posted() {
    Pair pair;
    for (uint32_t size : {0U, 1U, 64U, 4096U, 100000U, uint32_t{End::size}}) {
        pair.b.receive(size, 22);
        send(pair, size, 0, 22);
    }
    for (uint32_t size : {0U, 1U, 64U}) {
        pair.b.receive(64, 23);
        send(pair, size, IBV_SEND_INLINE | IBV_SEND_SOLICITED | IBV_SEND_FENCE, 23);
    }
}

void shared() {
    Options options;
    options.srq = 4;
    Pair pair(options);
    pair.b.receive(100, 24);
    send(pair, 100, 0, 24);
}

void built() {
    Options options;
    options.send_ops = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
    Pair pair(options);
    pair.b.receive(64, 25);
    pair.b.receive(64, 26, 64);
    std::memset(pair.a.memory.get(), 7, 64);
    ibv_qp_ex *qp = pair.a.ex();
    ibv_wr_start(qp);
    qp->wr_id = 1;
    qp->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_send_imm(qp, htobe32(0x01020304));
    ibv_wr_set_sge(qp, pair.a.mr->lkey, pair.a.address(), 40);
    qp->wr_id = 2;
    ibv_wr_send(qp);
    ibv_wr_set_sge(qp, pair.a.mr->lkey, pair.a.address(), 50);
    works(ibv_wr_complete(qp), "wr_complete");
    pair.a.completes(IBV_WC_SEND, 1);
    pair.a.completes(IBV_WC_SEND, 2);
    received(pair, pair.b.completes(IBV_WC_RECV, 25), 0x01020304, 40);
    check(pair.b.completes(IBV_WC_RECV, 26).wc_flags == 0, "a Send has no value");
}

void told() {
    Pair pair;
    xiwdv_device_attr attr = {};
    works(xiwdv_query_device(pair.a.context, &attr), "query_device");
    check(attr.caps & XIWDV_CAP_SEND_IMM, "capabilities " + std::to_string(attr.caps));
    uint32_t flags = 0;
    for (End *end : {&pair.a, &pair.b}) {
        works(xiwdv_query_peer(end->qp, &flags), "query_peer");
        check(flags & XIWDV_PEER_SEND_IMM, "flags " + std::to_string(flags));
    }
}

void wrong() {
    Pair pair;
    check(hostile_slots(pair.a.qp) == 0, "the driver accepted what it must refuse");
}

} // namespace

std::vector<Case> experiment_cases() {
    return {{"send-immediate", posted},
            {"send-immediate-srq", shared},
            {"send-immediate-wr-api", built},
            {"send-immediate-told", told},
            {"send-immediate-slots", wrong}};
}

} // namespace user
