// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Gather the octets of a message: the RDMAP header, then inline data or the gather list. The STag
// is checked for each piece. If the STag is no longer valid, the message fails.
#include "bus/dma.hpp"
#include "rnic.hpp"
#include "stream/stream.hpp"
#include "stream/tx.hpp"

#include <algorithm>
#include <cstring>

namespace xiw::rnic {

u8 Tx::gather_sge(std::span<u8> &out) {
    xiw_send_message &msg = core_.msg;
    const bool remote = (msg.desc->flags & XIW_TXF_REMOTE_READ) != 0;

    for (;; msg.sge_at++, msg.sge_off = 0) {
        if (msg.sge_at == msg.desc->sges)
            return XIW_ERR_LENGTH;
        if (msg.sge_off < le32_to_cpu(msg.sge[msg.sge_at].length))
            break;
    }
    const xiw_sge &sge = msg.sge[msg.sge_at];
    auto n = static_cast<u32>(std::min<size_t>(out.size(), le32_to_cpu(sge.length) - msg.sge_off));
    const u32 stag = le32_to_cpu(sge.stag);
    u64 at = le64_to_cpu(sge.addr) + msg.sge_off;
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
    msg.sge_off += n;
    msg.at += n;
    out = out.subspan(n);
    return XIW_OK;
}

u8 Tx::gather(std::span<u8> out) {
    xiw_send_message &msg = core_.msg;
    const u32 header = msg.desc->header_length;

    if (msg.at < header && !out.empty()) {
        const auto n = std::min<size_t>(out.size(), header - msg.at);
        std::memcpy(out.data(), msg.header + msg.at, n);
        msg.at += static_cast<u32>(n);
        out = out.subspan(n);
    }
    if (msg.sge == nullptr && !out.empty()) {
        std::memcpy(out.data(), msg.inline_data + (msg.at - header), out.size());
        msg.at += static_cast<u32>(out.size());
        return XIW_OK;
    }
    while (!out.empty())
        if (const u8 status = gather_sge(out); status != XIW_OK)
            return status;
    return XIW_OK;
}

} // namespace xiw::rnic
