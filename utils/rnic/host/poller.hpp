// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Calls watchers when their descriptors become ready (edge-triggered).
#ifndef XIW_RNIC_HOST_POLLER_HPP
#define XIW_RNIC_HOST_POLLER_HPP

#include "bus/descriptor.hpp"

#include <chrono>
#include <cstdint>
#include <unordered_map>

namespace xiw::rnic::host {

class Watcher {
  public:
    Watcher() = default;
    Watcher(const Watcher &) = delete;
    Watcher &operator=(const Watcher &) = delete;
    Watcher(Watcher &&) = delete;
    Watcher &operator=(Watcher &&) = delete;
    virtual ~Watcher() = default;

    virtual void ready() = 0;
};

class Poller {
  public:
    Poller();

    // Add a watcher. Return: 0 or a negative errno. On success, name is the id for remove(). Call
    // remove() before the descriptor is closed.
    int add(int fd, Watcher &watcher, uint64_t &name);
    void remove(int fd, uint64_t name);

    // Wait, and call the watchers that are ready. max() means no time limit.
    void wait(std::chrono::steady_clock::time_point until);

  private:
    Descriptor epoll_;
    uint64_t next_ = 0;
    std::unordered_map<uint64_t, Watcher *> watchers_;
};

} // namespace xiw::rnic::host

#endif
