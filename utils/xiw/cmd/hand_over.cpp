// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/elsewhere.hpp"

#include <filesystem>

namespace xiw::cmd {

std::function<std::unique_ptr<traffic::Traffic>()> traffic_of(char **argv) {
    return [argv]() -> std::unique_ptr<traffic::Traffic> {
        std::error_code error;
        hand_over(std::filesystem::read_symlink("/proc/self/exe", error).parent_path(), argv);
    };
}

} // namespace xiw::cmd
