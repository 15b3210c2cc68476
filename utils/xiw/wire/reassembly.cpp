// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire/reassembly.hpp"

#include <algorithm>

namespace xiw::wire {

namespace {

// Limits of octets and segments that wait for missing octets. Above a limit, the missing octets are
// skipped.
constexpr uint64_t early_octets_most = 1U << 20;
constexpr size_t early_most = 1024;
// The capture may lack octets that the receiver has acknowledged. Such octets are skipped when more
// than this number of segments wait.
constexpr size_t patience = 16;

} // namespace

void Reassembly::begin(uint32_t seq) {
    if (begun_)
        return;
    begun_ = true;
    base_ = seq;
}

void Reassembly::segment(uint32_t seq, uint32_t length, Span octets, Taker &taker) {
    if (length == 0)
        return;
    begin(seq);
    const uint64_t at = place(seq);

    if (at > next_) {
        early_.emplace(at, Early{length, Octets(octets.begin(), octets.end())});
        waiting_ += octets.size();
        while (waiting_ > early_octets_most || early_.size() > early_most ||
               (early_.size() > patience && early_.begin()->first <= acknowledged_))
            skip(taker);
        return;
    }
    deliver(at, length, octets, taker);
    deliver_early(taker);
}

void Reassembly::acknowledged(uint32_t ack) {
    if (begun_)
        acknowledged_ = std::max(acknowledged_, place(ack));
}

// Get the position of a sequence number: the position that is less than half of the sequence space
// away from the next octet, in either direction (RFC 9293 §3.4).
uint64_t Reassembly::place(uint32_t seq) const {
    const auto distance = static_cast<int32_t>(seq - base_);
    return next_ + static_cast<uint64_t>(static_cast<int64_t>(distance));
}

void Reassembly::flush(Taker &taker) {
    while (!early_.empty())
        skip(taker);
}

// Deliver a segment that begins at or before the next octet.
void Reassembly::deliver(uint64_t at, uint32_t length, Span octets, Taker &taker) {
    const uint64_t known = next_ - at;
    if (known >= length)
        return; // retransmission
    const uint64_t fresh = length - known;
    const Span piece = octets.subspan(std::min<size_t>(known, octets.size()));

    next_ += fresh;
    base_ += static_cast<uint32_t>(fresh);
    if (!piece.empty())
        taker.octets(piece);
    if (piece.size() < fresh)
        taker.missing(fresh - piece.size());
}

void Reassembly::deliver_early(Taker &taker) {
    while (!early_.empty() && early_.begin()->first <= next_) {
        const auto node = early_.extract(early_.begin());
        waiting_ -= node.mapped().octets.size();
        deliver(node.key(), node.mapped().length, node.mapped().octets, taker);
    }
}

void Reassembly::skip(Taker &taker) {
    const uint64_t gap = early_.begin()->first - next_;
    next_ += gap;
    base_ += static_cast<uint32_t>(gap);
    taker.missing(gap);
    deliver_early(taker);
}

} // namespace xiw::wire
