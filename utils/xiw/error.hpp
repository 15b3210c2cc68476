// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_ERROR_HPP
#define XIW_ERROR_HPP

#include <stdexcept>
#include <string>
#include <utility>

namespace xiw {

// Exit status of the tool; xiw(8) documents these numbers.
enum class Exit {
    ok = 0,
    failed = 1,      // the kernel refused, or its answer made no sense
    usage = 2,       // the command line makes no sense
    absent = 3,      // the kernel has no family "xiw": module not loaded
    denied = 4,      // the caller lacks CAP_NET_ADMIN
    differs = 5,     // ping: other data than it had to be
    unsupported = 6, // ping: an operation that one of the ends does not have
};

// Everything that ends a command early. The hint, if any, is what to do next.
class Error : public std::runtime_error {
  public:
    Error(Exit exit, const std::string &what, std::string hint = {})
        : std::runtime_error(what), exit_(exit), hint_(std::move(hint)) {}

    Exit exit() const { return exit_; }
    const std::string &hint() const { return hint_; }

  private:
    Exit exit_;
    std::string hint_;
};

// A message from the kernel that breaks the rules of netlink or of our family.
class Malformed : public Error {
  public:
    explicit Malformed(const std::string &what)
        : Error(Exit::failed, "malformed netlink message: " + what) {}
};

} // namespace xiw

#endif
