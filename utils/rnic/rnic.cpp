// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "rnic.hpp"

#include "stream/stream.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace xiw::rnic {

namespace {

enum : size_t { scratch_size = 256 << 10 };

bool slots_valid(u8 log2_entries, u8 log2_slot, u32 most) {
    return log2_entries <= most && log2_slot >= 4 && log2_slot <= 12;
}

} // namespace

Rnic::Rnic(const Surroundings &around, u64 admin_base, u32 admin_log2)
    : around_(around), memory_(around.dma, around.faults), scratch_(scratch_size),
      admin_(*this, admin_base, admin_log2), stags_(memory_), conns_(*this) {
    for (u32 i = 0; i < around.interrupts.count(); i++)
        events_.push_back(std::make_unique<EventRing>(*this, i));
}

Rnic::~Rnic() = default;

xiw_stats_block Rnic::stats_now() const {
    std::array<u64, sizeof(xiw_stats_block) / sizeof(u64)> values{};
    xiw_stats_block block = stats_;

    block.interrupts = around_.interrupts.raised();
    std::memcpy(values.data(), &block, sizeof(block));
    for (u64 &value : values)
        value = cpu_to_le64(value);
    std::memcpy(&block, values.data(), sizeof(block));
    return block;
}

std::unique_ptr<u8[]> Rnic::staging_take() {
    return staging_ ? std::move(staging_) : std::make_unique_for_overwrite<u8[]>(XIW_FPDU_WIRE_MAX);
}

void Rnic::captured(Connection &connection, bool out, std::span<const u8> octets) const {
    if (around_.capture != nullptr)
        around_.capture->octets(connection.flow, connection.socket(), out, octets);
}

void Rnic::interrupt(u32 vector) const {
    if (!around_.faults.strikes(Faults::interrupt))
        around_.interrupts.raise(vector);
}

void Rnic::device_state(xiw_device_state state) {
    xiw_event event{};

    event.type = XIW_EV_DEVICE;
    event.status = static_cast<u8>(state);
    // Replace an older state that is not in the ring yet.
    events(0).withdraw(device_owner);
    events(0).notify(device_owner, event);
    events(0).release();
}

// -------------------------------------------------------------------------- doorbells

void Rnic::stream_doorbell(u32 kind, u32 index, u32 value) {
    Stream *found = stream(index);

    if (kind == XIW_DB_STREAM && (value < XIW_ORDER_CLOSE || value > XIW_ORDER_RECEIVE))
        throw Fatal{XIW_FATAL_DOORBELL, kind};
    if (found == nullptr)
        return;
    if (kind == XIW_DB_STREAM)
        found->order(value);
    else
        schedule(*found);
}

void Rnic::doorbell(u64 value) {
    const auto kind = static_cast<u32>(value >> XIW_DB_KIND_SHIFT);
    const auto index = static_cast<u32>(value >> XIW_DB_INDEX_SHIFT) & 0xffffffU;
    const auto low = static_cast<u32>(value);

    stats_.doorbells++;
    switch (kind) {
    case XIW_DB_ADMIN:
        admin_.rung(low);
        break;
    case XIW_DB_EVENT:
    case XIW_DB_EVENT_ARM:
        if (index < vectors())
            events(index).consumed(low, kind == XIW_DB_EVENT_ARM);
        break;
    case XIW_DB_SHARED_RX:
        if (const auto shared = shared_rx(index))
            shared->rung();
        break;
    case XIW_DB_TX_REQUEST:
    case XIW_DB_TX_RESPONSE:
    case XIW_DB_RX:
    case XIW_DB_STREAM:
        stream_doorbell(kind, index, low);
        break;
    default:
        break;
    }
}

// --------------------------------------------------------------------------- turns

void Rnic::schedule(Stream &stream) {
    if (stream.queued)
        return;
    stream.queued = true;
    scheduled_.push_back(stream.index());
}

bool Rnic::work() {
    timers_.run_due();
    if (std::exchange(admin_due_, false))
        admin_.run();
    conns_.run();
    // Run only the streams that are scheduled now. Streams that are scheduled during this loop run
    // after the next doorbells.
    const auto end = Clock::now() + turn;
    for (size_t turns = scheduled_.size(); turns > 0 && Clock::now() < end; turns--) {
        const u32 index = scheduled_.front();
        scheduled_.pop_front();
        if (Stream *found = stream(index); found != nullptr && found->queued) {
            found->queued = false;
            found->run();
        }
    }
    return conns_.run() || !scheduled_.empty() || admin_due_;
}

// -------------------------------------------------------------------------- streams

Stream *Rnic::stream(u32 index) const {
    const auto found = streams_.find(index);

    return found == streams_.end() ? nullptr : found->second.get();
}

u8 Rnic::stream_create(u32 index, const xiw_adm_stream &wanted) {
    const u32 shared = le32_to_cpu(wanted.shared_rx);

    if (index >= max_streams || wanted.ctx == 0 || le64_to_cpu(wanted.ctx) % sizeof(u64) != 0 ||
        wanted.tx[0] == 0 || wanted.tx[1] == 0 || le16_to_cpu(wanted.vector) >= vectors() ||
        wanted.log2_units < 3 || wanted.log2_units > 20)
        return XIW_ERR_INVALID;
    if (shared != XIW_RX_NONE && !shared_rx(shared))
        return XIW_ERR_INVALID;
    if (shared == XIW_RX_NONE && wanted.rx != 0 &&
        !slots_valid(wanted.log2_rx, wanted.log2_slot, 20))
        return XIW_ERR_INVALID;
    if (stream(index) != nullptr)
        return XIW_ERR_BUSY;
    try {
        streams_.emplace(index, std::make_unique<Stream>(*this, index, wanted));
    } catch (const std::bad_alloc &) {
        return XIW_ERR_NOMEM;
    }
    return XIW_OK;
}

u8 Rnic::stream_destroy(u32 index) {
    Stream *found = stream(index);

    if (found == nullptr)
        return XIW_ERR_INVALID;
    found->destroy();
    streams_.erase(index);
    return XIW_OK;
}

// ------------------------------------------------------------------- shared receives

std::shared_ptr<SharedReceive> Rnic::shared_rx(u32 index) const {
    const auto found = shared_rx_.find(index);

    return found == shared_rx_.end() ? nullptr : found->second;
}

u8 Rnic::shared_rx_create(u32 index, const xiw_adm_ring &ring) {
    if (index >= max_shared_rx || ring.ring == 0 || ring.ctx == 0 ||
        le64_to_cpu(ring.ctx) % sizeof(u64) != 0 ||
        !slots_valid(ring.log2_entries, ring.log2_slot, 24))
        return XIW_ERR_INVALID;
    if (shared_rx(index))
        return XIW_ERR_BUSY;
    try {
        shared_rx_.emplace(index, std::make_shared<SharedReceive>(*this, ring));
    } catch (const std::bad_alloc &) {
        return XIW_ERR_NOMEM;
    }
    return XIW_OK;
}

u8 Rnic::shared_rx_destroy(u32 index) {
    return shared_rx_.erase(index) > 0 ? XIW_OK : XIW_ERR_INVALID;
}

} // namespace xiw::rnic
