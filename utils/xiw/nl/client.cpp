// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/client.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>

#include <fmt/format.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/xiw.h>

namespace xiw::nl {

namespace {

// Add an explanation to the kernel's error.
[[noreturn]] void explain(const Refused &refused) {
    // genl_rcv_msg() returns EOPNOTSUPP for a command that the module does not support.
    if (refused.error() == EOPNOTSUPP && refused.ack().message.empty())
        throw Error(Exit::failed, "the loaded module does not support this request",
                    "load the module of the same version as this tool (xiw --version)");
    if (refused.error() == EPERM)
        throw Error(Exit::denied, refused.what(),
                    "this needs CAP_NET_ADMIN in the device's network namespace");
    throw refused;
}

} // namespace

Client::Client(Transport &transport) : transport_(transport) {
    Request request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, NLM_F_ACK);
    request.text(CTRL_ATTR_FAMILY_NAME, XIW_FAMILY_NAME);

    std::optional<uint64_t> id;
    try {
        exchange(request, [this, &id](const Attributes &reply) {
            id = reply.required(CTRL_ATTR_FAMILY_ID);
            const auto groups = reply.nest(CTRL_ATTR_MCAST_GROUPS);
            if (groups)
                for (const Attributes &group : groups->all_nests())
                    groups_.emplace_back(group.text(CTRL_ATTR_MCAST_GRP_NAME).value_or(""),
                                         group.required(CTRL_ATTR_MCAST_GRP_ID));
        });
    } catch (const Refused &refused) {
        if (refused.error() != ENOENT)
            throw;
        throw Error(Exit::absent, "the kernel module xiw is not loaded",
                    "load it with: modprobe xiw");
    }
    if (!id || *id > std::numeric_limits<uint16_t>::max() || *id < NLMSG_MIN_TYPE)
        throw Malformed("no usable identifier of the family " XIW_FAMILY_NAME);
    family_ = static_cast<uint16_t>(*id);
}

Request Client::request(uint8_t command, uint16_t flags) const {
    return {family_, command, XIW_FAMILY_VERSION, flags};
}

// Send a request, and process the reply. Returns false if objects changed during a dump.
bool Client::exchange(Request &request, const OnMessage &on_message) {
    request.sequence(++sequence_);
    transport_.send(request.bytes());

    Reply reply(request.sequence(), transport_.port());
    const auto take = [&on_message](uint16_t, uint8_t, const Attributes &attributes) {
        on_message(attributes);
    };
    while (!reply.take(transport_.receive(), take)) {
    }
    return !reply.interrupted();
}

void Client::ask(uint8_t command, const Fill &fill, const OnMessage &on_message) {
    Request asked = request(command, NLM_F_ACK);
    fill(asked);
    try {
        exchange(asked, on_message);
    } catch (const Refused &refused) {
        explain(refused);
    }
}

void Client::change(uint8_t command, const Fill &fill, const OnRefused &on_refused) {
    Request asked = request(command, NLM_F_ACK);
    fill(asked);
    try {
        exchange(asked, [](const Attributes &) {});
    } catch (const Refused &refused) {
        on_refused(refused, asked);
        explain(refused);
    }
}

bool Client::dump(uint8_t command, const Fill &fill, const OnMessage &on_message) {
    Request asked = request(command, NLM_F_DUMP);
    fill(asked);
    try {
        return exchange(asked, on_message);
    } catch (const Refused &refused) {
        explain(refused);
    }
}

void Client::join(const char *group) {
    const auto it = std::ranges::find(groups_, group, &std::pair<std::string, uint32_t>::first);
    if (it == groups_.end())
        throw Error(Exit::failed, fmt::format("the loaded module has no group \"{}\"", group),
                    "load the module of the same version as this tool (xiw --version)");
    // If the module is removed, the kernel ends the membership, and does not report this to the
    // socket. The group "notify" of nlctrl reports the removal. The number of this group is
    // GENL_ID_CTRL. Join it first, because the module may be removed between these two calls.
    transport_.join(GENL_ID_CTRL);
    transport_.join(it->second);
}

void Client::listen(uint8_t command, const OnEvent &on_event,
                    const std::function<bool()> &on_lost) {
    bool more = true;
    const auto take = [&](uint16_t type, uint8_t got, const Attributes &attributes) {
        if (type == GENL_ID_CTRL && got == CTRL_CMD_DELFAMILY &&
            attributes.number(CTRL_ATTR_FAMILY_ID) == family_)
            throw Error(Exit::absent, "the kernel module xiw was removed");
        if (more && type == family_ && got == command)
            more = on_event(attributes);
    };
    while (more) {
        const auto datagram = transport_.wait();
        // An event is not a reply: it has no sequence number and no port.
        if (datagram)
            Reply(0, 0).take(*datagram, take);
        else
            more = on_lost();
    }
}

} // namespace xiw::nl
