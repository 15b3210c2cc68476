// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Memory regions: rights, an IOVA that differs from the address, re-registration, and fork.
#include "pair.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>

namespace user {
namespace {

void write_to(Pair &pair, uint64_t remote, uint32_t rkey, uint32_t length) {
    auto wr = pair.a.request(IBV_WR_RDMA_WRITE, length, 1);
    wr.wr.rdma.remote_addr = remote;
    wr.wr.rdma.rkey = rkey;
    pair.a.post(wr);
    pair.a.completes(IBV_WC_RDMA_WRITE, 1);
}

// Waits until earlier Writes are placed: posts a Read, and waits until it completes.
void settle(Pair &pair, uint64_t remote, uint32_t rkey) {
    auto wr = pair.a.request(IBV_WR_RDMA_READ, 8, 2);
    pair.a.sge.addr = pair.a.address(65536);
    wr.wr.rdma.remote_addr = remote;
    wr.wr.rdma.rkey = rkey;
    pair.a.post(wr);
    pair.a.completes(IBV_WC_RDMA_READ, 2);
}

void iova() {
    Pair pair;
    // uverbs requires that the IOVA and the address have the same offset in a page.
    const uint64_t named = 0x7000000000000000 + pair.b.address(100) % 4096;
    Mr mr(ibv_reg_mr_iova(pair.b.pd.get(), pair.b.memory.get() + 100, 5000, named, all_rights));
    check(mr != nullptr, std::string("reg_mr_iova: ") + std::strerror(errno));
    std::memset(pair.a.memory.get(), 0x5c, 5000);
    write_to(pair, named, mr->rkey, 5000);
    settle(pair, named, mr->rkey);
    for (int i = 0; i < 5000; i++)
        check(pair.b.memory[100 + i] == 0x5c, "octet " + std::to_string(i));
    check(pair.b.memory[99] == 0 && pair.b.memory[5100] == 0, "octets outside");

    const size_t page = 12288 - pair.b.address() % 4096;
    Mr zero(ibv_reg_mr_iova(pair.b.pd.get(), pair.b.memory.get() + page, 4096, 0, all_rights));
    check(zero != nullptr, "a region that begins at 0");
    write_to(pair, 16, zero->rkey, 8);
    settle(pair, 16, zero->rkey);
    check(pair.b.memory[page + 16] == 0x5c, "zero based");
    Mr skewed(ibv_reg_mr_iova(pair.b.pd.get(), pair.b.memory.get() + page, 4096, 8, all_rights));
    check(!skewed, "another offset in the page");
}

void rereg() {
    Pair pair;
    // Re-register the MR with other memory, and then with other rights.
    works(ibv_rereg_mr(pair.b.mr.get(), IBV_REREG_MR_CHANGE_TRANSLATION, nullptr,
                       pair.b.memory.get() + 4096, 8192, 0),
          "rereg to other memory");
    std::memset(pair.a.memory.get(), 0x77, 64);
    write_to(pair, pair.b.address(4096), pair.b.mr->rkey, 64);
    settle(pair, pair.b.address(4096), pair.b.mr->rkey);
    check(pair.b.memory[4096] == 0x77, "the octets");
    // A change of the access rights keeps the STag of the MR.
    const auto known = pair.b.mr->rkey;
    for (const auto rights : {0, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ})
        works(ibv_rereg_mr(pair.b.mr.get(), IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0,
                           IBV_ACCESS_LOCAL_WRITE | rights),
              "rereg to other rights");
    std::memset(pair.a.memory.get(), 0x66, 64);
    write_to(pair, pair.b.address(4096), known, 64);
    settle(pair, pair.b.address(4096), known);
    check(pair.b.memory[4096] == 0x66, "the octets by the unchanged rkey");
    works(ibv_rereg_mr(pair.b.mr.get(), IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0,
                       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ),
          "rereg to fewer rights");
    auto wr = pair.a.request(IBV_WR_RDMA_WRITE, 8, 3);
    wr.wr.rdma.remote_addr = pair.b.address(4096);
    wr.wr.rdma.rkey = pair.b.mr->rkey;
    pair.a.memory[0] = 1;
    pair.a.post(wr);
    // The Write completes when it has been sent. Its status does not matter. The peer answers with
    // a Terminate, which ends the connection.
    pair.a.completion();
    auto behind = pair.a.request(IBV_WR_RDMA_READ, 8, 4);
    behind.wr.rdma.remote_addr = pair.b.address(4096);
    behind.wr.rdma.rkey = pair.b.mr->rkey;
    struct ibv_send_wr *bad = nullptr;
    if (!ibv_post_send(pair.a.qp, &behind, &bad))
        check(pair.a.completion().status != IBV_WC_SUCCESS, "a Read behind a refused Write");
    check(pair.b.memory[4096] == 0x66, "written without the right to");
}

void bad_registrations() {
    Pair pair;
    auto refuses = [&](void *at, size_t length, int access, const std::string &what) {
        errno = 0;
        Mr mr(ibv_reg_mr(pair.a.pd.get(), at, length, access));
        check(!mr, what + ": accepted");
        check(errno != 0, what + ": no errno");
    };
    uint8_t *memory = pair.a.memory.get();
    refuses(memory, 4096, IBV_ACCESS_REMOTE_WRITE, "remote write without local");
    refuses(memory, 4096, IBV_ACCESS_REMOTE_ATOMIC, "remote atomics without local write");
    refuses(nullptr, 4096, all_rights, "memory that is not there");
    refuses(memory, ~size_t{0} - 4095, all_rights, "more than there is");
    void *area = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(area != MAP_FAILED, "mmap");
    munmap(static_cast<char *>(area) + 4096, 4096);
    refuses(area, 8192, all_rights, "half of it not there");
    munmap(area, 4096);
    area = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    refuses(area, 4096, all_rights, "memory that may not be written");
    {
        Mr mr(ibv_reg_mr(pair.a.pd.get(), area, 4096, IBV_ACCESS_REMOTE_READ));
        check(mr != nullptr, "memory that may be read");
        check(ibv_rereg_mr(mr.get(), IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0, all_rights) !=
                  0,
              "opened for writing later");
    }
    munmap(area, 4096);
}

// An MR of zero length.
void empty() {
    Pair pair;
    Mr sink(ibv_reg_mr(pair.a.pd.get(), pair.a.memory.get() + 100, 0, all_rights));
    Mr source(ibv_reg_mr(pair.b.pd.get(), pair.b.memory.get() + 100, 0, all_rights));
    check(sink && source, "reg_mr");
    pair.b.receive(64, 1);
    auto wr = pair.a.request(IBV_WR_SEND, 0, 2);
    pair.a.sge = {pair.a.address(100), 0, sink->lkey};
    pair.a.post(wr);
    pair.a.completes(IBV_WC_SEND, 2);
    check(pair.b.completes(IBV_WC_RECV, 1).byte_len == 0, "octets");
    for (const auto opcode : {IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ}) {
        wr = pair.a.request(opcode, 0, 3);
        wr.wr.rdma.remote_addr = pair.b.address(100);
        wr.wr.rdma.rkey = source->rkey;
        pair.a.sge = {pair.a.address(100), 0, sink->lkey};
        pair.a.post(wr);
        pair.a.completes(opcode == IBV_WR_RDMA_READ ? IBV_WC_RDMA_READ : IBV_WC_RDMA_WRITE, 3);
    }
    // Change the rights of the source MR, and then give it memory.
    works(ibv_rereg_mr(source.get(), IBV_REREG_MR_CHANGE_ACCESS, nullptr, nullptr, 0, all_rights),
          "rereg to other rights");
    works(ibv_rereg_mr(source.get(), IBV_REREG_MR_CHANGE_TRANSLATION, nullptr, pair.b.memory.get(),
                       4096, 0),
          "rereg to memory");
    std::memset(pair.a.memory.get(), 0x55, 64);
    write_to(pair, pair.b.address(), source->rkey, 64);
    settle(pair, pair.b.address(), source->rkey);
    check(pair.b.memory[63] == 0x55, "the octets");
    // The sink MR is still empty, so a Send of one octet fails.
    wr = pair.a.request(IBV_WR_SEND, 1, 4);
    pair.a.sge = {pair.a.address(100), 1, sink->lkey};
    pair.a.post(wr);
    pair.a.ends(IBV_WC_LOC_PROT_ERR);
}

// Pages stay pinned while an MR exists, even if the process unmaps them.
void unmapped() {
    Pair pair;
    void *area = mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(area != MAP_FAILED, "mmap");
    const uint64_t at = reinterpret_cast<uintptr_t>(area);
    Mr mr(ibv_reg_mr(pair.b.pd.get(), area, 65536, all_rights));
    check(mr != nullptr, "reg_mr");
    munmap(area, 65536);
    std::memset(pair.a.memory.get(), 0x31, 65536);
    write_to(pair, at, mr->rkey, 65536);
    auto wr = pair.a.request(IBV_WR_RDMA_READ, 65536, 2);
    pair.a.sge.addr = pair.a.address(65536);
    wr.wr.rdma.remote_addr = at;
    wr.wr.rdma.rkey = mr->rkey;
    pair.a.post(wr);
    pair.a.completes(IBV_WC_RDMA_READ, 2);
    check(!std::memcmp(pair.a.memory.get(), pair.a.memory.get() + 65536, 65536), "the octets");
}

// A region of single pages in reverse order. No larger page size can describe it, and the driver
// needs several lists for the addresses of the pages.
void scattered() {
    constexpr size_t page = 4096, pages = 1300, piece = 65536;
    Pair pair;
    const int file = memfd_create("scattered", 0);
    check(file >= 0 && !ftruncate(file, pages * page), "memfd_create");
    void *area = mmap(nullptr, pages * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(area != MAP_FAILED, "mmap");
    auto *memory = static_cast<uint8_t *>(area);
    for (size_t i = 0; i < pages; i++)
        check(mmap(memory + i * page, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                   static_cast<off_t>((pages - 1 - i) * page)) == memory + i * page,
              "mmap of a page");
    close(file);
    // The content of each page differs from that of all other pages.
    std::mt19937 random(7306);
    for (size_t i = 0; i < pages * page; i += sizeof(uint32_t)) {
        const uint32_t word = random();
        std::memcpy(memory + i, &word, sizeof(word));
    }
    Mr mr(ibv_reg_mr(pair.b.pd.get(), memory, pages * page, all_rights));
    check(mr != nullptr, std::string("reg_mr: ") + std::strerror(errno));
    const uint64_t at = reinterpret_cast<uintptr_t>(memory);
    for (size_t off = 0; off < pages * page; off += piece) {
        const auto length = static_cast<uint32_t>(std::min(piece, pages * page - off));
        auto wr = pair.a.request(IBV_WR_RDMA_READ, length, 2);
        wr.wr.rdma.remote_addr = at + off;
        wr.wr.rdma.rkey = mr->rkey;
        pair.a.post(wr);
        pair.a.completes(IBV_WC_RDMA_READ, 2);
        check(!std::memcmp(pair.a.memory.get(), memory + off, length),
              "read at " + std::to_string(off));
    }
    // Write a copy of each piece to the address one octet above the piece.
    for (size_t off = 0; off + piece < pages * page; off += piece) {
        std::memcpy(pair.a.memory.get(), memory + off, piece);
        write_to(pair, at + off + 1, mr->rkey, piece);
        settle(pair, at, mr->rkey);
        check(!std::memcmp(pair.a.memory.get(), memory + off + 1, piece),
              "written at " + std::to_string(off));
    }
    mr.reset();
    munmap(area, pages * page);
}

// A child process that only exits has no effect on the connection.
void forked() {
    Pair pair;
    const pid_t child = fork();
    check(child >= 0, "fork");
    if (!child)
        _exit(0);
    int status = 0;
    check(waitpid(child, &status, 0) == child && status == 0, "the child");
    pair.b.receive(64, 5);
    auto wr = pair.a.request(IBV_WR_SEND, 16, 6);
    pair.a.post(wr);
    pair.a.completes(IBV_WC_SEND, 6);
    pair.b.completes(IBV_WC_RECV, 5);
}

void device() {
    Pair pair;
    ibv_device_attr_ex attr = {};
    works(ibv_query_device_ex(pair.a.context, nullptr, &attr), "query_device_ex");
    check(attr.orig_attr.atomic_cap != IBV_ATOMIC_NONE, "no atomics");
    check(attr.orig_attr.max_qp_rd_atom > 0 && attr.orig_attr.max_qp_init_rd_atom > 0, "depths");
    check(attr.completion_timestamp_mask == ~uint64_t{0}, "timestamp mask");
    check(attr.hca_core_clock == 1000000, "clock");
    check(attr.orig_attr.max_sge >= 2 && attr.orig_attr.max_mr > 0, "limits");
    // Programs calculate with these limits in type int, so larger limits could cause overflows.
    for (const int max : {attr.orig_attr.max_cq, attr.orig_attr.max_pd})
        check(max >= attr.orig_attr.max_qp && max <= 1 << 24, "limit " + std::to_string(max));
    union ibv_gid gid = {};
    works(ibv_query_gid(pair.a.context, 1, 0, &gid), "query_gid");
    check(gid.global.interface_id == ibv_get_device_guid(pair.a.context->device),
          "GID 0 is not the node's GUID");
    ibv_port_attr port = {};
    works(ibv_query_port(pair.a.context, 1, &port), "query_port");
    check(port.state == IBV_PORT_ACTIVE, "the port is not active");
    ibv_qp_attr qp = {};
    ibv_qp_init_attr init = {};
    works(ibv_query_qp(pair.a.qp, &qp, IBV_QP_STATE | IBV_QP_CAP, &init), "query_qp");
    check(qp.qp_state == IBV_QPS_RTS, "state " + std::to_string(qp.qp_state));
    check(qp.cap.max_send_wr >= 16 && qp.cap.max_inline_data >= 64, "capabilities");
}

} // namespace

std::vector<Case> memory_cases() {
    return {{"mr-iova", iova},         {"mr-rereg", rereg},
            {"mr-empty", empty},       {"mr-refused", bad_registrations},
            {"mr-unmapped", unmapped}, {"fork", forked},
            {"device", device},        {"mr-scattered", scattered}};
}

} // namespace user
