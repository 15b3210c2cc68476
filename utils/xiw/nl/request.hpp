// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_NL_REQUEST_HPP
#define XIW_NL_REQUEST_HPP

#include "nl/attributes.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

struct nlmsghdr;

namespace xiw::nl {

// A generic netlink request. All requests are small. If an attribute does not fit, the tool has a
// bug, and the function that adds the attribute throws std::length_error.
class Request {
  public:
    Request(uint16_t family, uint8_t command, uint8_t version, uint16_t flags);
    Request(const Request &) = delete;
    Request &operator=(const Request &) = delete;
    Request(Request &&) = delete;
    Request &operator=(Request &&) = delete;
    ~Request() = default;

    Request &number(uint16_t type, uint8_t value);
    Request &number(uint16_t type, uint32_t value);
    Request &text(uint16_t type, const std::string &value);

    void sequence(uint32_t number);
    uint32_t sequence() const;

    Bytes bytes() const;

    // Get the type of the attribute at `offset`. An extended acknowledgement reports this offset.
    std::optional<uint16_t> attribute_at(uint32_t offset) const;

  private:
    void check(bool fits) const;
    nlmsghdr *header();
    const nlmsghdr *header() const;

    alignas(8) std::array<char, 1024> buffer_{};
};

} // namespace xiw::nl

#endif
