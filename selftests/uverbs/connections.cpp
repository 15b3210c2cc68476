// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Commands of rdma_cm's device file, by write().
#include "connections.hpp"

#include <rdma/rdma_user_cm.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace uverbs {

namespace {

// Events of <rdma/rdma_cm.h>, with the kernel's numbers.
enum Event : uint32_t {
    ADDR_RESOLVED = 0,
    ROUTE_RESOLVED = 2,
    CONNECT_REQUEST = 4,
    ESTABLISHED = 9
};

constexpr uint16_t first_port = 21000, ports = 2000;
constexpr size_t most_ids = 48;

rdma_ucm_conn_param param(uint32_t qp, Random &random) {
    rdma_ucm_conn_param p{};

    p.qp_num = qp;
    p.responder_resources = static_cast<uint8_t>(random.below(random.once_in(8) ? 256 : 8));
    p.initiator_depth = static_cast<uint8_t>(random.below(random.once_in(8) ? 256 : 8));
    p.private_data_len = static_cast<uint8_t>(random.once_in(4) ? random.below(256) : 0);
    p.valid = 1;
    return p;
}

} // namespace

Connections::Side::Side() : file(open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC | O_NONBLOCK)) {
    if (file < 0)
        throw std::system_error(errno, std::generic_category(), "rdma_cm");
}

Connections::Side::~Side() {
    close(file);
}

template <typename Command>
bool Connections::Side::send(uint32_t number, const Command &command, size_t answered) {
    struct {
        rdma_ucm_cmd_hdr header;
        Command command;
    } __attribute__((packed)) bytes{{number, sizeof(Command), static_cast<uint16_t>(answered)},
                                    command};

    return write(file, &bytes, sizeof bytes) == static_cast<ssize_t>(sizeof bytes);
}

std::optional<uint32_t> Connections::Side::create() {
    rdma_ucm_create_id_resp answer{};
    rdma_ucm_create_id command{};

    command.response = reinterpret_cast<uint64_t>(&answer);
    command.uid = 1; // the kernel reports no events of an id with uid 0
    command.ps = RDMA_PS_TCP;
    command.qp_type = 2; // IB_QPT_RC
    if (!send(RDMA_USER_CM_CMD_CREATE_ID, command, sizeof answer))
        return {};
    return answer.id;
}

uint32_t Connections::Side::some(Random &random) {
    const std::lock_guard guard(lock);

    if (ids.empty() || random.once_in(40))
        return static_cast<uint32_t>(random.below(64));
    return ids[random.below(ids.size())];
}

void Connections::Side::add(uint32_t id) {
    const std::lock_guard guard(lock);

    ids.push_back(id);
}

size_t Connections::Side::size() {
    const std::lock_guard guard(lock);

    return ids.size();
}

void Connections::Side::destroy(Random &random, Tally &tally, uint32_t id) {
    rdma_ucm_destroy_id_resp answer{};
    const rdma_ucm_destroy_id command{reinterpret_cast<uint64_t>(&answer), id, 0};

    // `ids` does not contain the listener. But `id` may be a random number, so this function may
    // destroy the listener, too.
    if (random.once_in(3))
        send(RDMA_USER_CM_CMD_DISCONNECT, rdma_ucm_disconnect{id});
    const bool gone = send(RDMA_USER_CM_CMD_DESTROY_ID, command, sizeof answer);
    tally.count("cm destroy", gone);
    if (!gone)
        return;
    const std::lock_guard guard(lock);
    ids.erase(std::remove(ids.begin(), ids.end(), id), ids.end());
}

Connections::Connections(in_addr address) {
    at_.sin_family = AF_INET;
    at_.sin_addr = address;
    listen();
}

void Connections::listen() {
    for (uint16_t i = 0; i < ports; i++) {
        const auto id = answers_.create();
        rdma_ucm_bind_ip bind{};

        if (!id)
            break;
        at_.sin_port = htons(static_cast<uint16_t>(first_port + (getpid() * 7 + i) % ports));
        bind.id = *id;
        std::memcpy(&bind.addr, &at_, sizeof at_);
        if (answers_.send(RDMA_USER_CM_CMD_BIND_IP, bind) &&
            answers_.send(RDMA_USER_CM_CMD_LISTEN, rdma_ucm_listen{*id, 16}))
            return;
    }
    throw std::system_error(errno, std::generic_category(), "listen");
}

void Connections::resolve(Random &random, Tally &tally) {
    const auto id = calls_.create();
    rdma_ucm_resolve_ip command{};
    sockaddr_in from = at_;

    if (!id)
        return;
    calls_.add(*id);
    from.sin_port = 0;
    std::memcpy(&command.src_addr, &from, sizeof from);
    std::memcpy(&command.dst_addr, &at_, sizeof at_);
    command.id = *id;
    command.timeout_ms = 1000;
    tally.count("cm resolve", calls_.send(RDMA_USER_CM_CMD_RESOLVE_IP, command));
    if (random.once_in(4))
        calls_.destroy(random, tally, calls_.some(random));
}

void Connections::connect(Session &session, Random &random, Tally &tally, uint32_t id) {
    rdma_ucm_connect command{};

    command.conn_param = param(session.number(random), random);
    command.id = id;
    tally.count("cm connect", calls_.send(RDMA_USER_CM_CMD_CONNECT, command));
}

void Connections::accept(Side &side, Session &session, Random &random, Tally &tally, uint32_t id) {
    rdma_ucm_accept command{};

    command.uid = id;
    command.conn_param = param(session.number(random), random);
    command.id = id;
    tally.count("cm accept", side.send(RDMA_USER_CM_CMD_ACCEPT, command));
}

void Connections::reject(Side &side, Random &random, Tally &tally, uint32_t id) {
    rdma_ucm_reject command{};

    command.id = id;
    command.private_data_len = static_cast<uint8_t>(random.below(256));
    tally.count("cm reject", side.send(RDMA_USER_CM_CMD_REJECT, command));
}

// Reads an event and reacts to it. Returns false if there is no event.
bool Connections::event(Side &side, Session &session, Random &random, Tally &tally) {
    rdma_ucm_event_resp got{};
    const rdma_ucm_get_event command{reinterpret_cast<uint64_t>(&got)};

    if (!side.send(RDMA_USER_CM_CMD_GET_EVENT, command, sizeof got))
        return false;
    switch (got.event) {
    case ADDR_RESOLVED:
        side.send(RDMA_USER_CM_CMD_RESOLVE_ROUTE, rdma_ucm_resolve_route{got.id, 1000});
        break;
    case ROUTE_RESOLVED:
        connect(session, random, tally, got.id);
        break;
    case CONNECT_REQUEST:
        side.add(got.id);
        switch (random.below(10)) {
        case 0:
            break; // ignored
        case 1:
            reject(side, random, tally, got.id);
            break;
        default:
            accept(side, session, random, tally, got.id);
            break;
        }
        break;
    case ESTABLISHED:
        tally.count("cm established", got.status == 0);
        break;
    default:
        break;
    }
    return true;
}

void Connections::step(Session &session, Random &random, Tally &tally) {
    Side &side = random.once_in(2) ? calls_ : answers_;

    if (side.size() > most_ids)
        return side.destroy(random, tally, side.some(random));
    switch (random.below(16)) {
    case 0:
    case 1:
        return resolve(random, tally);
    case 2:
        return connect(session, random, tally, calls_.some(random));
    case 3:
        return accept(side, session, random, tally, side.some(random));
    case 4:
        tally.count("cm disconnect",
                    side.send(RDMA_USER_CM_CMD_DISCONNECT, rdma_ucm_disconnect{side.some(random)}));
        return;
    case 5:
        return side.destroy(random, tally, side.some(random));
    case 6:
        return reject(side, random, tally, side.some(random));
    default:
        if (!event(calls_, session, random, tally) && !event(answers_, session, random, tally))
            usleep(200);
        return;
    }
}

} // namespace uverbs
