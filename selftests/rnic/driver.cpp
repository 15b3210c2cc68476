// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "driver.hpp"

#include <stdexcept>

#include <arpa/inet.h>

namespace xiw::test {

Driver::Driver(const std::string &address, const rnic::Function::Settings &settings, u32 events)
    : machine(settings), events_log2_(events), address_(address) {
    bring_up();
}

void Driver::bring_up() {
    std::array<xiw_match_row, XIW_MATCH_ROWS> rows{};

    admin_ = machine.alloc(XIW_ADMIN_SIZE << admin_log2, 128);
    admin_tail_ = 0;
    machine.write(XIW_REG_ADMIN_BASE, admin_);
    machine.write(XIW_REG_ADMIN_LOG2, admin_log2);
    machine.write(XIW_REG_CONTROL, XIW_CTL_ENABLE);
    if (!machine.wait_state(XIW_PCI_READY))
        throw std::runtime_error("not ready");
    for (u32 i = 0; i < 2; i++) {
        rings_.at(i) = {machine.alloc(u64{XIW_EVENT_SIZE} << events_log2_, 128), events_log2_, 0};
        kept_.at(i).clear();
        xiw_admin_cmd create{};
        create.op = XIW_ADM_EVENT_CREATE;
        create.index = i;
        create.ring.ring = rings_.at(i).ring;
        create.ring.log2_entries = static_cast<u8>(events_log2_);
        if (command(create) != XIW_OK)
            throw std::runtime_error("event ring");
    }
    xiw_opcode_match(rows.data());
    const u64 table = machine.alloc(sizeof(rows));
    std::memcpy(machine.at(table), rows.data(), sizeof(rows));
    chunk_ = machine.alloc(XIW_STAG_CHUNK * sizeof(xiw_stag_entry));
    next_stag_ = 1;
    if (command(XIW_ADM_MATCH_LOAD, 0, 0, table) != XIW_OK ||
        command(XIW_ADM_STAG_CHUNK, 0, 0, chunk_) != XIW_OK)
        throw std::runtime_error("tables");
    xiw_admin_cmd add{};
    add.op = XIW_ADM_ADDR_ADD;
    add.address.addr = this->address(0);
    add.address.prefix = 8;
    if (command(add) != XIW_OK)
        throw std::runtime_error("address");
}

void Driver::doorbell(xiw_doorbell kind, u32 index, u32 value) {
    machine.write(XIW_PCI_DOORBELL + 8 * u64{kind},
                  u64{kind} << XIW_DB_KIND_SHIFT | u64{index} << XIW_DB_INDEX_SHIFT | value);
}

u32 Driver::submit(xiw_admin_cmd &command, bool ring) {
    command.tag = ++tag_;
    *machine.at<xiw_admin_cmd>(admin_ + u64{admin_tail_++ % (1U << admin_log2)} * XIW_ADMIN_SIZE) =
        command;
    if (ring)
        doorbell(XIW_DB_ADMIN, 0, admin_tail_);
    return tag_;
}

u8 Driver::command(xiw_admin_cmd &command) {
    const u32 tag = submit(command);

    for (;;) {
        const xiw_event event = wait(XIW_EV_ADMIN);
        if (event.admin.tag == tag)
            return event.status;
    }
}

u8 Driver::command(xiw_admin_op op, u32 index, u32 other, u64 addr, u32 count) {
    xiw_admin_cmd cmd{};

    cmd.op = static_cast<u8>(op);
    cmd.index = index;
    cmd.other = other;
    cmd.addr = addr;
    cmd.count = count;
    return command(cmd);
}

void Driver::consume(u32 vector) {
    EventRing &ring = rings_.at(vector);
    const u32 before = ring.consumed;

    for (;;) {
        const u32 at = ring.consumed & ((1U << ring.log2) - 1);
        const u64 slot = ring.ring + u64{at} * XIW_EVENT_SIZE;
        const u8 phase = (ring.consumed >> ring.log2 & 1) != 0 ? 0 : XIW_EVENT_PHASE;
        if ((machine.word<u8>(slot + offsetof(xiw_event, flags)) & XIW_EVENT_PHASE) != phase)
            break;
        std::atomic_thread_fence(std::memory_order_acquire);
        const xiw_event &event = *machine.at<xiw_event>(slot);
        if (event.type == XIW_EV_STATE)
            states_[event.stream] = event.state;
        kept_.at(vector).push_back(event);
        ring.consumed++;
    }
    if (ring.consumed != before)
        doorbell(XIW_DB_EVENT, vector, ring.consumed);
}

bool Driver::has(u8 type, u32 vector) {
    if (consuming)
        consume(vector);
    for (const xiw_event &event : kept_.at(vector))
        if (event.type == type)
            return true;
    return false;
}

xiw_event Driver::wait(u8 type, u32 vector) {
    auto &kept = kept_.at(vector);

    if (!eventually([&] { return has(type, vector); }))
        throw std::runtime_error("no event of type " + std::to_string(type));
    for (auto at = kept.begin();; ++at) {
        if (at->type != type)
            continue;
        const xiw_event event = *at;
        kept.erase(at);
        return event;
    }
}

u32 Driver::stag(u32 index, const xiw_stag_entry &entry) {
    xiw_admin_cmd set{};

    set.op = XIW_ADM_STAG_SET;
    set.index = index << 8 | entry.key;
    set.entry = entry;
    if (const u8 status = command(set); status != XIW_OK)
        throw std::runtime_error("stag: " + std::to_string(status));
    return index << 8 | entry.key;
}

u32 Driver::region(u64 bus, u64 length, u8 access, u32 domain) {
    xiw_stag_entry entry{};

    entry.state = XIW_STAG_VALID;
    entry.key = 0x5a;
    entry.access = access;
    entry.pd = domain;
    entry.flags = XIW_STAGF_LINEAR | XIW_STAGF_REMOTE_INV;
    entry.base = bus;
    entry.length = length;
    entry.pages = bus;
    return stag(next_stag_++, entry);
}

u32 Driver::paged(const std::vector<u64> &pages, u64 first, u64 length, u8 access) {
    const u64 list = machine.alloc(pages.size() * sizeof(u64));
    xiw_stag_entry entry{};

    std::memcpy(machine.at(list), pages.data(), pages.size() * sizeof(u64));
    entry.state = XIW_STAG_VALID;
    entry.key = 0xa5;
    entry.access = access;
    entry.page_shift = 12;
    entry.pd = pd;
    entry.base = 0x7000000;
    entry.length = length;
    entry.pages = list;
    entry.first = static_cast<u32>(first);
    entry.page_count = static_cast<u32>(pages.size());
    return stag(next_stag_++, entry);
}

xiw_stag_entry Driver::entry(u32 index) const {
    return *machine.at<xiw_stag_entry>(chunk_ + index * sizeof(xiw_stag_entry));
}

Stream Driver::stream(u32 index, u32 shared, u32 vector) {
    Stream s;
    xiw_admin_cmd create{};

    s.index = index;
    s.vector = vector;
    s.context = machine.alloc(sizeof(xiw_stream_ctx));
    for (u64 &ring : s.tx)
        ring = machine.alloc(u64{XIW_TX_UNIT} << s.log2_units);
    if (shared == XIW_RX_NONE)
        s.rx = machine.alloc(u64{1} << (rx_log2 + rx_slot_log2));
    create.op = XIW_ADM_STREAM_CREATE;
    create.index = index;
    create.stream.ctx = s.context;
    create.stream.tx[0] = s.tx[0];
    create.stream.tx[1] = s.tx[1];
    create.stream.rx = s.rx;
    create.stream.pd = pd;
    create.stream.shared_rx = shared;
    create.stream.vector = static_cast<u16>(vector);
    create.stream.log2_units = static_cast<u8>(s.log2_units);
    create.stream.log2_rx = rx_log2;
    create.stream.log2_slot = rx_slot_log2;
    if (command(create) != XIW_OK)
        throw std::runtime_error("stream");
    return s;
}

void Driver::receive(Stream &s, u64 bus, u32 length, u32 cookie, u32 key) {
    const u64 slot = s.rx + (u64{s.rx_tail % (1U << rx_log2)} << rx_slot_log2);
    auto *desc = machine.at<xiw_rx_desc>(slot);

    desc->cookie = cookie;
    desc->sges = 1;
    desc->length = length;
    *machine.at<xiw_sge>(slot + sizeof(*desc)) = sge(bus, length, key);
    s.rx_tail++;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    machine.word<u32>(s.context + offsetof(xiw_stream_ctx, rx_tail)) = s.rx_tail;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (machine.word<u32>(s.context + offsetof(xiw_stream_ctx, rx_starved)) != 0)
        doorbell(XIW_DB_RX, s.index, 0);
}

void Driver::post(Stream &s, u8 queue, const std::vector<u8> &descriptor, bool ring) {
    const u32 size = 1U << s.log2_units;
    const auto units = static_cast<u32>(descriptor.size() / XIW_TX_UNIT);
    u32 &tail = s.tx_tail.at(queue);
    const u64 word = s.context + offsetof(xiw_stream_ctx, tx_tail) + queue * sizeof(u32);
    const u64 done = s.context + offsetof(xiw_stream_ctx, tx_head) + queue * sizeof(u32);

    if (tail % size + units > size) {
        auto *filler = machine.at<xiw_tx_desc>(s.tx.at(queue) + u64{tail % size} * XIW_TX_UNIT);
        // Wait for room for the filler and the descriptor. Each of them has at most
        // XIW_TX_MAX_UNITS units.
        if (!eventually(
                [&] { return size - (tail - machine.word<u32>(done)) >= 2 * XIW_TX_MAX_UNITS; }))
            throw std::runtime_error("TX ring stays full");
        *filler = {};
        filler->units = static_cast<u8>(size - tail % size);
        tail += filler->units;
    }
    if (!eventually([&] { return size - (tail - machine.word<u32>(done)) >= units; }))
        throw std::runtime_error("TX ring stays full");
    std::memcpy(machine.at(s.tx.at(queue) + u64{tail % size} * XIW_TX_UNIT), descriptor.data(),
                descriptor.size());
    tail += units;
    std::atomic_thread_fence(std::memory_order_release);
    machine.word<u32>(word) = tail;
    if (ring)
        doorbell(queue == XIW_TXQ_REQUEST ? XIW_DB_TX_REQUEST : XIW_DB_TX_RESPONSE, s.index, tail);
}

u32 Driver::state(const Stream &s) {
    if (consuming)
        consume(s.vector);
    return states_[s.index].bits;
}

u32 Driver::rx_taken(const Stream &s) {
    return states_[s.index].rx_taken;
}

bool Driver::wait_state(const Stream &s, u32 bits) {
    return eventually([&] { return (state(s) & bits) == bits; });
}

u64 Driver::conn_buffer(u32 slot) {
    u64 &at = buffers_[slot];

    if (at == 0)
        at = machine.alloc(sizeof(xiw_conn_buf));
    return at;
}

xiw_conn_buf &Driver::buffer(u32 slot) {
    return *machine.at<xiw_conn_buf>(conn_buffer(slot));
}

xiw_addr Driver::address(u16 port) const {
    xiw_addr addr{};

    addr.family = 4;
    addr.port = htons(port);
    inet_pton(AF_INET, address_.c_str(), addr.addr);
    return addr;
}

xiw_conn_params Driver::params() const {
    xiw_conn_params p{};

    p.flags = XIW_CONNF_CRC | XIW_CONNF_ATOMICS | XIW_CONNF_IMMEDIATE;
    p.mpa_rev = 2;
    p.ird = 8;
    p.ord = 8;
    p.startup_ms = 20000;
    p.linger_ms = 20000;
    p.park_ms = 20000;
    return p;
}

} // namespace xiw::test
