// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Configuration space, registers, and the states of a reset.
#include "driver.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include <linux/pci_regs.h>

using namespace xiw::test;
namespace rnic = xiw::rnic;

namespace {

u64 capability(Machine &m, u8 id) {
    for (u64 at = m.config(PCI_CAPABILITY_LIST, 1); at != 0; at = m.config(at + 1, 1))
        if (m.config(at, 1) == id)
            return at;
    return 0;
}

} // namespace

TEST_CASE("function: configuration space identifies the function and its capabilities") {
    Machine m;

    CHECK(m.config(PCI_VENDOR_ID, 4) == (XIW_PCI_VENDOR | XIW_PCI_DEVICE << 16));
    CHECK(m.config(PCI_CLASS_REVISION, 4) == (XIW_PCI_CLASS << 8 | XIW_PCI_REVISION));
    CHECK((m.config(PCI_STATUS, 2) & PCI_STATUS_CAP_LIST) != 0);
    CHECK((m.config(PCI_BASE_ADDRESS_0, 4) & 0xf) == PCI_BASE_ADDRESS_MEM_TYPE_64);
    const u64 msix = capability(m, PCI_CAP_ID_MSIX), express = capability(m, PCI_CAP_ID_EXP);
    CHECK((m.config(msix + PCI_MSIX_FLAGS, 2) & PCI_MSIX_FLAGS_QSIZE) + 1 == 8);
    CHECK(m.config(msix + PCI_MSIX_TABLE, 4) == XIW_PCI_MSIX_TABLE);
    CHECK((m.config(express + PCI_EXP_DEVCAP, 4) & PCI_EXP_DEVCAP_FLR) != 0);
    CHECK(capability(m, PCI_CAP_ID_PM) != 0);
    // A driver can write some fields, but not the ids.
    m.config(PCI_VENDOR_ID, 4, 0);
    m.config(PCI_COMMAND, 2, 0xffff);
    CHECK(m.config(PCI_VENDOR_ID, 2) == XIW_PCI_VENDOR);
    CHECK((m.config(PCI_COMMAND, 2) & (PCI_COMMAND_MASTER | PCI_COMMAND_IO)) == PCI_COMMAND_MASTER);
    CHECK(m.config(PCI_CFG_SPACE_EXP_SIZE - 4, 4) == 0);
    // The list of extended capabilities ends after two entries.
    u64 at = PCI_CFG_SPACE_SIZE, count = 0;
    for (; at != 0 && count < 10; count++)
        at = PCI_EXT_CAP_NEXT(m.config(at, 4));
    CHECK(count == 2);
}

TEST_CASE("function: registers work before the function is enabled") {
    Machine m;

    CHECK(m.read(XIW_REG_ID) == (XIW_PCI_MAGIC | 1ULL << 32 | 6ULL << 48));
    CHECK(m.state() == XIW_PCI_IDLE);
    CHECK(m.read(XIW_REG_FATAL) == 0);
    CHECK(m.read(XIW_REG_MAC) != 0);
    CHECK(m.read(XIW_REG_MTU) >= 576);
    CHECK(m.read(XIW_REG_LINK) == 1);
    CHECK(static_cast<u32>(m.read(XIW_REG_CAPS)) == XIW_RNIC_ABI);
    CHECK(static_cast<u16>(m.read(XIW_REG_CAPS + 24) >> 32) == 8);
    for (u64 at = 0; at < XIW_PCI_BAR_SIZE; at += 0x88)
        CHECK(m.read(at & ~7ULL) != XIW_PCI_ALL_ONES);
    m.write(XIW_REG_ADMIN_BASE, 0x12340080);
    m.write(XIW_REG_MODERATION + 8, 5000000);
    m.write(XIW_REG_STATUS, 0);
    CHECK(m.read(XIW_REG_ADMIN_BASE) == 0x12340080);
    CHECK(m.read(XIW_REG_MODERATION + 8) == XIW_PCI_MODERATION_MAX);
    const u64 before = m.read(XIW_REG_HEARTBEAT);
    CHECK(eventually([&] { return m.read(XIW_REG_HEARTBEAT) > before + 1; }));
    // A write of four octets has no effect, because a register has eight octets.
    const bus::RegionAccess narrow{XIW_REG_CONTROL, 0, 4};
    m.client().call(bus::Command::region_write, octets(narrow, uint32_t{XIW_CTL_RESET}));
    CHECK(m.state() == XIW_PCI_IDLE);
    CHECK(m.read(XIW_REG_ADMIN_BASE) == 0x12340080);
    m.write(XIW_REG_CONTROL, XIW_CTL_RESET);
    CHECK(eventually([&] { return m.read(XIW_REG_STATUS) == (XIW_PCI_IDLE | 1ULL << 32); }));
    CHECK(m.read(XIW_REG_ADMIN_BASE) == 0);
    CHECK(m.read(XIW_REG_MODERATION + 8) == 0);
}

TEST_CASE("function: an invalid admin ring fails the function, and a reset recovers it") {
    Machine m;
    const struct {
        u64 base, log2;
    } rows[] = {{0, 4}, {Machine::memory_at + 64, 4}, {Machine::memory_at, 13}};

    for (const auto &row : rows) {
        m.write(XIW_REG_ADMIN_BASE, row.base);
        m.write(XIW_REG_ADMIN_LOG2, row.log2);
        m.write(XIW_REG_CONTROL, XIW_CTL_ENABLE);
        CHECK(m.wait_state(XIW_PCI_FAILED));
        CHECK(m.read(XIW_REG_FATAL) == XIW_FATAL_ADMIN);
        m.write(XIW_REG_CONTROL, XIW_CTL_RESET);
        CHECK(m.wait_state(XIW_PCI_IDLE));
        CHECK(m.read(XIW_REG_FATAL) == 0);
    }
    // If the admin ring is not mapped, the RNIC fails when it fetches a command.
    m.write(XIW_REG_ADMIN_BASE, 0x40000000);
    m.write(XIW_REG_ADMIN_LOG2, 4);
    m.write(XIW_REG_CONTROL, XIW_CTL_ENABLE);
    CHECK(m.wait_state(XIW_PCI_READY));
    m.interrupts(0);
    m.write(XIW_PCI_DOORBELL, u64{XIW_DB_ADMIN} << XIW_DB_KIND_SHIFT | 1);
    CHECK(m.wait_state(XIW_PCI_FAILED));
    CHECK(static_cast<u32>(m.read(XIW_REG_FATAL)) == XIW_FATAL_DMA);
    CHECK(m.interrupts(0) == 1);
}

TEST_CASE("function: without memory at ENABLE the function fails, and a reset recovers it") {
    rnic::Function::Settings settings;
    settings.faults.add("enable");
    Machine m(settings);

    for (const u64 state : {XIW_PCI_FAILED, XIW_PCI_READY}) {
        m.write(XIW_REG_ADMIN_BASE, Machine::memory_at);
        m.write(XIW_REG_ADMIN_LOG2, 4);
        m.write(XIW_REG_CONTROL, XIW_CTL_ENABLE);
        CHECK(m.wait_state(state));
        CHECK(m.read(XIW_REG_FATAL) ==
              (state == XIW_PCI_FAILED ? XIW_FATAL_INTERNAL : XIW_FATAL_NONE));
        CHECK(m.interrupts(0) == 0);
        m.write(XIW_REG_CONTROL, XIW_CTL_RESET);
        CHECK(m.wait_state(XIW_PCI_IDLE));
    }
}

TEST_CASE("function: every kind of reset recovers a function that is in use") {
    Driver d("127.0.0.1");
    const u64 pm = capability(d.machine, PCI_CAP_ID_PM);

    for (int kind = 0; kind < 4; kind++) {
        CAPTURE(kind);
        const u64 resets = d.machine.read(XIW_REG_STATUS) >> XIW_PCI_RESETS_SHIFT;
        d.stream(1);
        d.region(Machine::memory_at, 4096, XIW_ACCESS_LOCAL_READ);
        if (kind == 0)
            d.machine.write(XIW_REG_CONTROL, XIW_CTL_RESET);
        else if (kind == 1)
            d.machine.function_level_reset();
        else if (kind == 2)
            d.machine.client().call(bus::Command::reset, {});
        else {
            d.machine.config(pm + PCI_PM_CTRL, 2, 3);
            d.machine.config(pm + PCI_PM_CTRL, 2, 0);
        }
        CHECK(eventually([&] {
            return d.machine.read(XIW_REG_STATUS) ==
                   (XIW_PCI_IDLE | (resets + 1) << XIW_PCI_RESETS_SHIFT);
        }));
        CHECK((d.machine.config(PCI_COMMAND, 2) & PCI_COMMAND_MASTER) ==
              (kind == 0 ? PCI_COMMAND_MASTER : 0U));
        d.machine.bus_master(true);
        d.bring_up();
    }
}

TEST_CASE("function: a reset ends accesses to memory, although the RNIC is still busy") {
    rnic::Function::Settings settings;
    settings.faults.add("delay=5000@11"); // delay the first doorbell after those of bring_up()
    Driver d("127.0.0.1", settings);
    const auto events = d.event_ring(0);
    xiw_admin_cmd nop{};

    d.submit(nop);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    d.machine.function_level_reset();
    d.machine.bus_master(true);
    CHECK(d.machine.state() == XIW_PCI_RESETTING);
    std::fill(events.begin(), events.end(), u8{0x77});
    CHECK(d.machine.wait_state(XIW_PCI_IDLE));
    CHECK(std::count(events.begin(), events.end(), u8{0x77}) ==
          static_cast<ptrdiff_t>(events.size()));
    d.bring_up();
}

TEST_CASE("function: in D3hot the function does not respond and raises no interrupt") {
    Driver d("127.0.0.1");
    const u64 pm = capability(d.machine, PCI_CAP_ID_PM);

    d.consume(0);
    d.machine.interrupts(0);
    d.machine.config(pm + PCI_PM_CTRL, 2, 3);
    CHECK(d.machine.read(XIW_REG_STATUS) == XIW_PCI_ALL_ONES);
    CHECK(d.machine.read(XIW_REG_ID) == XIW_PCI_ALL_ONES);
    // If the RNIC handled these writes, it would fail and report the failure.
    d.doorbell(XIW_DB_ADMIN, 0, d.admin_tail() + 1);
    d.machine.write(XIW_REG_CONTROL, XIW_CTL_RESET);
    CHECK_FALSE(
        eventually([&] { return d.machine.interrupts(0) > 0; }, std::chrono::milliseconds(300)));
    d.machine.config(pm + PCI_PM_CTRL, 2, 0);
    CHECK(d.machine.wait_state(XIW_PCI_IDLE));
    CHECK(d.machine.read(XIW_REG_STATUS) >> XIW_PCI_RESETS_SHIFT == 1);
    d.machine.bus_master(true);
    d.bring_up();
}

TEST_CASE("function: without bus master enable it fails instead of accessing memory") {
    Driver d("127.0.0.1");

    d.machine.bus_master(false);
    d.doorbell(XIW_DB_ADMIN, 0, 10);
    CHECK(d.machine.wait_state(XIW_PCI_FAILED));
    CHECK(static_cast<u32>(d.machine.read(XIW_REG_FATAL)) == XIW_FATAL_DMA);
    d.machine.bus_master(true);
    d.machine.write(XIW_REG_CONTROL, XIW_CTL_RESET);
    CHECK(d.machine.wait_state(XIW_PCI_IDLE));
    d.bring_up();
}

TEST_CASE("function: invalid doorbells fail the function, and unknown ones are ignored") {
    const struct {
        xiw_doorbell kind;
        u32 index, value;
    } rows[] = {{XIW_DB_ADMIN, 0, 1000},
                {XIW_DB_EVENT, 0, 1000},
                {XIW_DB_STREAM, 1, 9},
                {XIW_DB_STREAM, 1, 0}};

    for (const auto &row : rows) {
        Driver d("127.0.0.1");
        d.stream(1);
        // The RNIC ignores doorbells of unknown kinds, vectors, streams and rings.
        d.doorbell(static_cast<xiw_doorbell>(0), 0, 0);
        d.doorbell(static_cast<xiw_doorbell>(200), 0, 0);
        d.doorbell(XIW_DB_EVENT_ARM, 77, 0);
        d.doorbell(XIW_DB_EVENT, 0xffffff, 0);
        d.doorbell(XIW_DB_RX, 0xffffff, 0);
        d.doorbell(XIW_DB_SHARED_RX, 5, 0);
        d.doorbell(XIW_DB_TX_REQUEST, 2, 0);
        d.doorbell(XIW_DB_STREAM, 2, XIW_ORDER_ABORT);
        CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
        d.doorbell(row.kind, row.index, row.value);
        CHECK(d.machine.wait_state(XIW_PCI_FAILED));
        CHECK(d.machine.read(XIW_REG_FATAL) == (XIW_FATAL_DOORBELL | u64{row.kind} << 32));
        // The RNIC has already reported the failure.
        CHECK(d.wait(XIW_EV_DEVICE).status == XIW_DEV_FAILED);
    }
}

TEST_CASE("function: a doorbell that arrives late does not move an index back") {
    rnic::Function::Settings settings;
    settings.faults.add("delay=20@1+"); // while the RNIC handles a doorbell, later doorbells wait
    Driver d("127.0.0.1", settings);
    xiw_admin_cmd nop{};

    d.submit(nop, false);
    const u32 last = d.submit(nop, false);
    d.doorbell(XIW_DB_RX, 1, 0);
    d.doorbell(XIW_DB_ADMIN, 0, d.admin_tail());
    d.doorbell(XIW_DB_ADMIN, 0, d.admin_tail() - 1);
    CHECK(d.wait(XIW_EV_ADMIN).admin.tag == last - 1);
    CHECK(d.wait(XIW_EV_ADMIN).admin.tag == last);
}

TEST_CASE("function: an armed vector interrupts once, no more often than moderation allows") {
    Driver d("127.0.0.1");
    u32 taken = 0;
    const auto settle = [&] {
        d.consume(0);
        d.machine.interrupts(0);
    };

    settle();
    CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
    CHECK(d.machine.interrupts(0) == 0); // the first event has disarmed the vector
    const auto arm = [&] {
        // Arm the vector with the driver's consumer index, and return that index.
        u32 index = 0;
        d.consume(0);
        index = d.consumed(0);
        d.doorbell(XIW_DB_EVENT_ARM, 0, index);
        return index;
    };
    arm();
    CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
    CHECK(eventually([&] { return (taken += d.machine.interrupts(0)) > 0; }));
    CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
    CHECK(d.machine.interrupts(0) == 0);
    CHECK(taken == 1);
    // A doorbell that reports only the consumer index does not disarm the vector.
    arm();
    d.doorbell(XIW_DB_EVENT, 0, d.consumed(0));
    CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
    CHECK(eventually([&] { return d.machine.interrupts(0) > 0; }));
    // If the ring already has an event at the index of the arming doorbell, the RNIC raises an
    // interrupt immediately.
    const auto ring = d.event_ring(0);
    const u64 flags = d.consumed(0) * u64{XIW_EVENT_SIZE} + offsetof(xiw_event, flags);
    xiw_admin_cmd nop{};
    d.consuming = false;
    d.submit(nop);
    CHECK(eventually([&] { return (ring[flags] & XIW_EVENT_PHASE) != 0; }));
    CHECK(d.machine.interrupts(0) == 0);
    d.doorbell(XIW_DB_EVENT_ARM, 0, d.consumed(0));
    CHECK(eventually([&] { return d.machine.interrupts(0) > 0; }));
    d.consuming = true;
    CHECK(d.wait(XIW_EV_ADMIN).status == XIW_OK);
    // The RNIC ignores an index before the current one, and arms the vector for the current index.
    settle();
    d.doorbell(XIW_DB_EVENT_ARM, 0, d.consumed(0) - 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK(d.machine.interrupts(0) == 0);
    CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
    CHECK(eventually([&] { return d.machine.interrupts(0) > 0; }));

    d.machine.write(XIW_REG_MODERATION, 200000);
    const auto start = std::chrono::steady_clock::now();
    arm();
    CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
    taken = 0;
    CHECK(eventually([&] { return (taken += d.machine.interrupts(0)) > 0; }));
    arm();
    CHECK(d.command(XIW_ADM_NOP, 0) == XIW_OK);
    CHECK(eventually([&] { return d.machine.interrupts(0) > 0; }));
    CHECK(std::chrono::steady_clock::now() - start > std::chrono::milliseconds(50));
}

TEST_CASE("function: statistics are written as far as the buffer has room") {
    Driver d("127.0.0.1");
    const u64 at = d.machine.alloc(sizeof(xiw_stats_block) + 8);

    CHECK(d.command(XIW_ADM_STATS, 0, 0, at, sizeof(xiw_stats_block)) == XIW_OK);
    const auto *block = d.machine.at<xiw_stats_block>(at);
    CHECK(block->interrupts > 0);
    CHECK(block->doorbells > 0);
    *d.machine.at<u64>(at + 8) = 5;
    CHECK(d.command(XIW_ADM_STATS, 0, 0, at, 8) == XIW_OK);
    CHECK(*d.machine.at<u64>(at + 8) == 5);
    CHECK(d.command(XIW_ADM_STATS, 0, 0, at, 0xffffffff) == XIW_OK);
    CHECK(*d.machine.at<u64>(at + sizeof(xiw_stats_block)) == 0);
    CHECK(d.command(XIW_ADM_STATS, 0) == XIW_ERR_INVALID);
    CHECK(d.command(static_cast<xiw_admin_op>(99), 0) == XIW_ERR_UNSUPPORTED);
}
