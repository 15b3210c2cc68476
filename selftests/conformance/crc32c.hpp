// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// CRC32C (Castagnoli). The peer has its own implementation, because it tests the implementation of
// the endpoint.
#pragma once

#include "octets.hpp"

namespace xiw::peer {

class Crc32c {
  public:
    void add(OctetView octets);
    // Gets the CRC as it is sent at the end of an FPDU, with the least significant octet first.
    Octets wire() const;
    uint32_t value() const { return ~state_; }

  private:
    uint32_t state_ = 0xffffffff;
};

} // namespace xiw::peer
