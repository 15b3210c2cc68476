// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Where FPDUs stand in a TCP stream, and the markers between their octets
// (RFC 5044 §4.3). Each direction counts from its first octet after the startup.
#pragma once

#include "octets.hpp"

#include <optional>

namespace xiw::peer {

// Puts markers in. The CRC covers them, so it is computed again unless it was wrong.
class Framer {
  public:
    bool markers = false;

    // An FPDU as it goes onto the wire. skew is added to each FPDUPTR.
    Octets frame(const Octets &fpdu, unsigned skew = 0);
    // Octets that go out as they are.
    void passed(size_t octets) { position_ += octets; }
    uint64_t position() const { return position_; }

  private:
    uint64_t position_ = 0;
};

struct Received {
    Octets fpdu; // without markers
    bool crc_good = true;
    std::string trouble; // what is wrong with a marker, if anything
};

// Takes markers out.
class Deframer {
  public:
    bool markers = false;

    // The first FPDU of what came in, if it is complete; it is taken off.
    std::optional<Received> next(Octets &input);

  private:
    uint64_t position_ = 0;
};

} // namespace xiw::peer
