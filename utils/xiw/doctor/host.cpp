// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "doctor/doctor.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace xiw::doctor {

namespace {

constexpr size_t text_most = 65536;

uint64_t memlock_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return 0;
    return limit.rlim_cur == RLIM_INFINITY ? std::numeric_limits<uint64_t>::max() : limit.rlim_cur;
}

} // namespace

Host this_host() {
    utsname name{};
    uname(&name);
    return {.root = "",
            .release = name.release,
            .memlock = memlock_limit(),
            .reported = reported_devices(),
            .path = path_to,
            .waiting = waiting_listeners,
            .demands = encryption_demands};
}

bool Host::is(const std::string &name) const {
    std::error_code error;
    return std::filesystem::exists(root + name, error);
}

bool Host::usable(const std::string &name) const {
    return access((root + name).c_str(), R_OK | W_OK) == 0;
}

std::optional<std::string> Host::text(const std::string &name) const {
    std::ifstream file(root + name, std::ios::binary);
    std::string content(text_most, '\0');
    if (!file)
        return std::nullopt;
    file.read(content.data(), static_cast<std::streamsize>(content.size()));
    if (file.bad() || (file.gcount() == 0 && !file.eof()))
        return std::nullopt;
    content.resize(static_cast<size_t>(file.gcount()));
    content.erase(content.find_last_not_of(" \n\t") + 1);
    return content;
}

std::optional<uint64_t> Host::number(const std::string &name) const {
    const auto content = text(name);
    uint64_t value = 0;
    if (!content)
        return std::nullopt;
    const auto [end, error] =
        std::from_chars(content->data(), content->data() + content->size(), value);
    if (error != std::errc() || end != content->data() + content->size())
        return std::nullopt;
    return value;
}

std::vector<std::string> Host::list(const std::string &folder) const {
    std::vector<std::string> names;
    std::error_code error;
    std::filesystem::directory_iterator it(root + folder, error);
    for (; !error && it != std::filesystem::directory_iterator(); it.increment(error))
        names.push_back(it->path().filename().string());
    std::ranges::sort(names);
    return names;
}

// The driver gives its devices this node description.
constexpr const char *node_description = "xiw iWARP";

std::vector<RdmaDevice> Host::devices() const {
    if (reported)
        return *reported;
    const std::string folder = "/sys/class/infiniband/";
    std::vector<RdmaDevice> ours;
    for (const std::string &name : list(folder))
        if (text(folder + name + "/node_desc") == node_description)
            ours.push_back(
                {.name = name,
                 .netdev = text(folder + name + "/ports/1/gid_attrs/ndevs/0").value_or("")});
    return ours;
}

std::string Host::netdev_of(const std::string &device) const {
    const auto all = devices();
    const auto it = std::ranges::find(all, device, &RdmaDevice::name);
    return it == all.end() ? "" : it->netdev;
}

} // namespace xiw::doctor
