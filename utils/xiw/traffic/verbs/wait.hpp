// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Waits, which end at their time limit, or by SIGINT or SIGTERM.
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
    int milliseconds() const; // argument of poll(); 0 after the time limit

  private:
    Clock::time_point end_;
};

// Thrown by a wait after a signal: the user has interrupted the program.
class Interrupted {};

// While an object of this class exists, SIGINT and SIGTERM are blocked, and readable() reads them.
// A program has at most one such object.
class Interrupts {
  public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts &) = delete;
    Interrupts(Interrupts &&) = delete;
    Interrupts &operator=(const Interrupts &) = delete;
    Interrupts &operator=(Interrupts &&) = delete;

    int fd() const { return fd_; }
    // Wait until the descriptor (-1: none) is readable. Returns false at the time limit. Throws
    // Interrupted.
    bool readable(int fd, const Deadline &deadline) const;

  private:
    int fd_;
};

} // namespace xiw::traffic

#endif
