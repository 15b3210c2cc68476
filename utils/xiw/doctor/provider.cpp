// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// libibverbs loads a provider for each driver. A provider is built for one private ABI, whose
// number is part of the file name.
#include "doctor/doctor.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace xiw::doctor {

namespace {

constexpr const char *suffix = ".so";

// "libsiw-rdmav34.so": return the number; empty if the file is not a provider.
std::string abi_of(const std::string &file) {
    const size_t at = file.rfind("-rdmav");
    if (at == std::string::npos || !file.ends_with(suffix))
        return {};
    return file.substr(at + 6, file.size() - at - 6 - 3);
}

} // namespace

void check_provider(const Host &host, Findings &found) {
    std::vector<std::string> ours;
    std::vector<std::string> others;

    for (const char *folder : {"/usr/lib/x86_64-linux-gnu/libibverbs", "/usr/lib64/libibverbs",
                               "/usr/local/lib/libibverbs"})
        for (const std::string &file : host.list(folder))
            if (const std::string abi = abi_of(file); !abi.empty())
                (file.starts_with("libxiw-") ? ours : others).push_back(abi);
    if (ours.empty())
        found.push_back({Verdict::warn,
                         "libibverbs has no provider for xiw: only kernel ULPs can use it",
                         "install ibverbs-provider-xiw, or build it: make utils && make install"});
    else if (!others.empty() && std::ranges::find_first_of(ours, others) == ours.end())
        found.push_back({Verdict::fail,
                         fmt::format("the provider is for private ABI {}, libibverbs has {}",
                                     ours.front(), others.front()),
                         "build the provider against the libibverbs that is installed"});
    else
        found.push_back({Verdict::pass, "libibverbs has a provider for xiw", ""});
}

} // namespace xiw::doctor
