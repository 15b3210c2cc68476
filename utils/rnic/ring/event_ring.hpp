// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The producer side of an event ring. A stream reserves room for an event before the action that
// the event reports. So no event is dropped or overwritten. If there is no room, the stream stalls
// until the consumer index changes or another reservation is canceled. Control events need no
// reservation. They are few, so this class queues them.
#ifndef XIW_RNIC_RING_EVENT_RING_HPP
#define XIW_RNIC_RING_EVENT_RING_HPP

#include "core.hpp"
#include "host/timers.hpp"

#include <deque>
#include <functional>
#include <vector>

namespace xiw::rnic {

class Rnic;
class Stream;

class EventRing {
  public:
    EventRing(Rnic &rnic, u32 vector);

    u8 create(const xiw_adm_ring &ring);
    void destroy();

    bool reserve(u32 count);
    void cancel(u32 count);
    // Write an event for which room is reserved. size is the number of octets in use. The event's
    // flags are ignored.
    void commit(const xiw_event &event, size_t size);
    // Stall a stream that needs room for count events. The stream runs again when there may be
    // room.
    void stall(Stream &stream, u32 count);
    void forget(const Stream &stream);

    // Write a control event, now or when there is room. Control events keep their order. Calls
    // written() when the event is in the ring.
    void notify(u32 owner, const xiw_event &event, std::function<void()> written = {});
    // Remove an owner's events that are not in the ring yet.
    void withdraw(u32 owner);

    // Write the events that `burst` holds back.
    void release();

    // Handle a doorbell of the driver.
    void consumed(u32 index, bool arm);

  private:
    struct Notice {
        u32 owner;
        xiw_event event;
        std::function<void()> written;
    };

    // A committed event that `burst` holds back. Its room stays reserved.
    struct Held {
        xiw_event event;
        size_t size;
        std::function<void()> written;
    };

    void commit(const xiw_event &event, size_t size, std::function<void()> written);
    void write(const xiw_event &event, size_t size, const std::function<void()> &written);
    void interrupt();
    void put(const xiw_event &event, size_t size);
    void write_notices();
    void wake_stalled();

    Rnic &rnic_;
    u32 vector_;
    bool there_ = false;
    u64 ring_ = 0;
    u32 mask_ = 0;
    u32 produced_ = 0;
    u32 consumed_ = 0;
    u32 reserved_ = 0;
    bool armed_ = false;
    std::vector<u32> stalled_; // indexes of streams
    std::deque<Notice> notices_;
    std::vector<Held> held_; // events that `burst` holds back
    host::Timers::Timer release_;
};

} // namespace xiw::rnic

#endif
