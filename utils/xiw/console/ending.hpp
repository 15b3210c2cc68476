// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CONSOLE_ENDING_HPP
#define XIW_CONSOLE_ENDING_HPP

#include "descriptor.hpp"

#include <chrono>
#include <csignal>

namespace xiw::console {

// For who has something to finish: while it lives, the signals that ask a process to end
// are a word that is heard when one listens.
class Ending {
  public:
    // Throws Error.
    Ending();
    Ending(const Ending &) = delete;
    Ending &operator=(const Ending &) = delete;
    Ending(Ending &&) = delete;
    Ending &operator=(Ending &&) = delete;
    ~Ending();

    // Waits so long. True at once when one has come, and from then on.
    bool within(std::chrono::milliseconds time);

  private:
    sigset_t mask_{}; // of before
    Descriptor signals_;
    bool ended_ = false;
};

} // namespace xiw::console

#endif
