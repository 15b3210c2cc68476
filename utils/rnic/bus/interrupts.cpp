// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "bus/interrupts.hpp"

#include <algorithm>

#include <poll.h>
#include <sys/eventfd.h>

namespace xiw::rnic::bus {

namespace {

// Signal an eventfd. Returns true if the eventfd is signaled afterwards. The client may have passed
// an eventfd that blocks, so do not write to a full counter. An eventfd with a full counter is
// already signaled.
bool signaled(const Descriptor &event) {
    pollfd room{.fd = event.get(), .events = POLLOUT, .revents = 0};

    if (poll(&room, 1, 0) <= 0 || (room.revents & POLLOUT) == 0)
        return true;
    return eventfd_write(event.get(), 1) == 0;
}

} // namespace

void Interrupts::signal(Vector &vector) {
    vector.deferred = false;
    vector.last = Clock::now();
    raised_++;
    vector.pending = !vector.event || !signaled(vector.event);
}

void Interrupts::assign(uint32_t vector, Descriptor event) {
    const std::lock_guard guard(lock_);
    Vector &v = vectors_.at(vector);

    v.event = std::move(event);
    if (v.event && v.pending && !silent_)
        v.pending = !signaled(v.event);
}

void Interrupts::trigger(uint32_t vector) {
    const std::lock_guard guard(lock_);

    signal(vectors_.at(vector));
}

void Interrupts::interval(uint32_t vector, uint32_t microseconds) {
    const std::lock_guard guard(lock_);

    vectors_.at(vector).interval = microseconds;
}

uint32_t Interrupts::interval(uint32_t vector) const {
    const std::lock_guard guard(lock_);

    return vectors_.at(vector).interval;
}

void Interrupts::silence(bool on) {
    const std::lock_guard guard(lock_);

    silent_ = on;
    for (Vector &v : vectors_) {
        v.pending = false;
        v.deferred = false;
        if (on)
            v.interval = 0;
    }
}

void Interrupts::raise(uint32_t vector) {
    const std::lock_guard guard(lock_);
    Vector &v = vectors_.at(vector);

    if (silent_)
        return;
    if (v.interval > 0 && Clock::now() < v.last + std::chrono::microseconds(v.interval))
        v.deferred = true;
    else
        signal(v);
}

Interrupts::Clock::time_point Interrupts::run_due() {
    const std::lock_guard guard(lock_);
    const auto now = Clock::now();
    auto next = Clock::time_point::max();

    for (Vector &v : vectors_) {
        if (!v.deferred)
            continue;
        const auto due = v.last + std::chrono::microseconds(v.interval);
        if (due <= now)
            signal(v);
        else
            next = std::min(next, due);
    }
    return next;
}

uint64_t Interrupts::raised() const {
    const std::lock_guard guard(lock_);

    return raised_;
}

} // namespace xiw::rnic::bus
