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

// The contents of an extended acknowledgement.
struct ExtendedAck {
    std::string message;
    std::optional<uint32_t> offset;      // offset of the offending attribute in the request
    std::optional<uint64_t> missing;     // type of a required attribute that is missing
    std::optional<uint64_t> least, most; // range that the value must be in
};

// The kernel has refused a request.
class Refused : public Error {
  public:
    Refused(int error, ExtendedAck ack);

    int error() const { return error_; }
    const ExtendedAck &ack() const { return ack_; }

  private:
    int error_;
    ExtendedAck ack_;
};

// Processes datagrams until the reply to one request is complete.
class Reply {
  public:
    // `type` is the identifier of the family that sends the message.
    using OnMessage =
        std::function<void(uint16_t type, uint8_t command, const Attributes &attributes)>;

    Reply(uint32_t sequence, uint32_t port) : sequence_(sequence), port_(port) {}

    // Call on_message for each message; return true when the reply is complete. Throws Refused
    // or Malformed. Skips messages of other requests, for instance of an earlier request that was
    // aborted.
    bool take(Bytes datagram, const OnMessage &on_message);

    // Returns true if the kernel has reported that objects changed during the dump.
    bool interrupted() const { return interrupted_; }

  private:
    uint32_t sequence_;
    uint32_t port_;
    bool interrupted_ = false;
};

} // namespace xiw::nl

#endif
