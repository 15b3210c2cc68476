// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// TX descriptors. Requests and responses each have a ring, and alternate message by message;
// CHAIN keeps descriptors of one ring together. Atomics and STag changes are executed here, in
// order: everything before them has been copied already.
#include "rnic.hpp"
#include "stream/stream.hpp"
#include "stream/tx.hpp"

#include <cstring>

namespace xiw::rnic {

u32 Tx::tail(u8 queue) const {
    return stream_.load(offsetof(xiw_stream_ctx, tx_tail) + queue * sizeof(u32));
}

bool Tx::pending() const {
    return tail(XIW_TXQ_REQUEST) != queues_[XIW_TXQ_REQUEST].head ||
           tail(XIW_TXQ_RESPONSE) != queues_[XIW_TXQ_RESPONSE].head;
}

// Copy the descriptor at the head. Returns false if it exceeds the posted units.
bool Tx::read_descriptor(u8 queue) {
    const Queue &q = queues_.at(queue);
    const u32 at = q.head & mask_;
    const u32 there = tail(queue) - q.head;
    const u64 from = q.ring + u64{at} * XIW_TX_UNIT;

    stream_.rnic().memory().read(from, copy_.octets.data(), XIW_TX_UNIT);
    const u32 units = copy_.head().units;
    if (units == 0 || units > XIW_TX_MAX_UNITS || units > there || there > mask_ + 1 ||
        at + units > mask_ + 1)
        return false;
    stream_.rnic().memory().read(from + XIW_TX_UNIT, copy_.octets.data() + XIW_TX_UNIT,
                                 size_t{units - 1} * XIW_TX_UNIT);
    return true;
}

// Finish the descriptor at the head; the other ring is next.
void Tx::advance(u8 queue) {
    chained_ = (copy_.head().flags & XIW_TXF_CHAIN) != 0;
    turn_ = chained_ ? queue : queue ^ 1;
    queues_.at(queue).head += copy_.head().units;
    queues_.at(queue).built = queues_.at(queue).head;
    if ((copy_.head().flags & XIW_TXF_QUIET) == 0)
        queues_.at(queue).loud = queues_.at(queue).head;
}

// Finish the current message: its last octet has been copied.
void Tx::message_done() {
    stream_.rnic().stats().tx_messages[copy_.head().rdmap_ctrl & XIW_RDMAP_OPCODE_MASK]++;
    advance(message_.queue);
    // A response returns the credit of its request when it may leave.
    if (message_.queue == XIW_TXQ_RESPONSE)
        stream_.rx().credit();
    message_.there = false;
}

bool Tx::message_parts(const xiw_tx_sink **sink) {
    const xiw_tx_desc &desc = copy_.head();
    const u32 size = desc.units * u32{XIW_TX_UNIT};
    u32 at = sizeof(desc);

    *sink = nullptr;
    if ((desc.flags & (XIW_TXF_SOLICIT_TAGGED | XIW_TXF_SOLICIT_QUEUE3)) != 0) {
        *sink = reinterpret_cast<const xiw_tx_sink *>(copy_.octets.data() + at);
        at += sizeof(xiw_tx_sink);
    }
    message_.header_at = at;
    at += (desc.header_length + 15U) & ~15U;
    if (at > size)
        return false;
    message_.data_at = at;
    if ((desc.flags & XIW_TXF_INLINE) != 0)
        return le32_to_cpu(desc.length) <= size - at;
    return desc.sges <= max_gather && desc.sges * sizeof(xiw_sge) <= size - at;
}

bool Tx::solicit(const xiw_tx_sink &sink) const {
    const xiw_tx_desc &desc = copy_.head();
    xiw_solicited &fifo = stream_.rx().solicited();
    const u32 stag = le32_to_cpu(sink.stag);
    const u32 length = le32_to_cpu(sink.length);
    const u32 cookie = le32_to_cpu(desc.cookie);
    const u64 to = le64_to_cpu(sink.to);

    if ((desc.flags & XIW_TXF_SOLICIT_QUEUE3) == 0)
        return xiw_solicited_push_read(&fifo, stag, to, length, cookie, desc.sink_flags);
    return (desc.flags & XIW_TXF_SOLICIT_TAGGED) == 0 && length == sizeof(u64) &&
           xiw_solicited_push_queue3(&fifo, stag, to, cookie);
}

u8 Tx::message_start(u8 queue) {
    const xiw_tx_desc &desc = copy_.head();
    const u32 length = le32_to_cpu(desc.length) + desc.header_length;
    const xiw_tx_sink *sink = nullptr;

    message_ = {};
    message_.queue = queue;
    // At least one unit was copied, so the whole head is there.
    if (length < desc.header_length || desc.header_length > XIW_RDMAP_HDR_MAX ||
        !message_parts(&sink))
        return XIW_ERR_INVALID;
    if (desc.op == XIW_TX_TAGGED) {
        xiw_ddp_seg_tagged(&message_.seg, desc.rdmap_ctrl, le32_to_cpu(desc.stag),
                           le64_to_cpu(desc.to), length);
    } else {
        if (desc.queue >= XIW_QN_COUNT)
            return XIW_ERR_INVALID;
        xiw_ddp_seg_untagged(&message_.seg, desc.rdmap_ctrl, le32_to_cpu(desc.stag), desc.queue,
                             msn_.at(desc.queue), length);
    }
    // Before the request can leave: its response may come at once.
    if (sink != nullptr && !solicit(*sink))
        return XIW_ERR_INVALID;
    if (desc.op == XIW_TX_UNTAGGED)
        msn_.at(desc.queue)++;
    message_.there = true;
    return XIW_OK;
}

u8 Tx::operation() {
    const xiw_tx_desc &desc = copy_.head();
    const u32 stag = le32_to_cpu(desc.stag);
    xiw_stag_entry entry{};

    switch (desc.op) {
    case XIW_TX_STAG_SET:
        if (desc.units * size_t{XIW_TX_UNIT} < sizeof(desc) + sizeof(entry))
            return XIW_ERR_INVALID;
        std::memcpy(&entry, copy_.octets.data() + sizeof(desc), sizeof(entry));
        return stream_.rnic().stags().set(stag, entry, &stream_.owner());
    case XIW_TX_STAG_INVALIDATE:
        return stream_.rnic().stags().invalidate(stag, stream_.owner(), false);
    default:
        return XIW_ERR_INVALID;
    }
}

bool Tx::next() {
    for (u32 budget = mask_ + 1; !failed_; budget--) {
        if (budget == 0) { // the driver posts as fast as we execute
            stream_.rnic().schedule(stream_);
            return false;
        }
        u8 queue = turn_;
        if (tail(queue) == queues_.at(queue).head) {
            if (chained_)
                return false;
            queue ^= 1;
            if (tail(queue) == queues_.at(queue).head)
                return false;
        }
        if (!read_descriptor(queue)) {
            fail(queue, XIW_ERR_INVALID, 0);
            return false;
        }
        const u8 op = copy_.head().op;
        if (op == XIW_TX_UNTAGGED || op == XIW_TX_TAGGED || op == XIW_TX_ATOMIC) {
            const u8 status = op == XIW_TX_ATOMIC ? atomic_start(queue) : message_start(queue);
            if (status == XIW_OK)
                return true;
            fail(queue, status, 0);
            return false;
        }
        if (op == XIW_TX_NOP) { // takes no turn, and does not end a chain
            queues_.at(queue).head += copy_.head().units;
            queues_.at(queue).built = queues_.at(queue).head;
            continue;
        }
        const u8 status = operation();
        if (status != XIW_OK) {
            fail(queue, status, 0);
            return false;
        }
        advance(queue);
    }
    return false;
}

} // namespace xiw::rnic
