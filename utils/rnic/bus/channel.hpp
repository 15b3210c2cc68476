// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// One client on its socket. A stream whose framing is lost is over; there is no way back.
#ifndef XIW_RNIC_BUS_CHANNEL_HPP
#define XIW_RNIC_BUS_CHANNEL_HPP

#include "bus/message.hpp"

namespace xiw::rnic::bus {

class Channel {
  public:
    explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}
    Channel(const Channel &) = delete;
    Channel &operator=(const Channel &) = delete;
    Channel(Channel &&) = delete;
    Channel &operator=(Channel &&) = delete;
    // Hangs up, and leaves nothing unread: the client shall find an end, not an error.
    // QEMU 11.1 aborts on the error.
    ~Channel();

    // Waits for a whole message. False: the client is gone, or what it says makes no sense.
    bool receive(Message &message);

    // False: the client is gone.
    bool reply(const Header &request, Octets payload) const;
    bool fail(const Header &request, int error) const;

  private:
    bool receive_header(Message &message);
    bool send(const Header &header, Octets payload) const;

    Descriptor socket_;
};

} // namespace xiw::rnic::bus

#endif
