// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Fills the longest queues with one call, and flushes them with one call. The driver must process
// the queues in small parts. selftests/vm/tests/irqs-off.sh measures how long the driver
// keeps interrupts off.
#include "pair.hpp"

#include <array>

namespace user {
namespace {

constexpr uint32_t depth = 16384;
constexpr uint32_t most_sges = 16;

Options longest() {
    Options options;
    options.depth = depth;
    options.sges = most_sges;
    options.cqe = 2 * depth;
    return options;
}

// Returns a gather or scatter list with the maximum number of SGEs.
std::array<ibv_sge, most_sges> list_of(const End &end) {
    std::array<ibv_sge, most_sges> sges;
    for (uint32_t i = 0; i < most_sges; i++)
        sges[i] = {end.address(uint64_t{i} * 64), 64, end.mr->lkey};
    return sges;
}

// Posts `count` receives with one call.
void receive_all(End &end, uint32_t count) {
    auto sges = list_of(end);
    std::vector<ibv_recv_wr> wrs(count);
    for (uint32_t i = 0; i < count; i++) {
        wrs[i].wr_id = i;
        wrs[i].sg_list = sges.data();
        wrs[i].num_sge = most_sges;
        wrs[i].next = i + 1 < count ? &wrs[i + 1] : nullptr;
    }
    ibv_recv_wr *bad = nullptr;
    works(end.srq ? ibv_post_srq_recv(end.srq.get(), wrs.data(), &bad)
                  : ibv_post_recv(end.qp, wrs.data(), &bad),
          "post_recv of a list");
}

void send_all(End &end, uint32_t count) {
    auto sges = list_of(end);
    std::vector<ibv_send_wr> wrs(count);
    for (uint32_t i = 0; i < count; i++) {
        wrs[i] = end.request(IBV_WR_SEND, 64, i);
        wrs[i].sg_list = sges.data();
        wrs[i].num_sge = most_sges;
        wrs[i].next = i + 1 < count ? &wrs[i + 1] : nullptr;
    }
    end.post(wrs[0]);
}

void fail_qp(End &end) {
    ibv_qp_attr attr = {};
    attr.qp_state = IBV_QPS_ERR;
    works(ibv_modify_qp(end.qp, &attr, IBV_QP_STATE), "to error");
}

// Checks that all Sends and receives complete, in the order of each queue. A receive must be
// flushed. A Send may succeed if it was sent before the flush.
void flushed(End &end, uint32_t sends, uint32_t receives) {
    std::array<uint64_t, 2> next = {};
    const std::array<uint64_t, 2> wanted = {sends, receives};
    bool left = true;
    while (next != wanted) {
        const auto wc = end.completion();
        const bool receive = wc.opcode & IBV_WC_RECV;
        if (receive || wc.status != IBV_WC_SUCCESS)
            check(wc.status == IBV_WC_WR_FLUSH_ERR, ibv_wc_status_str(wc.status));
        if (!receive) {
            left = left && wc.status == IBV_WC_SUCCESS;
            check(left || wc.status != IBV_WC_SUCCESS, "a Send that left behind one that did not");
        }
        auto &expected = next[receive ? 1 : 0];
        check(wc.wr_id == expected,
              "wr_id " + std::to_string(wc.wr_id) + " instead of " + std::to_string(expected));
        expected++;
    }
}

// The peer has posted no receives, and sends nothing.
void queues() {
    Pair pair(longest());
    receive_all(pair.a, depth);
    send_all(pair.a, depth);
    fail_qp(pair.a);
    flushed(pair.a, depth, depth);
    // The QP is in the error state, so a post is flushed immediately.
    send_all(pair.a, depth);
    receive_all(pair.a, depth);
    flushed(pair.a, depth, depth);
}

// Fills the SRQ. After one receive has completed, another can be posted.
void shared_queue() {
    Options options = longest();
    options.srq = depth;
    Pair pair(options);
    receive_all(pair.b, depth);
    auto wr = pair.a.request(IBV_WR_SEND, 64, 1);
    pair.a.post(wr);
    pair.a.completes(IBV_WC_SEND, 1);
    pair.b.completion();
    receive_all(pair.b, 1);
}

// Resizes a CQ that has many unread completions, while more completions arrive.
void completion_queue() {
    constexpr uint32_t rounds = 4;
    Options options = longest();
    options.cqe = rounds * depth;
    Pair pair(options);
    fail_qp(pair.a);
    // A PCIe RNIC may report the end of the stream only after fail_qp() has returned. So wait for
    // the end of the stream. After it, a post is flushed immediately.
    receive_all(pair.a, 1);
    flushed(pair.a, 0, 1);
    for (uint32_t i = 0; i < rounds; i++)
        receive_all(pair.a, depth);
    works(ibv_resize_cq(pair.a.cq.get(), 2 * rounds * depth), "resize_cq");
    for (uint32_t i = 0; i < rounds; i++)
        flushed(pair.a, 0, depth);
}

} // namespace

std::vector<Case> full_cases() {
    return {{"full-queues", queues},
            {"full-shared-queue", shared_queue},
            {"full-cq", completion_queue}};
}

} // namespace user
