// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The engine thread, its mailbox, and the state in the registers. The engine thread does the work
// of the RNIC. The functions that other threads call never wait for the engine thread.
#ifndef XIW_RNIC_ENGINE_HPP
#define XIW_RNIC_ENGINE_HPP

#include "rnic.hpp"

#include <atomic>
#include <mutex>
#include <thread>

namespace xiw::rnic {

class Engine {
  public:
    Engine(bus::Dma &dma, bus::Interrupts &interrupts, host::Port &port, Faults faults,
           host::Capture *capture);
    ~Engine();
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;
    Engine(Engine &&) = delete;
    Engine &operator=(Engine &&) = delete;

    // The thread that serves the client calls the following functions.
    void ring(u64 doorbell);
    void enable(u64 admin_base, u64 admin_log2);
    // Request a reset. `hard` is false for XIW_CTL_RESET, and true for a reset of the whole PCI
    // function. From this call until the reset is done, the PCI function accesses no memory. While
    // the device misbehaviour `stop` is in effect, only a hard reset is executed.
    void reset(bool hard);

    u64 status() const;
    u64 heartbeat() const { return heartbeat_; }
    u64 fatal() const { return fatal_; }

  private:
    using Clock = std::chrono::steady_clock;

    // Requests that the engine thread has not handled yet. Doorbells of the same kind and index are
    // merged, because a doorbell is only a notification. Different orders to a stream are not
    // merged.
    struct Mailbox {
        std::vector<std::pair<u64, u32>> doorbells; // first: kind and index; second: value
        std::unordered_map<u64, size_t> places;
        bool reset = false, hard = false;
        bool enable = false;
        bool quit = false;
        u64 admin_base = 0, admin_log2 = 0;
    };
    class Bell final : public host::Watcher {
      public:
        Bell();
        void ready() override;
        void ring() const;
        int fd() const { return event_.get(); }

      private:
        Descriptor event_;
    };

    void run();
    void deliver(Mailbox &mail);
    void deliver_doorbells(const Mailbox &mail);
    void reset_done();
    void bring_up(u64 admin_base, u64 admin_log2);
    void enable_failed(u64 why);
    void tick();
    // Handle a fatal error. Exception handlers call this function, so another exception would end
    // the process.
    void failed(const Fatal &fatal) noexcept;
    void notify_failed() noexcept;

    Surroundings around_;
    Faults faults_;
    host::Poller poller_;
    Bell bell_;
    std::mutex lock_;
    Mailbox mail_;

    std::atomic<u32> state_ = XIW_PCI_IDLE;
    std::atomic<u32> resets_ = 0;
    std::atomic<u64> heartbeat_ = 0;
    std::atomic<u64> fatal_ = 0;

    // Only the engine thread uses the members below, except thread_.
    std::unique_ptr<Rnic> rnic_;
    Clock::time_point next_tick_ = Clock::now();
    bool stuck_ = false;
    bool pulseless_ = false;
    std::thread thread_;
};

} // namespace xiw::rnic

#endif
