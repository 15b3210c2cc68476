// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// One connection: TCP, the positions of FPDUs in the stream, and the MSNs of the next messages.
#pragma once

#include "message.hpp"
#include "startup.hpp"
#include "stream.hpp"
#include "tcp.hpp"
#include "wire.hpp"

#include <array>

namespace xiw::peer {

// Thrown if a step fails, usually because the tested endpoint did not send what the step expects.
class Mismatch : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// How the octets of the next step are split: one size for each piece in order, or, with `each`, one
// size for all pieces.
struct Split {
    std::vector<size_t> sizes;
    bool each = false;
};

class Connection {
  public:
    // @wire: interfaces that may hold packets; the Wire must outlive the Connection
    explicit Connection(Wire *wire = nullptr) : wire_(wire) {}

    Framer tx;
    bool crc = true; // check the CRC of received FPDUs
    std::array<uint32_t, 4> next_msn{1, 1, 1, 1}, next_peer_msn{1, 1, 1, 1};

    void open(Tcp tcp);
    bool is_open() const { return tcp_.is_open(); }
    Tcp::End end() const { return tcp_.end(); }
    void shut();
    void abort();
    void close();

    void cut(Split split) { split_ = std::move(split); }
    void cork() { corked_ = true; }
    void uncork(Deadline deadline);
    void transmit(OctetView octets, Deadline deadline);

    // Records a sent or received MPA frame. Once one frame of each direction is recorded, the two
    // frames determine whether markers and CRCs are used.
    void startup_seen(const Frame &frame, bool sent);

    Frame receive_startup(Deadline deadline);
    Received receive_fpdu(Deadline deadline);
    // Returns nothing if the stream has ended: by RST, or by FIN after a whole FPDU.
    std::optional<Received> receive_fpdu_or_end(Deadline deadline);
    // Makes the next receive_fpdu() return this FPDU again.
    void put_back(Received received) { put_back_ = std::move(received); }
    // Waits for the end of the stream; throws if octets arrive before it.
    Tcp::End receive_end(Deadline deadline);
    // Waits for the end of the stream. Ignores octets that arrive before it.
    void drain(Deadline deadline);
    // Waits until the time `until`. Throws if octets arrive or the stream ends before this time.
    void receive_nothing(Deadline until);

  private:
    void before_send();
    void before_wait();
    void more(Deadline deadline, std::string_view awaited);
    [[noreturn]] void unexpected(std::string_view awaited) const;

    Wire *wire_;
    Tcp tcp_;
    Deframer rx_;
    Octets input_, corked_octets_;
    std::optional<Received> put_back_;
    std::optional<Frame> sent_startup_, got_startup_;
    Split split_;
    bool corked_ = false;
};

} // namespace xiw::peer
