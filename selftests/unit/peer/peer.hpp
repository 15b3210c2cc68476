// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Shared parts of the peer's tests.
#pragma once

#include "connection.hpp"
#include "vectors.hpp"

#include <functional>
#include <thread>

namespace xiw::peer {

const Vectors &golden();

// A deadline that is far in the future, so that a test that hangs still ends.
Deadline soon();

// The other end: accepts one connection at its own port and runs the given function.
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
