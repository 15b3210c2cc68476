// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The connection to one client. After an invalid message header, the start of the next message is
// unknown, so the connection must be closed.
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
    // Shuts down the socket and reads the remaining data, so that the client sees the end of the
    // stream and not a socket error. QEMU 11.1 aborts on a socket error.
    ~Channel();

    // Wait for a whole message. Returns false if the client has closed the connection, or if the
    // message is invalid.
    bool receive(Message &message);

    // Send the reply to a request, with a payload or an errno. Returns false if the client has
    // closed the connection.
    bool reply(const Header &request, Octets payload) const;
    bool fail(const Header &request, int error) const;

  private:
    bool receive_header(Message &message);
    bool send(const Header &header, Octets payload) const;

    Descriptor socket_;
};

} // namespace xiw::rnic::bus

#endif
