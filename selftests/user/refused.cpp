// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Requests that must fail. The provider refuses some requests. It does not check the others, so the
// driver must refuse them.
#include "pair.hpp"

#include <cerrno>
#include <cstring>
#include <vector>

namespace user {
namespace {

int try_post(End &end, struct ibv_send_wr &wr) {
    struct ibv_send_wr *bad = nullptr;
    const int err = ibv_post_send(end.qp, &wr, &bad);
    check(!err || bad == &wr, "bad_wr");
    return err;
}

void requests() {
    Pair pair;
    auto wr = pair.a.request(IBV_WR_SEND_WITH_IMM, 8);
    refused(EOPNOTSUPP, try_post(pair.a, wr), "Send with Immediate");
    struct ibv_sge sges[3] = {pair.a.sge, pair.a.sge, pair.a.sge};
    wr = pair.a.request(IBV_WR_SEND, 8);
    wr.sg_list = sges;
    wr.num_sge = 100;
    refused(EINVAL, try_post(pair.a, wr), "100 SGEs");
    wr = pair.a.request(IBV_WR_SEND, 65536);
    wr.send_flags |= IBV_SEND_INLINE;
    refused(ENOMEM, try_post(pair.a, wr), "64 KiB inline");
    wr = pair.a.request(IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
    wr.num_sge = 0;
    refused(EINVAL, try_post(pair.a, wr), "an atomic without a place for the result");
    // The provider does not check the length of the result, so the driver refuses this request.
    wr = pair.a.request(IBV_WR_ATOMIC_FETCH_AND_ADD, 4);
    wr.wr.atomic.remote_addr = pair.b.address();
    wr.wr.atomic.rkey = pair.b.mr->rkey;
    check(try_post(pair.a, wr) != 0, "an atomic with four octets for the result");
    // The refused requests have had no effect.
    pair.b.receive(64, 2);
    wr = pair.a.request(IBV_WR_SEND, 8, 3);
    pair.a.post(wr);
    pair.a.completes(IBV_WC_SEND, 3);
    pair.b.completes(IBV_WC_RECV, 2);
}

// The driver refuses the second of three requests. The first request is sent, and the third is not
// posted.
void in_the_middle() {
    Pair pair;
    pair.b.receive(64, 1), pair.b.receive(64, 2);
    struct ibv_send_wr wrs[3];
    for (auto &wr : wrs)
        wr = pair.a.request(IBV_WR_SEND, 8, 10 + (&wr - wrs));
    struct ibv_sge small = {pair.a.address(), 4, pair.a.mr->lkey};
    wrs[1].opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
    wrs[1].sg_list = &small;
    wrs[0].next = &wrs[1], wrs[1].next = &wrs[2];
    struct ibv_send_wr *bad = nullptr;
    check(ibv_post_send(pair.a.qp, &wrs[0], &bad) != 0, "accepted");
    check(bad == &wrs[1], "bad_wr is not the second");
    pair.a.completes(IBV_WC_SEND, 10);
    pair.b.completes(IBV_WC_RECV, 1);
    wrs[2].next = nullptr;
    pair.a.post(wrs[2]);
    pair.a.completes(IBV_WC_SEND, 12);
    pair.b.completes(IBV_WC_RECV, 2);
}

void overfull() {
    Options options;
    options.depth = 4;
    Pair pair(options);
    struct ibv_recv_wr recv = {}, *bad_recv = nullptr;
    int posted = 0;
    while (posted < 1000 && !ibv_post_recv(pair.b.qp, &recv, &bad_recv))
        posted++;
    check(posted >= 4 && posted < 1000, std::to_string(posted) + " receives were accepted");
    check(bad_recv == &recv, "bad_wr");
    recv.num_sge = 77;
    refused(ENOMEM, ibv_post_recv(pair.b.qp, &recv, &bad_recv), "one more");
    // The peer has posted no receives. A Send completes when TCP has accepted it, so the queue may
    // accept more Sends than it has slots.
    Pair other(options);
    int sent = 0, err = 0;
    auto wr = other.a.request(IBV_WR_SEND, 8);
    wr.send_flags = 0;
    while (sent < 1000 && !(err = try_post(other.a, wr)))
        sent++;
    check(sent >= 4, std::to_string(sent) + " sends were accepted");
}

template <typename Change>
void wrong(enum ibv_wr_opcode opcode, enum ibv_wc_status status, const std::string &what,
           Change &&change, std::source_location where = std::source_location::current()) {
    Pair pair;
    auto wr = pair.a.request(opcode, 8);
    if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
        wr.wr.atomic.remote_addr = pair.b.address();
        wr.wr.atomic.rkey = pair.b.mr->rkey;
    } else {
        wr.wr.rdma.remote_addr = pair.b.address();
        wr.wr.rdma.rkey = pair.b.mr->rkey;
    }
    change(pair, wr);
    struct ibv_send_wr *bad = nullptr;
    if (ibv_post_send(pair.a.qp, &wr, &bad))
        return; // ibv_post_send() may refuse the request at once
    struct ibv_wc wc = pair.a.completion(where);
    check(wc.status == status,
          what + ": " + ibv_wc_status_str(wc.status) + " instead of " + ibv_wc_status_str(status),
          where);
    for (size_t i = 0; i < 64; i++)
        check(pair.b.memory[i] == 0, what + ": the peer's memory has changed", where);
}

void keys() {
    wrong(IBV_WR_SEND, IBV_WC_LOC_PROT_ERR, "an lkey that does not exist",
          [](Pair &pair, auto &) { pair.a.sge.lkey ^= 0x100000; });
    wrong(IBV_WR_SEND, IBV_WC_LOC_PROT_ERR, "the local DMA lkey",
          [](Pair &pair, auto &) { pair.a.sge.lkey = 0; });
    wrong(IBV_WR_RDMA_WRITE, IBV_WC_LOC_PROT_ERR, "the other device's lkey, or nobody's",
          [](Pair &pair, auto &) { pair.a.sge.lkey = pair.a.mr->lkey + 1; });
    wrong(IBV_WR_RDMA_WRITE, IBV_WC_LOC_PROT_ERR, "octets before the region",
          [](Pair &pair, auto &) { pair.a.sge.addr = pair.a.address() - 1; });
    wrong(IBV_WR_RDMA_WRITE, IBV_WC_LOC_PROT_ERR, "octets behind the region",
          [](Pair &pair, auto &) { pair.a.sge.addr = pair.a.address(End::size - 7); });
    wrong(IBV_WR_RDMA_WRITE, IBV_WC_LOC_PROT_ERR, "an address of the kernel",
          [](Pair &pair, auto &) { pair.a.sge.addr = 0xffff888000000000; });
    wrong(IBV_WR_RDMA_READ, IBV_WC_LOC_PROT_ERR, "a sink that does not exist",
          [](Pair &pair, auto &) { pair.a.sge.lkey ^= 0x100000; });
    wrong(IBV_WR_RDMA_READ, IBV_WC_LOC_PROT_ERR, "a sink behind the region",
          [](Pair &pair, auto &) { pair.a.sge.addr = pair.a.address(End::size - 7); });
    wrong(IBV_WR_RDMA_READ, IBV_WC_REM_ACCESS_ERR, "an rkey that does not exist",
          [](Pair &, auto &wr) { wr.wr.rdma.rkey ^= 0x100000; });
    wrong(IBV_WR_RDMA_READ, IBV_WC_REM_ACCESS_ERR, "octets behind the peer's region",
          [](Pair &pair, auto &wr) { wr.wr.rdma.remote_addr = pair.b.address(End::size - 4); });
    wrong(IBV_WR_RDMA_READ, IBV_WC_REM_ACCESS_ERR, "the peer's local DMA key",
          [](Pair &, auto &wr) { wr.wr.rdma.rkey = 0; });
    wrong(IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WC_REM_ACCESS_ERR, "an rkey that does not exist",
          [](Pair &, auto &wr) { wr.wr.atomic.rkey ^= 0x100000; });
}

// A QP cannot use an MR of another protection domain.
void domains() {
    Pair pair;
    Pd other(ibv_alloc_pd(pair.a.context));
    Mr mr(ibv_reg_mr(other.get(), pair.a.memory.get(), 4096, all_rights));
    check(mr != nullptr, "reg_mr");
    auto wr = pair.a.request(IBV_WR_SEND, 8);
    pair.a.sge.lkey = mr->lkey;
    struct ibv_send_wr *bad = nullptr;
    if (!ibv_post_send(pair.a.qp, &wr, &bad))
        pair.a.ends(IBV_WC_LOC_PROT_ERR);
    Pair reader;
    Mr sink(ibv_reg_mr(other.get(), reader.a.memory.get(), 4096, all_rights));
    wr = reader.a.request(IBV_WR_RDMA_READ, 8);
    wr.wr.rdma.remote_addr = reader.b.address();
    wr.wr.rdma.rkey = reader.b.mr->rkey;
    reader.a.sge.lkey = sink->lkey;
    reader.a.post(wr);
    reader.a.ends(IBV_WC_LOC_PROT_ERR);
}

void creations() {
    Pair pair;
    ibv_context *context = pair.a.context;
    ibv_device_attr attr = {};
    works(ibv_query_device(context, &attr), "query_device");
    for (int cqe : {0, -1, attr.max_cqe + 1}) {
        Cq cq(ibv_create_cq(context, cqe, nullptr, nullptr, 0));
        check(!cq, "a CQ of " + std::to_string(cqe));
    }
    Cq vector(ibv_create_cq(context, 8, nullptr, nullptr, context->num_comp_vectors));
    check(!vector, "a completion vector that is not there");

    auto qp = [&](auto &&change) {
        ibv_qp_init_attr init = {};
        init.send_cq = init.recv_cq = pair.a.cq.get();
        init.cap = {4, 4, 1, 1, 0};
        init.qp_type = IBV_QPT_RC;
        change(init);
        errno = 0;
        ibv_qp *made = ibv_create_qp(pair.a.pd.get(), &init);
        const int err = errno;
        if (made)
            works(ibv_destroy_qp(made), "destroy_qp");
        return made ? 0 : err ? err : -1;
    };
    works(qp([](auto &) {}), "a plain QP");
    check(qp([&](auto &i) { i.cap.max_send_wr = attr.max_qp_wr + 1; }) > 0, "too deep an SQ");
    check(qp([&](auto &i) { i.cap.max_recv_wr = attr.max_qp_wr + 1; }) > 0, "too deep an RQ");
    check(qp([&](auto &i) { i.cap.max_send_wr = ~0U; }) > 0, "the deepest SQ");
    check(qp([&](auto &i) { i.cap.max_send_sge = attr.max_sge + 1; }) > 0, "too many SGEs");
    check(qp([&](auto &i) { i.cap.max_inline_data = 1 << 20; }) > 0, "1 MiB inline");
    check(qp([&](auto &i) { i.qp_type = IBV_QPT_UD; }) > 0, "a datagram QP");
    check(qp([&](auto &i) { i.qp_type = IBV_QPT_UC; }) > 0, "a UC QP");
    works(qp([](auto &i) { i.cap = {0, 0, 0, 0, 0}; }), "a QP without queues");

    ibv_qp_init_attr_ex ex = {};
    ex.send_cq = ex.recv_cq = pair.a.cq.get();
    ex.cap = {4, 4, 1, 1, 0};
    ex.qp_type = IBV_QPT_RC;
    ex.pd = pair.a.pd.get();
    ex.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    ex.send_ops_flags = IBV_QP_EX_WITH_SEND_WITH_IMM;
    check(!ibv_create_qp_ex(context, &ex) && errno == EOPNOTSUPP, "Send with Immediate");

    ibv_cq_init_attr_ex cq = {};
    cq.cqe = 8;
    cq.wc_flags = IBV_WC_EX_WITH_FLOW_TAG;
    check(!ibv_create_cq_ex(context, &cq) && errno == EOPNOTSUPP, "flow tags");

    ibv_srq_init_attr srq = {};
    srq.attr.max_wr = attr.max_srq_wr + 1;
    srq.attr.max_sge = 1;
    check(!ibv_create_srq(pair.a.pd.get(), &srq), "too deep an SRQ");
}

// A receive that the RNIC must refuse, and the completion and event that the RNIC must report.
struct Wrong {
    enum { room, key, dma_key, bounds, right, domain, gone } what;
    const char *name;
    uint32_t length; // octets of the receive
    uint32_t octets; // octets of each message
    enum ibv_wc_status status = IBV_WC_LOC_PROT_ERR;
    enum ibv_event_type event = IBV_EVENT_QP_FATAL;
};

// Posts a receive to `b`. The first four octets of the receive are valid memory, and `wrong`
// describes the other octets.
void post_wrong(Pair &pair, const Wrong &wrong, uint64_t id, uint8_t *memory, const Mr &mr) {
    struct ibv_sge sges[2] = {{pair.b.address(), 4, pair.b.mr->lkey},
                              {reinterpret_cast<uintptr_t>(memory), wrong.length - 4, mr->lkey}};
    if (wrong.what == Wrong::key)
        sges[1].lkey ^= 0x100000;
    if (wrong.what == Wrong::dma_key)
        sges[1].lkey = 0;
    if (wrong.what == Wrong::bounds)
        sges[1].addr += End::size / 2 - sges[1].length + 1;
    struct ibv_recv_wr recv = {}, *bad = nullptr;
    recv.wr_id = id;
    recv.sg_list = sges;
    recv.num_sge = 2;
    works(pair.b.srq ? ibv_post_srq_recv(pair.b.srq.get(), &recv, &bad)
                     : ibv_post_recv(pair.b.qp, &recv, &bad),
          "post_recv");
}

// Sends five messages. The third message uses the wrong receive, which ends the connection. The
// later receives are flushed, or stay posted if they are in an SRQ.
void third_is_wrong(const Wrong &wrong, bool shared) {
    constexpr uint64_t third = 2;
    Options options;
    options.srq = shared ? 16 : 0;
    Pair pair(options);
    Pd other(ibv_alloc_pd(pair.b.context));
    uint8_t *const memory = pair.b.memory.get() + End::size / 2;
    Mr mr(ibv_reg_mr(wrong.what == Wrong::domain ? other.get() : pair.b.pd.get(), memory,
                     End::size / 2,
                     wrong.what == Wrong::right ? IBV_ACCESS_REMOTE_READ : all_rights));
    check(mr != nullptr, "reg_mr");
    for (uint64_t id = 0; id < 5; id++) {
        if (id == third)
            post_wrong(pair, wrong, id, memory, mr);
        else
            pair.b.receive(wrong.octets, id, 4096);
    }
    if (wrong.what == Wrong::gone)
        mr.reset();
    std::memset(pair.a.memory.get(), 0xee, wrong.octets);
    struct ibv_send_wr wrs[5];
    for (auto &wr : wrs) {
        wr = pair.a.request(IBV_WR_SEND, wrong.octets, &wr - wrs);
        wr.next = &wr == &wrs[4] ? nullptr : &wr + 1;
    }
    pair.a.post(wrs[0]);
    const std::string what = std::string(wrong.name) + (shared ? ", SRQ, " : ", RQ, ");
    for (uint64_t id = 0; id < (shared ? third + 1 : 5); id++) {
        auto status = id < third ? IBV_WC_SUCCESS : IBV_WC_WR_FLUSH_ERR;
        if (id == third)
            status = wrong.status;
        const struct ibv_wc wc = pair.b.completion();
        check(wc.status == status, what + std::to_string(id) + ": " + ibv_wc_status_str(wc.status) +
                                       " instead of " + ibv_wc_status_str(status));
        check(wc.wr_id == id && wc.qp_num == pair.b.qp->qp_num, what + "another receive");
        check(wc.vendor_err == 0, what + "vendor_err " + std::to_string(wc.vendor_err));
    }
    pair.b.hears(wrong.event);
    for (size_t at = 0; at < End::size / 2 && wrong.what != Wrong::room; at++)
        check(memory[at] == 0, what + "octets were placed");
}

void receives() {
    const auto length = IBV_WC_LOC_LEN_ERR;
    const auto request = IBV_EVENT_QP_REQ_ERR;
    for (const bool shared : {false, true})
        for (const Wrong &wrong : {
                 Wrong{Wrong::room, "one octet too short", 8, 9, length, request},
                 Wrong{Wrong::room, "too short for the last segment", 16000, 20000, length,
                       request},
                 Wrong{Wrong::key, "an lkey that does not exist", 64, 64},
                 Wrong{Wrong::dma_key, "the local DMA lkey", 64, 64},
                 Wrong{Wrong::bounds, "memory behind the region", 64, 64},
                 Wrong{Wrong::right, "a region without local write", 64, 64},
                 Wrong{Wrong::domain, "a region of another PD", 64, 64},
                 Wrong{Wrong::gone, "a deregistered region", 20000, 20000},
             })
            third_is_wrong(wrong, shared);
}

} // namespace

std::vector<Case> refused_cases() {
    return {{"refused-requests", requests}, {"refused-middle", in_the_middle},
            {"refused-overfull", overfull}, {"refused-keys", keys},
            {"refused-domains", domains},   {"refused-creations", creations},
            {"refused-receives", receives}};
}

} // namespace user
