// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "ring/event_ring.hpp"

#include "rnic.hpp"
#include "stream/stream.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace xiw::rnic {

namespace {

enum : u32 { burst_ms = 10 }; // time limit of `burst` for events that are held back

} // namespace

EventRing::EventRing(Rnic &rnic, u32 vector)
    : rnic_(rnic), vector_(vector), release_(rnic.timers(), [this] { release(); }) {}

u8 EventRing::create(const xiw_adm_ring &ring) {
    if (ring.ring == 0 || ring.log2_entries < 4 || ring.log2_entries > 24)
        return XIW_ERR_INVALID;
    if (there_)
        return XIW_ERR_BUSY;
    there_ = true;
    ring_ = le64_to_cpu(ring.ring);
    mask_ = (1U << ring.log2_entries) - 1;
    produced_ = 0;
    consumed_ = 0;
    reserved_ = 0;
    armed_ = true;
    return XIW_OK;
}

// The driver must have destroyed the streams of this vector before, so drop all reservations and
// stalls.
void EventRing::destroy() {
    release();
    there_ = false;
    reserved_ = 0;
    stalled_.clear();
}

bool EventRing::reserve(u32 count) {
    if (!there_ || mask_ + 1 - (produced_ - consumed_) < reserved_ + count)
        return false;
    reserved_ += count;
    return true;
}

void EventRing::cancel(u32 count) {
    reserved_ -= std::min(count, reserved_);
    wake_stalled();
}

void EventRing::put(const xiw_event &event, size_t size) {
    constexpr size_t body = offsetof(xiw_event, status);
    const u64 slot = ring_ + u64{produced_ & mask_} * XIW_EVENT_SIZE;
    u8 phase = (produced_ & (mask_ + 1)) != 0 ? 0 : XIW_EVENT_PHASE;

    if (rnic_.faults().strikes(Faults::phase))
        phase ^= XIW_EVENT_PHASE;
    if (rnic_.faults().strikes(Faults::garbage)) {
        xiw_event nonsense{};
        std::memset(&nonsense, 0xa5, sizeof(nonsense));
        rnic_.memory().write(slot, &nonsense, sizeof(nonsense));
    } else {
        rnic_.memory().tell(slot, event.type);
        rnic_.memory().tell(slot + body, reinterpret_cast<const u8 *>(&event) + body, size - body);
    }
    rnic_.memory().store_octet(slot + offsetof(xiw_event, flags), phase);
    produced_++;
}

void EventRing::write(const xiw_event &event, size_t size, const std::function<void()> &written) {
    // `flood` writes one and a half rounds. If the driver has read all events, the first round
    // overwrites no unread event, but the second one does.
    const u32 round = mask_ + 1;
    const u32 times = rnic_.faults().strikes(Faults::flood) ? round + round / 2 : 1;

    reserved_--;
    for (u32 i = 0; i < times; i++)
        put(event, size);
    if (written)
        written();
}

void EventRing::interrupt() {
    if (std::exchange(armed_, false))
        rnic_.interrupt(vector_);
}

void EventRing::release() {
    std::vector<Held> burst = std::exchange(held_, {});

    release_.cancel();
    if (burst.size() > 1 && rnic_.faults().strikes(Faults::early))
        std::stable_partition(burst.begin(), burst.end(),
                              [](const Held &held) { return held.event.type == XIW_EV_STATE; });
    for (const Held &held : burst)
        write(held.event, held.size, held.written);
    if (!burst.empty())
        interrupt();
}

void EventRing::commit(const xiw_event &event, size_t size, std::function<void()> written) {
    if (!there_)
        return;
    if (!rnic_.faults().strikes(Faults::burst)) {
        write(event, size, written);
        interrupt();
        return;
    }
    held_.push_back({event, size, std::move(written)});
    if (held_.size() >= rnic_.faults().value(Faults::burst))
        release();
    else
        release_.arm_earlier(burst_ms);
}

void EventRing::commit(const xiw_event &event, size_t size) {
    commit(event, size, {});
}

void EventRing::stall(Stream &stream, u32 count) {
    rnic_.stats().event_stalls++;
    if (there_ && mask_ + 1 < count)
        return;
    if (std::find(stalled_.begin(), stalled_.end(), stream.index()) == stalled_.end())
        stalled_.push_back(stream.index());
}

void EventRing::forget(const Stream &stream) {
    std::erase(stalled_, stream.index());
}

void EventRing::wake_stalled() {
    for (const u32 index : stalled_)
        if (Stream *stream = rnic_.stream(index))
            rnic_.schedule(*stream);
    stalled_.clear();
}

void EventRing::notify(u32 owner, const xiw_event &event, std::function<void()> written) {
    notices_.push_back({owner, event, std::move(written)});
    write_notices();
}

void EventRing::withdraw(u32 owner) {
    std::erase_if(notices_, [owner](const Notice &notice) { return notice.owner == owner; });
}

void EventRing::write_notices() {
    while (!notices_.empty() && reserve(1)) {
        Notice notice = std::move(notices_.front());
        notices_.pop_front();
        commit(notice.event, sizeof(notice.event), std::move(notice.written));
    }
}

void EventRing::consumed(u32 index, bool arm) {
    if (!there_)
        return;
    // Doorbells of several CPUs may overtake each other, so ignore an older index.
    if (index - consumed_ <= produced_ - consumed_)
        consumed_ = index;
    else if (static_cast<s32>(index - consumed_) > 0)
        throw Fatal{XIW_FATAL_DOORBELL, XIW_DB_EVENT};
    if (arm)
        armed_ = produced_ == consumed_;
    if (arm && !armed_)
        rnic_.interrupt(vector_);
    write_notices();
    wake_stalled();
}

} // namespace xiw::rnic
