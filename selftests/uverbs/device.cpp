// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "device.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace uverbs {

std::string file_of(const std::string &device) {
    for (const auto &entry : std::filesystem::directory_iterator("/sys/class/infiniband_verbs")) {
        std::ifstream name(entry.path() / "ibdev");
        std::string found;
        if (std::getline(name, found) && found == device)
            return "/dev/infiniband/" + entry.path().filename().string();
    }
    throw std::runtime_error("no uverbs file of " + device);
}

} // namespace uverbs
