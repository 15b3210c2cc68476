// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_WIRE_CONVERSATION_HPP
#define XIW_WIRE_CONVERSATION_HPP

#include "wire/direction.hpp"
#include "wire/packet.hpp"

namespace xiw::wire {

// A TCP connection that may carry iWARP. It reports nothing until it has recognised iWARP.
class Conversation {
  public:
    // Creates the record of the connection when it is recognised as iWARP.
    using Found = std::function<Connection &()>;

    Conversation(Endpoint first, Endpoint second, Found found, const Tell &tell);
    ~Conversation() = default;
    Conversation(const Conversation &) = delete;
    Conversation(Conversation &&) = delete;
    Conversation &operator=(const Conversation &) = delete;
    Conversation &operator=(Conversation &&) = delete;

    // Process a segment of either direction.
    void segment(const Segment &segment, uint64_t time);
    // Check whether a segment is the SYN of a later connection between the same endpoints.
    bool succeeded_by(const Segment &segment) const;
    // Process the end of the capture.
    void finish();

    bool is_iwarp() const { return connection_ != nullptr; }
    const Connection *connection() const { return connection_; }
    // Returns true if no more items are expected: the connection was reset or rejected, both ends
    // have sent a FIN, or neither direction is iWARP.
    bool is_over() const;

  private:
    class Half : public Listener {
      public:
        Half(Conversation &whole, bool forward) : whole_(whole), forward_(forward) {}
        void startup(const Startup &frame) override { whole_.startup(*this, frame); }
        void fpdu(const Fpdu &fpdu) override;
        void gap(const Gap &gap) override;
        void tell(decltype(Item::what) what);
        void say(decltype(Item::what) what);
        void flush_gap();
        void maybe_end();

        Conversation &whole_;
        bool forward_; // from the first endpoint
        Direction direction{*this};
        Reassembly reassembly;
        std::optional<Startup> started;
        std::optional<uint32_t> fin; // sequence number of the FIN
        bool ended = false;
        Totals totals;
        Gap hole; // gap that is not reported yet
    };

    void startup(Half &half, const Startup &frame);
    // Create the record of the connection. sender: the end whose data was recognised as iWARP. This
    // end is the responder if reply is true, otherwise the initiator.
    void show(const Half &sender, bool reply);
    void agree();
    Half &other(const Half &half) { return half.forward_ ? backward_ : forward_; }

    Endpoint first_, second_;
    Found found_;
    const Tell &tell_;
    Connection *connection_ = nullptr;
    bool swapped_ = false; // the second endpoint is the initiator
    bool reset_ = false;
    uint64_t now_ = 0;
    Half forward_{*this, true};
    Half backward_{*this, false};
};

} // namespace xiw::wire

#endif
