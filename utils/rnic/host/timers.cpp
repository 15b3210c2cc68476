// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "host/timers.hpp"

namespace xiw::rnic::host {

void Timers::run_due() {
    const auto now = Clock::now();

    while (!queue_.empty() && queue_.begin()->first <= now) {
        Timer *timer = queue_.begin()->second;
        timer->cancel();
        timer->fire_();
    }
}

Timers::Clock::time_point Timers::next() const {
    return queue_.empty() ? Clock::time_point::max() : queue_.begin()->first;
}

void Timers::Timer::arm(uint32_t milliseconds) {
    cancel();
    at_ = timers_.queue_.emplace(Clock::now() + std::chrono::milliseconds(milliseconds), this);
    armed_ = true;
}

void Timers::Timer::arm_earlier(uint32_t milliseconds) {
    if (!armed_ || Clock::now() + std::chrono::milliseconds(milliseconds) < at_->first)
        arm(milliseconds);
}

void Timers::Timer::cancel() {
    if (armed_)
        timers_.queue_.erase(at_);
    armed_ = false;
}

} // namespace xiw::rnic::host
