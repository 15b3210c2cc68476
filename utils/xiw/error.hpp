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
    failed = 1,      // for example: the kernel refused a request, or the output was not written
    usage = 2,       // the command line is invalid
    absent = 3,      // the module is not loaded, or user-space verbs are not available
    denied = 4,      // CAP_NET_ADMIN or access to user-space verbs is missing
    differs = 5,     // ping: wrong data
    unsupported = 6, // ping: one end does not support an operation
};

// Ends a command early. The hint, if any, proposes the next step.
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

// A message from the kernel that violates the rules of netlink or of the family.
class Malformed : public Error {
  public:
    explicit Malformed(const std::string &what)
        : Error(Exit::failed, "malformed netlink message: " + what) {}
};

} // namespace xiw

#endif
