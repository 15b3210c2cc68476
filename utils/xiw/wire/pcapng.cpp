// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire/pcapng.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace xiw::wire::pcapng {

namespace {

enum Kind : uint32_t {
    kind_interface = 1,
    kind_statistics = 5,
    kind_packet = 6,
    kind_section = 0x0a0d0d0a,
};

enum Code : uint16_t {
    code_end = 0,
    section_application = 4,
    interface_name = 2,
    interface_description = 3,
    interface_resolution = 9,
    packet_flags = 2,
    statistics_seen = 4,
    statistics_lost = 5,
};

constexpr uint32_t magic = 0x1a2b3c4d;
constexpr uint8_t nanoseconds = 9; // 10^-9 s
constexpr uint32_t flag_inbound = 1, flag_outbound = 2, flag_crc = 1U << 24;

// A block that is being built. Its numbers are little-endian. Readers detect the byte order by the
// magic number of the section header.
class Block {
  public:
    explicit Block(Kind kind) {
        u32(kind);
        u32(0);
    }

    Block &u16(uint16_t value) { return number(value, 2); }
    Block &u32(uint32_t value) { return number(value, 4); }
    Block &u64(uint64_t value) { return number(value, 8); }
    // The high half is first, whatever the byte order.
    Block &time(uint64_t value) {
        return u32(static_cast<uint32_t>(value >> 32)).u32(static_cast<uint32_t>(value));
    }

    template <typename Range>
    Block &octets(const Range &range) {
        octets_.insert(octets_.end(), range.begin(), range.end());
        return *this;
    }
    Block &pad() {
        octets_.resize((octets_.size() + 3) / 4 * 4);
        return *this;
    }

    template <typename Range>
    Block &option(Code code, const Range &value) {
        const auto most = static_cast<size_t>(std::numeric_limits<uint16_t>::max());
        const size_t length = std::min(value.size(), most);
        u16(code).u16(static_cast<uint16_t>(length));
        octets_.insert(octets_.end(), value.begin(),
                       value.begin() + static_cast<std::ptrdiff_t>(length));
        return pad();
    }
    Block &option(Code code, uint64_t value) { return u16(code).u16(8).u64(value); }
    Block &option32(Code code, uint32_t value) { return u16(code).u16(4).u32(value); }

    // Add the length at both ends of the block.
    Octets take() {
        const auto length = static_cast<uint32_t>(octets_.size() + 4);
        u32(length);
        for (unsigned i = 0; i < 4; i++)
            octets_[4 + i] = static_cast<uint8_t>(length >> 8 * i);
        return std::move(octets_);
    }
    Octets take_with_options() { return u16(code_end).u16(0).take(); }

  private:
    Block &number(uint64_t value, unsigned octets) {
        for (unsigned i = 0; i < octets; i++)
            octets_.push_back(static_cast<uint8_t>(value >> 8 * i));
        return *this;
    }

    Octets octets_;
};

} // namespace

Octets section(const std::string &application) {
    return Block(kind_section)
        .u32(magic)
        .u16(1)
        .u16(0)
        .u64(std::numeric_limits<uint64_t>::max()) // length not known yet
        .option(section_application, application)
        .take_with_options();
}

Octets interface(const Interface &interface) {
    return Block(kind_interface)
        .u16(static_cast<uint16_t>(interface.link))
        .u16(0)
        .u32(0) // no limit for the length of a packet
        .option(interface_name, interface.name)
        .option(interface_description, interface.description)
        .option(interface_resolution, Octets{nanoseconds})
        .take_with_options();
}

Octets packet(const Packet &packet) {
    return Block(kind_packet)
        .u32(packet.interface)
        .time(packet.time)
        .u32(static_cast<uint32_t>(packet.head.size() + packet.tail.size()))
        .u32(packet.length)
        .octets(packet.head)
        .octets(packet.tail)
        .pad()
        .option32(packet_flags,
                  (packet.sent ? flag_outbound : flag_inbound) | (packet.bad_crc ? flag_crc : 0))
        .take_with_options();
}

Octets statistics(const Statistics &statistics) {
    return Block(kind_statistics)
        .u32(statistics.interface)
        .time(statistics.time)
        .option(statistics_seen, statistics.seen)
        .option(statistics_lost, statistics.lost)
        .take_with_options();
}

} // namespace xiw::wire::pcapng
