// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire/decoder.hpp"

#include <algorithm>

namespace xiw::wire {

namespace {

constexpr size_t conversations_most = 16384;

} // namespace

void Decoder::packet(int link, uint64_t time, Span octets) {
    packets_++;
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
        // Without data there is nothing to follow.
        if (!segment->syn && segment->length == 0)
            return;
        if (conversations_.size() >= conversations_most) {
            ignored_++;
            return;
        }
        const auto found = [this]() -> Connection & {
            Connection &c = connections_.emplace_back();
            c.number = connections_.size();
            return c;
        };
        it = conversations_
                 .emplace(pair,
                          std::make_unique<Conversation>(segment->from, segment->to, found, tell_))
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
