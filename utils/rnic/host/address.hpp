// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// IP addresses, and the conversion between xiw_addr of the RNIC interface and socket addresses.
#ifndef XIW_RNIC_HOST_ADDRESS_HPP
#define XIW_RNIC_HOST_ADDRESS_HPP

#include "core.hpp"

#include <array>
#include <compare>

#include <netinet/in.h>

namespace xiw::rnic::host {

// An IP address without a port.
struct Address {
    u8 family = 0; // 4 or 6
    std::array<u8, 16> octets{};

    auto operator<=>(const Address &) const = default;
    bool is_any() const;
    size_t size() const { return family == 6 ? 16 : 4; }
};

Address address_of(const xiw_addr &from);
bool family_known(const xiw_addr &addr);

// Convert an xiw_addr to a socket address (sockaddr). Return: length of name in octets.
socklen_t to_name(sockaddr_storage &name, const xiw_addr &addr);
// Convert a socket address (sockaddr) to an xiw_addr. An IPv4-mapped IPv6 address becomes an IPv4
// address.
xiw_addr from_name(const sockaddr_storage &name);

} // namespace xiw::rnic::host

#endif
