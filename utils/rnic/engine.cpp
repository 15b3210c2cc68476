// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "engine.hpp"

#include "limits.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include <sys/eventfd.h>

namespace xiw::rnic {

Engine::Bell::Bell() : event_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (!event_)
        throw std::system_error(errno, std::generic_category(), "eventfd");
}

void Engine::Bell::ready() {
    eventfd_t count = 0;

    eventfd_read(event_.get(), &count);
}

void Engine::Bell::ring() const {
    eventfd_write(event_.get(), 1);
}

Engine::Engine(bus::Dma &dma, bus::Interrupts &interrupts, host::Port &port, Faults faults,
               host::Capture *capture)
    : around_{dma, interrupts, port, poller_, faults_, capture}, faults_(faults) {
    uint64_t name = 0;

    if (const int error = poller_.add(bell_.fd(), bell_, name); error != 0)
        throw std::system_error(-error, std::generic_category(), "epoll");
    thread_ = std::thread([this] { run(); });
}

Engine::~Engine() {
    {
        const std::lock_guard guard(lock_);
        mail_.quit = true;
    }
    bell_.ring();
    thread_.join();
}

u64 Engine::status() const {
    return state_ | u64{resets_} << XIW_PCI_RESETS_SHIFT;
}

void Engine::ring(u64 doorbell) {
    const u64 kind = doorbell >> XIW_DB_KIND_SHIFT;
    u64 what = doorbell & ~u64{0xffffffff};
    const std::lock_guard guard(lock_);

    if (state_ != XIW_PCI_READY || kind < XIW_DB_ADMIN || kind > XIW_DB_STREAM)
        return;
    if (((what >> XIW_DB_INDEX_SHIFT) & 0xffffff) >= std::max({max_streams, max_shared_rx}))
        return;
    // Do not merge different orders. All values above RECEIVE are invalid, and count as one order.
    if (kind == XIW_DB_STREAM)
        what |= std::min<u64>(doorbell & 0xffffffff, XIW_ORDER_RECEIVE + 1);
    const auto value = static_cast<u32>(doorbell);
    const auto [place, fresh] = mail_.places.try_emplace(what, mail_.doorbells.size());
    if (fresh)
        mail_.doorbells.emplace_back(what & ~u64{0xffffffff}, value);
    // Use the newer index, because doorbells of several CPUs may overtake each other.
    else if (static_cast<s32>(value - mail_.doorbells[place->second].second) > 0)
        mail_.doorbells[place->second].second = value;
    if (mail_.doorbells.size() == 1)
        bell_.ring();
}

void Engine::enable(u64 admin_base, u64 admin_log2) {
    const std::lock_guard guard(lock_);

    mail_.enable = true;
    mail_.admin_base = admin_base;
    mail_.admin_log2 = admin_log2;
    bell_.ring();
}

void Engine::reset(bool hard) {
    const std::lock_guard guard(lock_);

    around_.interrupts.silence(true);
    // The engine thread destroys the old Rnic later. The old Rnic may still be working when
    // the next driver sets Bus Master Enable, so suspend its accesses to memory.
    around_.dma.suspend(true);
    state_ = XIW_PCI_RESETTING;
    mail_.reset = true;
    mail_.hard = mail_.hard || hard;
    mail_.enable = false;
    mail_.doorbells.clear();
    mail_.places.clear();
    bell_.ring();
}

// ------------------------------------------------------------------------ the thread

// Report the failure by an event. This is not possible if the event ring is not accessible or if
// there is no memory.
void Engine::notify_failed() noexcept {
    try {
        if (rnic_ && state_ == XIW_PCI_READY)
            rnic_->device_state(XIW_DEV_FAILED);
    } catch (...) {
        return; // fatal_ keeps the first error
    }
}

void Engine::failed(const Fatal &fatal) noexcept {
    u32 ready = XIW_PCI_READY;

    fatal_ = static_cast<u64>(fatal.why) | u64{fatal.detail} << 32;
    notify_failed();
    rnic_.reset();
    around_.port.remove_all();
    // Set FAILED last, because a driver that reads FAILED may use its memory for other purposes. If
    // a reset was requested, the state is no longer READY, and does not become FAILED.
    if (state_.compare_exchange_strong(ready, XIW_PCI_FAILED))
        around_.interrupts.raise(0);
}

// End a failed ENABLE. The driver is waiting for READY, so raise no interrupt.
void Engine::enable_failed(u64 why) {
    u32 idle = XIW_PCI_IDLE;

    fatal_ = why;
    state_.compare_exchange_strong(idle, XIW_PCI_FAILED);
}

void Engine::bring_up(u64 admin_base, u64 admin_log2) {
    u32 idle = XIW_PCI_IDLE;

    if (state_ != XIW_PCI_IDLE)
        return;
    if (admin_base == 0 || admin_base % XIW_ADMIN_SIZE != 0 || admin_log2 > max_admin_log2) {
        enable_failed(XIW_FATAL_ADMIN);
        return;
    }
    try {
        if (faults_.strikes(Faults::enable))
            throw std::bad_alloc();
        rnic_ = std::make_unique<Rnic>(around_, admin_base, static_cast<u32>(admin_log2));
    } catch (const std::bad_alloc &) {
        enable_failed(XIW_FATAL_INTERNAL);
        return;
    }
    around_.interrupts.silence(false);
    if (!state_.compare_exchange_strong(idle, XIW_PCI_READY))
        around_.interrupts.silence(true); // a reset was requested
}

// Complete a reset. If another reset was requested in the meantime, the state stays RESETTING.
void Engine::reset_done() {
    const std::lock_guard guard(lock_);

    fatal_ = XIW_FATAL_NONE;
    resets_++;
    if (mail_.reset)
        return;
    around_.dma.suspend(false);
    state_ = XIW_PCI_IDLE;
}

void Engine::deliver_doorbells(const Mailbox &mail) {
    for (const auto &[what, value] : mail.doorbells) {
        if (faults_.strikes(Faults::stop))
            stuck_ = true;
        if (stuck_ || !rnic_)
            return;
        if (faults_.strikes(Faults::delay))
            std::this_thread::sleep_for(std::chrono::milliseconds(faults_.value(Faults::delay)));
        if (faults_.strikes(Faults::link))
            around_.port.hold_down(true);
        if (faults_.strikes(Faults::mtu))
            around_.port.hold_mtu(faults_.value(Faults::mtu));
        if (faults_.strikes(Faults::heart))
            pulseless_ = true;
        if (!faults_.strikes(Faults::doorbell))
            rnic_->doorbell(what | value);
    }
}

void Engine::deliver(Mailbox &mail) {
    if (mail.reset && (!stuck_ || mail.hard)) {
        stuck_ = false;
        pulseless_ = false;
        rnic_.reset();
        around_.port.hold_down(false);
        around_.port.hold_mtu(0);
        around_.port.refresh();
        around_.port.remove_all();
        reset_done();
    }
    if (mail.enable && !stuck_)
        bring_up(mail.admin_base, mail.admin_log2);
    deliver_doorbells(mail);
}

void Engine::tick() {
    if (Clock::now() < next_tick_)
        return;
    next_tick_ = Clock::now() + std::chrono::milliseconds(XIW_PCI_HEARTBEAT_MS / 2);
    if (!pulseless_)
        heartbeat_++;
    if (around_.port.refresh() && rnic_)
        rnic_->device_state(around_.port.up() ? XIW_DEV_LINK_UP : XIW_DEV_LINK_DOWN);
}

void Engine::run() {
    for (;;) {
        Mailbox mail;
        {
            const std::lock_guard guard(lock_);
            const bool pending = mail_.reset && stuck_ && !mail_.hard;
            std::swap(mail, mail_);
            mail_.reset = pending;
        }
        if (mail.quit)
            break;
        auto until = Clock::time_point::max();
        try {
            deliver(mail);
            const bool more = rnic_ && !stuck_ && rnic_->work();
            if (!stuck_)
                tick();
            until = std::min(around_.interrupts.run_due(), next_tick_);
            if (stuck_)
                until = Clock::time_point::max();
            else if (more)
                until = Clock::now();
            else if (rnic_)
                until = std::min(until, rnic_->timers().next());
            poller_.wait(until);
        } catch (const Fatal &fatal) {
            failed(fatal);
        } catch (const std::exception &) {
            failed({XIW_FATAL_INTERNAL, 0});
        }
    }
    rnic_.reset();
    around_.port.remove_all();
}

} // namespace xiw::rnic
