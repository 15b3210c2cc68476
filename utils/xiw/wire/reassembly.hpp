// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_WIRE_REASSEMBLY_HPP
#define XIW_WIRE_REASSEMBLY_HPP

#include "wire/wire.hpp"

#include <map>

namespace xiw::wire {

// Receives one direction of a TCP connection in order, each octet once.
class Taker {
  public:
    Taker() = default;
    virtual ~Taker() = default;
    Taker(const Taker &) = delete;
    Taker(Taker &&) = delete;
    Taker &operator=(const Taker &) = delete;
    Taker &operator=(Taker &&) = delete;
    virtual void octets(Span piece) = 0; // a piece usually begins at the start of a segment
    virtual void missing(uint64_t count) = 0;
};

// Reorders the segments of one direction. Early segments wait, up to a limit; missing segments
// are skipped when too much data waits for them.
class Reassembly {
  public:
    // Set the sequence number of the first octet. This has no effect if a number has been set.
    void begin(uint32_t seq);
    bool begun() const { return begun_; }
    // Get the sequence number of the first octet that has not been delivered.
    uint32_t next() const { return base_; }

    // Process a segment with the captured `octets`. If there is no SYN, the stream starts with the
    // first segment.
    void segment(uint32_t seq, uint32_t length, Span octets, Taker &taker);
    // Process an acknowledgement of all octets before `ack`. If some of these octets are missing,
    // they are skipped when enough data has arrived after them. They are not skipped immediately,
    // because captures reorder adjacent packets.
    void acknowledged(uint32_t ack);
    // Process the end of the capture or the connection. Deliver all data, because missing octets
    // will not arrive.
    void flush(Taker &taker);

  private:
    struct Early {
        uint32_t length;
        Octets octets;
    };

    uint64_t place(uint32_t seq) const;
    void deliver(uint64_t at, uint32_t length, Span octets, Taker &taker);
    void deliver_early(Taker &taker);
    void skip(Taker &taker);

    bool begun_ = false;
    uint32_t base_ = 0;        // sequence number of the octet at next_
    uint64_t next_ = 1U << 31; // next position; high, so that no earlier position is negative
    uint64_t acknowledged_ = 0;
    uint64_t waiting_ = 0; // number of octets in early_
    std::multimap<uint64_t, Early> early_;
};

} // namespace xiw::wire

#endif
