// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Misbehaviour on request: what a driver must survive.
#ifndef XIW_RNIC_FAULT_HPP
#define XIW_RNIC_FAULT_HPP

#include <array>
#include <cstdint>
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
        stop,       // the RNIC answers nothing any more, until it is reset
        interrupt,  // is lost
        link,       // goes down, until a reset
        kinds,
    };

    // KIND[=VALUE][@N[+]]: at the Nth occasion (the first), with + at all from it on.
    // Throws std::invalid_argument.
    void add(std::string_view spec);

    // An occasion. True: misbehave.
    bool strikes(Kind kind);
    uint32_t value(Kind kind) const { return rows_[kind].value; }

  private:
    struct Row {
        bool set = false;
        bool lasting = false;
        uint32_t value = 0;
        uint64_t at = 1;
        uint64_t seen = 0;
    };

    std::array<Row, kinds> rows_{};
};

} // namespace xiw::rnic

#endif
