// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef TEST_TOOL_HPP
#define TEST_TOOL_HPP

#include "doctor/doctor.hpp"
#include "error.hpp"
#include "kernel.hpp"

#include <string>
#include <vector>

namespace test {

struct Result {
    xiw::Exit exit;
    std::string out;
    std::string err;
};

// The whole tool, without colour. Without a kernel it crashes if it asks for one.
Result run_tool(Kernel *kernel, std::vector<const char *> arguments);
// On another machine.
Result run_on(const xiw::doctor::Host &host, std::vector<const char *> arguments);

} // namespace test

#endif
