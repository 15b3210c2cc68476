// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "host/port.hpp"

#include "limits.hpp"

#include <array>
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
constexpr u8 address_origin = 73; // IFA_PROTO of the addresses that this file adds

// Make a MAC address for a port without an interface. It is locally administered, and unique for
// the process.
u64 made_up_mac() {
    return 0x02ULL | u64{0x73} << 8 | u64{0x06} << 16 | static_cast<u64>(getpid()) << 24;
}

Descriptor opened(int family, int type, int protocol) {
    Descriptor fd(socket(family, type | SOCK_CLOEXEC, protocol));

    if (!fd)
        throw std::system_error(errno, std::generic_category(), "socket");
    return fd;
}

// An rtnetlink request about an address. It uses no heap memory, because addresses must be removed
// even if no memory is left.
class Request {
  public:
    Request(u16 type, u16 flags, const ifaddrmsg &body) {
        head_.nlmsg_type = type;
        head_.nlmsg_flags = static_cast<u16>(NLM_F_REQUEST | flags);
        std::memcpy(octets_.data() + sizeof(head_), &body, sizeof(body));
    }
    // Add an attribute. There is room for two addresses and a few octets.
    void put(u16 type, const void *data, size_t size) {
        const rtattr head{.rta_len = static_cast<u16>(RTA_LENGTH(size)), .rta_type = type};

        std::memcpy(&octets_.at(size_), &head, sizeof(head));
        std::memcpy(&octets_.at(size_ + sizeof(head)), data, size);
        size_ += RTA_SPACE(size);
    }
    // Send the request. Return: 0 or a negative errno.
    int send(const Descriptor &fd) {
        head_.nlmsg_len = static_cast<u32>(size_);
        std::memcpy(octets_.data(), &head_, sizeof(head_));
        return ::send(fd.get(), octets_.data(), size_, 0) < 0 ? -errno : 0;
    }
    // Send the request and read the kernel's answer.
    int transact(const Descriptor &fd) {
        struct {
            nlmsghdr head;
            nlmsgerr error;
            char rest[512];
        } answer{};

        if (const int error = send(fd); error != 0)
            return error;
        if (recv(fd.get(), &answer, sizeof(answer), 0) < 0)
            return -errno;
        return answer.head.nlmsg_type == NLMSG_ERROR ? answer.error.error : -EPROTO;
    }

  private:
    nlmsghdr head_{};
    std::array<u8, 96> octets_{};
    size_t size_ = sizeof(nlmsghdr) + sizeof(ifaddrmsg);
};

// Parse an address in a dump. Returns true if the address belongs to the interface and was added by
// change(), in this or an earlier process.
bool parse(const nlmsghdr *head, unsigned int index, std::pair<Address, u8> &out) {
    const auto *body = static_cast<const ifaddrmsg *>(NLMSG_DATA(head));
    auto length = static_cast<int>(head->nlmsg_len - NLMSG_LENGTH(sizeof(*body)));
    const u8 family = body->ifa_family == AF_INET6 ? 6 : 4;
    bool ours = false;

    out = {Address{.family = family, .octets = {}}, body->ifa_prefixlen};
    for (const rtattr *a = IFA_RTA(body); RTA_OK(a, length); a = RTA_NEXT(a, length)) {
        if (a->rta_type == IFA_ADDRESS && RTA_PAYLOAD(a) == out.first.size())
            std::memcpy(out.first.octets.data(), RTA_DATA(a), out.first.size());
        else if (a->rta_type == IFA_PROTO)
            ours = *static_cast<const u8 *>(RTA_DATA(a)) == address_origin;
    }
    return ours && body->ifa_index == index;
}

// Get the addresses of the interface that change() has added, in this or an earlier process.
std::map<Address, u8> listed(const Descriptor &fd, unsigned int index) {
    std::map<Address, u8> all;
    std::pair<Address, u8> address;
    alignas(nlmsghdr) std::array<char, 32768> answer{};

    if (Request(RTM_GETADDR, NLM_F_DUMP, {}).send(fd) != 0)
        return all;
    for (;;) {
        ssize_t left = recv(fd.get(), answer.data(), answer.size(), 0);
        const auto *head = reinterpret_cast<const nlmsghdr *>(answer.data());
        if (left <= 0)
            return all;
        for (; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
            if (head->nlmsg_type == NLMSG_DONE || head->nlmsg_type == NLMSG_ERROR)
                return all;
            if (head->nlmsg_type == RTM_NEWADDR && parse(head, index, address))
                all.insert(address);
        }
    }
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
    remove_leftovers();
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
    const u16 flags = type == RTM_NEWADDR ? NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE : NLM_F_ACK;
    ifaddrmsg body{};

    if (interface_.empty())
        return 0;
    body.ifa_family = address.family == 6 ? AF_INET6 : AF_INET;
    body.ifa_prefixlen = prefix;
    body.ifa_flags = address.family == 6 ? IFA_F_NODAD : 0;
    body.ifa_index = index_;
    Request request(type, flags, body);
    request.put(IFA_LOCAL, address.octets.data(), address.size());
    request.put(IFA_ADDRESS, address.octets.data(), address.size());
    request.put(IFA_PROTO, &address_origin, sizeof(address_origin));
    return request.transact(route_);
}

// Remove the addresses that a killed process has left. Before Linux 5.18, a dump contains no
// IFA_PROTO, so nothing is removed.
void Port::remove_leftovers() const {
    for (const auto &[address, prefix] : listed(route_, index_))
        change(RTM_DELADDR, address, prefix);
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

void Port::remove_all() noexcept {
    for (const auto &[address, prefix] : addresses_)
        change(RTM_DELADDR, address, prefix);
    addresses_.clear();
}

} // namespace xiw::rnic::host
