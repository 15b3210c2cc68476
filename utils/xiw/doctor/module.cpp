// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Check that the driver is installed, loaded, and has the version of this tool.
#include "doctor/doctor.hpp"
#include "version.hpp"

#include <fmt/format.h>

namespace xiw::doctor {

namespace {

bool installed(const Host &host) {
    for (const char *folder : {"updates", "updates/dkms", "extra", "kernel/drivers/infiniband"})
        for (const std::string &file :
             host.list(fmt::format("/lib/modules/{}/{}", host.release, folder)))
            if (file.starts_with("xiw.ko"))
                return true;
    return false;
}

} // namespace

void check_module(const Host &host, Findings &found) {
    if (!host.is("/sys/module/xiw")) {
        if (installed(host))
            found.push_back({Verdict::fail, "the module xiw is not loaded", "modprobe xiw"});
        else
            found.push_back({Verdict::fail,
                             fmt::format("no module xiw for the kernel {}", host.release),
                             "apt-get install xiw-dkms, or make modules && make modules_install in "
                             "the source tree"});
        return;
    }
    const std::string loaded = host.text("/sys/module/xiw/version").value_or("");
    if (!loaded.empty() && loaded != version)
        found.push_back({Verdict::warn,
                         fmt::format("the module is xiw {}, this tool is {}", loaded, version),
                         "make install, then reload the module (install.md, Upgrading)"});
    else
        found.push_back({Verdict::pass, fmt::format("xiw {} is loaded", loaded), ""});
}

} // namespace xiw::doctor
