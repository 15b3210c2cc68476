// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Gather the octets of a message: RDMAP header, then inline data or gather list. STags are
// checked for each piece: one that became invalid stops the message.
#include "bus/dma.hpp"
#include "rnic.hpp"
#include "stream/stream.hpp"
#include "stream/tx.hpp"

#include <algorithm>
#include <cstring>

namespace xiw::rnic {

u8 Tx::gather_sge(std::span<u8> &out) {
    const xiw_tx_desc &desc = copy_.head();
    const bool remote = (desc.flags & XIW_TXF_REMOTE_READ) != 0;
    xiw_sge sge{};

    for (;; message_.sge_at++, message_.sge_off = 0) {
        if (message_.sge_at == desc.sges)
            return XIW_ERR_LENGTH;
        std::memcpy(&sge, copy_.octets.data() + message_.data_at + message_.sge_at * sizeof(sge),
                    sizeof(sge));
        if (message_.sge_off < le32_to_cpu(sge.length))
            break;
    }
    auto n =
        static_cast<u32>(std::min<size_t>(out.size(), le32_to_cpu(sge.length) - message_.sge_off));
    const u32 stag = le32_to_cpu(sge.stag);
    u64 at = le64_to_cpu(sge.addr) + message_.sge_off;
    if (stag != XIW_STAG_LOCAL_DMA || remote) {
        const StagTable &stags = stream_.rnic().stags();
        const auto verdict = stags.check(
            stag, stream_.owner(), remote ? XIW_ACCESS_REMOTE_READ : XIW_ACCESS_LOCAL_READ, at, n);
        if (verdict != XIW_STAG_OK)
            return static_cast<u8>(xiw_stag_status(verdict));
        n = stags.span(stag, at, n, at);
    }
    if (n == 0 || !stream_.rnic().memory().dma().read(at, out.data(), n))
        return XIW_ERR_INVALID;
    message_.sge_off += n;
    message_.at += n;
    out = out.subspan(n);
    return XIW_OK;
}

u8 Tx::gather(std::span<u8> out) {
    const xiw_tx_desc &desc = copy_.head();
    const u32 header = desc.header_length;

    if (message_.at < header && !out.empty()) {
        const auto n = std::min<size_t>(out.size(), header - message_.at);
        std::memcpy(out.data(), copy_.octets.data() + message_.header_at + message_.at, n);
        message_.at += static_cast<u32>(n);
        out = out.subspan(n);
    }
    if ((desc.flags & XIW_TXF_INLINE) != 0 && !out.empty()) {
        std::memcpy(out.data(), copy_.octets.data() + message_.data_at + (message_.at - header),
                    out.size());
        message_.at += static_cast<u32>(out.size());
        return XIW_OK;
    }
    while (!out.empty())
        if (const u8 status = gather_sge(out); status != XIW_OK)
            return status;
    return XIW_OK;
}

} // namespace xiw::rnic
