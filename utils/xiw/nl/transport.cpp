// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/transport.hpp"

#include "error.hpp"

#include <array>
#include <cerrno>
#include <limits>
#include <system_error>

#include <net/if.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <fmt/format.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

namespace xiw::nl {

namespace {

// In a dump, the kernel limits datagrams to the size of the largest buffer of all earlier receive
// calls on the socket.
constexpr size_t buffer_size = size_t{64} * 1024;

// The kernel replies inside the system call that sends the request. The time limit is for a kernel
// that hangs.
constexpr timeval patience{.tv_sec = 10, .tv_usec = 0};

[[noreturn]] void fail(const char *what) {
    throw Error(Exit::failed, fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

} // namespace

void Socket::Close::operator()(mnl_socket *socket) const {
    mnl_socket_close(socket);
}

Socket::Socket(int protocol)
    : socket_(mnl_socket_open2(protocol, SOCK_CLOEXEC)),
      buffer_(std::make_unique<std::byte[]>(buffer_size)) {
    if (!socket_)
        fail("cannot open a netlink socket");
    if (mnl_socket_bind(socket_.get(), 0, MNL_SOCKET_AUTOPID) < 0)
        fail("cannot bind a netlink socket");

    // Ignore failures: these options only improve error messages, and some kernels lack them.
    int on = 1;
    (void)mnl_socket_setsockopt(socket_.get(), NETLINK_EXT_ACK, &on, sizeof(on));
    (void)mnl_socket_setsockopt(socket_.get(), NETLINK_GET_STRICT_CHK, &on, sizeof(on));

    if (setsockopt(mnl_socket_get_fd(socket_.get()), SOL_SOCKET, SO_RCVTIMEO, &patience,
                   sizeof(patience)) < 0)
        fail("cannot set a receive timeout");
}

void Socket::send(Bytes request) {
    if (mnl_socket_sendto(socket_.get(), request.data(), request.size()) < 0)
        fail("cannot send to the kernel");
}

Bytes Socket::receive() {
    for (;;) {
        const ssize_t got = mnl_socket_recvfrom(socket_.get(), buffer_.get(), buffer_size);
        if (got >= 0)
            return {buffer_.get(), static_cast<size_t>(got)};
        if (errno == EAGAIN)
            throw Error(Exit::failed, fmt::format("the kernel did not answer within {} seconds",
                                                  patience.tv_sec));
        if (errno != EINTR)
            fail("cannot receive from the kernel");
    }
}

void Socket::join(uint32_t group) {
    // Make the buffer large enough for bursts. SO_RCVBUFFORCE exceeds the system's limit, but
    // requires a privilege.
    const int octets = 8 * 1024 * 1024;
    const int fd = mnl_socket_get_fd(socket_.get());
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &octets, sizeof(octets)) < 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &octets, sizeof(octets));

    if (mnl_socket_setsockopt(socket_.get(), NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
        fail("cannot listen to events of the driver");
    constexpr timeval forever{};
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof(forever)) < 0)
        fail("cannot set a receive timeout");
}

std::optional<Bytes> Socket::wait() {
    for (;;) {
        const ssize_t got = mnl_socket_recvfrom(socket_.get(), buffer_.get(), buffer_size);
        if (got >= 0)
            return Bytes{buffer_.get(), static_cast<size_t>(got)};
        if (errno == ENOBUFS)
            return std::nullopt;
        if (errno != EINTR)
            fail("cannot receive from the kernel");
    }
}

uint32_t Socket::port() const {
    return mnl_socket_get_portid(socket_.get());
}

std::string interface_name(uint64_t ifindex) {
    char name[IF_NAMESIZE];

    if (ifindex > std::numeric_limits<unsigned>::max() ||
        if_indextoname(static_cast<unsigned>(ifindex), name) == nullptr)
        return {};
    return name;
}

// if_nametoindex() does not support names of IF_NAMESIZE and more octets.
uint64_t interface_index(const std::string &name) {
    alignas(nlmsghdr) std::array<std::byte, 512> request{};

    nlmsghdr *head = mnl_nlmsg_put_header(request.data());
    head->nlmsg_type = RTM_GETLINK;
    head->nlmsg_flags = NLM_F_REQUEST;
    mnl_nlmsg_put_extra_header(head, sizeof(ifinfomsg));
    if (!mnl_attr_put_strz_check(head, request.size(), IFLA_ALT_IFNAME, name.c_str()))
        return 0;

    Socket socket(NETLINK_ROUTE);
    socket.send({request.data(), head->nlmsg_len});
    const Bytes answer = socket.receive();
    const auto *link = reinterpret_cast<const nlmsghdr *>(answer.data());
    if (answer.size() < NLMSG_LENGTH(sizeof(ifinfomsg)) || link->nlmsg_type != RTM_NEWLINK)
        return 0;
    return static_cast<uint64_t>(
        static_cast<const ifinfomsg *>(mnl_nlmsg_get_payload(link))->ifi_index);
}

} // namespace xiw::nl
