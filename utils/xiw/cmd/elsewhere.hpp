// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// xiw and xiw-traffic have the same main() with different versions of these functions. xiw does
// not link libibverbs and librdmacm, and executes xiw-traffic with unchanged arguments for
// commands that need them. So both parse and print with the same code and need no protocol, and
// inspection never needs those libraries.
#ifndef XIW_CMD_ELSEWHERE_HPP
#define XIW_CMD_ELSEWHERE_HPP

#include "traffic/traffic.hpp"

#include <functional>
#include <memory>
#include <string>

namespace xiw::cmd {

// The implementation of traffic. In xiw, a call does not return, or throws Error.
std::function<std::unique_ptr<traffic::Traffic>()> traffic_of(char **argv);

// Execute xiw-traffic, from the folder of this program (after a build) or from where it is
// installed. Throws Error that names the missing part. `folder` is the folder of this program.
[[noreturn]] void hand_over(const std::string &folder, char **argv);

} // namespace xiw::cmd

#endif
