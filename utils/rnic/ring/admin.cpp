// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "ring/admin.hpp"

#include "conn/commands.hpp"
#include "host/port.hpp"
#include "rnic.hpp"
#include "stream/stream.hpp"

#include <algorithm>

namespace xiw::rnic {

void Admin::done(u32 tag, u8 status) {
    xiw_event event{};

    event.type = XIW_EV_ADMIN;
    event.status = status;
    event.admin.tag = cpu_to_le32(tag);
    event.admin.result = cpu_to_le32(status);
    rnic_.events(0).notify(Rnic::admin_owner, event, [this] {
        open_--;
        rnic_.admin_due();
    });
}

int Admin::match_load(const xiw_admin_cmd &command) {
    if (command.addr == 0)
        return XIW_ERR_INVALID;
    rnic_.memory().read(le64_to_cpu(command.addr), rnic_.match(),
                        XIW_MATCH_ROWS * sizeof(xiw_match_row));
    return XIW_OK;
}

int Admin::address(const xiw_admin_cmd &command) {
    const auto wanted = command.address;
    const host::Address address = host::address_of(wanted.addr);
    const bool known = rnic_.port().has(address);
    int error = 0;

    if (command.op == XIW_ADM_ADDR_ADD) {
        error = rnic_.port().add(wanted);
        if (error == 0 && !known)
            rnic_.conns().address_added(address);
    } else {
        error = rnic_.port().remove(wanted);
        if (error == 0)
            rnic_.conns().address_removed(address);
    }
    return host::status_of(error);
}

int Admin::statistics(const xiw_admin_cmd &command) {
    const xiw_stats_block block = rnic_.stats_now();

    if (command.addr == 0)
        return XIW_ERR_INVALID;
    rnic_.memory().tell(le64_to_cpu(command.addr), &block,
                        std::min<size_t>(le32_to_cpu(command.count), sizeof(block)));
    return XIW_OK;
}

int Admin::execute(const xiw_admin_cmd &command) {
    const u32 index = le32_to_cpu(command.index);
    const u32 tag = le32_to_cpu(command.tag);

    switch (command.op) {
    case XIW_ADM_NOP:
        return XIW_OK;
    case XIW_ADM_MATCH_LOAD:
        return match_load(command);
    case XIW_ADM_EVENT_CREATE:
        if (index >= rnic_.vectors())
            return XIW_ERR_INVALID;
        return rnic_.events(index).create(command.ring);
    case XIW_ADM_EVENT_DESTROY:
        if (index >= rnic_.vectors())
            return XIW_ERR_INVALID;
        rnic_.events(index).destroy();
        return XIW_OK;
    case XIW_ADM_STAG_CHUNK:
        return rnic_.stags().chunk(index, le64_to_cpu(command.addr));
    case XIW_ADM_STAG_SET:
        return rnic_.stags().set(index, command.entry, nullptr);
    case XIW_ADM_STAG_CLEAR:
        return rnic_.stags().clear(index);
    case XIW_ADM_SHARED_RX_CREATE:
        return rnic_.shared_rx_create(index, command.ring);
    case XIW_ADM_SHARED_RX_DESTROY:
        return rnic_.shared_rx_destroy(index);
    case XIW_ADM_STREAM_CREATE:
        return rnic_.stream_create(index, command.stream);
    case XIW_ADM_STREAM_DESTROY:
        return rnic_.stream_destroy(index);
    case XIW_ADM_LISTEN:
    case XIW_ADM_CONN_POST:
    case XIW_ADM_CONNECT:
    case XIW_ADM_ACCEPT:
    case XIW_ADM_REJECT:
    case XIW_ADM_CONN_FREE:
    case XIW_ADM_UNLISTEN:
        // The class Connections itself answers the command, so that no event of the connection
        // overtakes the answer.
        rnic_.conns().execute(command, [this, tag](u8 status) { done(tag, status); });
        return later;
    case XIW_ADM_ADDR_ADD:
    case XIW_ADM_ADDR_REMOVE:
        return address(command);
    case XIW_ADM_STATS:
        return statistics(command);
    default:
        return XIW_ERR_UNSUPPORTED;
    }
}

// For `ghost`, write one event of each stream event type for a destroyed stream.
void Admin::haunt(EventRing &ring, __le32 stream) {
    xiw_event event{};

    event.stream = stream;
    for (event.type = XIW_EV_TX_DONE; event.type <= XIW_EV_STATE; event.type++)
        ring.notify(Rnic::nobody, event);
}

int Admin::wrong_status() const {
    const u32 wanted = rnic_.faults().value(Faults::completion);

    return wanted != 0 ? static_cast<u8>(wanted) : XIW_ERR_INVALID;
}

void Admin::run() {
    const auto end = Rnic::Clock::now() + Rnic::turn;

    while (consumed_ != produced_ && open_ <= mask_) {
        if (Rnic::Clock::now() >= end) {
            rnic_.admin_due();
            break;
        }
        const auto command =
            rnic_.memory().get<xiw_admin_cmd>(base_ + u64{consumed_ & mask_} * XIW_ADMIN_SIZE);
        consumed_++;
        mute_ = mute_ || rnic_.faults().strikes(Faults::mute);
        if (mute_)
            continue;
        open_++;
        const Stream *ended = command.op == XIW_ADM_STREAM_DESTROY
                                  ? rnic_.stream(le32_to_cpu(command.index))
                                  : nullptr;
        EventRing *haunted =
            ended != nullptr && rnic_.faults().strikes(Faults::ghost) ? &ended->events() : nullptr;
        const int status =
            rnic_.faults().strikes(Faults::completion) ? wrong_status() : execute(command);
        if (status >= 0)
            done(le32_to_cpu(command.tag), static_cast<u8>(status));
        if (haunted != nullptr)
            haunt(*haunted, command.index);
    }
}

void Admin::rung(u32 producer) {
    // Doorbells may overtake each other, so ignore an index that is older than the last one.
    if (static_cast<s32>(producer - produced_) < 0)
        return;
    if (producer - consumed_ > mask_ + 1)
        throw Fatal{XIW_FATAL_DOORBELL, XIW_DB_ADMIN};
    produced_ = producer;
    run();
}

} // namespace xiw::rnic
