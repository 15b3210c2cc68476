// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The round-trip time to a peer, by ICMP echo requests (RFC 792, RFC 4443).
#include "doctor/doctor.hpp"

#include "util.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sys/socket.h>

namespace xiw::doctor {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int requests = 3;
constexpr std::chrono::milliseconds patience{1000}; // for each request

// Compute the checksum (RFC 1071) for a raw socket of IPv4. The kernel computes the checksum of
// ICMPv6, and of requests of a datagram socket.
uint16_t checksum(const icmphdr &echo) {
    std::array<uint16_t, sizeof(icmphdr) / sizeof(uint16_t)> words{};
    uint32_t sum = 0;
    std::memcpy(words.data(), &echo, sizeof(echo));
    for (const uint16_t word : words)
        sum += word;
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(~(sum + (sum >> 16)));
}

// Returns true if the datagram is the reply to the request. Echo messages of both versions of ICMP
// have the layout of icmphdr. A raw socket of IPv4 receives the IP header, and receives the ICMP
// messages of all programs.
bool replies(std::span<const uint8_t> datagram, const icmphdr &request, bool v6, bool raw) {
    icmphdr reply{};
    if (raw && !v6) {
        if (datagram.empty())
            return false;
        const size_t header = static_cast<size_t>(datagram[0] & 0xf) * 4;
        datagram = datagram.subspan(std::min(header, datagram.size()));
    }
    if (datagram.size() < sizeof(reply))
        return false;
    std::memcpy(&reply, datagram.data(), sizeof(reply));
    return reply.type == (v6 ? ICMP6_ECHO_REPLY : ICMP_ECHOREPLY) &&
           reply.un.echo.sequence == request.un.echo.sequence &&
           (!raw || reply.un.echo.id == request.un.echo.id);
}

// Sends one request, and waits for its reply.
std::optional<Clock::duration> exchange(int socket, const icmphdr &request, bool v6, bool raw) {
    const auto sent = Clock::now();
    if (send(socket, &request, sizeof(request), 0) < 0)
        return std::nullopt;
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(sent + patience - Clock::now());
        pollfd readable{.fd = socket, .events = POLLIN, .revents = 0};
        std::array<uint8_t, 256> datagram{};
        if (left.count() <= 0 || poll(&readable, 1, static_cast<int>(left.count())) <= 0)
            return std::nullopt;
        const ssize_t length = recv(socket, datagram.data(), datagram.size(), 0);
        if (length < 0)
            return std::nullopt;
        if (replies(std::span(datagram).first(static_cast<size_t>(length)), request, v6, raw))
            return Clock::now() - sent;
    }
}

} // namespace

std::optional<std::chrono::microseconds> round_trip(const sockaddr *peer, socklen_t length) {
    const bool v6 = peer->sa_family == AF_INET6;
    const int protocol = v6 ? static_cast<int>(IPPROTO_ICMPV6) : static_cast<int>(IPPROTO_ICMP);
    // net.ipv4.ping_group_range permits datagram sockets, and CAP_NET_RAW permits raw sockets.
    int fd = socket(peer->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, protocol);
    const bool raw = fd < 0;
    if (raw)
        fd = socket(peer->sa_family, SOCK_RAW | SOCK_CLOEXEC, protocol);
    const Descriptor owner(fd);
    std::optional<std::chrono::microseconds> shortest;

    if (fd < 0 || connect(fd, peer, length) != 0)
        return shortest;
    for (int i = 0; i < requests; i++) {
        icmphdr request{};
        request.type = v6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
        request.un.echo.id = htons(static_cast<uint16_t>(getpid()));
        request.un.echo.sequence = htons(static_cast<uint16_t>(i + 1));
        if (!v6)
            request.checksum = checksum(request);
        const auto time = exchange(fd, request, v6, raw);
        if (!time)
            break;
        const auto us = std::chrono::ceil<std::chrono::microseconds>(*time);
        shortest = shortest ? std::min(*shortest, us) : us;
    }
    return shortest;
}

} // namespace xiw::doctor
