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

// Talks to the kernel's generic netlink family "xiw".
class Client {
  public:
    // Finds the family. Throws Error with Exit::absent if there is none.
    explicit Client(Transport &transport);

    using Fill = std::function<void(Request &)>;
    using OnMessage = std::function<void(const Attributes &)>;

    // One request, at most one answer.
    void ask(uint8_t command, const Fill &fill, const OnMessage &on_message);
    // The handler, if any, may replace the error of a refused request by one
    // that says more; if it returns, the usual explanation follows.
    using OnRefused = std::function<void(const Refused &, const Request &)>;
    void change(uint8_t command, const Fill &fill, const OnRefused &on_refused);

    // Each object of one kind. False if the kernel says that objects came or
    // went meanwhile: call again, after dropping what was collected.
    [[nodiscard]] bool dump(uint8_t command, const Fill &fill, const OnMessage &on_message);

    // Joins a multicast group of the family. Throws Error if it has none of this name.
    void join(const char *group);
    // Waits for messages of the groups joined, and calls on_event for those of this
    // command, until one of the two says so by returning false. on_lost: some did not
    // get through, it is not known how many.
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
