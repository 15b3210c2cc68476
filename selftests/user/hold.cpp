// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// States in which a process may be killed. Each function enters a state, prints `holding` and
// waits.
#include "pair.hpp"

#include <unistd.h>

#include <cstdio>

namespace user {
namespace {

[[noreturn]] void stay() {
    std::puts("holding");
    std::fflush(stdout);
    for (;;)
        pause();
}

void connected() {
    Pair pair;
    stay();
}

// Sends constant traffic in both directions.
void traffic() {
    Options options;
    options.depth = 32;
    Pair pair(options);
    struct ibv_wc wc[16];
    struct ibv_send_wr *bad = nullptr;
    struct ibv_recv_wr recv = {}, *bad_recv = nullptr;
    std::puts("holding");
    std::fflush(stdout);
    for (;;) {
        for (End *end : {&pair.a, &pair.b}) {
            End &peer = end == &pair.a ? pair.b : pair.a;
            while (!ibv_post_recv(end->qp, &recv, &bad_recv))
                ;
            auto write = end->request(IBV_WR_RDMA_WRITE, 32768);
            write.wr.rdma.remote_addr = peer.address(65536);
            write.wr.rdma.rkey = peer.mr->rkey;
            ibv_post_send(end->qp, &write, &bad);
            auto read = end->request(IBV_WR_RDMA_READ, 8192);
            read.wr.rdma.remote_addr = peer.address();
            read.wr.rdma.rkey = peer.mr->rkey;
            ibv_post_send(end->qp, &read, &bad);
            auto atomic = end->request(IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
            atomic.wr.atomic.remote_addr = peer.address(131072);
            atomic.wr.atomic.rkey = peer.mr->rkey;
            ibv_post_send(end->qp, &atomic, &bad);
            while (ibv_poll_cq(end->cq.get(), 16, wc) > 0)
                ;
        }
    }
}

// Sends more messages than there are receives, so the peer's stream waits for a receive.
void starved() {
    Pair pair;
    auto wr = pair.a.request(IBV_WR_SEND, 32768);
    struct ibv_send_wr *bad = nullptr;
    for (int i = 0; i < 16; i++)
        ibv_post_send(pair.a.qp, &wr, &bad);
    stay();
}

// Moves a QP to the error state, and leaves its completions unread.
void failed() {
    Pair pair;
    for (uint64_t i = 0; i < 8; i++)
        pair.b.receive(64, i);
    struct ibv_qp_attr attr = {};
    attr.qp_state = IBV_QPS_ERR;
    works(ibv_modify_qp(pair.b.qp, &attr, IBV_QP_STATE), "modify_qp");
    stay();
}

// Creates a QP without a connection on each device, and prints the numbers of the two QPs.
void idle() {
    Pair pair;
    const Qp qps[] = {pair.a.another(4), pair.b.another(4)};
    std::printf("qps %u %u\n", qps[0]->qp_num, qps[1]->qp_num);
    stay();
}

// Sleeps in ibv_get_cq_event().
void asleep() {
    Options options;
    options.events = true;
    options.srq = 16;
    Pair pair(options);
    pair.b.receive(64, 1);
    works(ibv_req_notify_cq(pair.b.cq.get(), 0), "req_notify");
    std::puts("holding");
    std::fflush(stdout);
    ibv_cq *cq = nullptr;
    void *context = nullptr;
    ibv_get_cq_event(pair.b.events.get(), &cq, &context);
}

} // namespace

std::vector<Case> hold_cases() {
    return {{"connected", connected},
            {"traffic", traffic},
            {"starved", starved},
            {"failed", failed},
            {"idle", idle},
            {"asleep", asleep},
            {"named", [] { named(stay); }}};
}

} // namespace user
