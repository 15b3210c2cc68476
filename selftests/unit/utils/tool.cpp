// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "tool.hpp"

#include "cmd/command.hpp"

#include <sstream>

namespace test {

Result run_tool(Kernel *kernel, std::vector<const char *> arguments) {
    std::ostringstream out;
    std::ostringstream err;
    xiw::cmd::Environment env{
        .out = out, .err = err, .colour = false, .connect = nullptr, .ifname = nullptr};
    if (kernel != nullptr) {
        env.connect = [kernel] { return kernel->connect(); };
        env.ifname = [](uint64_t index) { return index == 7 ? "eth0" : ""; };
    }
    arguments.insert(arguments.begin(), "xiw");
    const xiw::Exit exit = xiw::cmd::run(env, static_cast<int>(arguments.size()), arguments.data());
    return {exit, out.str(), err.str()};
}

Result run_on(const xiw::doctor::Host &host, std::vector<const char *> arguments) {
    std::ostringstream out;
    std::ostringstream err;
    xiw::cmd::Environment env{.out = out,
                              .err = err,
                              .colour = false,
                              .connect = nullptr,
                              .ifname = nullptr,
                              .host = [&host] { return host; }};
    arguments.insert(arguments.begin(), "xiw");
    const xiw::Exit exit = xiw::cmd::run(env, static_cast<int>(arguments.size()), arguments.data());
    return {exit, out.str(), err.str()};
}

} // namespace test
