// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Completion queues: extended polling, timestamps, events, resizing.
#include "pair.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <xiwdv.h>

#include <cerrno>
#include <cstring>
#include <ctime>

namespace user {
namespace {

uint64_t now(clockid_t clock) {
    timespec time = {};
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

void send(Pair &pair, unsigned int flags, uint64_t wr_id) {
    auto wr = pair.a.request(IBV_WR_SEND, 24, wr_id);
    wr.send_flags |= flags;
    pair.a.post(wr);
    pair.a.completes(IBV_WC_SEND, wr_id);
}

void cq_extended() {
    Options options;
    options.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM | IBV_WC_EX_WITH_QP_NUM |
                       IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
                       IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
    Pair pair(options);
    ibv_cq_ex *cq = pair.b.cq_ex;
    ibv_poll_cq_attr attr = {};
    check(ibv_start_poll(cq, &attr) == ENOENT, "a completion where there is none");

    const uint64_t before = now(CLOCK_MONOTONIC), wall = now(CLOCK_REALTIME);
    for (uint64_t i = 0; i < 3; i++) {
        pair.b.receive(64, 40 + i);
        auto wr = pair.a.request(IBV_WR_RDMA_WRITE_WITH_IMM, 24, i);
        wr.wr.rdma.remote_addr = pair.b.address(8192);
        wr.wr.rdma.rkey = pair.b.mr->rkey;
        wr.imm_data = htobe32(7 + i);
        pair.a.post(wr);
    }
    for (uint64_t i = 0; i < 3; i++)
        pair.a.completes(IBV_WC_RDMA_WRITE, i);

    uint64_t last = before;
    int err = ENOENT;
    wait_until("a completion", [&] { return !(err = ibv_start_poll(cq, &attr)); });
    for (uint64_t i = 0;;) {
        check(cq->status == IBV_WC_SUCCESS && cq->wr_id == 40 + i, "wr_id, status");
        check(ibv_wc_read_opcode(cq) == IBV_WC_RECV_RDMA_WITH_IMM, "opcode");
        check(ibv_wc_read_byte_len(cq) == 24, "byte_len");
        check(ibv_wc_read_qp_num(cq) == pair.b.qp->qp_num, "qp_num");
        check(ibv_wc_read_wc_flags(cq) == IBV_WC_WITH_IMM, "flags");
        check(be32toh(ibv_wc_read_imm_data(cq)) == 7 + i, "immediate");
        uint8_t imm[8];
        xiwdv_wc_read_imm64(cq, imm);
        check(imm[3] == 7 + i && !imm[4] && !imm[7], "the eight octets");
        const uint64_t stamp = ibv_wc_read_completion_ts(cq);
        check(stamp >= last && stamp <= now(CLOCK_MONOTONIC), "timestamp");
        last = stamp;
        const uint64_t clock = ibv_wc_read_completion_wallclock_ns(cq);
        check(clock + 10000 >= wall && clock <= now(CLOCK_REALTIME) + 10000, "wall clock");
        if (++i == 3)
            break;
        wait_until("the next", [&] { return !(err = ibv_next_poll(cq)); });
    }
    check(ibv_next_poll(cq) == ENOENT, "a fourth completion");
    works(ibv_req_notify_cq(ibv_cq_ex_to_cq(cq), 0), "req_notify during a poll");
    ibv_end_poll(cq);
    check(ibv_start_poll(cq, &attr) == ENOENT, "a completion seen twice");
    attr.comp_mask = 1;
    check(ibv_start_poll(cq, &attr) == EINVAL, "an unknown comp_mask");

    ibv_values_ex values = {};
    values.comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
    works(ibv_query_rt_values_ex(pair.b.context, &values), "query_rt_values");
    check(values.raw_clock.tv_sec * 1000000000ULL + values.raw_clock.tv_nsec >= last, "raw clock");
}

bool event_within(End &end, int ms) {
    pollfd wait = {end.events->fd, POLLIN, 0};
    if (poll(&wait, 1, ms) != 1)
        return false;
    ibv_cq *cq = nullptr;
    void *context = nullptr;
    check(!ibv_get_cq_event(end.events.get(), &cq, &context), "get_cq_event");
    check(cq == end.cq.get(), "the event of another CQ");
    ibv_ack_cq_events(cq, 1);
    return true;
}

void events() {
    Options options;
    options.events = true;
    Pair pair(options);
    for (uint64_t i = 0; i < 6; i++)
        pair.b.receive(64, i);

    send(pair, 0, 1); // not armed
    pair.b.completes(IBV_WC_RECV, 0);
    check(!event_within(pair.b, 50), "an event that nobody asked for");

    works(ibv_req_notify_cq(pair.b.cq.get(), 0), "req_notify");
    send(pair, 0, 2);
    check(event_within(pair.b, 10000), "no event");
    pair.b.completes(IBV_WC_RECV, 1);
    send(pair, 0, 3); // an armed CQ generates only one event
    pair.b.completes(IBV_WC_RECV, 2);
    check(!event_within(pair.b, 50), "a second event");

    works(ibv_req_notify_cq(pair.b.cq.get(), 1), "req_notify");
    send(pair, 0, 4);
    pair.b.completes(IBV_WC_RECV, 3);
    check(!event_within(pair.b, 50), "an event that was not solicited");
    send(pair, IBV_SEND_SOLICITED, 5);
    check(event_within(pair.b, 10000), "no event, though solicited");
    pair.b.completes(IBV_WC_RECV, 4);
}

void resize() {
    Options options;
    options.cqe = 4;
    options.depth = 32;
    Pair pair(options);
    works(ibv_resize_cq(pair.a.cq.get(), 100), "resize of the sender's");
    check(pair.a.cq->cqe >= 100, "cqe " + std::to_string(pair.a.cq->cqe));
    for (uint64_t i = 0; i < 3; i++) { // completions wait in the old queue
        pair.b.receive(64, i);
        send(pair, 0, i);
    }
    works(ibv_resize_cq(pair.b.cq.get(), 64), "resize with completions inside");
    for (uint64_t i = 3; i < 30; i++)
        pair.b.receive(64, i);
    for (uint64_t i = 3; i < 30; i++)
        send(pair, 0, i);
    for (uint64_t i = 0; i < 30; i++)
        pair.b.completes(IBV_WC_RECV, i);
    works(ibv_resize_cq(pair.b.cq.get(), 2), "resize to less");
    pair.b.receive(64, 30);
    send(pair, 0, 30);
    pair.b.completes(IBV_WC_RECV, 30);
    refused(EINVAL, ibv_resize_cq(pair.b.cq.get(), 0), "resize to nothing");
    refused(EINVAL, ibv_resize_cq(pair.b.cq.get(), -5), "resize to less than nothing");
    ibv_device_attr attr = {};
    works(ibv_query_device(pair.b.context, &attr), "query_device");
    refused(EINVAL, ibv_resize_cq(pair.b.cq.get(), attr.max_cqe + 1), "resize to too much");

    // With this limit, the process cannot map more memory. The refused resize changes nothing.
    rlimit limit = {};
    works(getrlimit(RLIMIT_AS, &limit), "getrlimit");
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = 0;
    works(setrlimit(RLIMIT_AS, &limit), "setrlimit");
    const int status = ibv_resize_cq(pair.b.cq.get(), 100);
    limit.rlim_cur = before;
    works(setrlimit(RLIMIT_AS, &limit), "setrlimit");
    refused(ENOMEM, status, "resize without memory");
    pair.b.receive(64, 31);
    send(pair, 0, 31);
    pair.b.completes(IBV_WC_RECV, 31);
}

// The destruction of a QP removes the unread completions of this QP, and keeps those of other QPs.
void forgotten() {
    Pair pair;
    Qp other = pair.b.another(4);
    ibv_qp_attr attr = {};
    attr.qp_state = IBV_QPS_ERR;
    works(ibv_modify_qp(other.get(), &attr, IBV_QP_STATE), "modify to the error state");

    ibv_recv_wr flushed = {};
    ibv_recv_wr *bad = nullptr;
    for (uint64_t i = 0; i < 3; i++) {
        pair.b.receive(64, i);
        send(pair, 0, i);
        works(ibv_post_recv(other.get(), &flushed, &bad), "post_recv in error");
    }
    works(ibv_destroy_qp(other.release()), "destroy_qp");
    for (uint64_t i = 0; i < 3; i++)
        pair.b.completes(IBV_WC_RECV, i);
    ibv_wc wc;
    check(!ibv_poll_cq(pair.b.cq.get(), 1, &wc), "a completion of a QP that is gone");
}

// The destruction of a QP discards the posted receives. So it does not overrun a CQ that has no
// room for them. An overrun of the CQ would end the other QPs of the CQ.
void discarded() {
    Options options;
    options.cqe = 4;
    Pair pair(options);
    for (uint64_t round = 0; round < 4; round++) {
        Qp other = pair.b.another(64);
        ibv_recv_wr receive = {};
        ibv_recv_wr *bad = nullptr;
        for (int i = 0; i < 64; i++)
            works(ibv_post_recv(other.get(), &receive, &bad), "post_recv");
        works(ibv_destroy_qp(other.release()), "destroy_qp");
        pair.b.receive(64, round);
        send(pair, 0, round);
        pair.b.completes(IBV_WC_RECV, round);
    }
}

} // namespace

std::vector<Case> completion_cases() {
    return {{"cq-ex", cq_extended},
            {"cq-events", events},
            {"cq-resize", resize},
            {"cq-forgets", forgotten},
            {"cq-discards", discarded}};
}

} // namespace user
