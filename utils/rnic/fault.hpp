// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Misbehaviour on request: what a driver must survive.
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
        doorbell,   // its effect is lost
        delay,      // the RNIC is busy for so many milliseconds before a doorbell
        completion, // an admin command fails instead of being carried out
        phase,      // an event has the wrong phase bit
        garbage,    // an event has nonsense in it
        flood,      // an event fills the ring more than once, whoever has not read what
        stop,       // the RNIC answers nothing any more, until it is reset
        interrupt,  // is lost
        link,       // goes down, until a reset
        mtu,        // of the port becomes that of the value, until a reset
        mute,       // no admin command is answered any more, until a reset
        heart,      // the heartbeat stands still, until a reset; all else goes on
        ghost,      // events of a stream follow the answer to its end
        burst,      // events are held back, and so many are written in one go
        early,      // in such a burst: a stream's state comes ahead of its other events
        fuzz,       // one in so many structures written to the driver's memory is mangled
        kinds,
    };

    // KIND[=VALUE][@N[+]]: at the Nth occasion (the first), with + at all from it on, as
    // burst and fuzz in any case.
    // Throws std::invalid_argument.
    void add(std::string_view spec);

    // An occasion. True: misbehave.
    bool strikes(Kind kind);
    uint32_t value(Kind kind) const { return rows_[kind].value; }
    bool wanted(Kind kind) const { return rows_[kind].set; }

    // What fuzz makes of a structure, other runs other things.
    void seed(uint32_t seed) { random_.seed(seed); }
    // What is to be written: what was meant, what was made of it, or both in turn, as
    // a driver that reads twice should not see.
    enum class Mangled : uint8_t { no, only, before, behind };
    Mangled mangle(std::span<uint8_t> octets);

  private:
    struct Row {
        bool set = false;
        bool lasting = false;
        uint32_t value = 0;
        uint64_t at = 1;
        uint64_t seen = 0;
        bool told = false; // that fuzz has changed something
    };

    uint32_t pick(uint32_t below);

    std::array<Row, kinds> rows_{};
    std::minstd_rand random_;
};

} // namespace xiw::rnic

#endif
