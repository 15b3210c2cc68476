// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_NL_CLIENT_HPP
#define XIW_NL_CLIENT_HPP

#include "nl/reply.hpp"
#include "nl/request.hpp"
#include "nl/transport.hpp"

#include <functional>

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

  private:
    bool exchange(Request &request, const OnMessage &on_message);
    Request request(uint8_t command, uint16_t flags) const;

    Transport &transport_;
    uint32_t sequence_ = 0;
    uint16_t family_ = 0;
};

} // namespace xiw::nl

#endif
