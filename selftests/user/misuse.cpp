// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A process that writes invalid data to its queues harms only itself.
#include "hostile.h"
#include "pair.hpp"

namespace user {
namespace {

void slots() {
    Pair pair;
    check(hostile_slots(pair.a.qp) == 0, "the driver accepted what it must refuse");
    // Check that the QP still works.
    pair.b.receive(64, 2);
    auto wr = pair.a.request(IBV_WR_SEND, 8, 3);
    pair.a.post(wr);
    pair.a.completes(IBV_WC_SEND, 3);
    pair.b.completes(IBV_WC_RECV, 2);
}

void commands() {
    Pair pair;
    check(hostile_commands(pair.a.context, pair.a.pd.get(), pair.a.cq.get()) == 0,
          "the driver accepted what it must refuse");
}

void mappings() {
    Pair pair;
    check(hostile_mappings(pair.a.qp) == 0, "the driver granted what it must refuse");
    pair.b.receive(64, 2);
    auto wr = pair.a.request(IBV_WR_SEND, 8, 3);
    pair.a.post(wr);
    pair.a.completes(IBV_WC_SEND, 3);
    pair.b.completes(IBV_WC_RECV, 2);
}

void scribbles() {
    for (unsigned int seed = 1; seed <= 20; seed++) {
        Pair victim; // hostile_scribble() does not write to the queues of these QPs
        {
            Pair pair;
            for (uint64_t i = 0; i < 8; i++)
                pair.b.receive(64, i);
            hostile_scribble(pair.a.qp, pair.a.cq.get(), seed, 300);
            hostile_scribble(pair.b.qp, pair.b.cq.get(), seed + 1000, 300);
        }
        victim.b.receive(64, 2);
        auto wr = victim.a.request(IBV_WR_SEND, 8, 3);
        victim.a.post(wr);
        victim.a.completes(IBV_WC_SEND, 3);
        victim.b.completes(IBV_WC_RECV, 2);
    }
}

// Rings a doorbell while other threads keep the queue full. The driver must return, because the
// removal of the device waits for the task that rings the doorbell.
void feed() {
    Options options;
    options.depth = 4096;
    options.cqe = 8192;
    Pair pair(options);
    pair.a.receive(64, 1);
    ibv_qp_attr attr = {};
    attr.qp_state = IBV_QPS_ERR;
    works(ibv_modify_qp(pair.a.qp, &attr, IBV_QP_STATE), "to error");
    // After this completion, posts are flushed immediately.
    check(pair.a.completion().status == IBV_WC_WR_FLUSH_ERR, "status of a receive");
    const uint32_t taken = hostile_feed(pair.a.qp, options.depth);
    check(taken > 0 && taken <= options.depth,
          "one doorbell took " + std::to_string(taken) + " work requests");
}

} // namespace

std::vector<Case> misuse_cases() {
    return {{"hostile-slots", slots},
            {"hostile-commands", commands},
            {"hostile-mappings", mappings},
            {"hostile-scribbles", scribbles},
            {"hostile-feed", feed}};
}

} // namespace user
