// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_NL_REPLY_HPP
#define XIW_NL_REPLY_HPP

#include "error.hpp"
#include "nl/attributes.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace xiw::nl {

// What an extended acknowledgement says beyond the errno.
struct ExtendedAck {
    std::string message;
    std::optional<uint32_t> offset;      // of the offending attribute in the request
    std::optional<uint64_t> missing;     // type of an attribute that is required
    std::optional<uint64_t> least, most; // range that the value left
};

// The kernel answered a request with an error.
class Refused : public Error {
  public:
    Refused(int error, ExtendedAck ack);

    int error() const { return error_; }
    const ExtendedAck &ack() const { return ack_; }

  private:
    int error_;
    ExtendedAck ack_;
};

// Takes the datagrams that answer one request until the answer is complete.
class Reply {
  public:
    using OnMessage = std::function<void(uint8_t command, const Attributes &)>;

    Reply(uint32_t sequence, uint32_t port) : sequence_(sequence), port_(port) {}

    // Calls on_message for each message; true when the answer is complete.
    // Throws Refused or Malformed. Messages that answer something else, for
    // instance an earlier request that was given up, are skipped.
    bool take(Bytes datagram, const OnMessage &on_message);

    // The kernel says that the objects changed in the middle of a dump.
    bool interrupted() const { return interrupted_; }

  private:
    uint32_t sequence_;
    uint32_t port_;
    bool interrupted_ = false;
};

} // namespace xiw::nl

#endif
