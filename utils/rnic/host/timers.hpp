// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Timers of one thread. They fire in run_due(), never in arm().
#ifndef XIW_RNIC_HOST_TIMERS_HPP
#define XIW_RNIC_HOST_TIMERS_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>

namespace xiw::rnic::host {

class Timers {
  public:
    using Clock = std::chrono::steady_clock;
    class Timer;

    void run_due();
    // Get the time at which the next timer expires; max() if none is armed.
    Clock::time_point next() const;

  private:
    using Queue = std::multimap<Clock::time_point, Timer *>;

    Queue queue_;
};

class Timers::Timer {
  public:
    // The owner of a timer must not be destroyed while the timer fires.
    Timer(Timers &timers, std::function<void()> fire) : timers_(timers), fire_(std::move(fire)) {}
    Timer(const Timer &) = delete;
    Timer &operator=(const Timer &) = delete;
    Timer(Timer &&) = delete;
    Timer &operator=(Timer &&) = delete;
    ~Timer() { cancel(); }

    void arm(uint32_t milliseconds);
    // Arm the timer, unless it is armed for an earlier time.
    void arm_earlier(uint32_t milliseconds);
    void cancel();
    bool armed() const { return armed_; }

  private:
    friend class Timers;

    Timers &timers_;
    std::function<void()> fire_;
    bool armed_ = false;
    Queue::iterator at_;
};

} // namespace xiw::rnic::host

#endif
