// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "traffic/verbs/loop.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>

namespace xiw::traffic {

namespace {

// Get the addresses of the interfaces that are up. Omit loopback interfaces, and link-local
// addresses of IPv6.
std::vector<Endpoint> own_addresses() {
    std::vector<Endpoint> found;
    ifaddrs *list = nullptr;
    if (getifaddrs(&list) != 0)
        return found;
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> owner(list, freeifaddrs);
    for (const int family : {AF_INET, AF_INET6})
        for (const ifaddrs *i = list; i != nullptr; i = i->ifa_next) {
            if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != family ||
                (i->ifa_flags & IFF_UP) == 0 || (i->ifa_flags & IFF_LOOPBACK) != 0)
                continue;
            if (family == AF_INET6 &&
                IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<sockaddr_in6 *>(i->ifa_addr)->sin6_addr))
                continue;
            std::memcpy(&found.emplace_back().storage, i->ifa_addr,
                        family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
        }
    return found;
}

} // namespace

Place find_place(const std::string &device, const Interrupts &interrupts) {
    Cm cm(interrupts);
    std::optional<Place> best;
    std::string others;
    for (Endpoint &address : own_addresses()) {
        const Id id = cm.id();
        if (rdma_bind_addr(id.get(), address.address()) != 0 || id->verbs == nullptr)
            continue;
        const std::string name = ibv_get_device_name(id->verbs->device);
        others += (others.empty() ? "" : " ") + name;
        const bool ours = direct(id->verbs->device) != nullptr;
        if (device.empty() ? best && (best->is_direct || !ours) : name != device || best)
            continue;
        best = Place{.device = name,
                     .address = address,
                     .is_direct = ours,
                     .is_iwarp = id->verbs->device->transport_type == IBV_TRANSPORT_IWARP,
                     .flags = flags_of(id->verbs),
                     .timeout = {},
                     .notices = {},
                     .interrupts = &interrupts};
    }
    if (best)
        return *best;
    if (device.empty())
        throw Error(Exit::absent, "no RDMA device has an IP address",
                    "rdma link add xiw0 type xiw netdev INTERFACE; ip addr; xiw doctor");
    throw Error(Exit::failed, fmt::format("no RDMA device \"{}\" with an IP address", device),
                others.empty() ? "" : "valid: " + others);
}

Loop::Loop(const Place &place) : place_(place), cm_a_(*place.interrupts), cm_b_(*place.interrupts) {
    try {
        connect();
    } catch (const Error &error) {
        throw Failed(std::string("no connection: ") + error.what());
    }
}

Loop::~Loop() {
    for (const Id *id : {&id_a_, &id_b_})
        if (*id)
            rdma_disconnect(id->get());
}

void Loop::connect() {
    constexpr size_t octets = 2 * area;
    const Deadline deadline(place_.timeout);
    listener_ = cm_b_.listen(place_.address);
    Endpoint to = place_.address;
    to.set_port(ntohs(rdma_get_src_port(listener_.get())));
    id_a_ = cm_a_.route(&place_.address, to, place_.timeout, place_.device);
    if (const std::string name = ibv_get_device_name(id_a_->verbs->device); name != place_.device)
        throw Failed(fmt::format("the route to its own address uses {}", name));
    a_ = std::make_unique<End>(id_a_.get(), octets);
    Cm::connect(id_a_.get(), {});
    const Event asked = cm_b_.expect(RDMA_CM_EVENT_CONNECT_REQUEST, deadline, place_.device);
    id_b_.reset(asked.id);
    b_ = std::make_unique<End>(id_b_.get(), octets);
    Cm::accept(id_b_.get(), {});
    cm_a_.expect(RDMA_CM_EVENT_ESTABLISHED, deadline, place_.device);
    cm_b_.expect(RDMA_CM_EVENT_ESTABLISHED, deadline, place_.device);
}

Completion Loop::completion(End &end) {
    const auto completion = end.next(Deadline(place_.timeout), *place_.interrupts);
    if (!completion)
        throw Failed("timed out waiting for a completion");
    return *completion;
}

Completion Loop::good(End &end) {
    const Completion completion = this->completion(end);
    if (!completion.good())
        throw Failed("completed with " + end.told(completion.wc));
    return completion;
}

void Loop::ends() {
    const Deadline deadline(place_.timeout);
    for (Cm *cm : {&cm_a_, &cm_b_}) {
        const auto event = cm->event(deadline);
        if (!event)
            throw Failed("the connection has not ended");
        if (event->type != RDMA_CM_EVENT_DISCONNECTED)
            throw Failed(std::string("rdma_cm reports ") + rdma_event_str(event->type));
    }
}

} // namespace xiw::traffic
