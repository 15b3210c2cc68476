// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Blocks of a pcapng file (draft-ietf-opsawg-pcapng). These functions only build octets.
#ifndef XIW_WIRE_PCAPNG_HPP
#define XIW_WIRE_PCAPNG_HPP

#include "wire/wire.hpp"

#include <string>

namespace xiw::wire::pcapng {

// Get the section header, which is the first block of the file.
Octets section(const std::string &application);

struct Interface {
    int link = 0;
    std::string name, description;
};
// Get the block of an interface. The blocks of the interfaces follow the section header. Packets
// refer to interfaces by number, from 0. Times are in nanoseconds.
Octets interface(const Interface &interface);

struct Packet {
    uint32_t interface = 0;
    uint64_t time = 0; // nanoseconds since 1970
    bool sent = false, bad_crc = false;
    uint32_t length = 0; // octets before truncation
    Span head, tail;     // captured octets, in two parts
};
Octets packet(const Packet &packet);

// The totals of an interface. If a file contains several such blocks of an interface, the last one
// is valid.
struct Statistics {
    uint32_t interface = 0;
    uint64_t time = 0, seen = 0, lost = 0;
};
Octets statistics(const Statistics &statistics);

} // namespace xiw::wire::pcapng

#endif
