// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The admin ring: executes commands in order. A command is pending until its answer is in the event
// ring. A command starts only if fewer commands are pending than the admin ring has entries.
#ifndef XIW_RNIC_RING_ADMIN_HPP
#define XIW_RNIC_RING_ADMIN_HPP

#include "core.hpp"

namespace xiw::rnic {

class EventRing;
class Rnic;

class Admin {
  public:
    Admin(Rnic &rnic, u64 base, u32 log2) : rnic_(rnic), base_(base), mask_((1U << log2) - 1) {}

    void rung(u32 producer);
    // Execute posted commands, for at most Rnic::turn.
    void run();
    void done(u32 tag, u8 status);

  private:
    // execute() returns the status of the command, or `later` if done() will report it.
    enum : int { later = -1 };
    int execute(const xiw_admin_cmd &command);
    int address(const xiw_admin_cmd &command);
    int statistics(const xiw_admin_cmd &command);
    int match_load(const xiw_admin_cmd &command);
    static void haunt(EventRing &ring, __le32 stream);
    // Get the status that a command reports if the device misbehaviour `completion` makes it fail.
    int wrong_status() const;

    Rnic &rnic_;
    u64 base_;
    u32 mask_;
    u32 consumed_ = 0;
    u32 produced_ = 0;
    u32 open_ = 0;
    bool mute_ = false; // device misbehaviour
};

} // namespace xiw::rnic

#endif
