// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Atomics of RFC 7306 §5.1 on the guest's memory. They are atomic with respect to the guest's CPUs.
#include "bus/dma.hpp"
#include "rnic.hpp"
#include "stream/stream.hpp"
#include "stream/tx.hpp"

#include <cstring>

namespace xiw::rnic {

u8 Tx::atomic_execute(const xiw_tx_atomic &a, u64 &original) const {
    const StagTable &stags = stream_.rnic().stags();
    const u32 stag = le32_to_cpu(a.head.stag);
    const u64 to = le64_to_cpu(a.head.to);
    u64 bus = 0;

    const auto verdict =
        stags.check(stag, stream_.owner(), XIW_ACCESS_REMOTE_ATOMIC, to, sizeof(u64));
    if (verdict != XIW_STAG_OK)
        return static_cast<u8>(xiw_stag_status(verdict));
    if (stags.span(stag, to, sizeof(u64), bus) < sizeof(u64) ||
        xiw_atomic_aligned(bus) != XIW_FAULT_NONE)
        return XIW_ERR_INVALID;
    const auto change = [&a](uint64_t old, uint64_t &result) {
        u64 value = 0;
        const bool stores = xiw_atomic_apply(
            le32_to_cpu(a.aop), le64_to_cpu(old), le64_to_cpu(a.data), le64_to_cpu(a.mask),
            le64_to_cpu(a.compare), le64_to_cpu(a.compare_mask), &value);
        result = cpu_to_le64(value);
        return stores;
    };
    uint64_t old = 0;
    if (!stream_.rnic().memory().dma().modify(bus, old, change))
        return XIW_ERR_INVALID;
    original = le64_to_cpu(old);
    return XIW_OK;
}

u8 Tx::atomic_start(u8 queue) {
    xiw_tx_atomic a{};
    u64 original = 0;

    std::memcpy(&a, copy_.octets.data(), sizeof(a));
    const u8 status = atomic_execute(a, original);
    if (status == XIW_OK)
        xiw_send_answer(&core_, queue, &copy_.head(), original);
    return status;
}

} // namespace xiw::rnic
