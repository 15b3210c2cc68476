// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_WIRE_DIRECTION_HPP
#define XIW_WIRE_DIRECTION_HPP

#include "wire/reassembly.hpp"
#include "wire/wire.hpp"

#include <memory>

namespace xiw::wire {

// Negotiated framing of one direction (RFC 5044 §7.1).
struct Framing {
    bool crc = true;
    bool markers = false;
};

// Receives the results of a direction.
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

// One direction of a connection. It translates ordered TCP octets into an MPA frame and FPDUs.
//
// Without the MPA frame, or after a gap, the position of the next FPDU is unknown. In this case,
// the start of each TCP segment is tried, because senders usually begin FPDUs at the start of a
// segment (RFC 5044 §5.1). A matching CRC confirms the position. If the FPDUs have no CRC,
// consistent headers confirm it. The listener must outlive the direction.
class Direction : public Taker {
  public:
    enum class State {
        startup, // the octets may be the start of an MPA Request or Reply
        waiting, // the MPA frame is complete; the framing depends on the other MPA frame
        fpdus,   // the position of the next FPDU is known
        hunting, // the position of the next FPDU is unknown
        deaf,    // not iWARP, or rejected
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
    // Record that the capture includes the start of the connection. In this case, a connection
    // without an MPA frame is not iWARP.
    void whole() { whole_ = true; }
    // Set the framing, when both MPA frames are known.
    void agree(const Framing &framing);
    void close() { become(State::deaf); }
    // Get the number of octets that are not translated yet.
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
    unsigned bad_ = 0; // number of successive bad CRCs
    Octets buffer_;    // octets that are not translated yet
    std::unique_ptr<Receiver> receiver_;
};

} // namespace xiw::wire

#endif
