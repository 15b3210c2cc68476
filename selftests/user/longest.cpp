// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Messages of 2^31 octets, which is more memory than a guest has. Each device has a memory area
// that maps one file of 2 MiB repeatedly. Only the last 2 MiB of the area map another file, so that
// the end of a message differs from its middle.
#include "pair.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace user {
namespace {

constexpr uint32_t length = uint32_t{1} << 31;
constexpr size_t piece = size_t{2} << 20;

class File {
  public:
    File() : fd_(memfd_create("longest", 0)) {
        check(fd_ >= 0 && !ftruncate(fd_, piece),
              std::string("memfd_create: ") + std::strerror(errno));
    }
    ~File() { close(fd_); }
    File(const File &) = delete;
    File &operator=(const File &) = delete;

    void map(uint8_t *at) const {
        check(mmap(at, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd_, 0) == at,
              std::string("mmap: ") + std::strerror(errno));
    }

  private:
    int fd_;
};

class Memory {
  public:
    explicit Memory(const End &end) {
        void *area = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        check(area != MAP_FAILED, std::string("mmap: ") + std::strerror(errno));
        base_ = static_cast<uint8_t *>(area);
        for (size_t at = 0; at < length - piece; at += piece)
            middle_.map(base_ + at);
        end_.map(last());
        mr_.reset(ibv_reg_mr(end.pd.get(), base_, length, all_rights));
        check(mr_ != nullptr, std::string("reg_mr: ") + std::strerror(errno));
    }
    ~Memory() {
        mr_.reset();
        munmap(base_, length);
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    void fill(uint8_t seed) {
        for (size_t i = 0; i < piece; i++) {
            base_[i] = static_cast<uint8_t>(seed + i * 7 + i / 251);
            last()[i] = static_cast<uint8_t>(seed + i * 5 + i / 241);
        }
    }
    void clear() {
        std::memset(base_, 0, piece);
        std::memset(last(), 0, piece);
    }
    void equals(const Memory &other, const std::string &what) const {
        check(!std::memcmp(base_, other.base_, piece), what + ": the middle differs");
        check(!std::memcmp(last(), other.last(), piece), what + ": the end differs");
    }
    struct ibv_sge all() const { return {address(), length, mr_->lkey}; }
    uint64_t address() const { return reinterpret_cast<uintptr_t>(base_); }
    uint32_t rkey() const { return mr_->rkey; }

  private:
    uint8_t *last() const { return base_ + length - piece; }

    File middle_, end_;
    uint8_t *base_ = nullptr;
    Mr mr_;
};

// Gets the next completion, as End::completes() does, but waits for minutes. A message of 2 GiB
// takes minutes in a guest with emulated CPUs.
struct ibv_wc completes(End &end, enum ibv_wc_opcode opcode, uint64_t wr_id) {
    const auto late = std::chrono::steady_clock::now() + std::chrono::minutes(5) * patience();
    struct ibv_wc wc = {};
    int n = 0;
    while (!(n = ibv_poll_cq(end.cq.get(), 1, &wc)) && std::chrono::steady_clock::now() < late)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    check(n == 1, "no completion");
    check(wc.status == IBV_WC_SUCCESS, std::string("completion: ") + ibv_wc_status_str(wc.status));
    check(wc.opcode == opcode && wc.wr_id == wr_id, "another completion");
    return wc;
}

void post(Pair &pair, enum ibv_wr_opcode opcode, const Memory &from, const Memory &to) {
    auto wr = pair.a.request(opcode, length, 1);
    pair.a.sge = from.all();
    wr.wr.rdma.remote_addr = to.address();
    wr.wr.rdma.rkey = to.rkey();
    pair.a.post(wr);
}

void whole_messages() {
    Pair pair;
    ibv_port_attr port = {};
    works(ibv_query_port(pair.a.context, 1, &port), "query_port");
    check(port.max_msg_sz >= length, "at most " + std::to_string(port.max_msg_sz) + " octets");
    Memory a(pair.a), b(pair.b);

    a.fill(3), b.clear();
    pair.b.receive(8, 2);
    post(pair, IBV_WR_RDMA_WRITE, a, b);
    // When a later message has arrived, the Write has been placed.
    auto behind = pair.a.request(IBV_WR_SEND, 0, 3);
    pair.a.post(behind);
    completes(pair.a, IBV_WC_RDMA_WRITE, 1);
    completes(pair.a, IBV_WC_SEND, 3);
    completes(pair.b, IBV_WC_RECV, 2);
    b.equals(a, "Write");

    b.fill(90), a.clear();
    post(pair, IBV_WR_RDMA_READ, a, b);
    check(completes(pair.a, IBV_WC_RDMA_READ, 1).byte_len == length, "byte_len of the Read");
    a.equals(b, "Read");

    a.fill(170), b.clear();
    struct ibv_sge room = b.all();
    struct ibv_recv_wr recv = {}, *bad = nullptr;
    recv.wr_id = 4;
    recv.sg_list = &room;
    recv.num_sge = 1;
    works(ibv_post_recv(pair.b.qp, &recv, &bad), "post_recv");
    post(pair, IBV_WR_SEND, a, b);
    completes(pair.a, IBV_WC_SEND, 1);
    check(completes(pair.b, IBV_WC_RECV, 4).byte_len == length, "byte_len of the Send");
    b.equals(a, "Send");
}

} // namespace

std::vector<Case> longest_cases() {
    return {{"longest", whole_messages}};
}

} // namespace user
