// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Code that several tests of the wire peer use.
#pragma once

#include "connection.hpp"
#include "vectors.hpp"

#include <functional>
#include <thread>

namespace xiw::peer {

const Vectors &golden();

// Return a deadline that only a hanging test reaches.
Deadline soon();

// The remote end of a connection. It accepts one connection at its own port, and calls `act` with
// this connection.
class Remote {
  public:
    explicit Remote(std::function<void(Connection &)> act);
    Remote(Remote &&) = delete;
    Remote(const Remote &) = delete;
    Remote &operator=(Remote &&) = delete;
    Remote &operator=(const Remote &) = delete;
    ~Remote() = default;

    Address address() const { return {"127.0.0.1", std::to_string(listener_.port())}; }
    std::string text() const { return "127.0.0.1:" + std::to_string(listener_.port()); }

  private:
    Listener listener_;
    std::jthread thread_;
};

} // namespace xiw::peer
