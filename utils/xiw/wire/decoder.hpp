// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_WIRE_DECODER_HPP
#define XIW_WIRE_DECODER_HPP

#include "wire/conversation.hpp"

#include <deque>
#include <map>
#include <memory>
#include <utility>

namespace xiw::wire {

// Decodes packets into iWARP items. Memory use is bounded for any input, except for the records of
// iWARP connections. The decoder keeps one record for each connection.
class Decoder {
  public:
    explicit Decoder(Tell tell) : tell_(std::move(tell)) {}
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

    const std::deque<Connection> &connections() const { return connections_; }
    uint64_t packets() const { return packets_; }
    // Number of packets that are not readable TCP, and number of packets of connections beyond the
    // limit.
    uint64_t other() const { return other_; }
    uint64_t ignored() const { return ignored_; }

  private:
    using Pair = std::pair<Endpoint, Endpoint>; // the lesser endpoint is first

    Connection &found();
    void exported(uint64_t time, Span octets, uint32_t length);

    Tell tell_;
    std::deque<Connection> connections_;
    std::map<Pair, std::unique_ptr<Conversation>> conversations_;
    std::map<Pair, Connection *> shown_; // connections whose segments an RNIC has captured
    uint64_t packets_ = 0, other_ = 0, ignored_ = 0;
};

} // namespace xiw::wire

#endif
