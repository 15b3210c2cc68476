// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Sends, Writes, Reads, by ibv_post_send() and by ibv_wr_*.
#include "pair.hpp"

#include <sys/fsuid.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <future>
#include <vector>

namespace user {
namespace {

constexpr uint64_t data_ops = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE |
                              IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ;

void fill(End &end, uint32_t length, uint8_t seed) {
    for (uint32_t i = 0; i < length; i++)
        end.memory[i] = static_cast<uint8_t>(seed + i * 7);
}

void same(const End &a, size_t at_a, const End &b, size_t at_b, uint32_t length) {
    check(!std::memcmp(a.memory.get() + at_a, b.memory.get() + at_b, length),
          std::to_string(length) + " octets differ");
}

constexpr uint32_t sizes[] = {0, 1, 8, 64, 1500, 65536};
constexpr size_t far = 128 * 1024;

void sends() {
    Pair pair;
    for (uint32_t size : sizes) {
        fill(pair.a, size, 3);
        pair.b.receive(65536, 20, far);
        auto wr = pair.a.request(IBV_WR_SEND, size, 10);
        pair.a.post(wr);
        pair.a.completes(IBV_WC_SEND, 10);
        auto wc = pair.b.completes(IBV_WC_RECV, 20);
        check(wc.byte_len == size, "byte_len " + std::to_string(wc.byte_len));
        check(wc.wc_flags == 0, "flags " + std::to_string(wc.wc_flags));
        same(pair.a, 0, pair.b, far, size);
    }
}

void both_ways() {
    Pair pair;
    for (int i = 0; i < 50; i++) {
        pair.a.receive(64, 1), pair.b.receive(64, 2);
        auto to_b = pair.a.request(IBV_WR_SEND, 32, 3), to_a = pair.b.request(IBV_WR_SEND, 32, 4);
        pair.a.post(to_b), pair.b.post(to_a);
        for (End *end : {&pair.a, &pair.b})
            for (int n = 0; n < 2; n++)
                check(end->completion().status == IBV_WC_SUCCESS, "a completion failed");
    }
}

// Repeats a post while the queue is full. A completion frees a slot, but a PCIe RNIC may report the
// completion only after the peer has received the message. So the queue may still be full when the
// peer has received all messages.
template <typename Post>
void post_when_there_is_room(const char *what, Post post) {
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    int error = post();
    while (error == ENOMEM && std::chrono::steady_clock::now() < late)
        error = post();
    works(error, what);
}

void post_list_when_there_is_room(End &end, struct ibv_send_wr *next) {
    post_when_there_is_room("ibv_post_send", [&] { return ibv_post_send(end.qp, next, &next); });
}

// Posts a list of unsignaled work requests that fills the queue.
void post_unsignaled(End &end, uint32_t depth, bool extended) {
    if (extended) {
        post_when_there_is_room("ibv_wr_complete", [&] {
            ibv_wr_start(end.ex());
            for (uint32_t i = 0; i < depth; i++) {
                end.ex()->wr_flags = 0;
                ibv_wr_send(end.ex());
                ibv_wr_set_sge(end.ex(), end.mr->lkey, end.address(), 8);
            }
            return ibv_wr_complete(end.ex());
        });
        return;
    }
    std::vector<struct ibv_send_wr> list(depth, end.request(IBV_WR_SEND, 8));
    for (uint32_t i = 0; i < depth; i++) {
        list[i].send_flags = 0;
        list[i].next = i + 1 < depth ? &list[i + 1] : nullptr;
    }
    post_list_when_there_is_room(end, list.data());
}

// Unsignaled work requests also free their slots.
void unsignaled() {
    Options options;
    options.send_ops = data_ops;
    Pair pair(options);
    for (int round = 0; round < 10; round++) {
        for (uint32_t i = 0; i < options.depth; i++)
            pair.b.receive(64, i);
        post_unsignaled(pair.a, options.depth, round % 2);
        for (uint32_t i = 0; i < options.depth; i++)
            pair.b.completes(IBV_WC_RECV, i);
    }
    pair.b.receive(64, 21);
    auto last = pair.a.request(IBV_WR_SEND, 8, 8);
    post_list_when_there_is_room(pair.a, &last);
    pair.a.completes(IBV_WC_SEND, 8);
}

void inline_sends() {
    Pair pair;
    std::string first = "inline, and gone ", second = "before it is sent";
    struct ibv_sge sges[2] = {
        {reinterpret_cast<uintptr_t>(first.data()), static_cast<uint32_t>(first.size()), 0xdead},
        {reinterpret_cast<uintptr_t>(second.data()), static_cast<uint32_t>(second.size()), 0},
    };
    const std::string text = first + second;
    pair.b.receive(64, 20);
    auto wr = pair.a.request(IBV_WR_SEND, 0);
    wr.sg_list = sges;
    wr.num_sge = 2;
    wr.send_flags |= IBV_SEND_INLINE;
    pair.a.post(wr);
    first.assign(first.size(), 'x');
    pair.a.completes(IBV_WC_SEND, 1);
    auto wc = pair.b.completes(IBV_WC_RECV, 20);
    check(wc.byte_len == text.size(), "byte_len");
    check(!std::memcmp(pair.b.memory.get(), text.data(), text.size()), "the text differs");
}

// Waits until the Writes of `a` are placed: sends a later message, and waits until it has arrived.
void placed(Pair &pair) {
    pair.b.receive(8, 21);
    auto behind = pair.a.request(IBV_WR_SEND, 0, 12);
    pair.a.post(behind);
    pair.a.completes(IBV_WC_SEND, 12);
    pair.b.completes(IBV_WC_RECV, 21);
}

void writes() {
    Pair pair;
    for (uint32_t size : sizes) {
        fill(pair.a, size, 9);
        auto wr = pair.a.request(IBV_WR_RDMA_WRITE, size, 11);
        wr.wr.rdma.remote_addr = pair.b.address(far);
        wr.wr.rdma.rkey = pair.b.mr->rkey;
        pair.a.post(wr);
        pair.a.completes(IBV_WC_RDMA_WRITE, 11);
        placed(pair);
        same(pair.a, 0, pair.b, far, size);
    }
}

void reads() {
    Pair pair;
    for (uint32_t size : sizes) {
        fill(pair.b, size, 77);
        auto wr = pair.a.request(IBV_WR_RDMA_READ, size, 13);
        pair.a.sge.addr = pair.a.address(far);
        wr.wr.rdma.remote_addr = pair.b.address();
        wr.wr.rdma.rkey = pair.b.mr->rkey;
        pair.a.post(wr);
        auto wc = pair.a.completes(IBV_WC_RDMA_READ, 13);
        check(wc.byte_len == size, "byte_len " + std::to_string(wc.byte_len));
        same(pair.b, 0, pair.a, far, size);
    }
}

// The sink of a Read is the source of a Write. With a fence, the Write sends the data that the Read
// has placed.
void fenced() {
    Pair pair;
    constexpr uint32_t length = 4096;
    for (uint8_t round = 1; round <= 20; round++) {
        std::memset(pair.a.memory.get(), 0, length);
        std::memset(pair.b.memory.get(), round, length);
        auto read = pair.a.request(IBV_WR_RDMA_READ, length, 1), write = read;
        read.wr.rdma.remote_addr = pair.b.address();
        read.wr.rdma.rkey = pair.b.mr->rkey;
        read.next = &write;
        write.wr_id = 2;
        write.opcode = IBV_WR_RDMA_WRITE;
        write.send_flags |= IBV_SEND_FENCE;
        write.wr.rdma.remote_addr = pair.b.address(far);
        write.wr.rdma.rkey = pair.b.mr->rkey;
        pair.a.post(read);
        pair.a.completes(IBV_WC_RDMA_READ, 1);
        pair.a.completes(IBV_WC_RDMA_WRITE, 2);
        placed(pair);
        same(pair.b, 0, pair.b, far, length);
    }
}

void immediates() {
    Pair pair;
    for (uint32_t size : sizes) {
        fill(pair.a, size, 5);
        pair.b.receive(0, 22);
        auto wr = pair.a.request(IBV_WR_RDMA_WRITE_WITH_IMM, size, 14);
        wr.wr.rdma.remote_addr = pair.b.address(far);
        wr.wr.rdma.rkey = pair.b.mr->rkey;
        wr.imm_data = htobe32(0x12345678 + size);
        pair.a.post(wr);
        pair.a.completes(IBV_WC_RDMA_WRITE, 14);
        auto wc = pair.b.completes(IBV_WC_RECV_RDMA_WITH_IMM, 22);
        check(wc.wc_flags == IBV_WC_WITH_IMM, "flags " + std::to_string(wc.wc_flags));
        check(be32toh(wc.imm_data) == 0x12345678 + size, "immediate");
        check(wc.byte_len == size, "byte_len " + std::to_string(wc.byte_len));
        same(pair.a, 0, pair.b, far, size);
    }
}

// Posts a list of work requests with one call. Only the last work request is signaled.
void batches() {
    Pair pair;
    for (int round = 0; round < 20; round++) {
        struct ibv_send_wr wrs[8];
        for (uint64_t i = 0; i < 8; i++) {
            pair.b.receive(64, 100 + i);
            wrs[i] = pair.a.request(IBV_WR_SEND, 16, i);
            wrs[i].send_flags = i == 7 ? IBV_SEND_SIGNALED : 0;
            wrs[i].next = i == 7 ? nullptr : &wrs[i + 1];
        }
        pair.a.post(wrs[0]);
        pair.a.completes(IBV_WC_SEND, 7);
        for (uint64_t i = 0; i < 8; i++)
            pair.b.completes(IBV_WC_RECV, 100 + i);
    }
}

// Rings one doorbell for more work requests than the driver reads at once.
void long_list() {
    constexpr uint64_t count = 300;
    Options options;
    options.depth = options.cqe = count;
    Pair pair(options);
    std::vector<ibv_send_wr> wrs(count);
    for (uint64_t i = 0; i < count; i++) {
        wrs[i] = pair.a.request(IBV_WR_RDMA_WRITE, 8, i);
        wrs[i].wr.rdma.remote_addr = pair.b.address(far);
        wrs[i].wr.rdma.rkey = pair.b.mr->rkey;
        wrs[i].next = i + 1 < count ? &wrs[i + 1] : nullptr;
    }
    pair.a.post(wrs[0]);
    for (uint64_t i = 0; i < count; i++)
        pair.a.completes(IBV_WC_RDMA_WRITE, i);
}

void data_extended() {
    Options options;
    options.send_ops = data_ops;
    Pair pair(options);
    ibv_qp_ex *qp = pair.a.ex();
    check(qp != nullptr, "no extended QP");
    const uint64_t to = pair.b.address(far);
    const uint32_t rkey = pair.b.mr->rkey, lkey = pair.a.mr->lkey;

    fill(pair.a, 4096, 31);
    pair.b.receive(4096, 30), pair.b.receive(4096, 31);
    ibv_wr_start(qp);
    qp->wr_id = 1, qp->wr_flags = 0;
    ibv_wr_rdma_write(qp, rkey, to);
    ibv_wr_set_sge(qp, lkey, pair.a.address(), 4096);
    qp->wr_id = 2, qp->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_send(qp);
    ibv_wr_set_inline_data(qp, pair.a.memory.get(), 48);
    qp->wr_id = 3;
    ibv_wr_rdma_write_imm(qp, rkey, to + 8192, htobe32(99));
    struct ibv_sge halves[2] = {{pair.a.address(), 100, lkey}, {pair.a.address(100), 200, lkey}};
    ibv_wr_set_sge_list(qp, 2, halves);
    qp->wr_id = 4;
    ibv_wr_rdma_read(qp, rkey, to);
    ibv_wr_set_sge(qp, lkey, pair.a.address(far), 4096);
    works(ibv_wr_complete(qp), "wr_complete");

    pair.a.completes(IBV_WC_SEND, 2);
    pair.a.completes(IBV_WC_RDMA_WRITE, 3);
    pair.a.completes(IBV_WC_RDMA_READ, 4);
    check(pair.b.completes(IBV_WC_RECV, 30).byte_len == 48, "byte_len of the Send");
    auto wc = pair.b.completes(IBV_WC_RECV_RDMA_WITH_IMM, 31);
    check(be32toh(wc.imm_data) == 99 && wc.byte_len == 300, "the Immediate");
    same(pair.a, 0, pair.b, far, 4096);
    same(pair.a, 0, pair.b, far + 8192, 300);
    same(pair.a, 0, pair.a, far, 4096);

    // Aborted work requests have no effect.
    ibv_wr_start(qp);
    qp->wr_id = 5;
    ibv_wr_send(qp);
    ibv_wr_set_sge(qp, lkey, pair.a.address(), 8);
    ibv_wr_abort(qp);
    pair.b.receive(64, 32);
    auto wr = pair.a.request(IBV_WR_SEND, 8, 6);
    pair.a.post(wr);
    pair.a.completes(IBV_WC_SEND, 6);
    pair.b.completes(IBV_WC_RECV, 32);
}

// Uses each slot of short queues many times.
void rounds() {
    Options options;
    options.depth = 4;
    Pair pair(options);
    for (uint64_t i = 0; i < 1000; i++) {
        pair.b.receive(64, i);
        pair.a.word(0) = i;
        auto wr = pair.a.request(IBV_WR_SEND, 8, i);
        pair.a.post(wr);
        pair.a.completes(IBV_WC_SEND, i);
        pair.b.completes(IBV_WC_RECV, i);
        check(pair.b.word(0) == i, "round " + std::to_string(i));
    }
}

// Posts Sends in a thread that has changed its credentials and restored its ids. The kernel refuses
// a write() of this thread to the device file, so the doorbells need another system call.
void other_credentials() {
    Pair pair;
    const auto thread = [&] {
        check(setfsuid(65534) == 0, "setfsuid");
        check(setfsuid(0) == 65534, "setfsuid back");
        for (uint64_t i = 0; i < 3; i++) {
            pair.b.receive(64, i);
            auto wr = pair.a.request(IBV_WR_SEND, 8, i);
            pair.a.post(wr);
            pair.a.completes(IBV_WC_SEND, i);
            pair.b.completes(IBV_WC_RECV, i);
        }
    };
    std::async(std::launch::async, thread).get();
}

} // namespace

std::vector<Case> data_cases() {
    return {{"send", sends},
            {"both-ways", both_ways},
            {"unsignaled", unsignaled},
            {"inline", inline_sends},
            {"write", writes},
            {"read", reads},
            {"immediate", immediates},
            {"batch", batches},
            {"long-list", long_list},
            {"wr-api", data_extended},
            {"rounds", rounds},
            {"fence", fenced},
            {"credentials", other_credentials}};
}

} // namespace user
