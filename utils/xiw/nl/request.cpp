// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/request.hpp"

#include <stdexcept>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

namespace xiw::nl {

Request::Request(uint16_t family, uint8_t command, uint8_t version, uint16_t flags) {
    nlmsghdr *nlh = mnl_nlmsg_put_header(buffer_.data());
    nlh->nlmsg_type = family;
    nlh->nlmsg_flags = static_cast<uint16_t>(NLM_F_REQUEST | flags);

    auto *genl = static_cast<genlmsghdr *>(mnl_nlmsg_put_extra_header(nlh, sizeof(genlmsghdr)));
    genl->cmd = command;
    genl->version = version;
}

nlmsghdr *Request::header() {
    return reinterpret_cast<nlmsghdr *>(buffer_.data());
}

const nlmsghdr *Request::header() const {
    return reinterpret_cast<const nlmsghdr *>(buffer_.data());
}

void Request::check(bool fits) const {
    if (!fits)
        throw std::length_error("netlink request too long");
}

Request &Request::number(uint16_t type, uint8_t value) {
    check(mnl_attr_put_u8_check(header(), buffer_.size(), type, value));
    return *this;
}

Request &Request::number(uint16_t type, uint32_t value) {
    check(mnl_attr_put_u32_check(header(), buffer_.size(), type, value));
    return *this;
}

Request &Request::text(uint16_t type, const std::string &value) {
    check(mnl_attr_put_strz_check(header(), buffer_.size(), type, value.c_str()));
    return *this;
}

void Request::sequence(uint32_t number) {
    header()->nlmsg_seq = number;
}

uint32_t Request::sequence() const {
    return header()->nlmsg_seq;
}

Bytes Request::bytes() const {
    return std::as_bytes(std::span(buffer_.data(), header()->nlmsg_len));
}

std::optional<uint16_t> Request::attribute_at(uint32_t offset) const {
    const uint32_t end = header()->nlmsg_len;

    for (uint32_t at = NLMSG_HDRLEN + GENL_HDRLEN; at + sizeof(nlattr) <= end;) {
        const auto *attr = reinterpret_cast<const nlattr *>(buffer_.data() + at);
        if (offset >= at && offset < at + attr->nla_len)
            return mnl_attr_get_type(attr);
        at += NLA_ALIGN(attr->nla_len);
    }
    return std::nullopt;
}

} // namespace xiw::nl
