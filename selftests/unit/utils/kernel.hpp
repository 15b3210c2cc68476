// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef TEST_KERNEL_HPP
#define TEST_KERNEL_HPP

#include "message.hpp"
#include "nl/transport.hpp"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include <linux/xiw.h>

namespace test {

// The answer of the stand-in for the kernel to one command.
struct Answer {
    std::vector<Attrs> objects;
    int error = 0;    // positive errno; in a dump, the error follows the objects
    int accepted = 0; // number of requests, other than dumps, that succeed before the error
    Attrs extended = {};
    int interruptions = 0;            // number of interrupted dumps before a dump succeeds
    std::chrono::milliseconds time{}; // duration of a dump
};

// Identifier of the family "xiw".
inline constexpr uint16_t family = 0x2a;

// An event, by default of the family "xiw".
struct Event {
    Event(const Attrs &content, uint8_t what = XIW_CMD_NOTICE_NTF, uint16_t from = family)
        : attributes(content), command(what), type(from) {}

    Attrs attributes;
    uint8_t command;
    uint16_t type;
};

struct Asked {
    uint8_t command;
    uint16_t flags;
    Octets attributes;
};

// A stand-in for the kernel's end of a netlink socket. It answers a dump with one datagram for each
// object, and any other request with a datagram for the first object. A final datagram ends each
// answer. The stand-in keeps the requests for the test.
struct Kernel {
    bool loaded = true;
    std::string interface = "eth0"; // name of the interface of the devices
    std::map<uint8_t, Answer> answers;
    std::vector<Asked> asked;
    std::deque<Event> events; // events that wait() returns; one without octets is a loss of events
    bool groups = true;       // false if the family has no multicast group
    std::vector<uint32_t> joined;
    std::deque<Octets> raw; // if not empty, the datagrams that replace each answer

    std::unique_ptr<xiw::nl::Transport> connect();
    std::vector<Asked> asked_for(uint8_t command) const;
};

// Return a kernel with one device that has objects of all kinds.
Kernel busy_kernel();

} // namespace test

#endif
