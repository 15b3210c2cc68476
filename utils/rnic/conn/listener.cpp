// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "conn/listener.hpp"

#include "conn/connection.hpp"
#include "host/port.hpp"
#include "rnic.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace xiw::rnic {

namespace {

enum : u32 {
    retry_ms = 100,
    // Time for which a peer may keep a slot without a Request while other connections wait. The
    // limit includes the time in the accept queue of TCP.
    silent_ms = 500,
    // Minimum length of the accept queue. Silent peers may reconnect as fast as they are reset. If
    // they filled the queue, no other peer could connect.
    queue_min = 1024,
};

} // namespace

Listener::Listener(Rnic &rnic, u32 index, const xiw_conn_buf &wanted, u32 backlog)
    : rnic_(rnic), index_(index), backlog_(backlog), local_(wanted.local), params_(wanted.params),
      retry_(rnic.timers(), [this] { accept(); }) {}

bool Listener::means(const host::Address &address) const {
    const host::Address own = host::address_of(local_);
    const bool v6only = (le32_to_cpu(params_.flags) & XIW_CONNF_V6ONLY) != 0;

    if (!own.is_any())
        return own == address;
    return own.family == address.family || (own.family == 6 && !v6only);
}

int Listener::open_door(const host::Address &address) {
    auto door = std::make_unique<Door>(*this);
    xiw_addr name{};
    xiw_addr remote{};

    name.family = address.family;
    name.port = local_.port;
    std::memcpy(name.addr, address.octets.data(), address.size());
    rnic_.port().scope(name);
    int error = door->socket.open(name.family);
    if (error == 0 && (le32_to_cpu(params_.flags) & XIW_CONNF_TOS) != 0)
        error = door->socket.set_type_of_service(params_.tos);
    if (error == 0) {
        door->socket.set_segments(rnic_.port().mtu(), name.family);
        error = door->socket.bind(name);
    }
    if (error == 0)
        error = door->socket.listen(std::max<u32>(backlog_, queue_min));
    if (error == 0)
        error = door->socket.watch(rnic_.poller(), *door);
    if (error != 0)
        return error;
    door->socket.addresses(name, remote);
    local_.port = name.port;
    doors_[address] = std::move(door);
    return 0;
}

int Listener::open(xiw_addr &local) {
    if (!host::family_known(local_))
        return -EAFNOSUPPORT;
    for (const auto &[address, prefix] : rnic_.port().addresses())
        if (means(address))
            if (const int error = open_door(address); error != 0)
                return error;
    // A listener with the wildcard address and a given port may wait for addresses of the RNIC. All
    // other listeners need a socket now.
    if (doors_.empty() && (local_.port == 0 || !host::address_of(local_).is_any()))
        return -EADDRNOTAVAIL;
    local.port = local_.port;
    return 0;
}

void Listener::post(Connection &connection) {
    connection.post(*this);
    slots_.push_back(&connection);
    accept();
}

void Listener::forget(Connection &connection) {
    slots_.remove(&connection);
}

std::list<Connection *>::iterator Listener::posted() {
    return std::find_if(slots_.begin(), slots_.end(), [](const Connection *c) {
        return c->state() == Connection::State::posted;
    });
}

void Listener::accept() {
    // Serve the addresses in turn, so that peers of one address do not keep out the peers of
    // another address.
    size_t failed = 0;
    for (auto slot = posted(); slot != slots_.end() && failed < doors_.size(); slot = posted()) {
        auto turn = doors_.upper_bound(served_);
        if (turn == doors_.end())
            turn = doors_.begin();
        served_ = turn->first;
        host::Socket socket;
        int error = turn->second->socket.accept(socket);
        if (error == 0)
            error = (*slot)->adopt(std::move(socket));
        if (error == 0)
            slots_.splice(slots_.end(), slots_, slot);
        if (error == 0 || error == -ECONNABORTED) {
            failed = 0;
            continue;
        }
        failed++;
        if (error != -EAGAIN)
            retry_.arm(retry_ms);
    }
    if (posted() == slots_.end())
        oust_silent();
}

// No slot is free. Oust peers that have been silent for too long: one peer for each connection that
// waits, and the oldest peers first. Repeat the check as long as connections wait.
void Listener::oust_silent() {
    u32 waiting = 0, next = silent_ms;

    for (const auto &[address, door] : doors_)
        waiting += door->socket.queued();
    if (waiting == 0)
        return;
    for (Connection *connection : slots_) {
        const u32 age = connection->peer_age();
        if (age < silent_ms)
            next = std::min(next, silent_ms - age);
        else if (waiting > 0) {
            waiting--;
            connection->oust();
        }
    }
    retry_.arm_earlier(next);
}

void Listener::drop_all() {
    const std::list<Connection *> slots = std::exchange(slots_, {});

    doors_.clear();
    for (Connection *connection : slots)
        connection->drop();
}

// Listen on a new address. An error affects only this address. Do not retry addresses that have
// failed before. With retries, one command that adds an address could cause an attempt for each
// failed address of each listener.
void Listener::address_added(const host::Address &address) {
    if (means(address) && !doors_.contains(address))
        open_door(address);
}

void Listener::address_removed(const host::Address &address) {
    doors_.erase(address);
}

} // namespace xiw::rnic
