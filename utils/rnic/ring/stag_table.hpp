// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The STag table. The copy in this class is authoritative. Only commands, descriptors and received
// messages change the copy, and each change is written to the driver's memory. One thread makes all
// accesses. The table does not change during an access, so an invalidation does not wait for
// accesses.
#ifndef XIW_RNIC_RING_STAG_TABLE_HPP
#define XIW_RNIC_RING_STAG_TABLE_HPP

#include "core.hpp"
#include "limits.hpp"

#include <array>
#include <memory>
#include <vector>

namespace xiw::rnic {

class Memory;

// Origin of an access.
struct Owner {
    u32 pd;
    u32 stream;
};

class StagTable {
  public:
    explicit StagTable(const Memory &memory) : memory_(memory), chunks_(stag_chunks) {}

    // Change the table. `by` is the stream of the descriptor or of the received message; NULL for
    // an admin command. Return: enum xiw_status.
    u8 chunk(u32 index, u64 entries);
    u8 set(u32 stag, const xiw_stag_entry &entry, const Owner *by);
    u8 clear(u32 stag);
    u8 invalidate(u32 stag, const Owner &by, bool remote);

    xiw_stag_verdict check(u32 stag, const Owner &by, u8 access, u64 to, u64 length) const;
    // Get the bus address of an octet, after check(). Return: number of contiguous octets from this
    // address, at most length; 0 if the driver's page list is too short or not readable.
    u32 span(u32 stag, u64 to, u32 length, u64 &bus) const;

  private:
    struct Chunk {
        u64 entries = 0;    // address of the entries in the driver's memory
        u32 generation = 0; // generation of the MR that became valid last
        std::array<xiw_stag_entry, XIW_STAG_CHUNK> shadow{};
    };

    xiw_stag_entry *entry(u32 stag) const;
    void tell(u32 stag, const xiw_stag_entry &entry) const;
    void tell_state(u32 stag, u8 state) const;
    u8 window(const xiw_stag_entry &window, u32 &generation) const;

    const Memory &memory_;
    std::vector<std::unique_ptr<Chunk>> chunks_;
};

} // namespace xiw::rnic

#endif
