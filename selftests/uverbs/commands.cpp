// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Commands that are sent by write(), as libibverbs sends them. Some commands contain errors.
#include <rdma/ib_user_verbs.h>
#include <rdma/xiw-abi.h>

#include <unistd.h>

#include <cstring>

#include "session.hpp"

namespace uverbs {

namespace {

using Bytes = std::vector<uint8_t>;

template <typename T>
void append(Bytes &to, const T &what) {
    const auto *from = reinterpret_cast<const uint8_t *>(&what);
    to.insert(to.end(), from, from + sizeof what);
}

/** Sends the commands of one thread. Each function sends one command. */
class Writer {
  public:
    Writer(Session &session, const Arena &arena, Random &random, Tally &tally)
        : session_(session), arena_(arena), random_(random), tally_(tally) {}

    bool wrong = true; // change some commands at random

    void step();
    void step_on_qp();
    void get_context();
    void alloc_pd();
    void reg_mr();
    void alloc_mw();
    void create_channel();
    void create_cq();
    void create_cq_ex();
    void create_qp(bool shared);
    void create_srq();

  private:
    Session &session_;
    const Arena &arena_;
    Random &random_;
    Tally &tally_;
    const uint8_t *answer_ = answers();

    // Get the memory for the answers to all commands of this thread.
    static const uint8_t *answers() {
        thread_local const Arena arena;
        return arena.begin();
    }

    uint32_t some(Kind kind) { return session_.some(kind, random_); }
    [[nodiscard]] uint64_t answer_at() const { return reinterpret_cast<uint64_t>(answer_); }
    template <typename T>
    T answer(size_t offset = 0) const {
        T value;
        std::memcpy(&value, answer_ + offset, sizeof value);
        return value;
    }
    uint32_t depth() {
        return static_cast<uint32_t>(random_.once_in(20) ? random_.odd() : 1 + random_.below(64));
    }
    void offer(const xiw_abi_queue &queue) { session_.offers(queue.key, queue.length); }

    void spoil(Bytes &bytes, size_t fixed);
    bool send(const char *what, Bytes bytes, size_t fixed);
    template <typename Core, typename Driver>
    bool request(const char *what, uint32_t number, Core core, const Driver &driver,
                 size_t answered);
    template <typename Core>
    bool request(const char *what, uint32_t number, Core core, size_t answered = sizeof(uint32_t));
    template <typename Core>
    bool plain(const char *what, uint32_t number, const Core &core);

    void rereg_mr();
    void resize_cq();
    void modify_qp();
    void query_qp();
    void srqs();
    void destroy();
    void doorbell();
    void nonsense();
};

// Make up to three random changes, and sometimes also change the length. Do not change the octets
// from 8 to `fixed`. They contain the address of the answer, and the answer must not overwrite
// other memory of the program.
void Writer::spoil(Bytes &bytes, size_t fixed) {
    for (auto n = 1 + random_.below(3); n > 0; --n) {
        auto at = random_.below(bytes.size());
        if (at >= 8 && at < fixed)
            continue;
        switch (random_.below(4)) {
        case 0:
            bytes[at] ^= static_cast<uint8_t>(1U << random_.below(8));
            break;
        case 1:
            bytes[at] = static_cast<uint8_t>(random_.word());
            break;
        default: {
            at = at / 4 * 4;
            const auto value = static_cast<uint32_t>(random_.odd());
            if (at + 4 <= bytes.size() && (at >= fixed || at < 8))
                std::memcpy(&bytes[at], &value, sizeof value);
            break;
        }
        }
    }
    if (random_.once_in(6))
        bytes.resize(random_.below(bytes.size() + 64));
}

bool Writer::send(const char *what, Bytes bytes, size_t fixed) {
    const bool spoilt = wrong && random_.once_in(3);
    if (spoilt)
        spoil(bytes, fixed);
    const auto sent = write(session_.file(), bytes.data(), bytes.size());
    const bool taken = sent >= 0 && static_cast<size_t>(sent) == bytes.size();
    tally_.count(what, taken);
    // Do not use an object that a spoilt command has created. Closing the file releases it.
    return taken && !spoilt;
}

template <typename Core, typename Driver>
bool Writer::request(const char *what, uint32_t number, Core core, const Driver &driver,
                     size_t answered) {
    Bytes bytes;
    core.response = answer_at();
    append(bytes,
           ib_uverbs_cmd_hdr{number, static_cast<uint16_t>((8 + sizeof core + sizeof driver) / 4),
                             static_cast<uint16_t>(answered / 4)});
    append(bytes, core);
    append(bytes, driver);
    return send(what, std::move(bytes), 16);
}

template <typename Core>
bool Writer::request(const char *what, uint32_t number, Core core, size_t answered) {
    Bytes bytes;
    core.response = answer_at();
    append(bytes, ib_uverbs_cmd_hdr{number, static_cast<uint16_t>((8 + sizeof core) / 4),
                                    static_cast<uint16_t>(answered / 4)});
    append(bytes, core);
    return send(what, std::move(bytes), 16);
}

// Sends a command that has no answer.
template <typename Core>
bool Writer::plain(const char *what, uint32_t number, const Core &core) {
    Bytes bytes;
    append(bytes, ib_uverbs_cmd_hdr{number, static_cast<uint16_t>((8 + sizeof core) / 4), 0});
    append(bytes, core);
    return send(what, std::move(bytes), 8);
}

void Writer::get_context() {
    const xiw_abi_alloc_ucontext_req driver{};
    if (request("get context", IB_USER_VERBS_CMD_GET_CONTEXT, ib_uverbs_get_context{}, driver,
                sizeof(ib_uverbs_get_context_resp) + sizeof(xiw_abi_alloc_ucontext_resp)))
        session_.opened(static_cast<int>(answer<uint32_t>()));
}

void Writer::alloc_pd() {
    if (request("alloc pd", IB_USER_VERBS_CMD_ALLOC_PD, ib_uverbs_alloc_pd{}))
        session_.made(Kind::pd, answer<uint32_t>());
}

void Writer::reg_mr() {
    ib_uverbs_reg_mr core{};
    core.start = arena_.address(random_);
    core.length = 1 + random_.below(random_.once_in(10) ? ~0ULL : 200'000);
    // uverbs requires that `start` and `hca_va` have the same offset in a page
    core.hca_va =
        random_.once_in(3) ? (random_.word() & ~0xfffULL) | (core.start & 0xfff) : core.start;
    core.pd_handle = some(Kind::pd);
    core.access_flags = static_cast<uint32_t>(random_.below(32));
    if (!request("reg mr", IB_USER_VERBS_CMD_REG_MR, core, sizeof(ib_uverbs_reg_mr_resp)))
        return;
    session_.made(Kind::mr, answer<uint32_t>());
    session_.registered({answer<ib_uverbs_reg_mr_resp>().rkey, core.hca_va});
}

void Writer::rereg_mr() {
    ib_uverbs_rereg_mr core{};
    core.mr_handle = some(Kind::mr);
    core.flags = static_cast<uint32_t>(1 + random_.below(7));
    core.start = arena_.address(random_);
    core.length = 1 + random_.below(100'000);
    core.hca_va = core.start;
    core.pd_handle = some(Kind::pd);
    core.access_flags = static_cast<uint32_t>(random_.below(32));
    request("rereg mr", IB_USER_VERBS_CMD_REREG_MR, core, 8);
}

void Writer::alloc_mw() {
    ib_uverbs_alloc_mw core{};
    core.pd_handle = some(Kind::pd);
    core.mw_type = static_cast<uint8_t>(random_.once_in(8) ? random_.odd() : 2);
    if (request("alloc mw", IB_USER_VERBS_CMD_ALLOC_MW, core, 8))
        session_.made(Kind::mw, answer<uint32_t>());
}

void Writer::create_channel() {
    if (!request("create channel", IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL,
                 ib_uverbs_create_comp_channel{}))
        return;
    session_.made(Kind::channel, answer<uint32_t>());
    session_.opened(static_cast<int>(answer<uint32_t>()));
}

void Writer::create_cq() {
    ib_uverbs_create_cq core{};
    core.user_handle = random_.word();
    core.cqe = depth();
    core.comp_vector = static_cast<uint32_t>(random_.below(2));
    core.comp_channel = random_.once_in(2) ? -1 : static_cast<int32_t>(some(Kind::channel));
    if (!request("create cq", IB_USER_VERBS_CMD_CREATE_CQ, core, xiw_abi_create_cq_req{},
                 sizeof(ib_uverbs_create_cq_resp) + sizeof(xiw_abi_create_cq_resp)))
        return;
    session_.made(Kind::cq, answer<uint32_t>());
    offer(answer<xiw_abi_create_cq_resp>(sizeof(ib_uverbs_create_cq_resp)).cq);
}

// An extended command has separate lengths for core and driver, in units of eight octets.
void Writer::create_cq_ex() {
    ib_uverbs_ex_create_cq core{};
    core.cqe = depth();
    core.comp_channel = -1;
    core.flags = random_.once_in(4) ? 1 : 0;
    const xiw_abi_create_cq_req driver{};
    Bytes bytes;
    append(bytes,
           ib_uverbs_cmd_hdr{IB_USER_VERBS_EX_CMD_CREATE_CQ | IB_USER_VERBS_CMD_FLAG_EXTENDED,
                             sizeof core / 8, sizeof(ib_uverbs_ex_create_cq_resp) / 8});
    append(bytes, ib_uverbs_ex_cmd_hdr{answer_at(), sizeof driver / 8,
                                       sizeof(xiw_abi_create_cq_resp) / 8, 0});
    append(bytes, core);
    append(bytes, driver);
    if (!send("create cq, extended", std::move(bytes), 16))
        return;
    session_.made(Kind::cq, answer<uint32_t>());
    offer(answer<xiw_abi_create_cq_resp>(sizeof(ib_uverbs_ex_create_cq_resp)).cq);
}

void Writer::resize_cq() {
    ib_uverbs_resize_cq core{};
    core.cq_handle = some(Kind::cq);
    core.cqe = depth();
    if (request("resize cq", IB_USER_VERBS_CMD_RESIZE_CQ, core, xiw_abi_resize_cq_req{},
                sizeof(ib_uverbs_resize_cq_resp) + sizeof(xiw_abi_resize_cq_resp)))
        offer(answer<xiw_abi_resize_cq_resp>(sizeof(ib_uverbs_resize_cq_resp)).cq);
}

void Writer::create_srq() {
    ib_uverbs_create_srq core{};
    core.pd_handle = some(Kind::pd);
    core.max_wr = depth();
    core.max_sge = 1;
    if (!request("create srq", IB_USER_VERBS_CMD_CREATE_SRQ, core, xiw_abi_create_srq_req{},
                 sizeof(ib_uverbs_create_srq_resp) + sizeof(xiw_abi_create_srq_resp)))
        return;
    session_.made(Kind::srq, answer<uint32_t>());
    offer(answer<xiw_abi_create_srq_resp>(sizeof(ib_uverbs_create_srq_resp)).rq);
}

void Writer::create_qp(bool shared) {
    ib_uverbs_create_qp core{};
    core.user_handle = random_.word();
    core.pd_handle = some(Kind::pd);
    core.send_cq_handle = some(Kind::cq);
    core.recv_cq_handle = some(Kind::cq);
    core.srq_handle = shared ? some(Kind::srq) : 0;
    core.max_send_wr = depth();
    core.max_recv_wr = shared ? 0 : depth();
    core.max_send_sge = static_cast<uint32_t>(1 + random_.below(4));
    core.max_recv_sge = shared ? 0 : 1;
    core.max_inline_data = static_cast<uint32_t>(random_.below(256));
    core.sq_sig_all = static_cast<uint8_t>(random_.below(2));
    core.qp_type = static_cast<uint8_t>(random_.once_in(30) ? random_.odd() : 2);
    core.is_srq = shared;
    if (!request(shared ? "create qp, srq" : "create qp", IB_USER_VERBS_CMD_CREATE_QP, core,
                 xiw_abi_create_qp_req{},
                 sizeof(ib_uverbs_create_qp_resp) + sizeof(xiw_abi_create_qp_resp)))
        return;
    session_.made(Kind::qp, answer<uint32_t>());
    session_.numbered(answer<ib_uverbs_create_qp_resp>().qpn);
    const auto queues = answer<xiw_abi_create_qp_resp>(sizeof(ib_uverbs_create_qp_resp));
    offer(queues.sq);
    offer(queues.rq);
}

void Writer::modify_qp() {
    ib_uverbs_modify_qp core{};
    core.qp_handle = some(Kind::qp);
    core.attr_mask =
        static_cast<uint32_t>(1 | (random_.once_in(3) ? random_.word() & 0x1ffffff : 0));
    core.qp_state = static_cast<uint8_t>(random_.below(7));
    core.port_num = static_cast<uint8_t>(random_.once_in(8) ? random_.odd() : 1);
    core.qp_access_flags = static_cast<uint32_t>(random_.below(32));
    plain("modify qp", IB_USER_VERBS_CMD_MODIFY_QP, core);
}

void Writer::query_qp() {
    ib_uverbs_query_qp core{};
    core.qp_handle = some(Kind::qp);
    core.attr_mask = static_cast<uint32_t>(random_.odd());
    request("query qp", IB_USER_VERBS_CMD_QUERY_QP, core, sizeof(ib_uverbs_query_qp_resp));
}

void Writer::srqs() {
    if (random_.once_in(2)) {
        ib_uverbs_modify_srq core{};
        core.srq_handle = some(Kind::srq);
        core.attr_mask = static_cast<uint32_t>(random_.below(4));
        core.max_wr = depth();
        core.srq_limit = static_cast<uint32_t>(random_.odd());
        plain("modify srq", IB_USER_VERBS_CMD_MODIFY_SRQ, core);
    } else {
        ib_uverbs_query_srq core{};
        core.srq_handle = some(Kind::srq);
        request("query srq", IB_USER_VERBS_CMD_QUERY_SRQ, core, sizeof(ib_uverbs_query_srq_resp));
    }
}

void Writer::destroy() {
    const auto forget = [&](Kind kind, uint32_t handle, bool taken) {
        if (taken)
            session_.gone(kind, handle);
    };
    switch (random_.below(7)) {
    case 0: {
        const auto handle = some(Kind::pd);
        forget(Kind::pd, handle,
               plain("dealloc pd", IB_USER_VERBS_CMD_DEALLOC_PD, ib_uverbs_dealloc_pd{handle}));
        break;
    }
    case 1: {
        const auto handle = some(Kind::mr);
        forget(Kind::mr, handle,
               plain("dereg mr", IB_USER_VERBS_CMD_DEREG_MR, ib_uverbs_dereg_mr{handle}));
        break;
    }
    case 2: {
        const auto handle = some(Kind::mw);
        forget(Kind::mw, handle,
               plain("dealloc mw", IB_USER_VERBS_CMD_DEALLOC_MW, ib_uverbs_dealloc_mw{handle}));
        break;
    }
    case 3: {
        const auto handle = some(Kind::cq);
        forget(Kind::cq, handle,
               request("destroy cq", IB_USER_VERBS_CMD_DESTROY_CQ,
                       ib_uverbs_destroy_cq{0, handle, 0}, 8));
        break;
    }
    case 4: {
        const auto handle = some(Kind::srq);
        forget(Kind::srq, handle,
               request("destroy srq", IB_USER_VERBS_CMD_DESTROY_SRQ,
                       ib_uverbs_destroy_srq{0, handle, 0}));
        break;
    }
    default: {
        const auto handle = some(Kind::qp);
        forget(Kind::qp, handle,
               request("destroy qp", IB_USER_VERBS_CMD_DESTROY_QP,
                       ib_uverbs_destroy_qp{0, handle, 0}));
        break;
    }
    }
}

// Rings a doorbell. The queues contain what Mappings::scribble() has written.
void Writer::doorbell() {
    switch (random_.below(4)) {
    case 0: {
        ib_uverbs_post_recv core{};
        core.qp_handle = some(Kind::qp);
        core.wqe_size = sizeof(ib_uverbs_recv_wr);
        request("post recv", IB_USER_VERBS_CMD_POST_RECV, core);
        break;
    }
    case 1: {
        ib_uverbs_post_srq_recv core{};
        core.srq_handle = some(Kind::srq);
        core.wqe_size = sizeof(ib_uverbs_recv_wr);
        request("post srq recv", IB_USER_VERBS_CMD_POST_SRQ_RECV, core);
        break;
    }
    case 2:
        plain("req notify cq", IB_USER_VERBS_CMD_REQ_NOTIFY_CQ,
              ib_uverbs_req_notify_cq{some(Kind::cq), static_cast<uint32_t>(random_.below(2))});
        break;
    default: {
        ib_uverbs_post_send core{};
        core.qp_handle = some(Kind::qp);
        core.wqe_size = sizeof(ib_uverbs_send_wr);
        request("post send", IB_USER_VERBS_CMD_POST_SEND, core);
        break;
    }
    }
}

// Sends a random command number with random words. Only the address of the answer is valid.
void Writer::nonsense() {
    auto number = static_cast<uint32_t>(random_.below(70));
    if (random_.once_in(3))
        number |= IB_USER_VERBS_CMD_FLAG_EXTENDED;
    Bytes bytes;
    const auto words = static_cast<uint16_t>(4 + random_.below(60));
    append(bytes, ib_uverbs_cmd_hdr{number, words, static_cast<uint16_t>(random_.below(120))});
    append(bytes, answer_at());
    while (bytes.size() < words * 4UL)
        append(bytes, static_cast<uint32_t>(random_.once_in(2) ? random_.below(6) : random_.odd()));
    send("nonsense", std::move(bytes), 16);
}

void Writer::step() {
    switch (random_.below(24)) {
    case 0:
        return alloc_pd();
    case 1:
    case 2:
        return reg_mr();
    case 3:
        return rereg_mr();
    case 4:
        return alloc_mw();
    case 5:
        return create_channel();
    case 6:
        return create_cq();
    case 7:
        return create_cq_ex();
    case 8:
        return resize_cq();
    case 9:
        return create_srq();
    case 10:
        return create_qp(false);
    case 11:
        return create_qp(true);
    case 12:
    case 13:
        return modify_qp();
    case 14:
        return query_qp();
    case 15:
        return srqs();
    case 16:
    case 17:
        return destroy();
    case 18:
        return nonsense();
    case 19:
        return random_.once_in(10) ? get_context() : doorbell();
    default:
        return doorbell();
    }
}

void Writer::step_on_qp() {
    switch (random_.below(20)) {
    case 0:
        return create_qp(random_.once_in(4));
    case 1:
        return destroy();
    case 2:
        return reg_mr();
    case 3:
        return query_qp();
    case 4:
        return resize_cq();
    case 5:
        return alloc_pd();
    case 6:
        return create_cq();
    case 7:
    case 8:
    case 9:
    case 10:
        return doorbell();
    default:
        return modify_qp();
    }
}

} // namespace

void command(Session &session, const Arena &arena, Random &random, Tally &tally) {
    Writer(session, arena, random, tally).step();
}

void command_on_qp(Session &session, const Arena &arena, Random &random, Tally &tally) {
    Writer writer(session, arena, random, tally);
    writer.wrong = random.once_in(20);
    writer.step_on_qp();
}

void prepare_qps(Session &session, const Arena &arena, Random &random, Tally &tally) {
    Writer writer(session, arena, random, tally);
    writer.wrong = false;
    for (int i = 0; i < 8; i++) {
        writer.reg_mr();
        writer.create_qp(false);
    }
}

void prepare(Session &session, const Arena &arena, Random &random, Tally &tally) {
    Writer writer(session, arena, random, tally);
    writer.wrong = false;
    writer.get_context();
    writer.alloc_pd();
    writer.reg_mr();
    writer.alloc_mw();
    writer.create_channel();
    writer.create_cq();
    writer.create_cq_ex();
    writer.create_srq();
    writer.create_qp(false);
    writer.create_qp(true);
}

} // namespace uverbs
