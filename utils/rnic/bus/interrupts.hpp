// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// MSI-X vectors: their eventfds, and interrupt moderation.
#ifndef XIW_RNIC_BUS_INTERRUPTS_HPP
#define XIW_RNIC_BUS_INTERRUPTS_HPP

#include "bus/descriptor.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

namespace xiw::rnic::bus {

class Interrupts {
  public:
    using Clock = std::chrono::steady_clock;

    explicit Interrupts(uint32_t vectors) : vectors_(vectors) {}

    uint32_t count() const { return static_cast<uint32_t>(vectors_.size()); }

    // Any thread may call the functions up to silence(). A vector that is raised without an eventfd
    // stays pending until it has an eventfd.
    void assign(uint32_t vector, Descriptor event);
    void trigger(uint32_t vector);
    // Set or get the minimum time between two interrupts, in microseconds.
    void interval(uint32_t vector, uint32_t microseconds);
    uint32_t interval(uint32_t vector) const;
    // silence(true) sets all intervals to 0, and makes raise() do nothing until silence(false).
    // Both calls drop pending interrupts.
    void silence(bool on);

    // Called by the engine. Raise a vector now, or when its interval has passed.
    void raise(uint32_t vector);
    // Raise the deferred vectors whose interval has passed. Return: time at which the next interval
    // ends; max() if no vector is deferred.
    Clock::time_point run_due();
    uint64_t raised() const;

  private:
    struct Vector {
        Descriptor event;
        bool pending = false;  // raised while there was no eventfd
        bool deferred = false; // waits for its interval
        uint32_t interval = 0;
        Clock::time_point last{};
    };

    void signal(Vector &vector);

    mutable std::mutex lock_;
    bool silent_ = true;
    uint64_t raised_ = 0;
    std::vector<Vector> vectors_;
};

} // namespace xiw::rnic::bus

#endif
