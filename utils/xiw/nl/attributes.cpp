// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/attributes.hpp"

#include "error.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <libmnl/libmnl.h>

namespace xiw::nl {

namespace {

Bytes payload(const nlattr *attr) {
    return {static_cast<const std::byte *>(mnl_attr_get_payload(attr)),
            mnl_attr_get_payload_len(attr)};
}

std::optional<uint64_t> unsigned_value(Bytes bytes) {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;

    // Attributes are aligned only to 4 octets, so copy the value.
    switch (bytes.size()) {
    case sizeof(u8):
        std::memcpy(&u8, bytes.data(), sizeof(u8));
        return u8;
    case sizeof(u16):
        std::memcpy(&u16, bytes.data(), sizeof(u16));
        return u16;
    case sizeof(u32):
        std::memcpy(&u32, bytes.data(), sizeof(u32));
        return u32;
    case sizeof(u64):
        std::memcpy(&u64, bytes.data(), sizeof(u64));
        return u64;
    default:
        return std::nullopt;
    }
}

} // namespace

Attributes::Attributes(Bytes bytes) {
    const std::byte *at = bytes.data();
    size_t left = bytes.size();

    while (left >= sizeof(nlattr)) {
        const auto *attr = reinterpret_cast<const nlattr *>(at);

        if (attr->nla_len < sizeof(nlattr) || attr->nla_len > left)
            throw Malformed(fmt::format("attribute {} has length {} in {} octets",
                                        mnl_attr_get_type(attr), attr->nla_len, left));
        list_.push_back(attr);
        // The last attribute may lack its padding.
        const size_t step = std::min<size_t>(MNL_ALIGN(attr->nla_len), left);
        at += step;
        left -= step;
    }
    if (left != 0)
        throw Malformed(fmt::format("{} octets after the last attribute", left));
}

const nlattr *Attributes::find(uint16_t type) const {
    const auto it = std::ranges::find(list_, type, mnl_attr_get_type);
    return it == list_.end() ? nullptr : *it;
}

std::optional<uint64_t> Attributes::number(uint16_t type) const {
    const nlattr *attr = find(type);
    if (attr == nullptr)
        return std::nullopt;
    const auto value = unsigned_value(payload(attr));
    if (!value)
        throw Malformed(fmt::format("attribute {} has {} octets, not the size of a number", type,
                                    mnl_attr_get_payload_len(attr)));
    return value;
}

uint64_t Attributes::required(uint16_t type) const {
    const auto value = number(type);
    if (!value)
        throw Malformed(fmt::format("attribute {} is missing", type));
    return *value;
}

std::optional<std::string> Attributes::text(uint16_t type) const {
    const nlattr *attr = find(type);
    if (attr == nullptr)
        return std::nullopt;
    const Bytes raw = payload(attr);
    const auto *begin = reinterpret_cast<const char *>(raw.data());
    return std::string(begin, strnlen(begin, raw.size()));
}

std::optional<Bytes> Attributes::bytes(uint16_t type) const {
    const nlattr *attr = find(type);
    if (attr == nullptr)
        return std::nullopt;
    return payload(attr);
}

std::optional<Attributes> Attributes::nest(uint16_t type) const {
    const nlattr *attr = find(type);
    if (attr == nullptr)
        return std::nullopt;
    return Attributes(payload(attr));
}

std::vector<Attributes> Attributes::nests(uint16_t type) const {
    std::vector<Attributes> found;
    for (const nlattr *attr : list_)
        if (mnl_attr_get_type(attr) == type)
            found.emplace_back(payload(attr));
    return found;
}

std::vector<Attributes> Attributes::all_nests() const {
    std::vector<Attributes> found;
    found.reserve(list_.size());
    for (const nlattr *attr : list_)
        found.emplace_back(payload(attr));
    return found;
}

std::vector<Attributes::Number> Attributes::numbers() const {
    std::vector<Number> found;
    for (const nlattr *attr : list_)
        if (const auto value = unsigned_value(payload(attr)))
            found.push_back({mnl_attr_get_type(attr), *value});
    return found;
}

} // namespace xiw::nl
