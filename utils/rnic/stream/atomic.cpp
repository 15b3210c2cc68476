// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Memory operations of RFC 7306 §5.1, on the guest's own memory: atomic against its CPUs.
#include "bus/dma.hpp"
#include "ring/event_ring.hpp"
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
    if (stags.span(stag, to, sizeof(u64), bus) < sizeof(u64))
        return XIW_ERR_BOUNDS; // misaligned: refused at delivery
    if (xiw_atomic_supported(le32_to_cpu(a.aop)) != XIW_FAULT_NONE ||
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

// Eight octets in host order; a page end may cut them where their owner put them so.
u8 Tx::atomic_store(const xiw_tx_atomic &a) const {
    const StagTable &stags = stream_.rnic().stags();
    const bus::Dma &dma = stream_.rnic().memory().dma();
    const u32 stag = le32_to_cpu(a.head.stag);
    const u64 to = le64_to_cpu(a.head.to);
    const u64 value = le64_to_cpu(a.data);
    u32 done = 0;

    if (stag == XIW_STAG_LOCAL_DMA)
        return dma.write(to, &value, sizeof(value)) ? XIW_OK : XIW_ERR_INVALID;
    const auto verdict =
        stags.check(stag, stream_.owner(), XIW_ACCESS_LOCAL_WRITE, to, sizeof(value));
    if (verdict != XIW_STAG_OK)
        return static_cast<u8>(xiw_stag_status(verdict));
    while (done < sizeof(value)) {
        u64 bus = 0;
        const u32 n = stags.span(stag, to + done, static_cast<u32>(sizeof(value)) - done, bus);
        if (n == 0 || !dma.write(bus, reinterpret_cast<const u8 *>(&value) + done, n))
            return XIW_ERR_INVALID;
        done += n;
    }
    return XIW_OK;
}

bool Tx::atomic() {
    xiw_event event{};
    xiw_tx_atomic a{};
    u64 original = 0;

    if (!stream_.events().reserve(1)) {
        stream_.events().stall(stream_, 1);
        return false;
    }
    std::memcpy(&a, copy_.octets.data(), sizeof(a));
    event.type = XIW_EV_ATOMIC;
    event.stream = cpu_to_le32(stream_.index());
    event.atomic.cookie = a.head.cookie;
    event.status =
        a.aop == cpu_to_le32(XIW_ATOMIC_STORE) ? atomic_store(a) : atomic_execute(a, original);
    event.atomic.value = cpu_to_le64(event.status == XIW_OK ? original : 0);
    stream_.events().commit(event, offsetof(xiw_event, atomic) + sizeof(event.atomic));
    return true;
}

} // namespace xiw::rnic
