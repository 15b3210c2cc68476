// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Placement of payload, after all checks.
#include "bus/dma.hpp"
#include "rnic.hpp"
#include "stream/rx.hpp"
#include "stream/stream.hpp"

#include <algorithm>

namespace xiw::rnic {

bool Rx::place_bus(std::span<const u8> from, u64 bus) const {
    return stream_.rnic().memory().dma().write(bus, from.data(), from.size());
}

// Place payload. The caller has checked the STag for the whole range.
bool Rx::place_spans(std::span<const u8> from, u32 stag, u64 to) const {
    while (!from.empty()) {
        u64 bus = 0;
        const u32 n = stream_.rnic().stags().span(stag, to, static_cast<u32>(from.size()), bus);
        if (n == 0 || !place_bus(from.first(n), bus))
            return false;
        from = from.subspan(n);
        to += n;
    }
    return true;
}

// Place tagged payload. If the returned fault belongs to layer 1 (DDP), nothing was placed.
// XIW_FAULT_RDMA_LOCAL means that the guest's memory is not accessible.
xiw_fault Rx::place_tagged(std::span<const u8> from, const Owner &by, u32 stag, u64 to,
                           u8 access) const {
    const auto verdict = stream_.rnic().stags().check(stag, by, access, to, from.size());

    if (verdict != XIW_STAG_OK)
        return xiw_stag_placement_fault(verdict);
    return place_spans(from, stag, to) ? XIW_FAULT_NONE : XIW_FAULT_RDMA_LOCAL;
}

// Place the original value, the last eight octets of an Atomic Response, into the sink of the
// request. The sink may cross a page boundary.
u8 Rx::place_value(std::span<const u8> from, const xiw_solicited_entry &sink) const {
    // The driver's match table, not the RNIC, determines the minimum length of messages on queue 3.
    // So the message may be too short to contain the original value.
    if (from.size() < sizeof(u64))
        return XIW_ERR_LENGTH;
    const u64 value = get_unaligned_be64(from.last(sizeof(value)).data());
    const std::span octets{reinterpret_cast<const u8 *>(&value), sizeof(value)};

    if (sink.stag == XIW_STAG_LOCAL_DMA)
        return place_bus(octets, sink.to) ? XIW_OK : XIW_ERR_INVALID;
    const auto verdict = stream_.rnic().stags().check(
        sink.stag, stream_.owner(), XIW_ACCESS_LOCAL_WRITE, sink.to, sizeof(value));
    if (verdict != XIW_STAG_OK)
        return static_cast<u8>(xiw_stag_status(verdict));
    return place_spans(octets, sink.stag, sink.to) ? XIW_OK : XIW_ERR_INVALID;
}

// Append payload to the receive. The payload fits, see xiw_ddp_rx_untagged().
xiw_fault Rx::place_receive(std::span<const u8> from) {
    while (!from.empty()) {
        if (receive_.sge_at == receive_.sges)
            return XIW_FAULT_RDMA_LOCAL;
        const xiw_sge &sge = receive_.sge.at(receive_.sge_at);
        const u32 room = le32_to_cpu(sge.length) - receive_.sge_off;
        if (room == 0) {
            receive_.sge_at++;
            receive_.sge_off = 0;
            continue;
        }
        const auto part = from.first(std::min<size_t>(from.size(), room));
        const u64 to = le64_to_cpu(sge.addr) + receive_.sge_off;
        const u32 stag = le32_to_cpu(sge.stag);
        const bool placed =
            stag == XIW_STAG_LOCAL_DMA
                ? place_bus(part, to)
                : place_tagged(part, receiver_, stag, to, XIW_ACCESS_LOCAL_WRITE) == XIW_FAULT_NONE;
        if (!placed)
            return XIW_FAULT_RDMA_LOCAL;
        receive_.sge_off += static_cast<u32>(part.size());
        from = from.subspan(part.size());
    }
    return XIW_FAULT_NONE;
}

} // namespace xiw::rnic
