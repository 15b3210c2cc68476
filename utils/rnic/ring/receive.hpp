// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Receives. A stream takes a receive at the first segment of a message on DDP queue 0, from its own
// RX ring or from a shared RX ring. The stream keeps a copy, so the driver owns the slot again
// immediately. If the ring is empty, the RNIC sets rx_starved, and reads the producer index again
// after a full barrier. So if the driver posts a receive at the same time, the RNIC sees the
// receive, or the driver sees rx_starved and rings the doorbell.
#ifndef XIW_RNIC_RING_RECEIVE_HPP
#define XIW_RNIC_RING_RECEIVE_HPP

#include "core.hpp"
#include "limits.hpp"

#include <array>
#include <list>

namespace xiw::rnic {

class Memory;
class Rnic;
class Stream;

// The receive that the current message uses.
struct Receive {
    bool taken = false;
    u32 cookie = 0;
    u32 room = 0;
    u32 sges = 0;
    u32 sge_at = 0;
    u32 sge_off = 0;
    std::array<xiw_sge, max_gather> sge{};
};

// An RX ring in the driver's memory. Its indexes and rx_starved are words of a context.
class ReceiveRing {
  public:
    ReceiveRing() = default;
    ReceiveRing(u64 ring, u8 log2_entries, u8 log2_slot)
        : ring_(ring), mask_((1U << log2_entries) - 1), log2_slot_(log2_slot) {}
    struct Words {
        u64 tail, head, starved; // bus addresses
    };

    explicit operator bool() const { return ring_ != 0; }
    // Get the number of receives that are posted and not taken. Sets rx_starved if there are fewer
    // than wanted.
    u32 posted(const Memory &memory, const Words &words, u32 wanted) const;
    void take(const Memory &memory, const Words &words, Receive &receive);

  private:
    u64 ring_ = 0;
    u32 mask_ = 0;
    u32 head_ = 0;
    u8 log2_slot_ = 0;
};

class SharedReceive {
  public:
    SharedReceive(Rnic &rnic, const xiw_adm_ring &ring);

    // Protection domain of the receives. The streams may have other protection domains.
    u32 pd() const { return pd_; }
    // Take a receive. Returns false if there is none for this stream. The stream then waits, until
    // take() succeeds or leave() is called.
    bool take(Stream &stream, Receive &receive);
    void leave(const Stream &stream);
    void rung();

  private:
    void wake();

    Rnic &rnic_;
    ReceiveRing ring_;
    ReceiveRing::Words words_;
    u32 pd_;
    std::list<u32> parked_; // waiting streams, oldest first; each has a claim on one receive
};

} // namespace xiw::rnic

#endif
