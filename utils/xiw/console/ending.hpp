// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CONSOLE_ENDING_HPP
#define XIW_CONSOLE_ENDING_HPP

#include "util.hpp"

#include <chrono>
#include <csignal>

namespace xiw::console {

// While an object of this class exists, SIGINT, SIGTERM and SIGHUP do not end the process. within()
// reports them, so that the process can finish its work.
class Ending {
  public:
    // Throws Error.
    Ending();
    Ending(const Ending &) = delete;
    Ending &operator=(const Ending &) = delete;
    Ending(Ending &&) = delete;
    Ending &operator=(Ending &&) = delete;
    ~Ending();

    // Wait for `time`. Returns true as soon as a signal arrives, or if one has already arrived.
    bool within(std::chrono::milliseconds time);

  private:
    sigset_t mask_{}; // the previous mask
    Descriptor signals_;
    bool ended_ = false;
};

// While an object of this class exists, the first SIGINT has no effect: Ctrl-C reaches all
// processes of a pipeline, but is meant for the process that writes to standard input. When that
// process ends, the input ends. The next SIGINT ends this process.
class FirstInterrupt {
  public:
    FirstInterrupt();
    FirstInterrupt(const FirstInterrupt &) = delete;
    FirstInterrupt &operator=(const FirstInterrupt &) = delete;
    FirstInterrupt(FirstInterrupt &&) = delete;
    FirstInterrupt &operator=(FirstInterrupt &&) = delete;
    ~FirstInterrupt();

  private:
    struct sigaction before_{};
};

} // namespace xiw::console

#endif
