// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Every wait has an end: its time, or SIGINT and SIGTERM.
#ifndef XIW_TRAFFIC_VERBS_WAIT_HPP
#define XIW_TRAFFIC_VERBS_WAIT_HPP

#include "error.hpp"
#include "traffic/traffic.hpp"

#include <chrono>

namespace xiw::traffic {

using Clock = std::chrono::steady_clock;

class Deadline {
  public:
    explicit Deadline(Duration time) : end_(Clock::now() + time) {}
    bool over() const { return Clock::now() >= end_; }
    int milliseconds() const; // for poll(), 0 when it is over

  private:
    Clock::time_point end_;
};

// Thrown out of a wait by a signal: the user has seen enough.
class Interrupted {};

// From here on the two signals are read, and do not kill. One for a program.
class Interrupts {
  public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts &) = delete;
    Interrupts(Interrupts &&) = delete;
    Interrupts &operator=(const Interrupts &) = delete;
    Interrupts &operator=(Interrupts &&) = delete;

    int fd() const { return fd_; }
    // Until the descriptor (none: -1) has something: false when the time is over. Throws
    // Interrupted.
    bool readable(int fd, const Deadline &deadline) const;

  private:
    int fd_;
};

} // namespace xiw::traffic

#endif
