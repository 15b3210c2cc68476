// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Messages of vfio-user: a header and a payload in host byte order, and descriptors.
#ifndef XIW_RNIC_BUS_MESSAGE_HPP
#define XIW_RNIC_BUS_MESSAGE_HPP

#include "bus/descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace xiw::rnic::bus {

enum class Command : uint16_t {
    version = 1,
    dma_map = 2,
    dma_unmap = 3,
    get_info = 4,
    get_region_info = 5,
    get_irq_info = 7,
    set_irqs = 8,
    region_read = 9,
    region_write = 10,
    reset = 13,
};

enum : uint32_t {
    flag_type_mask = 0xf,
    flag_reply = 0x1,
    flag_no_reply = 0x10,
    flag_error = 0x20,
};

enum : size_t {
    data_max = 1048576, // max octets of a region access; the reply to VERSION reports it
    payload_max = data_max + 4096,
    descriptors_max = 16,
};

struct Header {
    uint16_t id;
    uint16_t command;
    uint32_t size; // including this header
    uint32_t flags;
    uint32_t error;
};
static_assert(sizeof(Header) == 16);

struct DmaMap {
    uint32_t argsz;
    uint32_t flags; // 1 readable, 2 writable
    uint64_t offset;
    uint64_t address;
    uint64_t size;
};
static_assert(sizeof(DmaMap) == 32);

struct DmaUnmap {
    uint32_t argsz;
    uint32_t flags; // 2: all
    uint64_t address;
    uint64_t size;
};
static_assert(sizeof(DmaUnmap) == 24);

enum : uint32_t { dma_unmap_all = 2 };

struct RegionAccess {
    uint64_t offset;
    uint32_t region;
    uint32_t count;
};
static_assert(sizeof(RegionAccess) == 16);

struct Message {
    Header header{};
    std::vector<uint8_t> payload;
    std::vector<Descriptor> descriptors;
    bool truncated = false; // the client sent more descriptors than the limit
};

using Octets = std::span<const uint8_t>;

} // namespace xiw::rnic::bus

#endif
