// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
//
// Creates up to N objects of one type. Prints "holding M of N: REASON", where M is the number of
// created objects and REASON is "all" or the error. Keeps the objects until the process is killed.
//
//   xiw-hoard listeners ADDRESS N BACKLOG   listeners of rdma_cm, each on another port
//   xiw-hoard windows DEVICE N              memory windows, each with its own STag
//   xiw-hoard qps DEVICE N                  QPs
//   xiw-hoard srqs DEVICE N                 SRQs
//   xiw-hoard silent ADDRESS PORT N FROM    TCP connections from the address FROM that send
//                                           nothing; replaces each connection that the peer closes
//   xiw-hoard half ADDRESS PORT N           MPA connections that send an incomplete FPDU
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_cm.h>
#include <rdma/xiw-abi.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

#include "device.hpp"
#include "wire.hpp"

namespace {

using uverbs::Bytes;
using uverbs::file_of;

[[noreturn]] void failed(const std::string &what) {
    throw std::system_error(errno, std::generic_category(), what);
}

void holding(long have, long wanted) {
    std::printf("holding %ld of %ld: %s\n", have, wanted,
                have == wanted ? "all" : std::strerror(errno));
    std::fflush(stdout);
}

[[noreturn]] void stay() {
    for (;;)
        pause();
}

// Calls make() until `wanted` objects exist or a call fails. Keeps the objects.
template <typename Make>
[[noreturn]] void take(long wanted, Make make) {
    long have = 0;

    while (have < wanted && make(have))
        have++;
    holding(have, wanted);
    stay();
}

int opened(const std::string &path) {
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);

    if (file < 0)
        failed(path);
    return file;
}

sockaddr_in address_of(const char *text, uint16_t port) {
    sockaddr_in at{};

    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    if (inet_pton(AF_INET, text, &at.sin_addr) != 1)
        throw std::invalid_argument(std::string("no address: ") + text);
    return at;
}

// Writes a command to rdma_cm's file. The header contains lengths in octets.
template <typename Command>
bool cm(int file, uint32_t number, const Command &command, size_t answered = 0) {
    struct {
        rdma_ucm_cmd_hdr header;
        Command command;
    } __attribute__((packed)) bytes{{number, sizeof(Command), static_cast<uint16_t>(answered)},
                                    command};

    return write(file, &bytes, sizeof bytes) == static_cast<ssize_t>(sizeof bytes);
}

bool listen_at(int file, const sockaddr_in &at, uint32_t backlog) {
    rdma_ucm_create_id_resp made{};
    rdma_ucm_create_id create{};
    rdma_ucm_bind_ip bind{};

    create.response = reinterpret_cast<uint64_t>(&made);
    create.ps = RDMA_PS_TCP;
    create.qp_type = 2; // IB_QPT_RC
    if (!cm(file, RDMA_USER_CM_CMD_CREATE_ID, create, sizeof made))
        return false;
    bind.id = made.id;
    std::memcpy(&bind.addr, &at, sizeof at);
    return cm(file, RDMA_USER_CM_CMD_BIND_IP, bind) &&
           cm(file, RDMA_USER_CM_CMD_LISTEN, rdma_ucm_listen{made.id, backlog});
}

void listeners(const char *address, long wanted, uint32_t backlog) {
    constexpr uint16_t first_port = 30000;
    const int file = opened("/dev/infiniband/rdma_cm");

    take(wanted, [&](long have) {
        return listen_at(file, address_of(address, static_cast<uint16_t>(first_port + have)),
                         backlog);
    });
}

// Writes a command to a uverbs file. The header contains lengths in words of four octets.
template <typename Core, typename Driver>
bool verb(int file, uint32_t number, const Core &core, const Driver *driver, size_t answered) {
    Bytes bytes(sizeof(ib_uverbs_cmd_hdr));

    const auto append = [&](const void *from, size_t size) {
        const auto *octets = static_cast<const uint8_t *>(from);
        bytes.insert(bytes.end(), octets, octets + size);
    };
    append(&core, sizeof core);
    if (driver)
        append(driver, sizeof *driver);
    const ib_uverbs_cmd_hdr header{number, static_cast<uint16_t>(bytes.size() / 4),
                                   static_cast<uint16_t>(answered / 4)};
    std::memcpy(bytes.data(), &header, sizeof header);
    return write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

// Creates a context and a PD of an open uverbs file. Returns the handle of the PD.
uint32_t protection_domain(int file) {
    Bytes context(sizeof(ib_uverbs_get_context_resp) + sizeof(xiw_abi_alloc_ucontext_resp));
    ib_uverbs_alloc_pd_resp pd{};
    const xiw_abi_alloc_ucontext_req driver{};
    ib_uverbs_get_context get{};
    ib_uverbs_alloc_pd alloc_pd{};

    get.response = reinterpret_cast<uint64_t>(context.data());
    alloc_pd.response = reinterpret_cast<uint64_t>(&pd);
    if (!verb(file, IB_USER_VERBS_CMD_GET_CONTEXT, get, &driver, context.size()) ||
        !verb(file, IB_USER_VERBS_CMD_ALLOC_PD, alloc_pd, static_cast<const uint32_t *>(nullptr),
              sizeof pd))
        failed("a context and a PD");
    return pd.pd_handle;
}

void windows(const std::string &device, long wanted) {
    const int file = opened(file_of(device));
    ib_uverbs_alloc_mw_resp window{};
    ib_uverbs_alloc_mw alloc_mw{};

    alloc_mw.response = reinterpret_cast<uint64_t>(&window);
    alloc_mw.pd_handle = protection_domain(file);
    alloc_mw.mw_type = 2;
    take(wanted, [&](long) {
        return verb(file, IB_USER_VERBS_CMD_ALLOC_MW, alloc_mw,
                    static_cast<const uint32_t *>(nullptr), sizeof window);
    });
}

void qps(const std::string &device, long wanted) {
    const int file = opened(file_of(device));
    Bytes answer(sizeof(ib_uverbs_create_qp_resp) + sizeof(xiw_abi_create_qp_resp));
    const xiw_abi_create_cq_req cq_driver{};
    const xiw_abi_create_qp_req qp_driver{};
    ib_uverbs_create_cq create_cq{};
    ib_uverbs_create_cq_resp cq{};
    ib_uverbs_create_qp create{};

    create.pd_handle = protection_domain(file);
    create_cq.response = reinterpret_cast<uint64_t>(answer.data());
    create_cq.cqe = 1;
    create_cq.comp_channel = -1;
    if (!verb(file, IB_USER_VERBS_CMD_CREATE_CQ, create_cq, &cq_driver,
              sizeof cq + sizeof(xiw_abi_create_cq_resp)))
        failed("a CQ");
    std::memcpy(&cq, answer.data(), sizeof cq);
    create.response = reinterpret_cast<uint64_t>(answer.data());
    create.send_cq_handle = cq.cq_handle;
    create.recv_cq_handle = cq.cq_handle;
    create.max_send_wr = 1;
    create.max_recv_wr = 1;
    create.max_send_sge = 1;
    create.max_recv_sge = 1;
    create.qp_type = 2; // IB_QPT_RC
    take(wanted, [&](long) {
        return verb(file, IB_USER_VERBS_CMD_CREATE_QP, create, &qp_driver, answer.size());
    });
}

void srqs(const std::string &device, long wanted) {
    const int file = opened(file_of(device));
    Bytes answer(sizeof(ib_uverbs_create_srq_resp) + sizeof(xiw_abi_create_srq_resp));
    const xiw_abi_create_srq_req driver{};
    ib_uverbs_create_srq create{};

    create.pd_handle = protection_domain(file);
    create.response = reinterpret_cast<uint64_t>(answer.data());
    create.max_wr = 1;
    create.max_sge = 1;
    take(wanted, [&](long) {
        return verb(file, IB_USER_VERBS_CMD_CREATE_SRQ, create, &driver, answer.size());
    });
}

void files_at_most(long wanted) {
    const rlimit limit{static_cast<rlim_t>(wanted) + 64, static_cast<rlim_t>(wanted) + 64};

    if (setrlimit(RLIMIT_NOFILE, &limit))
        failed("RLIMIT_NOFILE");
}

// Connects to `at`, from the address `from` if it is given. Returns a socket, or -1 if this fails.
int connected(const sockaddr_in &at, int flags, const sockaddr_in *from = nullptr) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

    if (socket < 0)
        return -1;
    if (from && bind(socket, reinterpret_cast<const sockaddr *>(from), sizeof *from)) {
        close(socket);
        return -1;
    }
    if (connect(socket, reinterpret_cast<const sockaddr *>(&at), sizeof at) &&
        errno != EINPROGRESS) {
        close(socket);
        return -1;
    }
    return socket;
}

void silent(const sockaddr_in &at, long wanted, const sockaddr_in &from) {
    std::vector<pollfd> all(static_cast<size_t>(wanted));
    long have = 0;
    int reason = 0;

    files_at_most(wanted);
    for (auto &one : all) {
        one = {connected(at, SOCK_NONBLOCK, &from), POLLIN, 0};
        if (one.fd >= 0)
            have++;
        else
            reason = errno;
    }
    errno = reason;
    holding(have, wanted);
    for (;;) {
        poll(all.data(), all.size(), 100);
        for (auto &one : all) {
            if (one.fd >= 0 && !one.revents)
                continue;
            if (one.fd >= 0)
                close(one.fd);
            one.fd = connected(at, SOCK_NONBLOCK, &from);
        }
    }
}

// Connects, waits for the MPA Reply, and then sends a complete FPDU and a part of another FPDU.
// Returns a socket, or -1 if this fails.
int half_spoken(const sockaddr_in &at) {
    const int socket = connected(at, 0);
    const timeval limit{10, 0};
    const int room = 1 << 17;
    Bytes reply(uverbs::mpa_frame), octets = uverbs::mpa_request();

    if (socket < 0)
        return -1;
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    if (write(socket, octets.data(), octets.size()) != static_cast<ssize_t>(octets.size()) ||
        recv(socket, reply.data(), reply.size(), MSG_WAITALL) !=
            static_cast<ssize_t>(reply.size())) {
        close(socket);
        return -1;
    }
    octets.clear();
    Bytes read;
    read.resize(28); // a Read of zero length
    uverbs::untagged(octets, 1, 1, 1, read);
    uverbs::number(octets, uint16_t{0xffff});
    octets.insert(octets.end(), {0x81, 0x40});
    octets.resize(octets.size() + 0xffff);
    // The second FPDU lacks its CRC, so it stays incomplete. Data that the peer does not read stays
    // in the send buffer of the socket.
    send(socket, octets.data(), octets.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return socket;
}

void half(const sockaddr_in &at, long wanted) {
    files_at_most(wanted);
    take(wanted, [&](long) { return half_spoken(at) >= 0; });
}

int command(int argc, char **argv) {
    const std::string what = argc > 1 ? argv[1] : "";

    if (what == "listeners" && argc == 5)
        listeners(argv[2], std::atol(argv[3]), static_cast<uint32_t>(std::atol(argv[4])));
    else if (what == "windows" && argc == 4)
        windows(argv[2], std::atol(argv[3]));
    else if (what == "qps" && argc == 4)
        qps(argv[2], std::atol(argv[3]));
    else if (what == "srqs" && argc == 4)
        srqs(argv[2], std::atol(argv[3]));
    else if (what == "silent" && argc == 6)
        silent(address_of(argv[2], static_cast<uint16_t>(std::atoi(argv[3]))), std::atol(argv[4]),
               address_of(argv[5], 0));
    else if (what == "half" && argc == 5)
        half(address_of(argv[2], static_cast<uint16_t>(std::atoi(argv[3]))), std::atol(argv[4]));
    std::fputs("usage: xiw-hoard listeners ADDRESS N BACKLOG | windows DEVICE N |"
               " qps DEVICE N | srqs DEVICE N | silent ADDRESS PORT N FROM | half ADDRESS PORT N\n",
               stderr);
    return 2;
}

} // namespace

int main(int argc, char **argv) {
    try {
        return command(argc, argv);
    } catch (const std::exception &error) {
        std::printf("fail: %s\n", error.what());
        return 1;
    }
}
