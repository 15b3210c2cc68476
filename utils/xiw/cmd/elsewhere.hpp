// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The programs xiw and xiw-traffic share main(), but each program links its own traffic_of(). xiw
// does not link libibverbs and librdmacm. For the commands that need these libraries, xiw executes
// xiw-traffic with unchanged arguments. So both programs parse and print with the same code, and
// need no protocol between them. The other commands work without the libraries.
#ifndef XIW_CMD_ELSEWHERE_HPP
#define XIW_CMD_ELSEWHERE_HPP

#include "traffic/traffic.hpp"

#include <functional>
#include <memory>
#include <string>

namespace xiw::cmd {

// Get a function that creates the implementation of traffic::Traffic. The program xiw is linked
// without the implementation. In xiw, the returned function executes xiw-traffic, and throws Error
// if xiw-traffic cannot be executed.
std::function<std::unique_ptr<traffic::Traffic>()> traffic_of(char **argv);

// Execute xiw-traffic. `folder` is the folder of this program. Search for xiw-traffic in `folder`,
// where a build puts it, and then in the folder in which it is installed. Throws an Error that
// names the missing program or library.
[[noreturn]] void hand_over(const std::string &folder, char **argv);

} // namespace xiw::cmd

#endif
