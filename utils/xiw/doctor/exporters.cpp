// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Exporters of Prometheus skip all RDMA devices if one file of one port is missing.
#include "doctor/doctor.hpp"

#include <fmt/format.h>

namespace xiw::doctor {

void check_exporters(const Host &host, Findings &found) {
    size_t missing = 0;
    for (const std::string &device : host.list("/sys/class/infiniband"))
        for (const char *file : {"state", "phys_state", "rate", "link_layer"}) {
            const auto path = fmt::format("/sys/class/infiniband/{}/ports/1/{}", device, file);
            if (host.text(path).value_or("").empty()) {
                missing++;
                found.push_back({Verdict::warn,
                                 fmt::format("{} cannot be read: node_exporter will not show any "
                                             "RDMA device",
                                             path),
                                 "xiw stat --prometheus does not need it"});
            }
        }
    if (missing == 0)
        found.push_back({Verdict::pass, "all files that exporters need exist", ""});
}

} // namespace xiw::doctor
