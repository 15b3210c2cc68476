// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// xiw and xiw-traffic are one main() with another of these functions: xiw is without
// libibverbs and librdmacm, and hands what needs them over to xiw-traffic, with its
// arguments as they are. So each of the two parses and prints by the same code, nothing has
// to be said between them, and an inspection never needs those libraries.
#ifndef XIW_CMD_ELSEWHERE_HPP
#define XIW_CMD_ELSEWHERE_HPP

#include "traffic/traffic.hpp"

#include <functional>
#include <memory>
#include <string>

namespace xiw::cmd {

// Who carries traffic out. In xiw a call of it does not return, or throws Error.
std::function<std::unique_ptr<traffic::Traffic>()> traffic_of(char **argv);

// Becomes xiw-traffic: beside this program, as after a build, or where it is installed.
// Throws Error with what is missing. `folder` is where this program is.
[[noreturn]] void hand_over(const std::string &folder, char **argv);

} // namespace xiw::cmd

#endif
