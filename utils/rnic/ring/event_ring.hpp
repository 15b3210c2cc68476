// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Producer side of an event ring. Room is reserved before the act that an event tells
// of, so none is dropped or overwritten; who finds no room stalls and is woken by the
// consumer's next index. Control events are few and queue here instead.
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
    // One that was reserved; size: octets of it in use. Its flags do not matter.
    void commit(const xiw_event &event, size_t size);
    // No room for count events: the stream runs again when there may be.
    void stall(Stream &stream, u32 count);
    void forget(const Stream &stream);

    // A control event; never lost, keeps its order. written: it is in the ring now.
    void notify(u32 owner, const xiw_event &event, std::function<void()> written = {});
    // Those of an owner that are not in the ring yet.
    void withdraw(u32 owner);

    // Writes what a burst holds back.
    void release();

    // The driver's doorbell.
    void consumed(u32 index, bool arm);

  private:
    struct Notice {
        u32 owner;
        xiw_event event;
        std::function<void()> written;
    };

    // One that has been committed; its room is reserved until it is in the ring.
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
    std::vector<Held> held_; // of a burst
    host::Timers::Timer release_;
};

} // namespace xiw::rnic

#endif
