// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Positions of FPDUs in a TCP stream, and the markers between their octets (RFC 5044 §4.3). In
// each direction, position 0 is the first octet after the MPA frame.
#pragma once

#include "octets.hpp"

#include <optional>

namespace xiw::peer {

// Inserts markers. If the CRC of an FPDU is correct, recalculates it, because it covers the
// markers. An incorrect CRC stays unchanged.
class Framer {
  public:
    bool markers = false;

    // Converts an FPDU to its form on the wire. skew is added to the FPDUPTR of each marker inside
    // the FPDU.
    Octets frame(const Octets &fpdu, unsigned skew = 0);
    // Advances the position by octets that are sent unchanged.
    void passed(size_t octets) { position_ += octets; }
    uint64_t position() const { return position_; }

  private:
    uint64_t position_ = 0;
};

struct Received {
    Octets fpdu; // without markers
    bool crc_good = true;
    std::string trouble; // error of a marker, if any
};

// Splits received octets into FPDUs, and removes their markers.
class Deframer {
  public:
    bool markers = false;

    // Removes the first FPDU from `input` and returns it. Returns nothing if it is incomplete.
    std::optional<Received> next(Octets &input);

  private:
    uint64_t position_ = 0;
};

} // namespace xiw::peer
