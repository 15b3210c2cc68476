// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "message.hpp"

#include <cstring>

#include <linux/genetlink.h>
#include <linux/netlink.h>

namespace test {

namespace {

void append(Octets &octets, const void *data, size_t size) {
    const auto *bytes = static_cast<const std::byte *>(data);
    octets.insert(octets.end(), bytes, bytes + size);
    octets.resize(NLMSG_ALIGN(octets.size()));
}

} // namespace

Attrs &Attrs::raw(uint16_t type, const void *data, size_t size) {
    const nlattr attr{.nla_len = static_cast<uint16_t>(NLA_HDRLEN + size), .nla_type = type};
    append(octets_, &attr, sizeof(attr));
    append(octets_, data, size);
    return *this;
}

Attrs &Attrs::text(uint16_t type, std::string_view value) {
    std::vector<char> terminated(value.begin(), value.end());
    terminated.push_back('\0');
    return raw(type, terminated.data(), terminated.size());
}

Attrs &Attrs::nest(uint16_t type, const Attrs &inner) {
    return raw(type | NLA_F_NESTED, inner.octets_.data(), inner.octets_.size());
}

Octets message(const Header &header, xiw::nl::Bytes body) {
    const nlmsghdr nlh{
        .nlmsg_len = static_cast<uint32_t>(NLMSG_HDRLEN + body.size()),
        .nlmsg_type = header.type,
        .nlmsg_flags = header.flags,
        .nlmsg_seq = header.sequence,
        .nlmsg_pid = header.port,
    };
    Octets octets;
    append(octets, &nlh, sizeof(nlh));
    append(octets, body.data(), body.size());
    return octets;
}

Octets generic(const Header &header, uint8_t command, xiw::nl::Bytes attributes) {
    const genlmsghdr genl{.cmd = command, .version = 1, .reserved = 0};
    Octets body;
    append(body, &genl, sizeof(genl));
    append(body, attributes.data(), attributes.size());
    return message(header, body);
}

Octets error(Header header, int error, const Attrs &extended) {
    const nlmsgerr quoted{.error = -error, .msg = {}};
    Octets body;
    append(body, &quoted, sizeof(quoted));
    header.type = NLMSG_ERROR;
    header.flags |= NLM_F_CAPPED;
    if (!extended.octets().empty()) {
        header.flags |= NLM_F_ACK_TLVS;
        append(body, extended.octets().data(), extended.octets().size());
    }
    return message(header, body);
}

Octets done(Header header, int error, const Attrs &extended) {
    const int code = -error;
    Octets body;
    append(body, &code, sizeof(code));
    header.type = NLMSG_DONE;
    header.flags |= NLM_F_MULTI;
    if (!extended.octets().empty()) {
        header.flags |= NLM_F_ACK_TLVS;
        append(body, extended.octets().data(), extended.octets().size());
    }
    return message(header, body);
}

Octets join(std::initializer_list<Octets> messages) {
    Octets all;
    for (const Octets &message : messages)
        all.insert(all.end(), message.begin(), message.end());
    return all;
}

} // namespace test
