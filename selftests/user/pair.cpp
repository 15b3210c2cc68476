// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "pair.hpp"

#include <netdb.h>
#include <poll.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace user {

Addresses addresses;

namespace {

struct AddrInfo {
    AddrInfo(const std::string &node, const char *port) {
        addrinfo hints = {};
        hints.ai_flags = AI_NUMERICHOST;
        hints.ai_socktype = SOCK_STREAM;
        check(!getaddrinfo(node.c_str(), port, &hints, &info), "address " + node);
    }
    ~AddrInfo() { freeaddrinfo(info); }
    AddrInfo(const AddrInfo &) = delete;
    AddrInfo &operator=(const AddrInfo &) = delete;
    addrinfo *info = nullptr;
};

} // namespace

int patience() {
    const char *text = std::getenv("PATIENCE");
    int value = text ? std::atoi(text) : 1;
    return value > 0 ? value : 1;
}

void rdma(int result, const std::string &what, std::source_location where) {
    if (result)
        fail(what + ": " + std::strerror(errno), where);
}

void fail(const std::string &why, std::source_location where) {
    std::string file = where.file_name();
    throw Failed(file.substr(file.rfind('/') + 1) + ":" + std::to_string(where.line()) + ": " +
                 why);
}

void check(bool good, const std::string &what, std::source_location where) {
    if (!good)
        fail(what, where);
}

void works(int err, const std::string &what, std::source_location where) {
    if (err)
        fail(what + ": " + std::strerror(err < 0 ? errno : err), where);
}

void refused(int wanted, int err, const std::string &what, std::source_location where) {
    if (err != wanted)
        fail(what + ": " + (err ? std::strerror(err) : "accepted") + " instead of " +
                 std::strerror(wanted),
             where);
}

void wait_until(const std::string &what, const std::function<bool()> &done,
                std::source_location where) {
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10 * patience());
    for (int tries = 0; !done(); tries++) {
        if (std::chrono::steady_clock::now() > end)
            fail("waited in vain: " + what, where);
        // During a long wait, leave the CPU to other processes.
        if (tries > 100)
            std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

void End::create(rdma_cm_id *id, const Options &options, ibv_pd *shared) {
    context = id->verbs;
    memory = std::make_unique<uint8_t[]>(size);
    if (!shared) {
        pd.reset(ibv_alloc_pd(context));
        check(pd != nullptr, "alloc_pd");
    }
    ibv_pd *const domain = shared ? shared : pd.get();
    mr.reset(ibv_reg_mr(domain, memory.get(), size, all_rights));
    check(mr != nullptr, std::string("reg_mr: ") + std::strerror(errno));
    if (options.events)
        events.reset(ibv_create_comp_channel(context));
    if (options.wc_flags) {
        ibv_cq_init_attr_ex attr = {};
        attr.cqe = options.cqe;
        attr.channel = events.get();
        attr.wc_flags = options.wc_flags;
        cq_ex = ibv_create_cq_ex(context, &attr);
        check(cq_ex != nullptr, std::string("create_cq_ex: ") + std::strerror(errno));
        cq.reset(ibv_cq_ex_to_cq(cq_ex));
    } else {
        cq.reset(ibv_create_cq(context, options.cqe, nullptr, events.get(), 0));
        check(cq != nullptr, std::string("create_cq: ") + std::strerror(errno));
    }
    if (options.srq) {
        ibv_srq_init_attr attr = {};
        attr.attr.max_wr = options.srq;
        attr.attr.max_sge = options.sges;
        if (options.srq_pd)
            srq_pd.reset(ibv_alloc_pd(context));
        srq.reset(ibv_create_srq(options.srq_pd ? srq_pd.get() : domain, &attr));
        check(srq != nullptr, std::string("create_srq: ") + std::strerror(errno));
    }

    ibv_qp_init_attr_ex attr = {};
    attr.send_cq = cq.get();
    attr.recv_cq = cq.get();
    attr.srq = srq.get();
    attr.cap.max_send_wr = options.depth;
    attr.cap.max_recv_wr = srq ? 0 : options.depth;
    attr.cap.max_send_sge = options.sges;
    attr.cap.max_recv_sge = srq ? 0 : options.sges;
    attr.cap.max_inline_data = options.inline_data;
    attr.qp_type = IBV_QPT_RC;
    attr.pd = domain;
    attr.comp_mask = IBV_QP_INIT_ATTR_PD;
    if (options.send_ops) {
        attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
        attr.send_ops_flags = options.send_ops;
    }
    rdma(rdma_create_qp_ex(id, &attr), "rdma_create_qp_ex");
    qp = id->qp;
}

struct ibv_send_wr End::request(enum ibv_wr_opcode opcode, uint32_t length, uint64_t wr_id) {
    sge = {address(), length, mr->lkey};
    struct ibv_send_wr wr = {};
    wr.wr_id = wr_id;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.opcode = opcode;
    wr.send_flags = IBV_SEND_SIGNALED;
    return wr;
}

void End::post(struct ibv_send_wr &wr) {
    struct ibv_send_wr *bad = nullptr;
    works(ibv_post_send(qp, &wr, &bad), "post_send");
}

void End::receive(uint32_t length, uint64_t wr_id, size_t offset) {
    struct ibv_sge to = {address(offset), length, mr->lkey};
    struct ibv_recv_wr wr = {};
    struct ibv_recv_wr *bad = nullptr;
    wr.wr_id = wr_id;
    wr.sg_list = &to;
    wr.num_sge = 1;
    works(srq ? ibv_post_srq_recv(srq.get(), &wr, &bad) : ibv_post_recv(qp, &wr, &bad),
          "post_recv");
}

struct ibv_wc End::completion(std::source_location where) {
    struct ibv_wc wc = {};
    wait_until(
        "a completion",
        [&] {
            int n = ibv_poll_cq(cq.get(), 1, &wc);
            check(n >= 0, "poll_cq", where);
            return n == 1;
        },
        where);
    return wc;
}

struct ibv_wc End::completes(enum ibv_wc_opcode opcode, uint64_t wr_id,
                             std::source_location where) {
    struct ibv_wc wc = completion(where);
    check(wc.status == IBV_WC_SUCCESS,
          std::string("completion: ") + ibv_wc_status_str(wc.status) + ", vendor error " +
              std::to_string(wc.vendor_err),
          where);
    check(wc.opcode == opcode, "opcode " + std::to_string(wc.opcode), where);
    check(wc.wr_id == wr_id, "wr_id " + std::to_string(wc.wr_id), where);
    check(wc.qp_num == qp->qp_num, "qp_num " + std::to_string(wc.qp_num), where);
    return wc;
}

void End::ends(enum ibv_wc_status status, std::source_location where) {
    struct ibv_wc wc = completion(where);
    check(wc.status == status,
          std::string("completion: ") + ibv_wc_status_str(wc.status) + " instead of " +
              ibv_wc_status_str(status),
          where);
}

Qp End::another(uint32_t depth, std::source_location where) {
    struct ibv_qp_init_attr init = {};
    init.send_cq = init.recv_cq = cq.get();
    init.cap = {.max_send_wr = depth,
                .max_recv_wr = depth,
                .max_send_sge = 1,
                .max_recv_sge = 1,
                .max_inline_data = 0};
    init.qp_type = IBV_QPT_RC;
    Qp made(ibv_create_qp(pd.get(), &init));
    check(made != nullptr, "create_qp", where);
    return made;
}

void End::hears(enum ibv_event_type type, std::source_location where) {
    for (bool heard = false; !heard;) {
        pollfd wait = {context->async_fd, POLLIN, 0};
        check(poll(&wait, 1, 10000 * patience()) == 1,
              std::string("no event: ") + ibv_event_type_str(type), where);
        ibv_async_event event = {};
        works(ibv_get_async_event(context, &event), "get_async_event", where);
        heard = event.event_type == type && event.element.qp == qp;
        ibv_ack_async_event(&event);
    }
}

Pair::Pair(const Options &options)
    : channel_a_(rdma_create_event_channel()), channel_b_(rdma_create_event_channel()) {
    check(channel_a_ && channel_b_, "rdma_create_event_channel");
    try {
        connect(options);
    } catch (...) {
        disconnect();
        throw;
    }
}

Pair::~Pair() {
    disconnect();
}

int expect(rdma_event_channel *channel, rdma_cm_event_type wanted, rdma_cm_id **id) {
    pollfd wait = {channel->fd, POLLIN, 0};
    check(poll(&wait, 1, 10000 * patience()) == 1, "no event of rdma_cm");
    rdma_cm_event *got = nullptr;
    rdma(rdma_get_cm_event(channel, &got), "rdma_get_cm_event");
    const rdma_cm_event_type type = got->event;
    const int status = got->status;
    if (id)
        *id = got->id;
    rdma_ack_cm_event(got);
    check(type == wanted,
          std::string(rdma_event_str(type)) + " instead of " + rdma_event_str(wanted));
    return status;
}

Id listen(rdma_event_channel *channel) {
    AddrInfo at(addresses.b, nullptr);
    rdma_cm_id *id = nullptr;
    rdma(rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP), "rdma_create_id");
    Id listener(id);
    rdma(rdma_bind_addr(id, at.info->ai_addr), "rdma_bind_addr");
    rdma(rdma_listen(id, 1), "rdma_listen");
    return listener;
}

void Pair::connect(const Options &options) {
    AddrInfo from(addresses.a, nullptr);
    listener_ = listen(channel_b_.get());
    AddrInfo to(addresses.b, std::to_string(ntohs(rdma_get_src_port(listener_.get()))).c_str());
    rdma_cm_id *id = nullptr;
    rdma(rdma_create_id(channel_a_.get(), &id, nullptr, RDMA_PS_TCP), "rdma_create_id");
    id_a_.reset(id);
    rdma(rdma_resolve_addr(id, from.info->ai_addr, to.info->ai_addr, 5000 * patience()),
         "rdma_resolve_addr");
    expect(channel_a_.get(), RDMA_CM_EVENT_ADDR_RESOLVED);
    rdma(rdma_resolve_route(id, 5000 * patience()), "rdma_resolve_route");
    expect(channel_a_.get(), RDMA_CM_EVENT_ROUTE_RESOLVED);
    if (!options.connects)
        a.create(id, options);
    rdma_conn_param param = {};
    param.qp_num = options.connects;
    param.responder_resources = 16;
    param.initiator_depth = 16;
    rdma(rdma_connect(id, &param), "rdma_connect");

    expect(channel_b_.get(), RDMA_CM_EVENT_CONNECT_REQUEST, &id);
    id_b_.reset(id);
    if (!options.accepts)
        b.create(id, options, options.pd_of_b);
    param.qp_num = options.accepts;
    rdma(rdma_accept(id, &param), "rdma_accept");
    expect(channel_a_.get(), RDMA_CM_EVENT_ESTABLISHED);
    expect(channel_b_.get(), RDMA_CM_EVENT_ESTABLISHED);
}

void Pair::disconnect() {
    for (Id *id : {&id_a_, &id_b_}) {
        if (!*id)
            continue;
        rdma_disconnect(id->get());
        if ((*id)->qp)
            rdma_destroy_qp(id->get());
        id->reset();
    }
    listener_.reset();
}

} // namespace user
