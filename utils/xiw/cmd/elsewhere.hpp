// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// xiw and xiw-traffic have the same main() with different versions of these functions. xiw does not
// link libibverbs and librdmacm. For commands that need these libraries, it executes xiw-traffic
// with unchanged arguments. So both programs use the same code to parse and print, and need no
// protocol between them. Inspection never needs the libraries.
#ifndef XIW_CMD_ELSEWHERE_HPP
#define XIW_CMD_ELSEWHERE_HPP

#include "traffic/traffic.hpp"

#include <functional>
#include <memory>
#include <string>

namespace xiw::cmd {

// Get the implementation of traffic. In xiw, the call does not return, or throws Error.
std::function<std::unique_ptr<traffic::Traffic>()> traffic_of(char **argv);

// Execute xiw-traffic, from the folder of this program (after a build) or from the folder in which
// it is installed. Throws an Error that names the missing part. `folder` is the folder of this
// program.
[[noreturn]] void hand_over(const std::string &folder, char **argv);

} // namespace xiw::cmd

#endif
