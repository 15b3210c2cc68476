// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "host/address.hpp"

#include <algorithm>
#include <cstring>

namespace xiw::rnic::host {

bool Address::is_any() const {
    return std::all_of(octets.begin(), octets.end(), [](u8 octet) { return octet == 0; });
}

bool family_known(const xiw_addr &addr) {
    return addr.family == 4 || addr.family == 6;
}

Address address_of(const xiw_addr &from) {
    Address address;

    address.family = from.family;
    std::memcpy(address.octets.data(), from.addr, address.size());
    return address;
}

socklen_t to_name(sockaddr_storage &name, const xiw_addr &addr) {
    name = {};
    if (addr.family == 6) {
        auto &v6 = reinterpret_cast<sockaddr_in6 &>(name);
        v6.sin6_family = AF_INET6;
        v6.sin6_port = addr.port;
        v6.sin6_scope_id = le32_to_cpu(addr.scope);
        std::memcpy(&v6.sin6_addr, addr.addr, sizeof(v6.sin6_addr));
        return sizeof(v6);
    }
    auto &v4 = reinterpret_cast<sockaddr_in &>(name);
    v4.sin_family = AF_INET;
    v4.sin_port = addr.port;
    std::memcpy(&v4.sin_addr, addr.addr, sizeof(v4.sin_addr));
    return sizeof(v4);
}

xiw_addr from_name(const sockaddr_storage &name) {
    xiw_addr addr{};

    if (name.ss_family == AF_INET6) {
        const auto &v6 = reinterpret_cast<const sockaddr_in6 &>(name);
        addr.port = v6.sin6_port;
        if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
            addr.family = 4;
            std::memcpy(addr.addr, v6.sin6_addr.s6_addr + 12, 4);
            return addr;
        }
        addr.family = 6;
        addr.scope = cpu_to_le32(v6.sin6_scope_id);
        std::memcpy(addr.addr, &v6.sin6_addr, sizeof(v6.sin6_addr));
        return addr;
    }
    const auto &v4 = reinterpret_cast<const sockaddr_in &>(name);
    addr.family = 4;
    addr.port = v4.sin_port;
    std::memcpy(addr.addr, &v4.sin_addr, sizeof(v4.sin_addr));
    return addr;
}

} // namespace xiw::rnic::host
