// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Network interfaces whose packets can be held and then released together, so that the receiver
// gets the packets in one batch. Uses the qdisc "plug" of Linux.
#pragma once

#include "tcp.hpp"

#include <string>
#include <vector>

namespace xiw::peer {

class Wire {
  public:
    // Without interfaces, hold() throws, and the other functions do nothing. With interfaces, the
    // object needs CAP_NET_ADMIN. If bursts is true, gather() holds packets. Otherwise, gather()
    // does nothing.
    Wire(const std::vector<std::string> &interfaces, bool bursts);
    Wire(Wire &&) = delete;
    Wire &operator=(Wire &&) = delete;
    Wire(const Wire &) = delete;
    Wire &operator=(const Wire &) = delete;
    ~Wire();

    // Holds packets until release(), also during waits. Throws if there is no interface.
    void hold();
    void release();

    // Called before each send. Holds packets until the next wait.
    void gather();
    // Called before each wait. Releases the packets that gather() holds, in one burst.
    void before_wait();

    bool held() const { return held_ != Held::no; }

  private:
    enum class Held { no, gathered, asked };

    void change(int action);

    Descriptor netlink_;
    std::vector<int> indexes_;
    bool bursts_;
    Held held_ = Held::no;
};

} // namespace xiw::peer
