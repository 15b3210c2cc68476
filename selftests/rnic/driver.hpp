// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A small driver of the RNIC. Tests call its functions to execute RDMAP step by step.
#pragma once

#include "machine.hpp"

#include <deque>
#include <string>

namespace xiw::test {

enum : u32 { pd = 7, event_log2 = 6, admin_log2 = 4, rx_log2 = 4, rx_slot_log2 = 6 };

struct EventRing {
    u64 ring = 0;
    u32 log2 = 0;
    u32 consumed = 0;
};

struct Stream {
    u32 index = 0;
    u64 context = 0;
    std::array<u64, 2> tx{};
    std::array<u32, 2> tx_tail{};
    u64 rx = 0;
    u32 rx_tail = 0;
    u32 log2_units = 5;
    u32 vector = 0;
};

class Driver {
  public:
    explicit Driver(const std::string &address, const rnic::Function::Settings &settings = {},
                    u32 events = event_log2);

    Machine machine;

    void bring_up();
    void doorbell(xiw_doorbell kind, u32 index, u32 value);
    // Put a command into the admin ring, and write the doorbell if `ring` is true. Return the
    // command's tag without waiting for the completion.
    u32 submit(xiw_admin_cmd &command, bool ring = true);
    u32 admin_tail() const { return admin_tail_; }
    // Submit a command, wait for its completion, and return the status.
    u8 command(xiw_admin_cmd &command);
    u8 command(xiw_admin_op op, u32 index, u32 other = 0, u64 addr = 0, u32 count = 0);

    // Wait for the next event of a type, and return it. Keep the events of other types for later
    // calls. Throw if no event of the type arrives.
    xiw_event wait(u8 type, u32 vector = 0);
    bool has(u8 type, u32 vector = 0);
    // Read the new events of a ring. wait(), has(), state() and wait_state() call consume() only
    // while `consuming` is true.
    void consume(u32 vector);
    bool consuming = true;
    u32 consumed(u32 vector) const { return rings_.at(vector).consumed; }
    // Return the memory of an event ring.
    std::span<u8> event_ring(u32 vector) const {
        return {machine.at(rings_.at(vector).ring), size_t{XIW_EVENT_SIZE} << events_log2_};
    }

    // Create an MR and return its STag. The memory of region() has contiguous bus addresses. The
    // memory of paged() consists of the pages with the bus addresses `pages`, in this order, and
    // begins at offset `first` of the first page.
    u32 region(u64 bus, u64 length, u8 access, u32 domain = pd);
    u32 paged(const std::vector<u64> &pages, u64 first, u64 length, u8 access);
    u32 stag(u32 index, const xiw_stag_entry &entry);
    xiw_stag_entry entry(u32 index) const;

    Stream stream(u32 index, u32 shared = XIW_RX_NONE, u32 vector = 0);
    void receive(Stream &s, u64 bus, u32 length, u32 cookie, u32 key = 0);
    // Put a descriptor into a TX ring, and write the doorbell if `ring` is true. If the descriptor
    // would wrap, put a filler before it.
    void post(Stream &s, u8 queue, const std::vector<u8> &descriptor, bool ring = true);
    void order(const Stream &s, xiw_stream_order order) { doorbell(XIW_DB_STREAM, s.index, order); }
    // state() returns the bits of the stream's last consumed state event, and rx_taken() returns
    // the event's rx_taken. state() consumes new events first; rx_taken() does not.
    u32 state(const Stream &s);
    u32 rx_taken(const Stream &s);
    bool wait_state(const Stream &s, u32 bits);

    // Connections. A connection slot and its buffer have the same number.
    u64 conn_buffer(u32 slot);
    xiw_conn_buf &buffer(u32 slot);
    xiw_addr address(u16 port) const;
    xiw_conn_params params() const;

  private:
    u64 chunk_ = 0;
    u32 next_stag_ = 1;
    u64 admin_ = 0;
    u32 admin_tail_ = 0;
    u32 tag_ = 100;
    u32 events_log2_;
    std::string address_;
    std::array<EventRing, 4> rings_{};
    std::array<std::deque<xiw_event>, 4> kept_;
    std::unordered_map<u32, u64> buffers_;
    std::unordered_map<u32, xiw_ev_state> states_; // the last state event of each stream
};

// Build TX descriptors.
std::vector<u8> untagged(u8 opcode, u8 queue, const std::vector<xiw_sge> &sges, u32 stag = 0);
std::vector<u8> inline_send(const std::string &text);
std::vector<u8> tagged(u8 opcode, u32 stag, u64 to, const std::vector<xiw_sge> &sges, u8 flags = 0);
std::vector<u8> read_request(u32 sink_stag, u64 sink_to, u32 length, u32 stag, u64 to, u32 cookie);
// The RNIC places the original value of the response at (sink_stag, sink_to).
std::vector<u8> atomic_request(const xiw_atomic_req &request, u32 sink_stag, u64 sink_to,
                               u32 cookie);
// This descriptor lets the RNIC execute the peer's request and send the Atomic Response.
std::vector<u8> atomic(const xiw_atomic_req &request);
std::vector<u8> stag_set(u32 stag, const xiw_stag_entry &entry);
std::vector<u8> stag_invalidate(u32 stag);
xiw_sge sge(u64 bus, u32 length, u32 stag = 0);

// Two drivers. Each has a stream with index 1. These two streams are connected to each other.
struct Pair {
    explicit Pair(u32 flags = XIW_CONNF_CRC | XIW_CONNF_ATOMICS | XIW_CONNF_IMMEDIATE,
                  u32 park_ms = 20000, u32 events = event_log2,
                  const rnic::Function::Settings &settings = {});
    void listen();
    void connect();
    // Send a message from `a` to `b`, because the initiator must send first.
    void hello();

    Driver a, b; // initiator, responder
    Stream s, t; // stream of a, stream of b
    u32 flags, park_ms;
    u16 port = 0;
};

} // namespace xiw::test
