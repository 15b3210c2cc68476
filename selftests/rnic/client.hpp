// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A client of a vfio-user server. It sends messages like those of QEMU, and invalid messages.
#pragma once

#include "bus/message.hpp"
#include "bus/server.hpp"

#include <cstring>
#include <memory>
#include <optional>
#include <thread>

namespace xiw::test {

namespace bus = xiw::rnic::bus;
using xiw::rnic::Descriptor;

struct Reply {
    bus::Header header{};
    std::vector<uint8_t> payload;
    int error() const {
        return (header.flags & bus::flag_error) != 0 ? static_cast<int>(header.error) : 0;
    }
    template <typename T>
    T as(size_t at = 0) const {
        T value{};
        if (payload.size() >= at + sizeof(T))
            std::memcpy(&value, payload.data() + at, sizeof(value));
        return value;
    }
};

template <typename... T>
std::vector<uint8_t> octets(const T &...parts) {
    std::vector<uint8_t> out;
    (out.insert(out.end(), reinterpret_cast<const uint8_t *>(&parts),
                reinterpret_cast<const uint8_t *>(&parts) + sizeof(parts)),
     ...);
    return out;
}

// A client at one end of a socket pair. A server with its own thread is at the other end.
class Client {
  public:
    explicit Client(bus::Device &device);
    ~Client();
    Client(const Client &) = delete;
    Client &operator=(const Client &) = delete;
    Client(Client &&) = delete;
    Client &operator=(Client &&) = delete;

    // Send the data unchanged, with the descriptors `fds`. Return true if all data was sent.
    bool raw(std::span<const uint8_t> data, std::span<const int> fds = {});
    // Receive the next message. Return nothing if the server has closed the socket.
    std::optional<Reply> receive();
    // Return true if the server has read all octets before it closed the socket. If octets were
    // left, the close has reset the socket, and the function returns false.
    bool ended() const;
    Reply call(bus::Command command, const std::vector<uint8_t> &payload,
               std::span<const int> fds = {});
    void post(bus::Command command, const std::vector<uint8_t> &payload);
    Reply greet();
    void hang_up();

  private:
    Descriptor socket_;
    uint16_t next_ = 0;
    std::thread thread_;
};

} // namespace xiw::test
