// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The RDMA controller of cgroups may limit the number of objects.
#include "doctor/doctor.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace xiw::doctor {

namespace {

// "0::/user.slice": return the path of the unified hierarchy.
std::string own_group(const Host &host) {
    std::istringstream lines(host.text("/proc/self/cgroup").value_or(""));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("0::"))
            return line.substr(3);
    return {};
}

} // namespace

void check_cgroup(const Host &host, Findings &found) {
    const std::string file = "/sys/fs/cgroup" + own_group(host) + "/rdma.max";
    const auto devices = host.devices();
    std::istringstream lines(host.text(file).value_or(""));
    bool limited = false;

    // "xiw0 hca_handle=2 hca_object=max"
    for (std::string line; std::getline(lines, line);) {
        const std::string device = line.substr(0, line.find(' '));
        std::string limits = line.substr(std::min(device.size() + 1, line.size()));
        if (std::ranges::find(devices, device) == devices.end() ||
            limits == "hca_handle=max hca_object=max")
            continue;
        limited = true;
        found.push_back({Verdict::warn,
                         fmt::format("the control group limits {}: {}", device, limits),
                         fmt::format("echo {} hca_handle=max hca_object=max > {}", device, file)});
    }
    if (!limited)
        found.push_back({Verdict::pass, "no control group limits RDMA objects", ""});
}

} // namespace xiw::doctor
