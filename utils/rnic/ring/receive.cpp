// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "ring/receive.hpp"

#include "ring/memory.hpp"
#include "rnic.hpp"
#include "stream/stream.hpp"

#include <algorithm>
#include <atomic>

namespace xiw::rnic {

u32 ReceiveRing::posted(const Memory &memory, const Words &words, u32 wanted) const {
    u32 there = memory.load(words.tail) - head_;

    if (there < wanted) {
        memory.store(words.starved, 1);
        // Write starved before the index is read again. Pairs with the barrier of the driver,
        // which writes the index before it reads starved.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        there = memory.load(words.tail) - head_;
    }
    // The driver cannot post more than a full ring, so a larger number is invalid. Take nothing.
    return there > mask_ + 1 ? 0 : there;
}

void ReceiveRing::take(const Memory &memory, const Words &words, Receive &receive) {
    const u64 slot = ring_ + (u64{head_ & mask_} << log2_slot_);
    const u32 places = ((1U << log2_slot_) - sizeof(xiw_rx_desc)) / sizeof(xiw_sge);
    xiw_rx_desc desc{};

    memory.read(slot, &desc, sizeof(desc));
    receive.cookie = le32_to_cpu(desc.cookie);
    receive.room = le32_to_cpu(desc.length);
    receive.sges = std::min({le32_to_cpu(desc.sges), places, u32{max_gather}});
    receive.sge_at = 0;
    receive.sge_off = 0;
    receive.taken = true;
    memory.read(slot + sizeof(desc), receive.sge.data(), receive.sges * sizeof(xiw_sge));
    head_++;
    memory.store(words.head, head_);
}

SharedReceive::SharedReceive(Rnic &rnic, const xiw_adm_ring &ring)
    : rnic_(rnic), ring_(le64_to_cpu(ring.ring), ring.log2_entries, ring.log2_slot),
      words_{le64_to_cpu(ring.ctx) + offsetof(xiw_shared_rx_ctx, rx_tail),
             le64_to_cpu(ring.ctx) + offsetof(xiw_shared_rx_ctx, rx_head),
             le64_to_cpu(ring.ctx) + offsetof(xiw_shared_rx_ctx, rx_starved)},
      pd_(le32_to_cpu(ring.pd)) {}

// Each waiting stream has a claim on one receive, in the order in which the streams began to wait.
// Other streams get only receives that are not claimed.
bool SharedReceive::take(Stream &stream, Receive &receive) {
    const auto place = std::find(parked_.begin(), parked_.end(), stream.index());
    const bool waits = place != parked_.end();
    const auto wanted = static_cast<u32>(std::distance(parked_.begin(), place)) + 1;

    if (ring_.posted(rnic_.memory(), words_, wanted) < wanted) {
        if (!waits)
            parked_.push_back(stream.index());
        return false;
    }
    ring_.take(rnic_.memory(), words_, receive);
    if (waits)
        parked_.erase(place);
    return true;
}

// Wake as many streams as there are receives. If more streams wait, rx_starved stays set, so the
// driver rings the doorbell after the next post.
void SharedReceive::wake() {
    u32 left = ring_.posted(rnic_.memory(), words_, 0);

    if (left >= parked_.size())
        rnic_.memory().store(words_.starved, 0);
    for (const u32 index : parked_) {
        if (left-- == 0)
            break;
        if (Stream *stream = rnic_.stream(index))
            rnic_.schedule(*stream);
    }
}

void SharedReceive::leave(const Stream &stream) {
    if (parked_.remove(stream.index()) > 0)
        wake(); // another stream gets the receive
}

void SharedReceive::rung() {
    wake();
}

} // namespace xiw::rnic
