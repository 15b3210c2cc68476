// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_WIRE_REASSEMBLY_HPP
#define XIW_WIRE_REASSEMBLY_HPP

#include "wire/wire.hpp"

#include <map>

namespace xiw::wire {

// Gets one direction of a TCP connection in order, each octet once.
class Taker {
  public:
    Taker() = default;
    virtual ~Taker() = default;
    Taker(const Taker &) = delete;
    Taker(Taker &&) = delete;
    Taker &operator=(const Taker &) = delete;
    Taker &operator=(Taker &&) = delete;
    virtual void octets(Span piece) = 0; // a piece begins where a segment did, mostly
    virtual void missing(uint64_t count) = 0;
};

// Puts the segments of one direction into order. What comes early waits, up to a bound;
// what is not in the capture is given up when too much waits behind it.
class Reassembly {
  public:
    // The SYN was seen: its first octet has the number behind it.
    void begin(uint32_t seq);
    bool begun() const { return begun_; }
    // The sequence number of the first octet that has not been given out.
    uint32_t next() const { return base_; }

    // A segment, of which `octets` are there. Without a SYN the first one is the beginning.
    void segment(uint32_t seq, uint32_t length, Span octets, Taker &taker);
    // The other end has all in front of this number: what of it is missing may be given up
    // as soon as enough came behind it. Not at once: captures exchange neighbours.
    void acknowledged(uint32_t ack);
    // The capture, or the connection, is over: nothing that is missing will come.
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
    uint32_t base_ = 0;        // sequence number of the octet next_
    uint64_t next_ = 1U << 31; // its place; high, so that none before it is negative
    uint64_t acknowledged_ = 0;
    uint64_t waiting_ = 0; // octets in early_
    std::multimap<uint64_t, Early> early_;
};

} // namespace xiw::wire

#endif
