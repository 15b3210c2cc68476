// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_NL_CLIENT_HPP
#define XIW_NL_CLIENT_HPP

#include "nl/reply.hpp"
#include "nl/request.hpp"
#include "nl/transport.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace xiw::nl {

// A client of the kernel's generic netlink family "xiw".
class Client {
  public:
    // Finds the family. Throws Error with Exit::absent if it does not exist.
    explicit Client(Transport &transport);

    using Fill = std::function<void(Request &)>;
    using OnMessage = std::function<void(const Attributes &)>;

    // Send a request that has at most one reply.
    void ask(uint8_t command, const Fill &fill, const OnMessage &on_message);
    // Send a request that changes the state of the driver. If the kernel refuses the request, call
    // `on_refused`, which may throw a specific error. If `on_refused` returns, throw the usual
    // error.
    using OnRefused = std::function<void(const Refused &, const Request &)>;
    void change(uint8_t command, const Fill &fill, const OnRefused &on_refused);

    // Read all objects of one kind. Returns false if objects were added or removed in the meantime:
    // what the caller has collected is then inconsistent.
    [[nodiscard]] bool dump(uint8_t command, const Fill &fill, const OnMessage &on_message);

    // Join a multicast group of the family. Throws Error if the group does not exist.
    void join(const char *group);
    // Wait for messages of the joined groups. Call on_event for each message of `command`, and
    // on_lost if messages were lost. Return when one of these functions returns false. The number
    // of lost messages is unknown. Throws Error with Exit::absent if the module is removed.
    using OnEvent = std::function<bool(const Attributes &)>;
    void listen(uint8_t command, const OnEvent &on_event, const std::function<bool()> &on_lost);

  private:
    bool exchange(Request &request, const OnMessage &on_message);
    Request request(uint8_t command, uint16_t flags) const;

    Transport &transport_;
    uint32_t sequence_ = 0;
    uint16_t family_ = 0;
    std::vector<std::pair<std::string, uint32_t>> groups_;
};

} // namespace xiw::nl

#endif
