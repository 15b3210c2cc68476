// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// QPs that connect by the address and number of their peer. The setting connect-by-number must be
// on, and startup-time must be short. Only for the case number-off, the setting must be off. For
// the case number-unfit, the devices must accept different forms of RTR.
#include "pair.hpp"

#include <arpa/inet.h>
#include <unistd.h>
#include <xiwdv.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace user {
namespace {

constexpr int rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                         IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
constexpr int rts_mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                         IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
constexpr uint32_t message_length = 64;

bool is_v6(const std::string &address) {
    return address.find(':') != std::string::npos;
}

ibv_gid gid_of(const std::string &address) {
    ibv_gid gid = {};
    if (is_v6(address)) {
        check(inet_pton(AF_INET6, address.c_str(), gid.raw) == 1, "address " + address);
        return gid;
    }
    gid.raw[10] = gid.raw[11] = 0xff;
    check(inet_pton(AF_INET, address.c_str(), gid.raw + 12) == 1, "address " + address);
    return gid;
}

// Creates an rdma_cm id and binds it to the address, so that rdma_cm finds the device.
Id bound(rdma_event_channel *channel, const std::string &address) {
    rdma_cm_id *id = nullptr;
    rdma(rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP), "id");
    Id owner(id);
    sockaddr_in in = {};
    sockaddr_in6 in6 = {};
    in.sin_family = AF_INET;
    in6.sin6_family = AF_INET6;
    if (is_v6(address)) {
        inet_pton(AF_INET6, address.c_str(), &in6.sin6_addr);
        rdma(rdma_bind_addr(id, reinterpret_cast<sockaddr *>(&in6)), "bind");
    } else {
        inet_pton(AF_INET, address.c_str(), &in.sin_addr);
        rdma(rdma_bind_addr(id, reinterpret_cast<sockaddr *>(&in)), "bind");
    }
    check(id->verbs != nullptr, "no device has " + address);
    return owner;
}

// A QP on the device that has the address, and the objects that the QP needs.
class Side {
  public:
    explicit Side(const std::string &address, int depth = 16) : Side(address, depth, 2 * depth) {}

    Side(const std::string &address, int depth, int cqe) : gid(gid_of(address)) {
        channel_.reset(rdma_create_event_channel());
        check(channel_ != nullptr, "channel");
        id_ = bound(channel_.get(), address);
        pd_.reset(ibv_alloc_pd(id_->verbs));
        mr_.reset(ibv_reg_mr(pd_.get(), memory_.data(), memory_.size(), all_rights));
        cq_.reset(ibv_create_cq(id_->verbs, cqe, nullptr, nullptr, 0));
        check(pd_ && mr_ && cq_, "objects");
        ibv_qp_init_attr attr = {};
        attr.send_cq = attr.recv_cq = cq_.get();
        attr.cap.max_send_wr = attr.cap.max_recv_wr = depth;
        attr.cap.max_send_sge = attr.cap.max_recv_sge = 1;
        attr.qp_type = IBV_QPT_RC;
        qp_.reset(ibv_create_qp(pd_.get(), &attr));
        check(qp_ != nullptr, std::string("create_qp: ") + std::strerror(errno));
        init();
    }

    void init() {
        ibv_qp_attr attr = {};
        attr.qp_state = IBV_QPS_INIT;
        attr.port_num = 1;
        attr.qp_access_flags = all_rights;
        works(ibv_modify_qp(qp_.get(), &attr,
                            IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
              "modify to INIT");
    }

    // Gets the index of the address in the GID table. Waits until the table contains the address,
    // because the kernel updates the table asynchronously.
    int index() const {
        int found = -1;
        wait_until("the GID of the address", [&] {
            for (int i = 1; found < 0 && i < 31; i++) {
                ibv_gid entry = {};
                if (!ibv_query_gid(id_->verbs, 1, i, &entry) &&
                    !std::memcmp(&entry, &gid, sizeof(gid)))
                    found = i;
            }
            return found >= 0;
        });
        return found;
    }

    ibv_qp_attr to_rtr(const ibv_gid &peer, uint32_t qpn) const {
        return to_rtr(peer, qpn, index());
    }

    ibv_qp_attr to_rtr(const ibv_gid &peer, uint32_t qpn, int sgid_index) const {
        ibv_qp_attr attr = {};
        attr.qp_state = IBV_QPS_RTR;
        attr.path_mtu = IBV_MTU_1024;
        attr.dest_qp_num = qpn;
        attr.rq_psn = 0x123456;
        attr.max_dest_rd_atomic = 4;
        attr.min_rnr_timer = 12;
        attr.ah_attr.is_global = 1;
        attr.ah_attr.port_num = 1;
        attr.ah_attr.grh.dgid = peer;
        attr.ah_attr.grh.sgid_index = sgid_index;
        attr.ah_attr.grh.hop_limit = 1;
        return attr;
    }

    int rtr(ibv_qp_attr attr, int mask = rtr_mask) { return ibv_modify_qp(qp_.get(), &attr, mask); }

    void rts() {
        ibv_qp_attr attr = {};
        attr.qp_state = IBV_QPS_RTS;
        attr.timeout = 14;
        attr.retry_cnt = 7;
        attr.rnr_retry = 7;
        attr.sq_psn = 0x654321;
        attr.max_rd_atomic = 4;
        works(ibv_modify_qp(qp_.get(), &attr, rts_mask), "modify to RTS");
    }

    void names(const Side &peer) {
        works(rtr(to_rtr(peer.gid, peer.number())), "modify to RTR");
        rts();
    }

    int reset() {
        ibv_qp_attr attr = {};
        attr.qp_state = IBV_QPS_RESET;
        return ibv_modify_qp(qp_.get(), &attr, IBV_QP_STATE);
    }

    void send(uint64_t wr_id, enum ibv_wr_opcode opcode = IBV_WR_SEND, const Side *peer = nullptr,
              unsigned int flags = IBV_SEND_SIGNALED) {
        ibv_sge sge = {reinterpret_cast<uintptr_t>(memory_.data()), message_length, mr_->lkey};
        ibv_send_wr wr = {}, *bad = nullptr;
        wr.wr_id = wr_id;
        wr.sg_list = &sge;
        wr.num_sge = 1;
        wr.opcode = opcode;
        wr.send_flags = flags;
        if (peer) {
            wr.wr.rdma.remote_addr = reinterpret_cast<uintptr_t>(peer->memory_.data());
            wr.wr.rdma.rkey = peer->mr_->rkey;
        }
        works(ibv_post_send(qp_.get(), &wr, &bad), "post_send");
    }

    // Posts a Send with Immediate. The driver refuses it, because send-with-immediate is off.
    int send_refused() {
        ibv_send_wr wr = {}, *bad = nullptr;
        wr.opcode = IBV_WR_SEND_WITH_IMM;
        return ibv_post_send(qp_.get(), &wr, &bad);
    }

    void receive(uint64_t wr_id) {
        ibv_sge sge = {reinterpret_cast<uintptr_t>(memory_.data()), message_length, mr_->lkey};
        ibv_recv_wr wr = {}, *bad = nullptr;
        wr.wr_id = wr_id;
        wr.sg_list = &sge;
        wr.num_sge = 1;
        works(ibv_post_recv(qp_.get(), &wr, &bad), "post_recv");
    }

    ibv_wc completion() {
        ibv_wc wc = {};
        wait_until("a completion", [&] { return ibv_poll_cq(cq_.get(), 1, &wc) == 1; });
        return wc;
    }

    void completes(uint64_t wr_id, enum ibv_wc_status status) {
        const auto wc = completion();
        check(wc.wr_id == wr_id && wc.status == status,
              "work request " + std::to_string(wc.wr_id) + ": " + ibv_wc_status_str(wc.status) +
                  " instead of " + std::to_string(wr_id) + ": " + ibv_wc_status_str(status));
    }

    bool quiet() {
        ibv_wc wc = {};
        return ibv_poll_cq(cq_.get(), 1, &wc) == 0;
    }

    enum ibv_qp_state state() const {
        ibv_qp_attr attr = {};
        ibv_qp_init_attr init = {};
        works(ibv_query_qp(qp_.get(), &attr, IBV_QP_STATE, &init), "query_qp");
        return attr.qp_state;
    }

    bool connected() const {
        uint32_t flags = 0;
        works(xiwdv_query_peer(qp_.get(), &flags), "query_peer");
        return flags & XIWDV_PEER_CONNECTED;
    }

    ibv_qp *qp() const { return qp_.get(); }
    uint32_t number() const { return qp_->qp_num; }
    void destroy() { qp_.reset(); }

    const ibv_gid gid;

  private:
    std::array<uint8_t, 4096> memory_ = {};
    Channel channel_;
    Id id_;
    Pd pd_;
    Mr mr_;
    Cq cq_;
    Qp qp_;
};

void exchange(Side &one, Side &other) {
    one.receive(11), other.receive(21);
    one.send(12), other.send(22);
    for (auto *side : {&one, &other}) {
        const uint64_t base = side == &one ? 10 : 20;
        uint64_t seen = 0;
        for (int i = 0; i < 2; i++) {
            const auto wc = side->completion();
            check(wc.status == IBV_WC_SUCCESS, ibv_wc_status_str(wc.status));
            seen |= 1U << (wc.wr_id - base);
        }
        check(seen == 6, "a Send and a receive complete");
    }
}

// Either QP may name its peer first, and either QP may open the connection.
void either_first() {
    for (bool swapped : {false, true}) {
        Side a(addresses.a), b(addresses.b);
        Side &first = swapped ? b : a, &second = swapped ? a : b;
        first.names(second);
        check(first.state() == IBV_QPS_RTS, "the first is in RTS");
        second.names(first);
        exchange(first, second);
    }
}

// Both QPs are on one device, so their numbers determine which QP opens the connection.
void one_device() {
    Side one(addresses.a), other(addresses.a);
    one.names(other), other.names(one);
    exchange(one, other);
}

// Work requests that are posted before the connection is set up are executed in order.
void posts_wait() {
    for (bool swapped : {false, true}) {
        Side a(addresses.a), b(addresses.b);
        Side &first = swapped ? b : a, &second = swapped ? a : b;
        first.names(second);
        second.receive(1);
        first.send(2, IBV_WR_RDMA_WRITE, &second);
        first.send(3, IBV_WR_RDMA_READ, &second);
        first.send(4);
        check(first.quiet(), "nothing completes without a peer");
        second.names(first);
        for (uint64_t id : {2, 3, 4})
            first.completes(id, IBV_WC_SUCCESS);
        second.completes(1, IBV_WC_SUCCESS);
    }
}

// A QP that only receives may stay in RTR.
void receiver_in_rtr() {
    for (bool swapped : {false, true}) {
        Side a(addresses.a), b(addresses.b);
        Side &sender = swapped ? b : a, &receiver = swapped ? a : b;
        receiver.receive(1);
        works(receiver.rtr(receiver.to_rtr(sender.gid, sender.number())), "modify to RTR");
        sender.names(receiver);
        sender.send(2);
        receiver.completes(1, IBV_WC_SUCCESS);
        sender.completes(2, IBV_WC_SUCCESS);
        check(receiver.state() == IBV_QPS_RTR, "the receiver is in RTR");
    }
}

// If the peer does not exist, the oldest work request of the send queue gets a retry error, and all
// other work requests are flushed.
void nobody() {
    for (bool swapped : {false, true}) {
        Side side(swapped ? addresses.b : addresses.a);
        const auto peer = gid_of(swapped ? addresses.a : addresses.b);
        works(side.rtr(side.to_rtr(peer, 0xfffff)), "modify to RTR");
        side.rts();
        side.receive(1);
        side.send(2), side.send(3);
        side.completes(2, IBV_WC_RETRY_EXC_ERR);
        side.completes(3, IBV_WC_WR_FLUSH_ERR);
        side.completes(1, IBV_WC_WR_FLUSH_ERR);
        check(side.state() == IBV_QPS_ERR, "the QP is in ERR");
    }
}

// Get the time that all CPUs have spent in the kernel since boot, in ticks.
long kernel_ticks() {
    std::ifstream stat("/proc/stat");
    std::string cpu;
    long user = 0, nice = 0, system = 0;
    stat >> cpu >> user >> nice >> system;
    check(cpu == "cpu" && system > 0, "/proc/stat");
    return system;
}

// A refused work request does not wait for the peer. So the time limit for the peer does not apply
// to a QP that has no other work request, and the QP stays in RTS.
void refused_post() {
    using std::chrono::steady_clock;
    Side refusing(addresses.a), waiting(addresses.b);
    works(refusing.rtr(refusing.to_rtr(waiting.gid, 0xfffff)), "modify to RTR");
    works(waiting.rtr(waiting.to_rtr(refusing.gid, 0xfffff)), "modify to RTR");
    refusing.rts(), waiting.rts();
    refused(EOPNOTSUPP, refusing.send_refused(), "Send with Immediate");
    waiting.send(1);
    waiting.completes(1, IBV_WC_RETRY_EXC_ERR);
    // The time limits of both QPs have passed. If a worker of the driver never slept, it would use
    // a whole CPU.
    const auto second = std::chrono::seconds(1);
    auto begin = steady_clock::now();
    auto ticks = kernel_ticks();
    wait_until("a second in which the kernel rests for half of it", [&] {
        usleep(100'000);
        if (steady_clock::now() - begin < second)
            return false;
        const auto used = kernel_ticks() - ticks;
        begin = steady_clock::now(), ticks = kernel_ticks();
        return used < sysconf(_SC_CLK_TCK) / 2;
    });
    check(refusing.state() == IBV_QPS_RTS, "the QP waits for its peer");
}

// A QP connects only to the peer that it names.
void other_peer() {
    for (bool swapped : {false, true}) {
        const auto &here = swapped ? addresses.b : addresses.a;
        const auto &there = swapped ? addresses.a : addresses.b;
        Side target(here), named(there), stranger(there);
        target.names(named);
        stranger.names(target);
        stranger.send(1);
        stranger.completes(1, IBV_WC_RETRY_EXC_ERR);
        check(target.quiet() && target.state() == IBV_QPS_RTS, "the target is undisturbed");
        named.names(target);
        exchange(target, named);
    }
}

// The ends accept different forms of RTR, so the initiator refuses the Reply of the responder. Both
// QPs end, although no work request waits.
void unfit() {
    Side a(addresses.a), b(addresses.b);
    a.receive(1), b.receive(2);
    a.names(b);
    // The stream may end before a modify to RTS, which would then fail.
    works(b.rtr(b.to_rtr(a.gid, a.number())), "modify to RTR");
    a.completes(1, IBV_WC_WR_FLUSH_ERR);
    b.completes(2, IBV_WC_WR_FLUSH_ERR);
    check(a.state() == IBV_QPS_ERR && b.state() == IBV_QPS_ERR, "both QPs are in ERR");
}

// As in InfiniBand, a QP that connects by number can be reset in any state, and can connect again.
void reset_and_again() {
    Side a(addresses.a), b(addresses.b);
    for (int round = 0; round < 4; round++) {
        a.names(b);
        if (round % 2)
            works(a.reset(), "reset without a connection"), a.init(), a.names(b);
        b.names(a);
        exchange(a, b);
        b.receive(31);
        works(a.reset(), "reset a"), works(b.reset(), "reset b");
        a.init(), b.init();
        wait_until("flushed receives", [&] { return b.quiet(); });
    }
}

// A reset discards the posted work requests. So it does not overrun a CQ that has no room for
// unsignaled work requests. An overrun of the CQ would end the QP again.
void reset_discards() {
    constexpr int depth = 64;
    Side a(addresses.a, depth, 4), b(addresses.b);
    a.names(b);
    for (int i = 0; i < depth; i++)
        a.send(i, IBV_WR_SEND, nullptr, 0);
    works(a.reset(), "reset");
    check(a.quiet(), "a completion of a discarded work request");
    a.init();
    a.names(b), b.names(a);
    exchange(a, b);
}

// If the peer resets its QP while no work is pending, the program gets no completion and no event,
// but the QP is no longer connected. The next work request fails.
void peer_leaves() {
    for (bool swapped : {false, true}) {
        Side a(addresses.a), b(addresses.b);
        Side &stays = swapped ? b : a, &leaves = swapped ? a : b;
        a.names(b), b.names(a);
        exchange(a, b);
        check(stays.connected(), "connected");
        works(leaves.reset(), "reset");
        wait_until("the end of the connection", [&] { return !stays.connected(); });
        check(stays.quiet() && stays.state() == IBV_QPS_RTS, "nothing else has changed");
        stays.send(1);
        stays.completes(1, IBV_WC_RETRY_EXC_ERR);
    }
}

// Destroys a QP while it waits for its peer, or while the connection is being set up.
void destroyed_meanwhile() {
    for (int round = 0; round < 20; round++) {
        Side a(addresses.a), b(addresses.b);
        a.names(b);
        if (round & 1)
            a.send(1);
        if (round & 2)
            b.names(a);
        if (round & 4)
            a.destroy();
        else
            b.destroy();
    }
}

void attributes() {
    Side a(addresses.a), b(addresses.b);
    a.names(b);
    ibv_qp_attr attr = {};
    ibv_qp_init_attr init = {};
    works(ibv_query_qp(a.qp(), &attr, rtr_mask | rts_mask, &init), "query_qp");
    check(attr.dest_qp_num == b.number() && attr.path_mtu == IBV_MTU_1024 &&
              attr.rq_psn == 0x123456 && attr.sq_psn == 0x654321 && attr.timeout == 14 &&
              attr.retry_cnt == 7 && attr.rnr_retry == 7 && attr.max_rd_atomic == 4 &&
              attr.max_dest_rd_atomic == 4 && attr.min_rnr_timer == 12,
          "attributes as set");
    check(attr.ah_attr.is_global && attr.ah_attr.grh.sgid_index == a.index() &&
              !std::memcmp(&attr.ah_attr.grh.dgid, &b.gid, sizeof(b.gid)),
          "address vector as set");
}

void invalid() {
    Side a(addresses.a), b(addresses.b);
    const auto good = a.to_rtr(b.gid, b.number());
    auto bad = good;
    bad.ah_attr.is_global = 0;
    refused(EINVAL, a.rtr(bad), "no GRH");
    bad = good;
    bad.ah_attr.grh.dgid = {};
    refused(EINVAL, a.rtr(bad), "no address");
    bad.ah_attr.grh.dgid.raw[0] = 0xff;
    refused(EINVAL, a.rtr(bad), "a multicast address");
    bad.ah_attr.grh.dgid = gid_of("255.255.255.255");
    refused(EINVAL, a.rtr(bad), "a broadcast address");
    bad.ah_attr.grh.dgid = {};
    bad.ah_attr.grh.dgid.raw[0] = 0xfd, bad.ah_attr.grh.dgid.raw[15] = 1;
    refused(EINVAL, a.rtr(bad), "addresses of two families");
    bad.ah_attr.grh.sgid_index = 31;
    refused(EINVAL, a.rtr(bad), "the GID that is a MAC address");
    bad = good;
    bad.ah_attr.grh.dgid = a.gid;
    bad.dest_qp_num = a.number();
    refused(EINVAL, a.rtr(bad), "itself");
    refused(EINVAL, a.rtr(good, rtr_mask & ~IBV_QP_DEST_QPN), "no QP number");
    refused(EINVAL, a.rtr(good, rtr_mask & ~IBV_QP_MIN_RNR_TIMER), "an attribute is missing");
    bad = good;
    bad.qp_state = IBV_QPS_RTS;
    refused(EINVAL, a.rtr(bad), "from INIT to RTS");
    check(a.state() == IBV_QPS_INIT, "nothing has changed");
    works(a.rtr(good), "modify to RTR");
    refused(EINVAL, a.rtr(good), "RTR again");
}

// Without the setting connect-by-number, the driver refuses to connect by number. The GID table
// then contains no address of the interface, so use GID 0.
void switched_off() {
    Side a(addresses.a), b(addresses.b);
    refused(EOPNOTSUPP, a.rtr(a.to_rtr(b.gid, b.number(), 0)), "modify to RTR");
    check(a.state() == IBV_QPS_INIT, "nothing has changed");
}

// Gets the bytes that are charged to the cgroup of this process. This cgroup must not be the
// root cgroup.
long charged() {
    std::string group;
    std::getline(std::ifstream("/proc/self/cgroup"), group);
    std::ifstream file("/sys/fs/cgroup" + group.substr(group.find("/")) + "/memory.current");
    long octets = 0;
    check(static_cast<bool>(file >> octets), "the memory of cgroup " + group);
    return octets;
}

// A responder needs a queue for the peer's Reads and Atomics. The memory of this queue is charged
// to the cgroup of the process that has created the responder. The QPs that open the connections
// need only short queues (max_dest_rd_atomic is 1). The test moves these QPs to RTS before it
// begins the measurement, so that only the responders count.
void responders() {
    constexpr size_t pairs = 128;
    constexpr long depth = 128, entries = 2 * depth, entry = 112;
    std::vector<std::unique_ptr<Side>> openers, answerers;
    const bool swapped = std::memcmp(gid_of(addresses.a).raw, gid_of(addresses.b).raw, 16) > 0;
    for (size_t i = 0; i < pairs; i++) {
        openers.push_back(std::make_unique<Side>(swapped ? addresses.b : addresses.a, 1));
        answerers.push_back(std::make_unique<Side>(swapped ? addresses.a : addresses.b, 1));
    }
    for (size_t i = 0; i < pairs; i++) {
        auto attr = openers[i]->to_rtr(answerers[i]->gid, answerers[i]->number());
        attr.max_dest_rd_atomic = 1;
        works(openers[i]->rtr(attr), "modify to RTR");
        openers[i]->rts();
    }
    const long before = charged();
    for (size_t i = 0; i < pairs; i++) {
        auto attr = answerers[i]->to_rtr(openers[i]->gid, openers[i]->number());
        attr.max_dest_rd_atomic = depth;
        works(answerers[i]->rtr(attr), "modify to RTR");
        answerers[i]->rts();
        exchange(*openers[i], *answerers[i]);
    }
    const long more = charged() - before;
    check(more > static_cast<long>(pairs) * entries * entry,
          "only " + std::to_string(more) + " bytes are charged for responders");
}

} // namespace

void named(void (*stay)()) {
    Side a(addresses.a), b(addresses.b), to_nobody(addresses.a), to_nobody_else(addresses.b);
    a.names(b), b.names(a);
    exchange(a, b);
    works(to_nobody.rtr(to_nobody.to_rtr(b.gid, 0xfffff)), "modify to RTR");
    works(to_nobody_else.rtr(to_nobody_else.to_rtr(a.gid, 0xfffff)), "modify to RTR");
    stay();
}

std::vector<Case> number_cases() {
    return {
        {"number-either-first", either_first},
        {"number-one-device", one_device},
        {"number-posts-wait", posts_wait},
        {"number-receiver-in-rtr", receiver_in_rtr},
        {"number-nobody", nobody},
        {"number-refused-post", refused_post},
        {"number-other-peer", other_peer},
        {"number-reset", reset_and_again},
        {"number-reset-discards", reset_discards},
        {"number-peer-leaves", peer_leaves},
        {"number-destroyed-meanwhile", destroyed_meanwhile},
        {"number-attributes", attributes},
        {"number-invalid", invalid},
        {"number-off", switched_off},
        {"number-unfit", unfit},
    };
}

std::vector<Case> charge_cases() {
    return {{"number-responders", responders}};
}

} // namespace user
