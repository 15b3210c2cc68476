// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Which network namespaces see RDMA devices: all of them, or only the device's own?
#include "doctor/doctor.hpp"

namespace xiw::doctor {

void check_namespace(const Host &host, Findings &found) {
    const auto shared = host.text("/sys/module/ib_core/parameters/netns_mode");

    if (!shared)
        found.push_back({Verdict::warn, "ib_core is not loaded", "modprobe ib_core"});
    else if (*shared == "Y")
        found.push_back({Verdict::pass,
                         "RDMA devices are shared by all network namespaces (rdma system "
                         "set netns exclusive changes that)",
                         ""});
    else
        found.push_back({Verdict::pass, "RDMA devices belong to one network namespace each", ""});
}

} // namespace xiw::doctor
