// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The RNIC behind the registers. An object exists from ENABLE to the next reset or fatal error. One
// thread makes all calls. A failed access to a ring throws Fatal, which only the engine catches.
#ifndef XIW_RNIC_RNIC_HPP
#define XIW_RNIC_RNIC_HPP

#include "bus/interrupts.hpp"
#include "conn/commands.hpp"
#include "fault.hpp"
#include "host/port.hpp"
#include "host/timers.hpp"
#include "ring/admin.hpp"
#include "ring/event_ring.hpp"
#include "ring/memory.hpp"
#include "ring/receive.hpp"
#include "ring/stag_table.hpp"

#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace xiw::rnic {

// Objects that outlive the RNIC.
struct Surroundings {
    bus::Dma &dma;
    bus::Interrupts &interrupts;
    host::Port &port;
    host::Poller &poller;
    Faults &faults;
    host::Capture *capture;
};

class Rnic {
  public:
    using Clock = std::chrono::steady_clock;
    // One call of work() spends at most this time on commands, and at most this time on streams.
    // The heartbeat must continue even if there is much to do.
    static constexpr std::chrono::milliseconds turn{XIW_PCI_HEARTBEAT_MS / 4};

    // Owners of control events that do not belong to a connection slot.
    enum : u32 { admin_owner = ~0U, device_owner = ~1U, nobody = ~2U };

    Rnic(const Surroundings &around, u64 admin_base, u32 admin_log2);
    ~Rnic();
    Rnic(const Rnic &) = delete;
    Rnic &operator=(const Rnic &) = delete;
    Rnic(Rnic &&) = delete;
    Rnic &operator=(Rnic &&) = delete;

    void doorbell(u64 value);
    // Do the work that is possible now. Returns true if there is more work.
    bool work();
    // Report a state to the driver on vector 0.
    void device_state(xiw_device_state state);

    const Memory &memory() const { return memory_; }
    host::Port &port() const { return around_.port; }
    host::Poller &poller() const { return around_.poller; }
    host::Timers &timers() { return timers_; }
    Faults &faults() const { return around_.faults; }
    xiw_stats_block &stats() { return stats_; } // in host byte order
    xiw_stats_block stats_now() const;
    std::span<u8> scratch() { return scratch_; }
    // Get a buffer for a received FPDU. Most streams need a buffer only during a pass. So the RNIC
    // keeps one returned buffer for the next stream.
    std::unique_ptr<u8[]> staging_take();
    void staging_give(std::unique_ptr<u8[]> buffer) { staging_ = std::move(buffer); }
    // Buffers in which Tx builds FPDUs. Streams share them, because most streams need them only
    // during a pass.
    struct SendBuffers {
        std::vector<u8> ulpdu, batch;
        std::vector<u32> ends;
    };
    SendBuffers &send_buffers() { return send_buffers_; }
    void captured(Connection &connection, bool out, std::span<const u8> octets) const;

    u32 vectors() const { return static_cast<u32>(events_.size()); }
    EventRing &events(u32 vector) { return *events_[vector]; }
    void interrupt(u32 vector) const;
    void admin_due() { admin_due_ = true; }
    xiw_match_row *match() { return match_.data(); }
    StagTable &stags() { return stags_; }
    Connections &conns() { return conns_; }

    Stream *stream(u32 index) const;
    void schedule(Stream &stream);
    u8 stream_create(u32 index, const xiw_adm_stream &wanted);
    u8 stream_destroy(u32 index);
    std::shared_ptr<SharedReceive> shared_rx(u32 index) const;
    u8 shared_rx_create(u32 index, const xiw_adm_ring &ring);
    u8 shared_rx_destroy(u32 index);

  private:
    void stream_doorbell(u32 kind, u32 index, u32 value);

    Surroundings around_;
    Memory memory_;
    host::Timers timers_;
    xiw_stats_block stats_{};
    std::vector<u8> scratch_;
    std::unique_ptr<u8[]> staging_;
    SendBuffers send_buffers_;
    std::array<xiw_match_row, XIW_MATCH_ROWS> match_{};
    std::vector<std::unique_ptr<EventRing>> events_;
    Admin admin_;
    bool admin_due_ = false;
    StagTable stags_;
    Connections conns_;
    std::unordered_map<u32, std::shared_ptr<SharedReceive>> shared_rx_;
    // Declared after conns_, and so destroyed before conns_, because the end of a stream notifies
    // its connection.
    std::unordered_map<u32, std::unique_ptr<Stream>> streams_;
    std::deque<u32> scheduled_;
};

} // namespace xiw::rnic

#endif
