// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef TEST_MESSAGE_HPP
#define TEST_MESSAGE_HPP

#include "nl/attributes.hpp"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace test {

using Octets = std::vector<std::byte>;

// An encoder of netlink attributes that does not use the code under test.
class Attrs {
  public:
    Attrs &raw(uint16_t type, const void *data, size_t size);
    Attrs &u8(uint16_t type, uint8_t value) { return raw(type, &value, sizeof(value)); }
    Attrs &u16(uint16_t type, uint16_t value) { return raw(type, &value, sizeof(value)); }
    Attrs &u32(uint16_t type, uint32_t value) { return raw(type, &value, sizeof(value)); }
    Attrs &u64(uint16_t type, uint64_t value) { return raw(type, &value, sizeof(value)); }
    Attrs &flag(uint16_t type) { return raw(type, nullptr, 0); }
    Attrs &text(uint16_t type, std::string_view value);
    Attrs &nest(uint16_t type, const Attrs &inner);

    const Octets &octets() const { return octets_; }
    operator xiw::nl::Bytes() const { return octets_; }

  private:
    Octets octets_;
};

struct Header {
    uint16_t type = 0;
    uint16_t flags = 0;
    uint32_t sequence = 0;
    uint32_t port = 0;
};

Octets message(const Header &header, xiw::nl::Bytes body);
Octets generic(const Header &header, uint8_t command, xiw::nl::Bytes attributes);
// Build an acknowledgement if `error` is 0, or else a refusal with this errno. As with
// NETLINK_CAP_ACK, the message does not quote the body of the request.
Octets error(Header header, int error, const Attrs &extended);
Octets done(Header header, int error, const Attrs &extended);

// Put several messages into one datagram.
Octets join(std::initializer_list<Octets> messages);

} // namespace test

#endif
