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
        doorbell,   // a doorbell has no effect
        delay,      // the RNIC is busy before a doorbell for VALUE milliseconds
        completion, // an admin command fails with status VALUE instead of being executed
        phase,      // an event has the wrong phase bit
        garbage,    // an event has invalid contents
        flood,      // an event fills the ring more than once, regardless of the consumer index
        stop,       // the RNIC stops working until a reset
        interrupt,  // an interrupt is lost
        link,       // the link goes down, until a reset
        mtu,        // the port's MTU becomes VALUE, until a reset
        mute,       // the RNIC answers no admin command until a reset
        heart,      // the heartbeat stops until a reset, and everything else works
        ghost,      // events of a stream follow the answer to its destruction
        burst,      // the RNIC holds back events, and writes VALUE of them at once
        early,      // in such a burst, a stream's state precedes its other events
        outcome,    // the outcome of a connect or accept is not reported
        fuzz,       // one in VALUE structures written to the driver's memory is mangled
        kinds,
    };

    // Parse KIND[=VALUE][@N[+]]: misbehave at the Nth occasion (default 1), with + also at all
    // later occasions. burst and fuzz always misbehave at later occasions, too. Throws
    // std::invalid_argument.
    void add(std::string_view spec);

    // Count an occasion. Returns true if the RNIC must misbehave this time.
    bool strikes(Kind kind);
    uint32_t value(Kind kind) const { return rows_[kind].value; }
    bool wanted(Kind kind) const { return rows_[kind].set; }

    // Set the seed of fuzz, so that runs differ.
    void seed(uint32_t seed) { random_.seed(seed); }
    // Mangle the octets and choose what to write: the correct structure, the mangled one, or both,
    // one after the other. Both together detect a driver that reads a structure twice.
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
