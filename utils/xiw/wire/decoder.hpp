// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_WIRE_DECODER_HPP
#define XIW_WIRE_DECODER_HPP

#include "wire/conversation.hpp"
#include "wire/exported.hpp"

#include <array>
#include <deque>
#include <list>
#include <map>
#include <utility>

namespace xiw::wire {

// Decodes packets into iWARP items. Memory use is bounded for any input.
class Decoder {
  public:
    // most: limit of the connections that are followed at the same time. At the limit, a new
    // connection replaces a connection that is over. If none is over, it replaces a connection that
    // is not recognised as iWARP. If there are several, it replaces the one that has been silent
    // longest.
    // kept: limit of the records of connections that are no longer followed. At the limit, a new
    // record replaces the oldest one.
    explicit Decoder(Tell tell, size_t most = 16384, size_t kept = 65536)
        : tell_(std::move(tell)), most_(most), kept_(kept) {}
    ~Decoder() = default;
    Decoder(const Decoder &) = delete;
    Decoder(Decoder &&) = delete;
    Decoder &operator=(const Decoder &) = delete;
    Decoder &operator=(Decoder &&) = delete;

    // Process a packet. link is pcap's DLT_* number. time is in nanoseconds since 1970. length is
    // the length of the packet before truncation.
    void packet(int link, uint64_t time, Span octets, uint32_t length);
    // Process the end of the capture, after the last packet.
    void finish();

    // The records of connections by number, for a summary, and the number of all connections.
    const std::map<uint64_t, Connection> &connections() const { return connections_; }
    uint64_t recognised() const { return recognised_; }
    uint64_t packets() const { return packets_; }
    // other(): number of packets that are not readable TCP. ignored(): number of packets of
    // connections that are not followed, because the limit is reached and all followed connections
    // are live iWARP connections.
    uint64_t other() const { return other_; }
    uint64_t ignored() const { return ignored_; }

  private:
    using Pair = std::pair<Endpoint, Endpoint>; // the lesser endpoint is first

    // The kinds of followed connections, in the order in which new connections replace them. New
    // connections do not replace live connections.
    enum Kind : uint8_t { over, unrecognised, live, kinds };
    struct Followed {
        Followed(const Pair &its, const Segment &first, Decoder &decoder)
            : pair(its),
              conversation(
                  first.from, first.to, [&decoder]() -> Connection & { return decoder.found(); },
                  decoder.tell_) {}

        Pair pair;
        Conversation conversation;
        Kind kind = unrecognised;
    };
    using Place = std::list<Followed>::iterator;

    Place follow(const Pair &pair, const Segment &first);
    // Process a segment, and move the connection to the end of the list of its kind.
    void use(Place place, const Segment &segment, uint64_t time);
    void forget(Place place);
    void forgotten(const Connection &connection);
    bool make_room();
    Connection &found();
    Connection &shown(const Pair &pair, const Exported &segment);
    void exported(uint64_t time, Span octets, uint32_t length);

    Tell tell_;
    size_t most_, kept_;
    std::map<uint64_t, Connection> connections_;
    std::deque<uint64_t> forgotten_; // the numbers of connections that are no longer followed
    std::map<Pair, Place> places_;
    // One list for each kind. The connection with the latest segment is at the end of its list.
    std::array<std::list<Followed>, kinds> followed_;
    // Connections whose segments an RNIC has captured. The connections with recent segments are in
    // shown_. The connections whose last segment is older are in earlier_.
    std::map<Pair, Connection *> shown_, earlier_;
    uint64_t recognised_ = 0, packets_ = 0, other_ = 0, ignored_ = 0;
};

} // namespace xiw::wire

#endif
