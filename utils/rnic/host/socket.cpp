// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "host/socket.hpp"

#include <algorithm>
#include <cerrno>

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace xiw::rnic::host {

namespace {

enum : int {
    tcp_close = 7,
    tcp_established = 1,
    tcp_syn_sent = 2,
    tcp_syn_recv = 3,
    tcp_close_wait = 8
};

int result(ssize_t value) {
    return value < 0 ? -errno : static_cast<int>(value);
}

// Check whether the number of a descriptor is reserved for bus/, which needs descriptors for a
// client, its memory and its interrupts. Connections do not use the last numbers below
// RLIMIT_NOFILE, so a number is always free for bus/.
bool reserved(const Descriptor &fd) {
    constexpr rlim_t bus_descriptors = 64;
    rlimit limit{};

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
           static_cast<rlim_t>(fd.get()) + bus_descriptors >= limit.rlim_cur;
}

// Get and clear the error of a socket; 0 if there is none.
int take_error(int fd) {
    int value = 0;
    socklen_t size = sizeof(value);

    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &size) != 0 ? errno : value;
}

tcp_info information(int fd) {
    tcp_info info{};
    socklen_t size = sizeof(info);

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        info.tcpi_state = tcp_close;
    return info;
}

} // namespace

Socket::Socket(Socket &&other) noexcept
    : fd_(std::move(other.fd_)), poller_(std::exchange(other.poller_, nullptr)),
      watched_(std::exchange(other.watched_, 0)) {}

Socket &Socket::operator=(Socket &&other) noexcept {
    if (this != &other) {
        close(false);
        fd_ = std::move(other.fd_);
        poller_ = std::exchange(other.poller_, nullptr);
        watched_ = std::exchange(other.watched_, 0);
    }
    return *this;
}

int Socket::option(int level, int name, int value) const {
    return result(setsockopt(fd_.get(), level, name, &value, sizeof(value)));
}

int Socket::open(u8 family) {
    fd_ = Descriptor(socket(family == 6 ? AF_INET6 : AF_INET,
                            SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
    if (!fd_)
        return -errno;
    if (reserved(fd_)) {
        fd_.reset();
        return -EMFILE;
    }
    if (family == 6)
        option(IPPROTO_IPV6, IPV6_V6ONLY, 1);
    // Urgent data is part of the stream. Accepted sockets inherit this setting.
    option(SOL_SOCKET, SO_OOBINLINE, 1);
    return option(IPPROTO_TCP, TCP_NODELAY, 1);
}

int Socket::bind(const xiw_addr &local) const {
    sockaddr_storage name{};
    const socklen_t size = to_name(name, local);

    // Allow a restarted listener to use its port again immediately.
    if (local.port != 0)
        option(SOL_SOCKET, SO_REUSEADDR, 1);
    else
        option(IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
    return result(::bind(fd_.get(), reinterpret_cast<const sockaddr *>(&name), size));
}

int Socket::connect(const xiw_addr &remote) const {
    sockaddr_storage name{};
    const socklen_t size = to_name(name, remote);

    return result(::connect(fd_.get(), reinterpret_cast<const sockaddr *>(&name), size));
}

int Socket::listen(u32 backlog) const {
    return result(::listen(fd_.get(), static_cast<int>(std::clamp(backlog, 1U, 65535U))));
}

int Socket::accept(Socket &out) const {
    out.fd_ = Descriptor(accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!out.fd_)
        return -errno;
    if (reserved(out.fd_)) {
        out.fd_.reset();
        return -EMFILE;
    }
    return out.option(IPPROTO_TCP, TCP_NODELAY, 1);
}

// For a listening socket, TCP_INFO reports the length of the accept queue as tcpi_unacked.
u32 Socket::queued() const {
    return information(fd_.get()).tcpi_unacked;
}

int Socket::watch(Poller &poller, Watcher &watcher) {
    const int error = poller.add(fd_.get(), watcher, watched_);

    if (error == 0)
        poller_ = &poller;
    return error;
}

int Socket::set_type_of_service(u8 tos) const {
    const int error = option(IPPROTO_IP, IP_TOS, tos);

    // Set both values, because this function does not know the family of the socket. An IPv4 socket
    // has no traffic class, so ignore the error of the second call.
    option(IPPROTO_IPV6, IPV6_TCLASS, tos);
    return error;
}

void Socket::set_peer_time(u32 milliseconds) const {
    if (milliseconds == 0)
        return;
    // If a user timeout is set, TCP does not count keepalive probes. After the timeout, TCP ends
    // the connection instead of sending the next probe. TCP sends up to three probes before the
    // timeout.
    const int seconds = static_cast<int>((u64{milliseconds} + 999) / 1000);
    const int interval = std::max(seconds / 6, 1);
    const auto timeout = static_cast<int>(std::min(milliseconds, 0x7fffffffU));
    option(IPPROTO_TCP, TCP_USER_TIMEOUT, timeout);
    option(IPPROTO_TCP, TCP_KEEPINTVL, std::min(interval, 32767));
    option(IPPROTO_TCP, TCP_KEEPIDLE, std::clamp(seconds - 3 * interval, 1, 32767));
    option(SOL_SOCKET, SO_KEEPALIVE, 1);
}

void Socket::set_segments(u32 mtu, u8 family) const {
    const u32 headers = (family == 6 ? 40U : 20U) + 20U;

    if (mtu > headers && (mtu - headers) % 4 != 0)
        option(IPPROTO_TCP, TCP_MAXSEG, static_cast<int>((mtu - headers) & ~3U));
}

int Socket::receive(std::span<u8> to) const {
    return result(recv(fd_.get(), to.data(), to.size(), MSG_DONTWAIT));
}

int Socket::send(std::span<const u8> from, bool more) const {
    // If no more octets follow, end the TCP segment after the last octet, so that the next FPDU
    // begins a segment.
    const int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (more ? MSG_MORE : MSG_EOR);

    return result(::send(fd_.get(), from.data(), from.size(), flags));
}

bool Socket::has_octets() const {
    u8 octet = 0;

    return recv(fd_.get(), &octet, sizeof(octet), MSG_PEEK | MSG_DONTWAIT) > 0;
}

int Socket::discard() const {
    return result(recv(fd_.get(), nullptr, size_t{1} << 20, MSG_TRUNC | MSG_DONTWAIT));
}

Socket::State Socket::state() const {
    switch (information(fd_.get()).tcpi_state) {
    case tcp_syn_sent:
    case tcp_syn_recv:
        return State::connecting;
    case tcp_established:
    case tcp_close_wait:
        return State::established;
    case tcp_close:
        return State::closed;
    default:
        return State::closing;
    }
}

int Socket::error() const {
    const int value = take_error(fd_.get());

    return value != 0 ? -value : -ECONNRESET;
}

bool Socket::broken() const {
    return take_error(fd_.get()) != 0;
}

u32 Socket::segment_size() const {
    return information(fd_.get()).tcpi_snd_mss;
}

bool Socket::outstanding() const {
    int octets = 0;

    return ioctl(fd_.get(), SIOCOUTQ, &octets) == 0 && octets > 0;
}

// Until TCP sends data, tcpi_last_data_sent is the time since TCP created the socket.
u32 Socket::age() const {
    return information(fd_.get()).tcpi_last_data_sent;
}

void Socket::addresses(xiw_addr &local, xiw_addr &remote) const {
    sockaddr_storage name{};
    socklen_t size = sizeof(name);

    if (getsockname(fd_.get(), reinterpret_cast<sockaddr *>(&name), &size) == 0)
        local = from_name(name);
    size = sizeof(name);
    if (getpeername(fd_.get(), reinterpret_cast<sockaddr *>(&name), &size) == 0)
        remote = from_name(name);
}

void Socket::finish() const {
    shutdown(fd_.get(), SHUT_WR);
}

void Socket::close(bool reset) {
    if (!fd_)
        return;
    if (reset) {
        const linger none{.l_onoff = 1, .l_linger = 0};
        setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof(none));
    }
    if (poller_ != nullptr)
        poller_->remove(fd_.get(), watched_);
    poller_ = nullptr;
    fd_.reset();
}

enum xiw_status status_of(int error) {
    switch (error < 0 ? -error : error) {
    case 0:
        return XIW_OK;
    case ECONNREFUSED:
        return XIW_ERR_REFUSED;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case EHOSTDOWN:
    case ENONET:
    case ENOPROTOOPT: // protocol unreachable, RFC 1122 §4.2.3.9
    case EACCES:      // a route or a filter prohibits the connection
    case EPERM:
        return XIW_ERR_UNREACHABLE;
    case ETIMEDOUT:
        return XIW_ERR_TIMEOUT;
    case ECONNRESET:
    case ECONNABORTED:
    case EPIPE:
    case ENOTCONN:
        return XIW_ERR_RESET;
    case EADDRNOTAVAIL:
        return XIW_ERR_ADDRESS;
    case EADDRINUSE:
        return XIW_ERR_ADDRESS_IN_USE;
    case ENOMEM:
    case ENOBUFS:
    case EMFILE:
    case ENFILE:
    case ENOSPC: // too many watched descriptors
        return XIW_ERR_NOMEM;
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
    case EOPNOTSUPP:
        return XIW_ERR_UNSUPPORTED;
    default:
        return XIW_ERR_INVALID;
    }
}

} // namespace xiw::rnic::host
