// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire/decoder.hpp"

#include "wire/message.hpp"

#include <algorithm>

namespace xiw::wire {

Connection &Decoder::found() {
    Connection &c = connections_[++recognised_];
    c.number = recognised_;
    return c;
}

// Record that a connection is no longer followed. Its record may be erased from now on.
void Decoder::forgotten(const Connection &connection) {
    forgotten_.push_back(connection.number);
    if (forgotten_.size() > kept_) {
        connections_.erase(forgotten_.front());
        forgotten_.pop_front();
    }
}

// Get the connection of a segment that an RNIC has captured. The RNIC does not report the end of a
// connection, so this function forgets old connections. A connection is forgotten only if at least
// most_ other connections have had segments since its last segment.
Connection &Decoder::shown(const Pair &pair, const Exported &segment) {
    if (const auto it = shown_.find(pair); it != shown_.end())
        return *it->second;
    if (shown_.size() >= most_) {
        for (const auto &[old, connection] : earlier_)
            forgotten(*connection);
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
        // Parse the body of a truncated segment, too, because the captured octets may include the
        // whole body.
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
    auto it = places_.find(pair);
    if (it != places_.end() && it->second->conversation.succeeded_by(*segment)) {
        forget(it->second);
        it = places_.end();
    }
    if (it != places_.end()) {
        use(it->second, *segment, time);
        return;
    }
    // Do not begin a conversation for a segment without SYN and without data.
    if (!segment->syn && segment->length == 0)
        return;
    if (make_room())
        use(follow(pair, *segment), *segment, time);
    else
        ignored_++;
}

Decoder::Place Decoder::follow(const Pair &pair, const Segment &first) {
    std::list<Followed> &list = followed_[unrecognised];
    const Place place = list.emplace(list.end(), pair, first, *this);
    places_.emplace(pair, place);
    return place;
}

void Decoder::use(Place place, const Segment &segment, uint64_t time) {
    const Kind before = place->kind;
    Conversation &conversation = place->conversation;
    conversation.segment(segment, time);
    place->kind = conversation.is_over() ? over : conversation.is_iwarp() ? live : unrecognised;
    std::list<Followed> &list = followed_[place->kind];
    list.splice(list.end(), followed_[before], place);
}

void Decoder::forget(Place place) {
    place->conversation.finish();
    if (const Connection *connection = place->conversation.connection(); connection != nullptr)
        forgotten(*connection);
    places_.erase(place->pair);
    followed_[place->kind].erase(place);
}

// Make room for one more connection. Returns false if there is none.
bool Decoder::make_room() {
    if (places_.size() < most_)
        return true;
    for (const Kind kind : {over, unrecognised})
        if (!followed_[kind].empty()) {
            forget(followed_[kind].begin());
            return true;
        }
    return false;
}

void Decoder::finish() {
    for (auto &[pair, place] : places_)
        place->conversation.finish();
    places_.clear();
    for (std::list<Followed> &list : followed_)
        list.clear();
}

} // namespace xiw::wire
