// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_WIRE_DIRECTION_HPP
#define XIW_WIRE_DIRECTION_HPP

#include "wire/reassembly.hpp"
#include "wire/wire.hpp"

#include <memory>

namespace xiw::wire {

// What both ends agreed on for one direction (RFC 5044 §7.1).
struct Framing {
    bool crc = true;
    bool markers = false;
};

// What a direction tells its conversation.
class Listener {
  public:
    Listener() = default;
    virtual ~Listener() = default;
    Listener(const Listener &) = delete;
    Listener(Listener &&) = delete;
    Listener &operator=(const Listener &) = delete;
    Listener &operator=(Listener &&) = delete;
    virtual void startup(const Startup &frame) = 0;
    virtual void fpdu(const Fpdu &fpdu) = 0;
    virtual void gap(const Gap &gap) = 0;
};

// One direction of a connection: octets of TCP in order become a startup frame and FPDUs.
//
// Without the startup, or behind a hole, the place of the next FPDU is unknown; then the
// beginning of each segment is tried, as senders let FPDUs begin there (RFC 5044 §5.1),
// and the CRC tells whether one does. The listener must outlive it.
class Direction : public Taker {
  public:
    enum class State {
        startup, // nothing told yet: perhaps a Request or Reply
        waiting, // own startup frame is over; the framing depends on the other's
        fpdus,   // in step
        hunting, // out of step
        deaf,    // no iWARP, or rejected
    };

    explicit Direction(Listener &listener);
    ~Direction() override;
    Direction(const Direction &) = delete;
    Direction(Direction &&) = delete;
    Direction &operator=(const Direction &) = delete;
    Direction &operator=(Direction &&) = delete;

    void octets(Span piece) override;
    void missing(uint64_t count) override;

    State state() const { return state_; }
    // The first octet will be the connection's first: what is no startup is no iWARP.
    void whole() { whole_ = true; }
    // Both startup frames are known.
    void agree(const Framing &framing);
    void close() { become(State::deaf); }
    // Octets of what is not complete.
    size_t unread() const { return buffer_.size(); }

  private:
    struct Receiver;

    void become(State state);
    void drop(uint64_t count, Gap::Why why);
    void hunt(const Framing &framing);
    void read_startup(Span piece);
    void read_fpdus();
    bool in_step(Span piece) const;

    Listener &listener_;
    State state_ = State::startup;
    bool whole_ = false;
    unsigned bad_ = 0; // CRCs in a row
    Octets buffer_;    // not yet complete
    std::unique_ptr<Receiver> receiver_;
};

} // namespace xiw::wire

#endif
