// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// User-space programs access RDMA through these files. Kernel ULPs need none.
#include "doctor/doctor.hpp"

#include <fmt/format.h>

namespace xiw::doctor {

namespace {

constexpr const char *folder = "/dev/infiniband";

void look_at(const Host &host, const std::string &name, Findings &found) {
    const std::string path = fmt::format("{}/{}", folder, name);
    if (host.usable(path))
        found.push_back({Verdict::pass, path + " is usable", ""});
    else
        found.push_back({Verdict::warn, path + " is not usable by this user",
                         "apt-get install rdma-core (its udev rules)"});
}

} // namespace

void check_uverbs(const Host &host, Findings &found) {
    bool verbs = false;
    for (const std::string &name : host.list(folder))
        if (name.starts_with("uverbs") || name == "rdma_cm") {
            verbs = verbs || name.starts_with("uverbs");
            look_at(host, name, found);
        }
    if (!verbs)
        found.push_back({Verdict::warn, "no /dev/infiniband/uverbsN: only kernel ULPs can use xiw",
                         "modprobe -a ib_uverbs rdma_ucm"});
}

} // namespace xiw::doctor
