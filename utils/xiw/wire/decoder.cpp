// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire/decoder.hpp"

#include "wire/exported.hpp"
#include "wire/message.hpp"

#include <algorithm>

namespace xiw::wire {

namespace {

constexpr size_t conversations_most = 16384;

} // namespace

Connection &Decoder::found() {
    Connection &c = connections_.emplace_back();
    c.number = connections_.size();
    return c;
}

// Decode a segment that an RNIC has captured. It needs no reassembly, and the RNIC has checked its
// CRC.
void Decoder::exported(uint64_t time, Span octets, uint32_t length) {
    const auto segment = parse_exported(octets, length);
    if (!segment) {
        other_++;
        return;
    }
    const Pair pair = std::minmax(segment->from, segment->to);
    auto it = shown_.find(pair);
    if (it == shown_.end()) {
        if (shown_.size() >= conversations_most) {
            ignored_++;
            return;
        }
        Connection &c = found();
        c.initiator = segment->from;
        c.responder = segment->to;
        it = shown_.emplace(pair, &c).first;
    }
    Connection &c = *it->second;
    const bool forward = segment->from == c.initiator;
    Fpdu fpdu{.length = segment->length,
              .markers = 0,
              .crc = segment->damaged ? Crc::bad : Crc::unseen,
              .header = {},
              .body = {},
              .fault = {}};
    if (!segment->damaged)
        fpdu.header = parse_header(segment->octets);
    if (fpdu.header) {
        // Parse the body of a truncated segment, too, because the segment may contain all of it.
        fpdu.body = parse_body(*fpdu.header, segment->octets);
        fpdu.header->payload += segment->length - static_cast<uint32_t>(segment->octets.size());
    }
    Totals &totals = forward ? c.sent : c.answered;
    totals.fpdus++;
    totals.octets += fpdu.length;
    totals.bad_crc += segment->damaged ? 1 : 0;
    tell_({time, &c, forward, fpdu});
}

void Decoder::packet(int link, uint64_t time, Span octets, uint32_t length) {
    packets_++;
    if (link == exported_link) {
        exported(time, octets, length);
        return;
    }
    const auto segment = parse_packet(link, octets);
    if (!segment) {
        other_++;
        return;
    }
    const Pair pair = std::minmax(segment->from, segment->to);
    auto it = conversations_.find(pair);
    if (it != conversations_.end() && it->second->succeeded_by(*segment)) {
        it->second->finish();
        conversations_.erase(it);
        it = conversations_.end();
    }
    if (it == conversations_.end()) {
        // Do not begin a conversation for a segment without SYN and without data.
        if (!segment->syn && segment->length == 0)
            return;
        if (conversations_.size() >= conversations_most) {
            ignored_++;
            return;
        }
        it = conversations_
                 .emplace(pair, std::make_unique<Conversation>(
                                    segment->from, segment->to,
                                    [this]() -> Connection & { return found(); }, tell_))
                 .first;
    }
    it->second->segment(*segment, time);
}

void Decoder::finish() {
    for (auto &[pair, conversation] : conversations_)
        conversation->finish();
    conversations_.clear();
}

} // namespace xiw::wire
