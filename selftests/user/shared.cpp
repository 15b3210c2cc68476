// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Shared receive queues.
#include "pair.hpp"

#include <poll.h>

#include <cerrno>

namespace user {
namespace {

void receives() {
    Options options;
    options.srq = 32;
    Pair pair(options);
    for (int round = 0; round < 10; round++) {
        for (uint64_t i = 0; i < 10; i++)
            pair.b.receive(64, i);
        for (uint64_t i = 0; i < 10; i++) {
            auto wr = pair.a.request(IBV_WR_SEND, 16, i);
            pair.a.post(wr);
            pair.a.completes(IBV_WC_SEND, i);
            pair.b.completes(IBV_WC_RECV, i);
        }
    }
    // The QP has no receive queue of its own.
    struct ibv_recv_wr recv = {}, *bad = nullptr;
    refused(EINVAL, ibv_post_recv(pair.b.qp, &recv, &bad), "a receive of the QP's own");
    check(bad == &recv, "bad_wr");
    ibv_srq_attr attr = {};
    works(ibv_query_srq(pair.b.srq.get(), &attr), "query_srq");
    check(attr.max_wr >= 32 && attr.max_sge >= 2, "attributes");
}

// Posts `posted` receives, uses them, and expects the event when fewer than `limit` are left.
void limit_of(uint32_t posted, uint32_t limit) {
    Options options;
    options.srq = 2 * posted;
    Pair pair(options);
    for (uint64_t i = 0; i < posted; i++)
        pair.b.receive(64, i);
    ibv_srq_attr attr = {};
    attr.srq_limit = limit;
    works(ibv_modify_srq(pair.b.srq.get(), &attr, IBV_SRQ_LIMIT), "modify_srq");
    // The event is raised before the completion that causes it.
    pollfd wait = {pair.b.context->async_fd, POLLIN, 0};
    for (uint64_t i = 0; i <= posted - limit; i++) {
        check(poll(&wait, 1, 0) == 0, "an event after " + std::to_string(i) + " receives");
        auto wr = pair.a.request(IBV_WR_SEND, 16, i);
        pair.a.post(wr);
        pair.a.completes(IBV_WC_SEND, i);
        pair.b.completes(IBV_WC_RECV, i);
    }
    check(poll(&wait, 1, 10000) == 1, "no event");
    ibv_async_event event = {};
    works(ibv_get_async_event(pair.b.context, &event), "get_async_event");
    const auto type = event.event_type;
    const bool ours = event.element.srq == pair.b.srq.get();
    ibv_ack_async_event(&event);
    check(type == IBV_EVENT_SRQ_LIMIT_REACHED, ibv_event_type_str(type));
    check(ours, "of another SRQ");
}

void limit() {
    limit_of(8, 6);
}

// The RNIC's ring gets the first 64 receives, and the other receives when earlier ones complete.
void limit_unread() {
    limit_of(600, 512);
}

void starved() {
    Options options;
    options.srq = 8;
    Pair pair(options);
    auto wr = pair.a.request(IBV_WR_SEND, 16, 1);
    pair.a.post(wr); // the other end has not posted a receive yet
    pair.a.completes(IBV_WC_SEND, 1);
    pair.b.receive(64, 2);
    pair.b.completes(IBV_WC_RECV, 2);
}

} // namespace

std::vector<Case> shared_cases() {
    return {{"srq", receives},
            {"srq-limit", limit},
            {"srq-limit-unread", limit_unread},
            {"srq-starved", starved}};
}

} // namespace user
