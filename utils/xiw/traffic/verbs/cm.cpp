// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "traffic/verbs/cm.hpp"
#include "traffic/greeting.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <netdb.h>

namespace xiw::traffic {

namespace {

constexpr uint8_t most_reads = 8; // maximum of outstanding Reads and atomics, in each direction

// InfiniBand's reason code for "no such service".
constexpr int ib_no_service = 8;

[[noreturn]] void fail(const std::string &what, int err, Exit exit = Exit::failed,
                       const std::string &hint = {}) {
    throw Error(exit, fmt::format("{}: {}", what, std::strerror(err)), hint);
}

// Throw the error for an address that no RDMA device has, or to which none has a route.
[[noreturn]] void no_device(const std::string &what) {
    throw Error(Exit::absent, what, "see rdma link show and xiw doctor");
}

[[noreturn]] void rejected(const Event &event, const std::string &host) {
    if (const auto reason = decode_refusal(event.data))
        throw Error(Exit::failed, fmt::format("{} refuses: {}", host, refusal_word(*reason)));
    if (event.status == -ECONNREFUSED || event.status == ib_no_service)
        throw Error(Exit::failed, fmt::format("{} refuses: no service listens there", host),
                    "run on the other machine: xiw ping --serve");
    if (event.status < 0)
        fail(fmt::format("{} refuses", host), -event.status);
    throw Error(Exit::failed, fmt::format("{} refuses, reason {}", host, event.status));
}

[[noreturn]] void unexpected(const Event &event, const std::string &host) {
    const std::string doctor = fmt::format("check the path: xiw doctor --peer {}", host);
    switch (event.type) {
    case RDMA_CM_EVENT_REJECTED:
        rejected(event, host);
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
        if (event.status == -ENODEV)
            no_device(fmt::format("no RDMA device has a route to {}", host));
        fail(fmt::format("no route to {}", host), -event.status, Exit::failed, doctor);
    case RDMA_CM_EVENT_UNREACHABLE:
    case RDMA_CM_EVENT_CONNECT_ERROR:
        if (event.status < 0)
            fail(fmt::format("no connection to {}", host), -event.status, Exit::failed, doctor);
        throw Error(Exit::failed, fmt::format("no connection to {}", host), doctor);
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
        throw Error(Exit::failed, "the device was removed");
    default:
        throw Error(Exit::failed,
                    fmt::format("{}: rdma_cm reports {}", host, rdma_event_str(event.type)));
    }
}

rdma_conn_param param_of(rdma_cm_id *id, std::span<const uint8_t> data) {
    rdma_conn_param param{};
    ibv_device_attr attr{};
    param.private_data = data.data();
    param.private_data_len = static_cast<uint8_t>(data.size());
    param.responder_resources = 1;
    param.initiator_depth = 1;
    if (ibv_query_device(id->verbs, &attr) == 0) {
        param.responder_resources =
            static_cast<uint8_t>(std::clamp<int>(attr.max_qp_rd_atom, 1, most_reads));
        param.initiator_depth =
            static_cast<uint8_t>(std::clamp<int>(attr.max_qp_init_rd_atom, 1, most_reads));
    }
    param.retry_count = 7; // InfiniBand's maximum
    param.rnr_retry_count = 7;
    return param;
}

} // namespace

uint16_t Endpoint::port() const {
    // sockaddr_in and sockaddr_in6 have the port at the same offset.
    return ntohs(reinterpret_cast<const sockaddr_in *>(&storage)->sin_port);
}

void Endpoint::set_port(uint16_t port) {
    reinterpret_cast<sockaddr_in *>(&storage)->sin_port = htons(port);
}

std::string host_word(const sockaddr *address) {
    char text[NI_MAXHOST] = "";
    getnameinfo(address,
                address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in), text,
                sizeof(text), nullptr, 0, NI_NUMERICHOST);
    return text;
}

std::vector<Endpoint> resolve(const std::string &host, uint16_t port) {
    addrinfo hints{};
    addrinfo *list = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    const int error = getaddrinfo(host.empty() ? nullptr : host.c_str(),
                                  std::to_string(port).c_str(), &hints, &list);
    if (error != 0)
        throw Error(Exit::failed, fmt::format("{}: {}", host, gai_strerror(error)));
    const std::unique_ptr<addrinfo, void (*)(addrinfo *)> owner(list, freeaddrinfo);
    std::vector<Endpoint> found;
    for (const addrinfo *i = list; i != nullptr; i = i->ai_next)
        if (i->ai_family == AF_INET || i->ai_family == AF_INET6)
            std::memcpy(&found.emplace_back().storage, i->ai_addr, i->ai_addrlen);
    return found;
}

Cm::Cm(const Interrupts &interrupts)
    : interrupts_(interrupts), channel_(rdma_create_event_channel()) {
    if (!channel_)
        fail("rdma_cm", errno, errno == EACCES ? Exit::denied : Exit::absent,
             "modprobe rdma_ucm, and an RDMA device: xiw doctor");
}

Id Cm::id() {
    rdma_cm_id *id = nullptr;
    if (rdma_create_id(channel_.get(), &id, nullptr, RDMA_PS_TCP) != 0)
        fail("rdma_create_id", errno);
    return Id(id);
}

std::optional<Event> Cm::event(const Deadline &deadline) {
    if (!interrupts_.readable(fd(), deadline))
        return std::nullopt;
    rdma_cm_event *got = nullptr;
    if (rdma_get_cm_event(channel_.get(), &got) != 0)
        fail("rdma_get_cm_event", errno);
    Event event;
    event.type = got->event;
    event.status = got->status;
    event.id = got->id;
    const auto *data = static_cast<const uint8_t *>(got->param.conn.private_data);
    if (data != nullptr)
        event.data.assign(data, data + got->param.conn.private_data_len);
    rdma_ack_cm_event(got);
    return event;
}

Event Cm::expect(rdma_cm_event_type type, const Deadline &deadline, const std::string &host) {
    auto event = this->event(deadline);
    if (!event)
        throw Error(Exit::failed, fmt::format("timed out waiting for {}", host),
                    fmt::format("check the path: xiw doctor --peer {}", host));
    if (event->type != type)
        unexpected(*event, host);
    return std::move(*event);
}

Id Cm::listen(const Endpoint &at) {
    Id id = this->id();
    if (at.address()->sa_family == AF_INET6) {
        // Allow the listeners of both address families to use the same port.
        int only = 1;
        rdma_set_option(id.get(), RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &only, sizeof(only));
    }
    Endpoint copy = at;
    if (rdma_bind_addr(id.get(), copy.address()) != 0 || rdma_listen(id.get(), 8) != 0) {
        const std::string where = fmt::format("port {} of {}", at.port(), host_word(at.address()));
        if (errno == ENODEV)
            no_device(fmt::format("{}: no RDMA device has this address", where));
        fail(where, errno);
    }
    return id;
}

Id Cm::route(const Endpoint *from, const Endpoint &to, Duration timeout, const std::string &host) {
    const Deadline deadline(timeout);
    const int limit = std::max(1, deadline.milliseconds());
    Endpoint source = from != nullptr ? *from : Endpoint{};
    Endpoint target = to;
    Id id = this->id();
    if (rdma_resolve_addr(id.get(), from != nullptr ? source.address() : nullptr, target.address(),
                          limit) != 0) {
        if (errno == ENODEV)
            no_device(fmt::format("no RDMA device has a route to {}", host));
        fail(fmt::format("no route to {}", host), errno);
    }
    expect(RDMA_CM_EVENT_ADDR_RESOLVED, deadline, host);
    if (id->verbs == nullptr)
        no_device(fmt::format("no RDMA device has a route to {}", host));
    if (rdma_resolve_route(id.get(), limit) != 0)
        fail(fmt::format("no route to {}", host), errno);
    expect(RDMA_CM_EVENT_ROUTE_RESOLVED, deadline, host);
    return id;
}

void Cm::connect(rdma_cm_id *id, std::span<const uint8_t> data) {
    rdma_conn_param param = param_of(id, data);
    if (rdma_connect(id, &param) != 0)
        fail("rdma_connect", errno);
}

void Cm::accept(rdma_cm_id *id, std::span<const uint8_t> data) {
    rdma_conn_param param = param_of(id, data);
    if (rdma_accept(id, &param) != 0)
        fail("rdma_accept", errno);
}

} // namespace xiw::traffic
