// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Check for an RDMA device of this driver whose port is up.
#include "doctor/doctor.hpp"

#include <fmt/format.h>

namespace xiw::doctor {

void check_device(const Host &host, Findings &found) {
    const auto devices = host.devices();

    if (devices.empty())
        found.push_back({Verdict::fail, "no RDMA device of xiw in this network namespace",
                         "rdma link add xiw0 type xiw netdev eth0 (or another interface)"});
    for (const std::string &device : devices) {
        const std::string netdev = host.netdev_of(device);
        const std::string state =
            host.text("/sys/class/infiniband/" + device + "/ports/1/state").value_or("unknown");
        if (state.find("ACTIVE") != std::string::npos)
            found.push_back(
                {Verdict::pass,
                 fmt::format("{} is active{}", device, netdev.empty() ? "" : " on " + netdev), ""});
        else
            found.push_back({Verdict::fail,
                             fmt::format("the port of {} is not active: {}", device, state),
                             fmt::format("ip link set {} up", netdev.empty() ? "DEV" : netdev)});
    }
}

} // namespace xiw::doctor
