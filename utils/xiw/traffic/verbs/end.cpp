// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "traffic/verbs/end.hpp"
#include "model/explain.hpp"
#include "model/words.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>

namespace xiw::traffic {

namespace {

constexpr size_t page = 4096;

// Align the memory of an endpoint to a page, so that an offset modulo 4096 is an offset in a page.
uint8_t *first_page(std::vector<uint8_t> &storage) {
    return storage.data() + (page - reinterpret_cast<uintptr_t>(storage.data()) % page) % page;
}

[[noreturn]] void fail(const char *what, int err) {
    const bool memory = err == ENOMEM;
    throw Error(Exit::failed, fmt::format("{}: {}", what, std::strerror(err)),
                memory ? "locked memory is limited: ulimit -l" : "");
}

template <typename Pointer>
Pointer made(Pointer pointer, const char *what) {
    if (pointer == nullptr)
        fail(what, errno);
    return pointer;
}

ibv_send_wr request(ibv_wr_opcode opcode, ibv_sge *sge, int pieces, uint64_t number) {
    ibv_send_wr wr{};
    wr.wr_id = number;
    wr.sg_list = sge;
    wr.num_sge = pieces;
    wr.opcode = opcode;
    wr.send_flags = IBV_SEND_SIGNALED;
    return wr;
}

// A request that accesses the peer's memory.
ibv_send_wr rdma(ibv_wr_opcode opcode, ibv_sge *sge, Remote where, uint64_t number) {
    ibv_send_wr wr = request(opcode, sge, 1, number);
    wr.wr.rdma.remote_addr = where.address;
    wr.wr.rdma.rkey = where.rkey;
    return wr;
}

ibv_send_wr atomic(ibv_wr_opcode opcode, ibv_sge *sge, Remote where, uint64_t number) {
    ibv_send_wr wr = request(opcode, sge, 1, number);
    wr.wr.atomic.remote_addr = where.address;
    wr.wr.atomic.rkey = where.rkey;
    return wr;
}

} // namespace

void works(int err, const char *what) {
    if (err == EOPNOTSUPP)
        throw Error(Exit::unsupported, fmt::format("{}: {}", what, std::strerror(err)),
                    "see xiw caps for the device and xiw config show for disabled features");
    if (err != 0)
        fail(what, err);
}

uint32_t flags_of(ibv_context *context) {
    ibv_device_attr attr{};
    uint32_t flags = 0;
    works(ibv_query_device(context, &attr), "query_device");
    if (const Direct *dv = direct(context->device)) {
        xiwdv_device_attr own{};
        works(dv->query_device(context, &own), "xiwdv_query_device");
        if ((own.caps & XIWDV_CAP_ATOMICS) != 0)
            flags |= has_atomics;
        if ((own.caps & XIWDV_CAP_IMMEDIATE_64) != 0)
            flags |= has_imm | has_imm64;
        return flags;
    }
    if (attr.atomic_cap != IBV_ATOMIC_NONE)
        flags |= has_atomics;
    // On iWARP, immediates require RFC 7306, and only xiw reports support for it.
    if (context->device->transport_type == IBV_TRANSPORT_IB)
        flags |= has_imm;
    return flags;
}

End::End(rdma_cm_id *id, size_t octets)
    : id_(id), direct_(direct(id->verbs->device)), flags_(flags_of(id->verbs)),
      storage_(octets + page), memory_(first_page(storage_)),
      pd_(made(ibv_alloc_pd(id->verbs), "alloc_pd")),
      mr_(made(region({0, octets}, all_rights).release(), "reg_mr")),
      events_(made(ibv_create_comp_channel(id->verbs), "create_comp_channel")),
      cq_(made(ibv_create_cq(id->verbs, 4 * depth, nullptr, events_.get(), 0), "create_cq")) {
    fcntl(events_->fd, F_SETFL, fcntl(events_->fd, F_GETFL) | O_NONBLOCK);
    ibv_qp_init_attr_ex attr{};
    attr.send_cq = cq_.get();
    attr.recv_cq = cq_.get();
    attr.cap.max_send_wr = depth;
    attr.cap.max_recv_wr = depth;
    attr.cap.max_send_sge = 2;
    attr.cap.max_recv_sge = 1;
    attr.qp_type = IBV_QPT_RC;
    attr.pd = pd_.get();
    attr.comp_mask = IBV_QP_INIT_ATTR_PD;
    if (direct_ != nullptr) {
        attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
        attr.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE |
                              IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ;
        if ((flags_ & has_atomics) != 0)
            attr.send_ops_flags |=
                IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP;
    }
    if (rdma_create_qp_ex(id, &attr) != 0)
        fail("create_qp", errno);
}

End::~End() {
    if (id_->qp != nullptr)
        rdma_destroy_qp(id_);
    if (unacknowledged_ != 0)
        ibv_ack_cq_events(cq_.get(), unacknowledged_);
}

uint64_t &End::word(size_t offset) {
    return *reinterpret_cast<uint64_t *>(memory_ + offset);
}

Remote End::remote(size_t offset) const {
    return {reinterpret_cast<uintptr_t>(memory_) + offset, mr_->rkey};
}

Mr End::region(Part part, int rights) {
    // Some drivers refuse rights that they do not support, so request the right to atomics only if
    // the device supports atomics.
    if ((flags_ & has_atomics) == 0)
        rights &= ~IBV_ACCESS_REMOTE_ATOMIC;
    return Mr(ibv_reg_mr(pd_.get(), memory_ + part.offset, part.length, rights));
}

ibv_sge End::sge(Part part) const {
    return {reinterpret_cast<uintptr_t>(memory_) + part.offset, static_cast<uint32_t>(part.length),
            mr_->lkey};
}

int End::post(ibv_send_wr &wr) {
    ibv_send_wr *bad = nullptr;
    const int err = ibv_post_send(id_->qp, &wr, &bad);
    return err < 0 ? errno : err;
}

int End::receive(Part to, uint64_t number) {
    ibv_sge piece = sge(to);
    ibv_recv_wr wr{};
    ibv_recv_wr *bad = nullptr;
    wr.wr_id = number;
    wr.sg_list = &piece;
    wr.num_sge = to.length != 0 ? 1 : 0;
    const int err = ibv_post_recv(id_->qp, &wr, &bad);
    return err < 0 ? errno : err;
}

int End::send(Part from, uint64_t number) {
    ibv_sge piece = sge(from);
    ibv_send_wr wr = request(IBV_WR_SEND, &piece, 1, number);
    return post(wr);
}

int End::send_pieces(Part first, Part second, uint64_t number) {
    std::array pieces = {sge(first), sge(second)};
    ibv_send_wr wr = request(IBV_WR_SEND, pieces.data(), 2, number);
    return post(wr);
}

int End::send_invalidate(Part from, uint32_t rkey, uint64_t number) {
    ibv_sge piece = sge(from);
    ibv_send_wr wr = request(IBV_WR_SEND_WITH_INV, &piece, 1, number);
    wr.invalidate_rkey = rkey;
    return post(wr);
}

int End::write(Part from, Remote to, uint64_t number) {
    ibv_sge piece = sge(from);
    ibv_send_wr wr = rdma(IBV_WR_RDMA_WRITE, &piece, to, number);
    return post(wr);
}

int End::read(Part to, Remote from, uint64_t number) {
    ibv_sge piece = sge(to);
    ibv_send_wr wr = rdma(IBV_WR_RDMA_READ, &piece, from, number);
    return post(wr);
}

int End::write_and_send(Part from, Remote to, Part message, uint64_t number) {
    ibv_sge data = sge(from);
    ibv_sge piece = sge(message);
    ibv_send_wr behind = request(IBV_WR_SEND, &piece, 1, number);
    ibv_send_wr wr = rdma(IBV_WR_RDMA_WRITE, &data, to, number);
    wr.send_flags = 0;
    wr.next = &behind;
    return post(wr);
}

int End::fetch_add(size_t result, Remote to, uint64_t add, uint64_t number) {
    ibv_sge piece = sge({result, 8});
    ibv_send_wr wr = atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, &piece, to, number);
    wr.wr.atomic.compare_add = add;
    return post(wr);
}

int End::cmp_swap(size_t result, Remote to, uint64_t compare, uint64_t swap, uint64_t number) {
    ibv_sge piece = sge({result, 8});
    ibv_send_wr wr = atomic(IBV_WR_ATOMIC_CMP_AND_SWP, &piece, to, number);
    wr.wr.atomic.compare_add = compare;
    wr.wr.atomic.swap = swap;
    return post(wr);
}

// Post one request of the direct verbs.
template <typename Build>
int End::extended(Part result, uint64_t number, const Build &build) {
    ibv_qp_ex *qp = ibv_qp_to_qp_ex(id_->qp);
    const ibv_sge piece = sge(result);
    ibv_wr_start(qp);
    qp->wr_id = number;
    qp->wr_flags = IBV_SEND_SIGNALED;
    build(qp);
    ibv_wr_set_sge(qp, piece.lkey, piece.addr, piece.length);
    return ibv_wr_complete(qp);
}

int End::masked_fetch_add(size_t result, Remote to, uint64_t add, uint64_t mask, uint64_t number) {
    return extended({result, 8}, number, [&](ibv_qp_ex *qp) {
        direct_->masked_fetch_add(qp, to.rkey, to.address, add, mask);
    });
}

int End::masked_cmp_swap(size_t result, Remote to, uint64_t compare, uint64_t compare_mask,
                         uint64_t swap, uint64_t swap_mask, uint64_t number) {
    return extended({result, 8}, number, [&](ibv_qp_ex *qp) {
        direct_->masked_cmp_swp(qp, to.rkey, to.address, compare, compare_mask, swap, swap_mask);
    });
}

int End::write_imm(Part from, Remote to, const Imm &imm, bool whole, uint64_t number) {
    if (whole && direct_ != nullptr)
        return extended(from, number, [&](ibv_qp_ex *qp) {
            direct_->write_imm64(qp, to.rkey, to.address, imm.data());
        });
    ibv_sge piece = sge(from);
    ibv_send_wr wr = rdma(IBV_WR_RDMA_WRITE_WITH_IMM, &piece, to, number);
    std::memcpy(&wr.imm_data, imm.data(), sizeof(wr.imm_data));
    return post(wr);
}

std::optional<Completion> End::poll() {
    Completion completion;
    int n = 0;
    if (direct_ != nullptr) {
        xiwdv_wc wc{};
        n = direct_->poll_cq(cq_.get(), 1, &wc);
        completion.wc = wc.wc;
        std::memcpy(completion.imm.data(), wc.imm, completion.imm.size());
    } else {
        n = ibv_poll_cq(cq_.get(), 1, &completion.wc);
        if (n == 1 && (completion.wc.wc_flags & IBV_WC_WITH_IMM) != 0)
            std::memcpy(completion.imm.data(), &completion.wc.imm_data,
                        sizeof(completion.wc.imm_data));
    }
    if (n < 0)
        throw Error(Exit::failed, "poll_cq failed: the completion queue is broken");
    return n == 1 ? std::optional(completion) : std::nullopt;
}

std::string End::told(const ibv_wc &wc) const {
    std::string text = completion_word(wc.status);
    if (const auto cause = terminate(wc))
        text += fmt::format(", Terminate {}", terminate_word(*cause));
    return text;
}

std::optional<uint16_t> End::terminate(const ibv_wc &wc) const {
    if (direct_ == nullptr || wc.status == IBV_WC_SUCCESS || wc.vendor_err == 0)
        return std::nullopt;
    // The driver reports the layer as an octet, but the result has only four bits for the layer.
    return static_cast<uint16_t>((wc.vendor_err >> 16 & 0xf) << 12 | (wc.vendor_err & 0xfff));
}

void End::arm() {
    works(ibv_req_notify_cq(cq_.get(), 0), "req_notify_cq");
}

void End::disarm() {
    ibv_cq *cq = nullptr;
    void *context = nullptr;
    while (ibv_get_cq_event(events_.get(), &cq, &context) == 0)
        unacknowledged_++;
}

std::optional<Completion> End::next(const Deadline &deadline, const Interrupts &interrupts) {
    const auto start = Clock::now();
    for (;;) {
        if (auto completion = poll())
            return completion;
        if (Clock::now() - start < poll_time)
            continue;
        arm();
        if (auto completion = poll())
            return completion;
        if (!interrupts.readable(fd(), deadline))
            return poll();
        disarm();
    }
}

} // namespace xiw::traffic
