// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/command.hpp"
#include "cmd/elsewhere.hpp"
#include "console/terminal.hpp"

#include <cstdlib>
#include <iostream>
#include <memory>

#include <sys/ioctl.h>
#include <unistd.h>

namespace {

// Returns true if output may have colours. NO_COLOR disables them (https://no-color.org).
bool colour() {
    const char *no_color = std::getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

// Get the number of columns of the terminal. Returns 0 if there is no terminal, or if the terminal
// does not report the number, as on a serial line.
size_t columns() {
    winsize now{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &now) == 0 ? now.ws_col : 0;
}

} // namespace

int main(int argc, char **argv) {
    std::ios::sync_with_stdio(false);
    xiw::cmd::Environment env{
        .out = std::cout,
        .err = std::cerr,
        .colour = colour(),
        .connect = [] { return std::make_unique<xiw::nl::Socket>(); },
        .ifname = xiw::nl::interface_name,
        .ifindex = xiw::nl::interface_index,
        .in = &std::cin,
        .console =
            [] { return std::make_unique<xiw::console::Terminal>(STDIN_FILENO, STDOUT_FILENO); },
        .traffic = xiw::cmd::traffic_of(argv),
        .columns = columns(),
        .rewrite = isatty(STDERR_FILENO) != 0,
    };
    return static_cast<int>(xiw::cmd::run(env, argc, argv));
}
