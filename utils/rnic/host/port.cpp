// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "host/port.hpp"

#include "limits.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace xiw::rnic::host {

namespace {

enum : u32 { loopback_mtu = 65536 };

// Make a MAC address if there is no interface: locally administered, and unique for the process.
u64 made_up_mac() {
    return 0x02ULL | u64{0x73} << 8 | u64{0x06} << 16 | static_cast<u64>(getpid()) << 24;
}

Descriptor opened(int family, int type, int protocol) {
    Descriptor fd(socket(family, type | SOCK_CLOEXEC, protocol));

    if (!fd)
        throw std::system_error(errno, std::generic_category(), "socket");
    return fd;
}

void put(std::string &message, u16 type, const void *data, size_t size) {
    rtattr head{};

    head.rta_len = static_cast<u16>(RTA_LENGTH(size));
    head.rta_type = type;
    message.append(reinterpret_cast<const char *>(&head), sizeof(head));
    message.append(static_cast<const char *>(data), size);
    message.resize(NLMSG_ALIGN(message.size()));
}

// Send a request and read the kernel's answer.
int transact(const Descriptor &fd, std::string &message) {
    struct {
        nlmsghdr head;
        nlmsgerr error;
        char rest[512];
    } answer{};

    const auto size = static_cast<u32>(message.size());
    std::memcpy(message.data(), &size, sizeof(size));
    if (send(fd.get(), message.data(), message.size(), 0) < 0 ||
        recv(fd.get(), &answer, sizeof(answer), 0) < 0)
        return -errno;
    return answer.head.nlmsg_type == NLMSG_ERROR ? answer.error.error : -EPROTO;
}

} // namespace

Port::Port(std::string interface)
    : interface_(std::move(interface)), mac_(made_up_mac() & 0xffffffffffffULL),
      mtu_(loopback_mtu) {
    if (interface_.empty())
        return;
    index_ = if_nametoindex(interface_.c_str());
    if (index_ == 0)
        throw std::system_error(errno, std::generic_category(), interface_);
    control_ = opened(AF_INET, SOCK_DGRAM, 0);
    route_ = opened(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    refresh();
}

bool Port::ask(unsigned long what, ifreq &request) const {
    request = {};
    std::strncpy(request.ifr_name, interface_.c_str(), IFNAMSIZ - 1);
    return ioctl(control_.get(), what, &request) == 0;
}

bool Port::carrier() const {
    ifreq request{};

    if (interface_.empty())
        return true;
    return ask(SIOCGIFFLAGS, request) && (request.ifr_flags & IFF_RUNNING) != 0 &&
           (request.ifr_flags & IFF_UP) != 0;
}

bool Port::refresh() {
    ifreq request{};
    u64 mac = mac_;
    u32 mtu = interface_.empty() ? u32{loopback_mtu} : mtu_.load();

    if (!interface_.empty() && ask(SIOCGIFHWADDR, request)) {
        mac = 0;
        std::memcpy(&mac, request.ifr_hwaddr.sa_data, 6);
    }
    if (!interface_.empty() && ask(SIOCGIFMTU, request))
        mtu = static_cast<u32>(request.ifr_mtu);
    if (held_mtu_ != 0)
        mtu = held_mtu_;
    const bool up = !held_down_ && carrier();
    bool changed = mac_.exchange(mac) != mac;
    changed = mtu_.exchange(mtu) != mtu || changed;
    return up_.exchange(up) != up || changed;
}

int Port::change(u16 type, const Address &address, u8 prefix) const {
    nlmsghdr head{};
    ifaddrmsg body{};
    std::string message;

    if (interface_.empty())
        return 0;
    head.nlmsg_type = type;
    head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
    if (type == RTM_NEWADDR)
        head.nlmsg_flags |= NLM_F_CREATE | NLM_F_REPLACE;
    body.ifa_family = address.family == 6 ? AF_INET6 : AF_INET;
    body.ifa_prefixlen = prefix;
    body.ifa_flags = address.family == 6 ? IFA_F_NODAD : 0;
    body.ifa_index = index_;
    message.append(reinterpret_cast<const char *>(&head), sizeof(head));
    message.append(reinterpret_cast<const char *>(&body), sizeof(body));
    put(message, IFA_LOCAL, address.octets.data(), address.size());
    put(message, IFA_ADDRESS, address.octets.data(), address.size());
    return transact(route_, message);
}

int Port::add(const xiw_adm_addr &address) {
    const Address a = address_of(address.addr);

    if (!family_known(address.addr) || a.is_any() || address.prefix > a.size() * 8)
        return -EINVAL;
    if (has(a))
        return 0;
    if (addresses_.size() >= max_addresses)
        return -ENOBUFS;
    const int error = change(RTM_NEWADDR, a, address.prefix);
    if (error == 0)
        addresses_.emplace(a, address.prefix);
    return error;
}

int Port::remove(const xiw_adm_addr &address) {
    const auto known = addresses_.find(address_of(address.addr));

    if (known == addresses_.end())
        return -EADDRNOTAVAIL;
    change(RTM_DELADDR, known->first, known->second);
    addresses_.erase(known);
    return 0;
}

void Port::scope(xiw_addr &address) const {
    const bool link_local =
        address.family == 6 && address.addr[0] == 0xfe && (address.addr[1] & 0xc0) == 0x80;

    address.scope = link_local ? cpu_to_le32(index_) : 0;
}

void Port::remove_all() {
    for (const auto &[address, prefix] : addresses_)
        change(RTM_DELADDR, address, prefix);
    addresses_.clear();
}

} // namespace xiw::rnic::host
