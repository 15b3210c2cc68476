// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// DKMS builds the driver for each kernel whose headers are installed. This warns before the next
// boot about kernels without them.
#include "doctor/doctor.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace xiw::doctor {

namespace {

constexpr const char *tree = "/var/lib/dkms/xiw";

// DKMS has TREE/VERSION/RELEASE/ARCHITECTURE/module/xiw.ko, possibly compressed.
bool built(const Host &host, const std::string &version, const std::string &release) {
    const std::string folder = fmt::format("{}/{}/{}", tree, version, release);
    for (const std::string &architecture : host.list(folder))
        for (const std::string &file : host.list(fmt::format("{}/{}/module", folder, architecture)))
            if (file.starts_with("xiw.ko"))
                return true;
    return false;
}

// Next to each version are links to installed modules, kernel-RELEASE-ARCHITECTURE.
std::vector<std::string> versions(const Host &host) {
    std::vector<std::string> names = host.list(tree);
    std::erase_if(names, [&host](const std::string &name) {
        return !host.is(fmt::format("{}/{}/source", tree, name));
    });
    return names;
}

// The running kernel, and kernels that may be booted next: those with modules.
std::vector<std::string> kernels(const Host &host) {
    std::vector<std::string> releases = host.list("/lib/modules");
    std::erase_if(releases, [&host](const std::string &release) {
        return release != host.release && !host.is(fmt::format("/lib/modules/{}/kernel", release));
    });
    if (std::ranges::find(releases, host.release) == releases.end())
        releases.push_back(host.release);
    return releases;
}

} // namespace

void check_dkms(const Host &host, Findings &found) {
    const auto known = versions(host);
    bool missing = false;
    if (known.empty()) {
        found.push_back({Verdict::pass, "the module is not managed by DKMS", ""});
        return;
    }
    for (const std::string &release : kernels(host)) {
        if (std::ranges::any_of(
                known, [&](const std::string &version) { return built(host, version, release); }))
            continue;
        missing = true;
        const bool headers = host.is(fmt::format("/lib/modules/{}/build/Makefile", release));
        found.push_back({Verdict::warn,
                         fmt::format("DKMS has no module for the kernel {}{}", release,
                                     headers ? "" : ", whose headers are missing"),
                         headers ? fmt::format("dkms install xiw/{} -k {}", known.back(), release)
                                 : fmt::format("apt-get install linux-headers-{}", release)});
    }
    if (!missing)
        found.push_back({Verdict::pass, "DKMS has the module for each kernel", ""});
}

} // namespace xiw::doctor
