// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef TEST_KERNEL_HPP
#define TEST_KERNEL_HPP

#include "message.hpp"
#include "nl/transport.hpp"

#include <deque>
#include <map>
#include <memory>

namespace test {

// What the stand-in answers to one command.
struct Answer {
    std::vector<Attrs> objects;
    int error = 0;     // positive errno; for a dump it comes behind the objects
    int accepted = 0;  // so many requests before the error are done
    int refusals = -1; // and behind so many errors; none by default
    Attrs extended = {};
    int interruptions = 0; // so many dumps are interrupted first
};

struct Asked {
    uint8_t command;
    uint16_t flags;
    Octets attributes;
};

// The kernel's side of the conversation: one datagram per object, then the
// end. What it was asked is kept for the test to look at.
struct Kernel {
    bool loaded = true;
    std::map<uint8_t, Answer> answers;
    std::vector<Asked> asked;
    std::deque<Attrs> events; // what a listener gets; one without attributes: some are lost
    bool groups = true;       // false: the family has no multicast group
    std::vector<uint32_t> joined;
    std::deque<Octets> raw; // if not empty: datagrams to send instead of answers

    std::unique_ptr<xiw::nl::Transport> connect();
    std::vector<Asked> asked_for(uint8_t command) const;
};

// A kernel with one device and everything there is on it.
Kernel busy_kernel();

} // namespace test

#endif
