// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Device misbehaviour on request, which a driver must survive.
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
        doorbell,   // a doorbell has no effect
        delay,      // the RNIC is busy before a doorbell; the value: milliseconds
        completion, // an admin command fails instead of being executed
        phase,      // an event has the wrong phase bit
        garbage,    // an event has invalid contents
        flood,      // an event fills the ring more than once, whether or not the driver has read it
        stop,       // the RNIC stops working until a reset
        interrupt,  // an interrupt is lost
        link,       // the link goes down, until a reset
        mtu,        // the port's MTU becomes the value, until a reset
        mute,       // the RNIC answers no admin command until a reset
        heart,      // the heartbeat stops until a reset; everything else works
        ghost,      // events of a stream follow the answer to its destruction
        burst,      // the RNIC holds events back and writes several at once; the value: how many
        early,      // in such a burst, a stream's state precedes its other events
        fuzz,       // mangle structures written to the driver's memory: one out of the value
        kinds,
    };

    // Parse KIND[=VALUE][@N[+]]: strike at the Nth occasion (default 1), with + also at all later
    // ones. burst and fuzz always strike at later ones. Throws std::invalid_argument.
    void add(std::string_view spec);

    // Count an occasion. Returns true if the RNIC has to misbehave at this occasion.
    bool strikes(Kind kind);
    uint32_t value(Kind kind) const { return rows_[kind].value; }
    bool wanted(Kind kind) const { return rows_[kind].set; }

    // Seed of fuzz, so that runs differ.
    void seed(uint32_t seed) { random_.seed(seed); }
    // Choose what to write: the correct structure, the mangled one, or both in turn. The last
    // choice detects a driver that reads twice.
    enum class Mangled : uint8_t { no, only, before, behind };
    Mangled mangle(std::span<uint8_t> octets);

  private:
    struct Row {
        bool set = false;
        bool lasting = false;
        uint32_t value = 0;
        uint64_t at = 1;
        uint64_t seen = 0;
        bool told = false; // a change by fuzz has been reported
    };

    uint32_t pick(uint32_t below);

    std::array<Row, kinds> rows_{};
    std::minstd_rand random_;
};

} // namespace xiw::rnic

#endif
