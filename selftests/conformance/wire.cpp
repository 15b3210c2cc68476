// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

namespace xiw::peer {

namespace {

constexpr std::array<char, 5> PLUG{'p', 'l', 'u', 'g', '\0'};

struct Request {
    nlmsghdr header{};
    tcmsg message{};
    std::array<char, 64> attributes{};
};

void attribute(Request &r, unsigned short type, const void *data, size_t size) {
    char *at = reinterpret_cast<char *>(&r) + NLMSG_ALIGN(r.header.nlmsg_len);
    nlattr a{.nla_len = static_cast<uint16_t>(NLA_HDRLEN + size), .nla_type = type};

    std::memcpy(at, &a, sizeof(a));
    std::memcpy(at + NLA_HDRLEN, data, size);
    r.header.nlmsg_len = NLMSG_ALIGN(r.header.nlmsg_len) + NLA_ALIGN(a.nla_len);
}

// A request for the root qdisc of an interface. RTM_DELQDISC needs no kind.
Request request(int index, uint16_t type, uint16_t flags) {
    Request r;

    r.header.nlmsg_len = NLMSG_LENGTH(sizeof(tcmsg));
    r.header.nlmsg_type = type;
    r.header.nlmsg_flags = static_cast<uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
    r.message.tcm_family = AF_UNSPEC;
    r.message.tcm_ifindex = index;
    r.message.tcm_parent = TC_H_ROOT;
    if (type == RTM_NEWQDISC)
        attribute(r, TCA_KIND, PLUG.data(), PLUG.size());
    return r;
}

// Sends the request. Returns 0 or an errno.
int ask(int fd, const Request &r) {
    struct {
        nlmsghdr header;
        nlmsgerr error;
        std::array<char, 512> rest;
    } answer{};

    if (::send(fd, &r, r.header.nlmsg_len, 0) < 0)
        return errno;
    if (::recv(fd, &answer, sizeof(answer), 0) < 0)
        return errno;
    return answer.header.nlmsg_type == NLMSG_ERROR ? -answer.error.error : EPROTO;
}

} // namespace

Wire::Wire(const std::vector<std::string> &interfaces, bool bursts) : bursts_(bursts) {
    if (interfaces.empty())
        return;
    netlink_ = Descriptor(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    if (!netlink_)
        throw std::system_error(errno, std::generic_category(), "rtnetlink");
    for (const std::string &name : interfaces) {
        auto index = static_cast<int>(::if_nametoindex(name.c_str()));

        if (index == 0)
            throw std::invalid_argument(fmt::format("there is no interface {}", name));
        int error = ask(netlink_.get(), request(index, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE));
        if (error != 0)
            throw std::system_error(error, std::generic_category(), "qdisc plug at " + name);
        indexes_.push_back(index);
    }
    // A new plug holds packets, so release them.
    change(TCQ_PLUG_RELEASE_INDEFINITE);
}

Wire::~Wire() {
    for (int index : indexes_)
        ask(netlink_.get(), request(index, RTM_DELQDISC, 0));
}

void Wire::change(int action) {
    tc_plug_qopt option{.action = action, .limit = 0};

    for (int index : indexes_) {
        Request r = request(index, RTM_NEWQDISC, 0);

        attribute(r, TCA_OPTIONS, &option, sizeof(option));
        int error = ask(netlink_.get(), r);
        if (error != 0)
            throw std::system_error(error, std::generic_category(), "qdisc plug");
    }
}

void Wire::hold() {
    if (indexes_.empty())
        throw std::invalid_argument("hold needs --wire INTERFACE");
    if (held_ == Held::no)
        change(TCQ_PLUG_BUFFER);
    held_ = Held::asked;
}

void Wire::release() {
    if (held_ == Held::no)
        return;
    held_ = Held::no;
    change(TCQ_PLUG_RELEASE_INDEFINITE);
}

void Wire::gather() {
    if (!bursts_ || indexes_.empty() || held_ != Held::no)
        return;
    change(TCQ_PLUG_BUFFER);
    held_ = Held::gathered;
}

void Wire::before_wait() {
    if (held_ == Held::gathered)
        release();
}

} // namespace xiw::peer
