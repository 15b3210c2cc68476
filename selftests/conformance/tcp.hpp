// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// An ordinary TCP socket. Every wait has a time limit.
#pragma once

#include "octets.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace xiw::peer {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

// A file descriptor that closes itself.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor &operator=(Descriptor &&other) noexcept;
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    ~Descriptor();

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

  private:
    int fd_ = -1;
};

// "10.0.0.1:7306" or "[fd00::1]:7306"
struct Address {
    std::string host, port;

    static Address parse(std::string_view text);
};

class Tcp {
  public:
    enum class End { open, fin, rst };
    struct Options {
        int receive_buffer = 0; // octets; 0: the system's default
        int segment = 0;        // largest TCP segment; 0: determined by the route
        std::string from;       // local address; empty: chosen by the route
    };

    static Tcp connect(const Address &to, const Options &options, Deadline deadline);

    Tcp() = default;
    explicit Tcp(Descriptor fd);

    bool is_open() const { return static_cast<bool>(fd_); }
    void send(OctetView octets, Deadline deadline);
    // Waits until the endpoint's TCP has acknowledged all octets. Throws ECONNRESET if the
    // connection was reset.
    void flush(Deadline deadline);
    // Waits for data or the end of the stream, and appends the available octets to `input`. Returns
    // false if the deadline has passed.
    bool receive(Octets &input, Deadline deadline);
    End end() const { return end_; }

    void shut();  // FIN
    void abort(); // RST
    void close() { fd_ = Descriptor(); }

  private:
    Descriptor fd_;
    End end_ = End::open;
};

class Listener {
  public:
    Listener() = default;
    Listener(const Address &at, const Tcp::Options &options);

    bool is_open() const { return static_cast<bool>(fd_); }
    uint16_t port() const; // the local port; if the requested port was 0, the system has chosen it
    Tcp accept(Deadline deadline);

  private:
    Descriptor fd_;
};

} // namespace xiw::peer
