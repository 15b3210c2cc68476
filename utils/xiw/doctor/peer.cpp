// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Check the path to the peer: whether the path uses an RDMA device of this driver, the MTU of the
// path, and whether TCP's receive buffers suffice for the round-trip time. Send nothing to the peer
// except echo requests.
#include "doctor/doctor.hpp"

#include "util.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <sstream>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace xiw::doctor {

namespace {

std::string word(const sockaddr *address) {
    char text[INET6_ADDRSTRLEN] = "";
    const void *octets =
        address->sa_family == AF_INET6
            ? static_cast<const void *>(&reinterpret_cast<const sockaddr_in6 *>(address)->sin6_addr)
            : &reinterpret_cast<const sockaddr_in *>(address)->sin_addr;
    inet_ntop(address->sa_family, octets, text, sizeof(text));
    return text;
}

// The scope of an address; 0 if the address is unique without a scope.
uint32_t scope(const sockaddr *address) {
    return address->sa_family == AF_INET6
               ? reinterpret_cast<const sockaddr_in6 *>(address)->sin6_scope_id
               : 0;
}

Path unreachable(const char *why) {
    Path path;
    path.error = why;
    return path;
}

// Get the rate, in Gbit/s, that TCP reaches if its receive buffer is the only limit. TCP's window
// is about half of the buffer, because the headers of its packets also use memory.
double buffer_rate(uint64_t octets, std::chrono::microseconds round_trip) {
    return static_cast<double>(octets) / 2 * 8 / 1000 / static_cast<double>(round_trip.count());
}

// net.ipv4.tcp_rmem, which also limits TCP over IPv6. In octets.
struct ReceiveBuffer {
    uint64_t least = 0;
    uint64_t initial = 0;
    uint64_t most = 0;
};

std::optional<ReceiveBuffer> receive_buffer(const Host &host) {
    std::istringstream numbers(host.text("/proc/sys/net/ipv4/tcp_rmem").value_or(""));
    ReceiveBuffer buffer;
    if (!(numbers >> buffer.least >> buffer.initial >> buffer.most))
        return std::nullopt;
    return buffer;
}

// Check whether one connection can use the whole rate of the interface on the path.
Finding check_round_trip(const Host &host, const std::string &peer, const Path &path) {
    const auto buffer = receive_buffer(host);
    if (!path.round_trip)
        return {Verdict::pass,
                fmt::format("{} answers no echo requests: its round-trip time is unknown", peer),
                ""};
    const double ms = static_cast<double>(path.round_trip->count()) / 1000;
    const std::string time = fmt::format("the round-trip time to {} is {:.3g} ms", peer, ms);
    const auto mbits = host.number("/sys/class/net/" + path.netdev + "/speed");
    if (!buffer || path.round_trip->count() == 0)
        return {Verdict::pass, time, ""};
    const double limit = buffer_rate(buffer->most, *path.round_trip);
    const double wanted = static_cast<double>(mbits.value_or(0)) / 1000;
    if (limit >= wanted)
        return {Verdict::pass,
                fmt::format("{}; net.ipv4.tcp_rmem permits about {:.3g} Gbit/s on a connection",
                            time, limit),
                ""};
    // The size that the buffer needs, in MiB. The kernel permits at most 2^31 - 1 octets.
    const uint64_t needed = std::min<uint64_t>(
        2047,
        static_cast<uint64_t>(static_cast<double>(buffer->most) * wanted / limit) / (1 << 20) + 1);
    return {Verdict::warn,
            fmt::format("{}: net.ipv4.tcp_rmem limits a connection to about {:.2g} Gbit/s, and {} "
                        "has {:.3g}",
                        time, limit, path.netdev, wanted),
            fmt::format("on both machines: sysctl -w net.ipv4.tcp_rmem='{} {} {}'; new connections "
                        "use it",
                        buffer->least, buffer->initial, needed << 20)};
}

} // namespace

std::string interface_with(const sockaddr *address, const ifaddrs *list) {
    std::string name;
    for (const ifaddrs *i = list; i != nullptr; i = i->ifa_next)
        if (i->ifa_addr != nullptr &&
            (i->ifa_addr->sa_family == AF_INET || i->ifa_addr->sa_family == AF_INET6) &&
            word(i->ifa_addr) == word(address) &&
            (scope(address) == 0 || scope(i->ifa_addr) == scope(address)))
            name = i->ifa_name;
    return name;
}

Path path_to(const std::string &host) {
    constexpr uint16_t any_port = 9; // port "discard": connect() needs a port, although nothing is
                                     // sent
    addrinfo hints{};
    addrinfo *list = nullptr;
    hints.ai_socktype = SOCK_DGRAM;
    if (const int error = getaddrinfo(host.c_str(), nullptr, &hints, &list); error != 0)
        return unreachable(gai_strerror(error));
    const std::unique_ptr<addrinfo, void (*)(addrinfo *)> owner(list, freeaddrinfo);

    Path path;
    path.address = word(list->ai_addr);
    // sockaddr_in and sockaddr_in6 have the port at the same offset.
    reinterpret_cast<sockaddr_in *>(list->ai_addr)->sin_port = htons(any_port);
    const Descriptor probe(socket(list->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own{};
    socklen_t length = sizeof(own);
    if (connect(probe.get(), list->ai_addr, list->ai_addrlen) != 0 ||
        getsockname(probe.get(), reinterpret_cast<sockaddr *>(&own), &length) != 0)
        return unreachable(std::strerror(errno));
    ifaddrs *interfaces = nullptr;
    if (getifaddrs(&interfaces) == 0) {
        const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> free_later(interfaces, freeifaddrs);
        path.netdev = interface_with(reinterpret_cast<const sockaddr *>(&own), interfaces);
    }

    int mtu = 0;
    length = sizeof(mtu);
    const bool v6 = list->ai_family == AF_INET6;
    if (getsockopt(probe.get(), v6 ? static_cast<int>(IPPROTO_IPV6) : static_cast<int>(IPPROTO_IP),
                   v6 ? IPV6_MTU : IP_MTU, &mtu, &length) == 0 &&
        mtu > 0)
        path.mtu = static_cast<uint64_t>(mtu);
    path.round_trip = round_trip(list->ai_addr, list->ai_addrlen);
    return path;
}

void check_peer(const Host &host, const std::string &peer, Findings &found) {
    const Path path = host.path(peer);
    if (!path.error.empty()) {
        found.push_back({Verdict::fail, fmt::format("no route to {}: {}", peer, path.error),
                         fmt::format("ip route get {}", peer)});
        return;
    }
    const auto devices = host.devices();
    const auto device = std::ranges::find(devices, path.netdev, &RdmaDevice::netdev);
    if (device == devices.end())
        found.push_back({Verdict::fail,
                         fmt::format("the route to {} uses {}, which has no xiw RDMA device", peer,
                                     path.netdev),
                         fmt::format("rdma link add xiw0 type xiw netdev {}", path.netdev)});
    else
        found.push_back({Verdict::pass,
                         fmt::format("the route to {} ({}) uses {} on {}", peer, path.address,
                                     device->name, path.netdev),
                         ""});
    const auto mtu = host.number("/sys/class/net/" + path.netdev + "/mtu");
    // The headers of an echo request: 8 octets of ICMP after 20 of IPv4 or 40 of IPv6.
    const uint64_t headers = path.address.find(':') == std::string::npos ? 28 : 48;
    if (mtu && path.mtu != 0 && path.mtu < *mtu)
        found.push_back(
            {Verdict::warn,
             fmt::format("the path to {} has an MTU of {}, {} has {}", peer, path.mtu, path.netdev,
                         *mtu),
             fmt::format("ping -M do -s {} {} shows where it is reduced", *mtu - headers, peer)});
    else if (path.mtu != 0)
        found.push_back(
            {Verdict::pass, fmt::format("the path to {} has an MTU of {}", peer, path.mtu), ""});
    // A PCIe RNIC has its own TCP, so the TCP settings of this machine do not matter for it.
    if (device != devices.end() && !host.is("/sys/class/infiniband/" + device->name + "/device"))
        found.push_back(check_round_trip(host, peer, path));
}

} // namespace xiw::doctor
