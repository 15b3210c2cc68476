// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// An FPDU should fit into one segment (RFC 5044 section 5.1).
#include "doctor/doctor.hpp"

#include <fmt/format.h>

namespace xiw::doctor {

namespace {

constexpr uint64_t ordinary = 1500;

} // namespace

void check_mtu(const Host &host, Findings &found) {
    for (const std::string &device : host.devices()) {
        const std::string netdev = host.netdev_of(device);
        const auto mtu = host.number("/sys/class/net/" + netdev + "/mtu");
        if (netdev.empty() || !mtu)
            found.push_back({Verdict::warn, fmt::format("the MTU of {} is unknown", device), ""});
        else if (*mtu < ordinary)
            found.push_back(
                {Verdict::warn,
                 fmt::format("{} has an MTU of {}: short FPDUs are slow", netdev, *mtu),
                 fmt::format("ip link set {} mtu 1500 (9000 if the switches support it)", netdev)});
        else
            found.push_back({Verdict::pass, fmt::format("{} has an MTU of {}", netdev, *mtu), ""});
    }
}

} // namespace xiw::doctor
