// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef TEST_KERNEL_HPP
#define TEST_KERNEL_HPP

#include "message.hpp"
#include "nl/transport.hpp"

#include <deque>
#include <map>
#include <memory>

namespace test {

// Answer of the stand-in to one command.
struct Answer {
    std::vector<Attrs> objects;
    int error = 0;    // positive errno; for a dump it comes after the objects
    int accepted = 0; // number of requests that succeed before the error
    Attrs extended = {};
    int interruptions = 0; // number of dumps that are interrupted before a dump succeeds
};

struct Asked {
    uint8_t command;
    uint16_t flags;
    Octets attributes;
};

// The kernel's side of the conversation: one datagram for each object, and then the end. Requests
// are kept for the test.
struct Kernel {
    bool loaded = true;
    std::map<uint8_t, Answer> answers;
    std::vector<Asked> asked;
    std::deque<Attrs> events; // events for a listener; no attributes mean a loss
    bool groups = true;       // false if the family has no multicast group
    std::vector<uint32_t> joined;
    std::deque<Octets> raw; // if not empty, datagrams that are sent instead of answers

    std::unique_ptr<xiw::nl::Transport> connect();
    std::vector<Asked> asked_for(uint8_t command) const;
};

// A kernel with one device and all kinds of objects on it.
Kernel busy_kernel();

} // namespace test

#endif
