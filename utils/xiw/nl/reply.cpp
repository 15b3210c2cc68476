// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/reply.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

namespace xiw::nl {

namespace {

Bytes payload(const nlmsghdr *nlh) {
    return {static_cast<const std::byte *>(mnl_nlmsg_get_payload(nlh)),
            mnl_nlmsg_get_payload_len(nlh)};
}

ExtendedAck extended_ack(Bytes tlvs) {
    const Attributes attributes(tlvs);
    ExtendedAck ack;

    ack.message = attributes.text(NLMSGERR_ATTR_MSG).value_or("");
    if (const auto offset = attributes.number(NLMSGERR_ATTR_OFFS))
        ack.offset = static_cast<uint32_t>(*offset);
    ack.missing = attributes.number(NLMSGERR_ATTR_MISS_TYPE);
    if (const auto policy = attributes.nest(NLMSGERR_ATTR_POLICY)) {
        ack.least = policy->number(NL_POLICY_TYPE_ATTR_MIN_VALUE_U);
        ack.most = policy->number(NL_POLICY_TYPE_ATTR_MAX_VALUE_U);
    }
    return ack;
}

// An error message has an errno, the header of the request, the rest of the request (unless the
// message is capped), and the extended acknowledgement.
void end_by_error(const nlmsghdr *nlh) {
    const Bytes body = payload(nlh);
    nlmsgerr error;

    if (body.size() < sizeof(error))
        throw Malformed(fmt::format("error message of {} octets", body.size()));
    std::memcpy(&error, body.data(), sizeof(error));
    if (error.error == 0)
        return;
    if (error.error > 0)
        throw Malformed(fmt::format("error number {} has the wrong sign", error.error));

    ExtendedAck ack;
    if (nlh->nlmsg_flags & NLM_F_ACK_TLVS) {
        size_t skip = sizeof(error);
        if (!(nlh->nlmsg_flags & NLM_F_CAPPED)) {
            if (error.msg.nlmsg_len < sizeof(error.msg))
                throw Malformed("error message has a request without header");
            skip += MNL_ALIGN(error.msg.nlmsg_len - sizeof(error.msg));
        }
        if (skip > body.size())
            throw Malformed("error message is shorter than the request in it");
        ack = extended_ack(body.subspan(skip));
    }
    throw Refused(-error.error, std::move(ack));
}

// The last message of a dump contains an errno if the dump has failed.
void end_of_dump(const nlmsghdr *nlh) {
    const Bytes body = payload(nlh);
    int32_t error;

    if (body.size() < sizeof(error))
        return;
    std::memcpy(&error, body.data(), sizeof(error));
    if (error >= 0)
        return;
    ExtendedAck ack;
    if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
        ack = extended_ack(body.subspan(sizeof(error)));
    throw Refused(-error, std::move(ack));
}

std::string describe(int error, const ExtendedAck &ack) {
    const std::string reason = std::generic_category().message(error);
    return ack.message.empty() ? reason : fmt::format("{} ({})", ack.message, reason);
}

} // namespace

Refused::Refused(int error, ExtendedAck ack)
    : Error(error == EPERM || error == EACCES ? Exit::denied : Exit::failed, describe(error, ack)),
      error_(error), ack_(std::move(ack)) {}

bool Reply::take(Bytes datagram, const OnMessage &on_message) {
    const std::byte *at = datagram.data();
    size_t left = datagram.size();

    while (left >= sizeof(nlmsghdr)) {
        const auto *nlh = reinterpret_cast<const nlmsghdr *>(at);

        if (nlh->nlmsg_len < sizeof(nlmsghdr) || nlh->nlmsg_len > left)
            throw Malformed(
                fmt::format("message has length {} in {} octets", nlh->nlmsg_len, left));
        const size_t step = std::min<size_t>(MNL_ALIGN(nlh->nlmsg_len), left);
        at += step;
        left -= step;

        if (nlh->nlmsg_seq != sequence_ || (nlh->nlmsg_pid != 0 && nlh->nlmsg_pid != port_))
            continue;
        if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
            interrupted_ = true;

        switch (nlh->nlmsg_type) {
        case NLMSG_NOOP:
            continue;
        case NLMSG_ERROR:
            end_by_error(nlh);
            return true;
        case NLMSG_DONE:
            end_of_dump(nlh);
            return true;
        case NLMSG_OVERRUN:
            throw Malformed("the kernel reports an overrun");
        default:
            break;
        }

        const Bytes body = payload(nlh);
        if (body.size() < GENL_HDRLEN)
            throw Malformed(fmt::format("generic netlink message of {} octets", body.size()));
        genlmsghdr genl;
        std::memcpy(&genl, body.data(), sizeof(genl));
        on_message(nlh->nlmsg_type, genl.cmd, Attributes(body.subspan(GENL_HDRLEN)));
    }
    if (left != 0)
        throw Malformed(fmt::format("{} octets after the last message", left));
    return false;
}

} // namespace xiw::nl
