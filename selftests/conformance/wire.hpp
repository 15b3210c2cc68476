// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Network interfaces whose packets can be held and released together, so that the receiver gets
// them in one batch: the qdisc "plug" of Linux.
#pragma once

#include "tcp.hpp"

#include <string>
#include <vector>

namespace xiw::peer {

class Wire {
  public:
    // If there are no names, the object does nothing. @bursts: gather() holds packets. Needs
    // CAP_NET_ADMIN.
    Wire(const std::vector<std::string> &interfaces, bool bursts);
    Wire(Wire &&) = delete;
    Wire &operator=(Wire &&) = delete;
    Wire(const Wire &) = delete;
    Wire &operator=(const Wire &) = delete;
    ~Wire();

    // Holds packets until release(), also during waits. Throws if there is no interface.
    void hold();
    void release();

    // Called before sending: holds packets until the next wait.
    void gather();
    // Called before waiting: releases the packets of gather() in one burst.
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
