// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Shared receive queues, and bursts of messages.
#include "pair.hpp"

#include <poll.h>

#include <cerrno>
#include <vector>

namespace user {
namespace {

// Sends a message from `a` to `b`. The message uses the receive `wr_id`.
void carry(Pair &pair, uint64_t wr_id) {
    auto wr = pair.a.request(IBV_WR_SEND, 16, wr_id);
    pair.a.post(wr);
    pair.a.completes(IBV_WC_SEND, wr_id);
    pair.b.completes(IBV_WC_RECV, wr_id);
}

void receives() {
    Options options;
    options.srq = 32;
    Pair pair(options);
    for (int round = 0; round < 10; round++) {
        for (uint64_t i = 0; i < 10; i++)
            pair.b.receive(64, i);
        for (uint64_t i = 0; i < 10; i++)
            carry(pair, i);
    }
    // A QP with an SRQ has no receive queue.
    struct ibv_recv_wr recv = {}, *bad = nullptr;
    refused(EINVAL, ibv_post_recv(pair.b.qp, &recv, &bad), "a receive of the QP's own");
    check(bad == &recv, "bad_wr");
    ibv_srq_attr attr = {};
    works(ibv_query_srq(pair.b.srq.get(), &attr), "query_srq");
    check(attr.max_wr >= 32 && attr.max_sge >= 2, "attributes");
}

// Waits up to ten seconds for the event that the SRQ limit is reached.
void expect_limit(const End &end) {
    pollfd wait = {end.context->async_fd, POLLIN, 0};
    check(poll(&wait, 1, 10000) == 1, "no event");
    ibv_async_event event = {};
    works(ibv_get_async_event(end.context, &event), "get_async_event");
    const auto type = event.event_type;
    const bool ours = event.element.srq == end.srq.get();
    ibv_ack_async_event(&event);
    check(type == IBV_EVENT_SRQ_LIMIT_REACHED, ibv_event_type_str(type));
    check(ours, "of another SRQ");
}

void arm(const End &end, uint32_t limit) {
    ibv_srq_attr attr = {};
    attr.srq_limit = limit;
    works(ibv_modify_srq(end.srq.get(), &attr, IBV_SRQ_LIMIT), "modify_srq");
}

// Posts `posted` receives, and uses one after the other. Expects the limit event when fewer than
// `limit` receives are left.
void limit_of(uint32_t posted, uint32_t limit) {
    Options options;
    options.srq = 2 * posted;
    Pair pair(options);
    for (uint64_t i = 0; i < posted; i++)
        pair.b.receive(64, i);
    arm(pair.b, limit);
    // A message that causes the event completes after the event. carry() waits for the completion,
    // so poll() detects an event that arrives too early.
    pollfd wait = {pair.b.context->async_fd, POLLIN, 0};
    for (uint64_t i = 0; i <= posted - limit; i++) {
        check(poll(&wait, 1, 0) == 0, "an event after " + std::to_string(i) + " receives");
        carry(pair, i);
    }
    expect_limit(pair.b);
}

// Arms the limit when no receive is left. The event must not wait for another completion.
void limit_late() {
    Options options;
    options.srq = 8;
    Pair pair(options);
    for (uint64_t i = 0; i < 4; i++)
        pair.b.receive(64, i);
    for (uint64_t i = 0; i < 4; i++)
        carry(pair, i);
    arm(pair.b, 2);
    expect_limit(pair.b);
    // The limit is no longer armed.
    ibv_srq_attr attr = {};
    works(ibv_query_srq(pair.b.srq.get(), &attr), "query_srq");
    check(attr.srq_limit == 0, "limit after the event");
}

void limit() {
    limit_of(8, 6);
}

// The driver passes the first 64 receives to the RNIC immediately, and the others in batches when
// receives complete. The SRQ limit also counts receives that the RNIC does not have yet.
void limit_unread() {
    limit_of(600, 512);
}

void starved() {
    Options options;
    options.srq = 8;
    Pair pair(options);
    auto wr = pair.a.request(IBV_WR_SEND, 16, 1);
    pair.a.post(wr); // `b` has not posted a receive yet
    pair.a.completes(IBV_WC_SEND, 1);
    pair.b.receive(64, 2);
    pair.b.completes(IBV_WC_RECV, 2);
}

// The memory of a receive belongs to the PD of the SRQ, and the memory of a Write to the PD of the
// QP.
void domains() {
    Options options;
    options.srq = 8;
    options.srq_pd = true;
    Pair pair(options);
    auto *const memory = pair.b.memory.get() + 4096;
    Mr mr(ibv_reg_mr(pair.b.srq_pd.get(), memory, 4096, all_rights));
    check(mr != nullptr, "reg_mr");
    struct ibv_sge to = {pair.b.address(4096), 64, mr->lkey};
    struct ibv_recv_wr recv = {}, *bad = nullptr;
    recv.wr_id = 1;
    recv.sg_list = &to;
    recv.num_sge = 1;
    works(ibv_post_srq_recv(pair.b.srq.get(), &recv, &bad), "post_srq_recv");
    pair.a.word(0) = 0x1122334455667788;
    auto wr = pair.a.request(IBV_WR_SEND, 16, 2);
    pair.a.post(wr);
    pair.b.completes(IBV_WC_RECV, 1);
    check(pair.b.word(4096) == 0x1122334455667788, "nothing has arrived");
    pair.a.completes(IBV_WC_SEND, 2);
    // When a later Read has completed, the Write has been placed.
    wr = pair.a.request(IBV_WR_RDMA_WRITE, 16, 3);
    wr.wr.rdma.remote_addr = pair.b.address(8192);
    wr.wr.rdma.rkey = pair.b.mr->rkey;
    pair.a.post(wr);
    pair.a.completes(IBV_WC_RDMA_WRITE, 3);
    wr = pair.a.request(IBV_WR_RDMA_READ, 8, 4);
    wr.wr.rdma.remote_addr = pair.b.address(8192);
    wr.wr.rdma.rkey = pair.b.mr->rkey;
    pair.a.post(wr);
    pair.a.completes(IBV_WC_RDMA_READ, 4);
    check(pair.b.word(8192) == 0x1122334455667788, "nothing was written");
    // A receive of the SRQ cannot use an MR of the QP's PD.
    pair.b.receive(64, 5);
    wr = pair.a.request(IBV_WR_SEND, 16, 6);
    pair.a.post(wr);
    check(pair.b.completion().status == IBV_WC_LOC_PROT_ERR, "a receive into the QP's region");
    pair.b.hears(IBV_EVENT_QP_FATAL);
    check(pair.b.word(0) == 0, "the QP's region has changed");
}

// The messages use all receives of the RNIC before the driver has passed the next receives to the
// RNIC. The setting park-time must be at most 1 s: the RNIC then waits 1 s for these receives
// (DEC-62). Posts the receives one by one, and the Sends in one list, so that they arrive together.
void burst(const Options &options, unsigned int count) {
    Pair pair(options);
    for (int round = 0; round < 20; round++) {
        for (unsigned int i = 0; i < count; i++)
            pair.b.receive(64, i);
        std::vector<ibv_send_wr> list;
        for (unsigned int i = 0; i < count; i++)
            list.push_back(pair.a.request(IBV_WR_SEND, 16, i));
        for (unsigned int i = 1; i < count; i++)
            list[i - 1].next = &list[i];
        pair.a.post(list[0]);
        for (unsigned int i = 0; i < count; i++) {
            pair.b.completes(IBV_WC_RECV, i);
            pair.a.completes(IBV_WC_SEND, i);
        }
    }
}

void burst_of_two() {
    Options options;
    options.depth = 2;
    burst(options, 2);
}

void burst_to_srq() {
    Options options;
    options.srq = 2;
    burst(options, 2);
}

// If a message gets no receive within 1 s, the RNIC ends the stream.
void burst_of_none() {
    Pair pair;
    auto wr = pair.a.request(IBV_WR_SEND, 16, 1);
    pair.a.post(wr);
    pair.a.completes(IBV_WC_SEND, 1);
    pair.b.hears(IBV_EVENT_QP_REQ_ERR);
}

} // namespace

std::vector<Case> shared_cases() {
    return {{"srq", receives},
            {"srq-domains", domains},
            {"srq-limit", limit},
            {"srq-limit-unread", limit_unread},
            {"srq-limit-late", limit_late},
            {"srq-starved", starved}};
}

std::vector<Case> burst_cases() {
    return {{"burst", burst_of_two}, {"burst-srq", burst_to_srq}, {"burst-none", burst_of_none}};
}

} // namespace user
