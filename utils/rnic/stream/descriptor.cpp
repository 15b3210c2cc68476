// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Execute TX descriptors in the order of core/send.h. An Atomic or a change of an STag is executed
// after the data of all earlier descriptors has been copied.
#include "rnic.hpp"
#include "stream/stream.hpp"
#include "stream/tx.hpp"

#include <cstring>

namespace xiw::rnic {

u32 Tx::tail(u8 queue) const {
    return stream_.load(offsetof(xiw_stream_ctx, tx_tail) + queue * sizeof(u32));
}

bool Tx::pending() const {
    return !idle(XIW_TXQ_REQUEST) || !idle(XIW_TXQ_RESPONSE);
}

// Copy the descriptor at the head. Returns false if its number of units or the tail is invalid.
bool Tx::read_descriptor(u8 queue) {
    const u32 at = core_.ring[queue].head & core_.mask;
    const u64 from = rings_.at(queue) + u64{at} * XIW_TX_UNIT;

    stream_.rnic().memory().read(from, copy_.octets.data(), XIW_TX_UNIT);
    const u32 units = copy_.head().units;
    if (!xiw_send_fits(&core_, queue, units, tail(queue)))
        return false;
    stream_.rnic().memory().read(from + XIW_TX_UNIT, copy_.octets.data() + XIW_TX_UNIT,
                                 size_t{units - 1} * XIW_TX_UNIT);
    return true;
}

// Finish the current message, whose last octet has been copied.
void Tx::message_done() {
    stream_.rnic().stats().tx_messages[xiw_send_done(&core_, &stream_.rx().core())]++;
}

u8 Tx::set_stag() {
    xiw_stag_entry entry{};

    std::memcpy(&entry, copy_.octets.data() + sizeof(xiw_tx_desc), sizeof(entry));
    return stream_.rnic().stags().set(le32_to_cpu(copy_.head().stag), entry, &stream_.owner());
}

u8 Tx::execute(xiw_send_step step, u8 queue) {
    if (step == XIW_SEND_ATOMIC)
        return atomic_start(queue);
    if (step == XIW_SEND_STAG_SET)
        return set_stag();
    return stream_.rnic().stags().invalidate(le32_to_cpu(copy_.head().stag), stream_.owner(),
                                             false);
}

// Get the TX queue of the next descriptor; XIW_TXQ_COUNT if there is none.
u8 Tx::next_ring() const {
    if (!idle(core_.turn))
        return core_.turn;
    const u8 other = xiw_send_other(&core_);
    return other < XIW_TXQ_COUNT && !idle(other) ? other : u8{XIW_TXQ_COUNT};
}

bool Tx::next() {
    for (u32 budget = core_.mask + 1; !core_.failed; budget--) {
        if (budget == 0) { // the driver posts as fast as this loop executes: let other streams run
            stream_.rnic().schedule(stream_);
            return false;
        }
        const u8 queue = next_ring();
        if (queue == XIW_TXQ_COUNT)
            return false;
        if (!read_descriptor(queue)) {
            xiw_send_fail(&core_, queue, XIW_ERR_INVALID, 0);
            return false;
        }
        const xiw_send_step step =
            xiw_send_next(&core_, &stream_.rx().core().fifo, queue, &copy_.head());
        if (step == XIW_SEND_MESSAGE)
            return true;
        if (step == XIW_SEND_AGAIN || step == XIW_SEND_FAILED)
            continue;
        const u8 status = execute(step, queue);
        if (status != XIW_OK) {
            xiw_send_fail(&core_, queue, static_cast<enum xiw_status>(status), 0);
            return false;
        }
        if (step == XIW_SEND_ATOMIC)
            return true;
        xiw_send_executed(&core_, queue, &copy_.head());
    }
    return false;
}

} // namespace xiw::rnic
