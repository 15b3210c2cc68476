// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Device misbehaviour on request. A driver must survive it.
#ifndef XIW_RNIC_FAULT_HPP
#define XIW_RNIC_FAULT_HPP

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>

namespace xiw::rnic {

class Faults {
  public:
    enum Kind : uint8_t {
        enable,     // the RNIC has no memory at ENABLE
        doorbell,   // a doorbell has no effect
        delay,      // the RNIC is busy for VALUE milliseconds before it handles a doorbell
        completion, // an admin command fails with status VALUE instead of being executed
        phase,      // an event has the wrong phase bit
        garbage,    // an event has invalid contents
        flood,      // an event is written more times than the ring has entries, regardless of room
        stop,       // the RNIC stops working until a reset of the whole PCI function
        interrupt,  // an interrupt is lost
        link,       // the link goes down, until a reset
        mtu,        // the port's MTU becomes VALUE, until a reset
        mute,       // the RNIC ignores all admin commands, until a reset
        heart,      // the heartbeat stops, until a reset; everything else works
        ghost,      // events of a stream follow the answer to its destruction
        burst,      // events are held back until there are VALUE of them, for at most 10 ms
        early,      // of the events that `burst` writes at once, STATE events come first
        outcome,    // the outcome of a connect or accept is not reported
        stopped,    // the end of a stream is not reported
        first,      // the first FPDU of a passive stream is not reported
        fuzz,       // a structure for the driver is mangled, with a probability of 1/VALUE
        kinds,
    };

    // Parse KIND[=VALUE][@N[+]]: misbehave at the Nth occasion (default 1), with + also at all
    // later occasions. For burst and fuzz, + is implied. Throws std::invalid_argument if spec is
    // invalid.
    void add(std::string_view spec);

    // Count an occasion. Returns true if the RNIC must misbehave this time.
    bool strikes(Kind kind);
    uint32_t value(Kind kind) const { return rows_[kind].value; }
    bool wanted(Kind kind) const { return rows_[kind].set; }

    // Set the seed of fuzz. Runs with different seeds mangle different structures.
    void seed(uint32_t seed) { random_.seed(seed); }
    // Count an occasion of fuzz, and possibly mangle the octets. Returns what to write:
    //   no: only the correct structure
    //   only: only the mangled structure
    //   before: the mangled structure, then the correct structure
    //   behind: the correct structure, then the mangled structure
    // If both are written, a driver that reads a structure twice can see both.
    enum class Mangled : uint8_t { no, only, before, behind };
    Mangled mangle(std::span<uint8_t> octets);

  private:
    struct Row {
        bool set = false;
        bool lasting = false;
        uint32_t value = 0;
        uint64_t at = 1;
        uint64_t seen = 0;
        bool told = false; // the first change by fuzz has been reported
    };

    uint32_t pick(uint32_t below);

    std::array<Row, kinds> rows_{};
    std::minstd_rand random_;
};

} // namespace xiw::rnic

#endif
