// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "conn/commands.hpp"

#include "limits.hpp"
#include "rnic.hpp"
#include "stream/stream.hpp"

#include <iterator>
#include <new>

namespace xiw::rnic {

Connections::~Connections() {
    ending_ = true;
    all_.clear();
}

void Connections::kick(Connection &connection) {
    if (!ending_ && !connection.scheduled.joined())
        connection.scheduled.join(scheduled_);
}

void Connections::join_closing(Connection &connection) {
    connection.closing.join(closing_);
    if (closing_.size() > max_closing)
        closing_.front()->crowd_out();
}

void Connections::leave_closing(Connection &connection) {
    connection.closing.leave(closing_);
}

bool Connections::run() {
    Link::List now;

    now.swap(scheduled_);
    const bool any = !now.empty();
    while (!now.empty()) {
        Connection *connection = now.front();
        connection->scheduled.leave(now);
        connection->run();
        // If a connection is over, but scheduled again, the next run frees it.
        if (connection->over() && !connection->scheduled.joined())
            all_.erase(connection->place);
    }
    return any;
}

Connection *Connections::in_slot(u32 slot) const {
    const auto found = slots_.find(slot);

    return found == slots_.end() ? nullptr : found->second;
}

Listener *Connections::listener(u32 index) const {
    const auto found = listeners_.find(index);

    return found == listeners_.end() ? nullptr : found->second.get();
}

Connection &Connections::create(u32 slot, u64 buffer, Connection::State state) {
    auto made = std::make_unique<Connection>(rnic_, slot, buffer, state);

    all_.push_back(nullptr);
    try {
        slots_[slot] = made.get();
    } catch (const std::bad_alloc &) {
        all_.pop_back();
        throw;
    }
    all_.back() = std::move(made);
    all_.back()->place = std::prev(all_.end());
    return *all_.back();
}

u8 Connections::listen(const xiw_admin_cmd &command) {
    const u32 index = le32_to_cpu(command.index);
    const u64 at = le64_to_cpu(command.addr);

    if (at == 0 || index >= max_listeners)
        return XIW_ERR_INVALID;
    if (listener(index) != nullptr)
        return XIW_ERR_BUSY;
    auto buffer = rnic_.memory().get<xiw_conn_buf>(at);
    auto made = std::make_unique<Listener>(rnic_, index, buffer, le32_to_cpu(command.count));
    if (const int error = made->open(buffer.local); error != 0)
        return static_cast<u8>(host::status_of(error));
    rnic_.memory().tell(at + offsetof(xiw_conn_buf, local), buffer.local);
    listeners_[index] = std::move(made);
    return XIW_OK;
}

u8 Connections::unlisten(u32 index) {
    Listener *found = listener(index);

    if (found == nullptr)
        return XIW_ERR_INVALID;
    found->drop_all();
    listeners_.erase(index);
    return XIW_OK;
}

u8 Connections::post(const xiw_admin_cmd &command, Connection **made) {
    const u32 slot = le32_to_cpu(command.index);

    if (command.addr == 0 || slot >= max_conns || listener(le32_to_cpu(command.other)) == nullptr)
        return XIW_ERR_INVALID;
    if (in_slot(slot) != nullptr)
        return XIW_ERR_BUSY;
    *made = &create(slot, le64_to_cpu(command.addr), Connection::State::posted);
    return XIW_OK;
}

u8 Connections::connect(const xiw_admin_cmd &command, Connection **made) {
    const u32 slot = le32_to_cpu(command.index);
    Stream *stream = rnic_.stream(le32_to_cpu(command.other));

    if (command.addr == 0 || slot >= max_conns || stream == nullptr)
        return XIW_ERR_INVALID;
    if (in_slot(slot) != nullptr)
        return XIW_ERR_BUSY;
    const auto buffer = rnic_.memory().get<xiw_conn_buf>(le64_to_cpu(command.addr));
    const u32 limit = buffer.params.mpa_rev == 1 ? XIW_MPA_PD_MAX : XIW_MPA_ENHANCED_PD_MAX;
    if (buffer.params.mpa_rev > 2 || buffer.remote.port == 0 ||
        !host::family_known(buffer.remote) ||
        (buffer.local.family != 0 && buffer.local.family != buffer.remote.family) ||
        le16_to_cpu(buffer.private_length) > limit)
        return XIW_ERR_INVALID;
    *made = &create(slot, le64_to_cpu(command.addr), Connection::State::start);
    (*made)->connect(*stream);
    return XIW_OK;
}

u8 Connections::of_slot(const xiw_admin_cmd &command) {
    Connection *connection = in_slot(le32_to_cpu(command.index));

    if (connection == nullptr)
        return XIW_ERR_INVALID;
    if (command.op == XIW_ADM_ACCEPT)
        return connection->accept(le32_to_cpu(command.other));
    if (command.op == XIW_ADM_REJECT)
        return connection->reject();
    connection->free();
    return XIW_OK;
}

u8 Connections::make(const xiw_admin_cmd &command, Connection **made) {
    try {
        switch (command.op) {
        case XIW_ADM_LISTEN:
            return listen(command);
        case XIW_ADM_CONN_POST:
            return post(command, made);
        default:
            return connect(command, made);
        }
    } catch (const std::bad_alloc &) {
        return XIW_ERR_NOMEM;
    }
}

void Connections::execute(const xiw_admin_cmd &command, const Answer &answer) {
    Connection *made = nullptr;

    switch (command.op) {
    case XIW_ADM_LISTEN:
    case XIW_ADM_CONN_POST:
    case XIW_ADM_CONNECT:
        answer(make(command, &made));
        break;
    case XIW_ADM_UNLISTEN:
        return answer(unlisten(le32_to_cpu(command.index)));
    default:
        return answer(of_slot(command));
    }
    if (made == nullptr)
        return;
    if (made->state() == Connection::State::posted)
        listener(le32_to_cpu(command.other))->post(*made);
    else
        kick(*made);
}

void Connections::address_added(const host::Address &address) {
    for (const auto &[index, listener] : listeners_)
        listener->address_added(address);
}

void Connections::address_removed(const host::Address &address) {
    for (const auto &[index, listener] : listeners_)
        listener->address_removed(address);
    for (const auto &connection : all_)
        connection->address_removed(address);
}

} // namespace xiw::rnic
