// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire/decoder.hpp"

#include "wire/message.hpp"

#include <algorithm>

namespace xiw::wire {

Connection &Decoder::found() {
    Connection &c = connections_.emplace_back();
    c.number = connections_.size();
    return c;
}

// Get the connection of a segment that an RNIC has captured. The RNIC does not report the end of a
// connection, so this function forgets old connections. A connection is forgotten only if at least
// most_ other connections have had segments since its last segment.
Connection &Decoder::shown(const Pair &pair, const Exported &segment) {
    if (const auto it = shown_.find(pair); it != shown_.end())
        return *it->second;
    if (shown_.size() >= most_) {
        earlier_ = std::move(shown_);
        shown_.clear();
    }
    if (auto node = earlier_.extract(pair))
        return *shown_.insert(std::move(node)).position->second;
    Connection &c = found();
    c.initiator = segment.from;
    c.responder = segment.to;
    shown_.emplace(pair, &c);
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
    Connection &c = shown(pair, *segment);
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
        if (conversations_.size() >= most_) {
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
