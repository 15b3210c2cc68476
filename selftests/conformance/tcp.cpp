// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "tcp.hpp"

#include <cerrno>
#include <memory>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace xiw::peer {

namespace {

[[noreturn]] void failed(std::string_view what) {
    throw std::system_error(errno, std::generic_category(), std::string(what));
}

int left(Deadline deadline) {
    auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());

    return ms.count() < 0 ? 0 : static_cast<int>(ms.count()) + 1;
}

// Waits for one of the events on fd. Returns false if the deadline has passed.
bool wait(int fd, short events, Deadline deadline) {
    pollfd p{.fd = fd, .events = events, .revents = 0};
    int n = 0;

    do
        n = ::poll(&p, 1, left(deadline));
    while (n < 0 && errno == EINTR);
    if (n < 0)
        failed("poll");
    return n > 0;
}

void option(int fd, int level, int name, int value, std::string_view what) {
    if (::setsockopt(fd, level, name, &value, sizeof(value)) < 0)
        failed(what);
}

using Resolved = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Resolved resolve(const Address &address, int flags) {
    addrinfo hints{};
    addrinfo *found = nullptr;

    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    int error = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
    if (error != 0)
        throw std::runtime_error(
            fmt::format("{}:{}: {}", address.host, address.port, ::gai_strerror(error)));
    return {found, &::freeaddrinfo};
}

Descriptor make(const addrinfo &to, const Tcp::Options &options) {
    Descriptor fd(::socket(to.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));

    if (!fd)
        failed("socket");
    if (options.receive_buffer != 0)
        option(fd.get(), SOL_SOCKET, SO_RCVBUF, options.receive_buffer, "SO_RCVBUF");
    if (options.segment != 0)
        option(fd.get(), IPPROTO_TCP, TCP_MAXSEG, options.segment, "TCP_MAXSEG");
    return fd;
}

void bind_to(int fd, const std::string &host) {
    Resolved own = resolve({host, "0"}, AI_NUMERICHOST);

    if (::bind(fd, own->ai_addr, own->ai_addrlen) < 0)
        failed("bind");
}

} // namespace

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
    if (this != &other) {
        if (fd_ >= 0)
            ::close(fd_);
        fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
}

Descriptor::~Descriptor() {
    if (fd_ >= 0)
        ::close(fd_);
}

Address Address::parse(std::string_view text) {
    size_t colon = text.rfind(':');

    if (colon == std::string_view::npos || colon + 1 == text.size())
        throw std::invalid_argument(fmt::format("'{}' is no ADDRESS:PORT", text));
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    return {std::string(host), std::string(text.substr(colon + 1))};
}

Tcp::Tcp(Descriptor fd) : fd_(std::move(fd)) {
    option(fd_.get(), IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
}

Tcp Tcp::connect(const Address &to, const Options &options, Deadline deadline) {
    Resolved found = resolve(to, 0);
    Descriptor fd = make(*found, options);
    int error = 0;
    socklen_t size = sizeof(error);

    if (!options.from.empty())
        bind_to(fd.get(), options.from);
    if (::connect(fd.get(), found->ai_addr, found->ai_addrlen) < 0) {
        if (errno != EINPROGRESS)
            failed("connect");
        if (!wait(fd.get(), POLLOUT, deadline))
            throw std::runtime_error("connect: no answer");
        if (::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error != 0) {
            errno = error;
            failed("connect");
        }
    }
    return Tcp(std::move(fd));
}

void Tcp::send(OctetView octets, Deadline deadline) {
    while (!octets.empty()) {
        ssize_t n = ::send(fd_.get(), octets.data(), octets.size(), MSG_NOSIGNAL);

        if (n >= 0) {
            octets = octets.subspan(static_cast<size_t>(n));
        } else if (errno == EAGAIN) {
            if (!wait(fd_.get(), POLLOUT, deadline))
                throw std::runtime_error(
                    fmt::format("the peer does not take the last {} octets", octets.size()));
        } else if (errno != EINTR) {
            failed("send");
        }
    }
}

void Tcp::flush(Deadline deadline) {
    for (;;) {
        int unacknowledged = 0;

        if (::ioctl(fd_.get(), SIOCOUTQ, &unacknowledged) < 0)
            failed("SIOCOUTQ");
        if (unacknowledged == 0)
            return;
        // SIOCOUTQ also counts octets that a reset has discarded, so check for a reset.
        tcp_info info{};
        socklen_t length = sizeof(info);
        if (::getsockopt(fd_.get(), IPPROTO_TCP, TCP_INFO, &info, &length) < 0)
            failed("TCP_INFO");
        if (info.tcpi_state == TCP_CLOSE)
            throw std::system_error(ECONNRESET, std::generic_category(), "flush");
        if (Clock::now() >= deadline)
            throw std::runtime_error(
                fmt::format("the peer does not acknowledge {} octets", unacknowledged));
        // There is no event for an acknowledgment, so check again after a millisecond.
        ::poll(nullptr, 0, 1);
    }
}

bool Tcp::receive(Octets &input, Deadline deadline) {
    Octets buffer(65536);

    if (end_ != End::open)
        return true;
    while (wait(fd_.get(), POLLIN, deadline)) {
        ssize_t n = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);

        if (n > 0) {
            append(input, OctetView(buffer).first(static_cast<size_t>(n)));
            return true;
        }
        if (n == 0 || errno == ECONNRESET) {
            end_ = n == 0 ? End::fin : End::rst;
            return true;
        }
        if (errno != EAGAIN && errno != EINTR)
            failed("recv");
    }
    return false;
}

void Tcp::shut() {
    if (::shutdown(fd_.get(), SHUT_WR) < 0)
        failed("shutdown");
}

void Tcp::abort() {
    linger at_once{.l_onoff = 1, .l_linger = 0};

    if (::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) < 0)
        failed("SO_LINGER");
    close();
}

Listener::Listener(const Address &at, const Tcp::Options &options) {
    Resolved found = resolve(at, AI_PASSIVE);

    fd_ = make(*found, options);
    option(fd_.get(), SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR");
    if (::bind(fd_.get(), found->ai_addr, found->ai_addrlen) < 0 || ::listen(fd_.get(), 8) < 0)
        failed(fmt::format("listen at {}:{}", at.host, at.port));
}

uint16_t Listener::port() const {
    sockaddr_storage name{};
    socklen_t size = sizeof(name);

    if (::getsockname(fd_.get(), reinterpret_cast<sockaddr *>(&name), &size) < 0)
        failed("getsockname");
    return ntohs(name.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6 *>(&name)->sin6_port
                     : reinterpret_cast<const sockaddr_in *>(&name)->sin_port);
}

Tcp Listener::accept(Deadline deadline) {
    if (!wait(fd_.get(), POLLIN, deadline))
        throw std::runtime_error("nobody connects");
    Descriptor fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd)
        failed("accept");
    return Tcp(std::move(fd));
}

} // namespace xiw::peer
