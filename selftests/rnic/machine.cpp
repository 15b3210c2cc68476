// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "machine.hpp"

#include <stdexcept>

#include <endian.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

namespace xiw::test {

bool eventually(const std::function<bool()> &holds, std::chrono::milliseconds patience) {
    const auto end = std::chrono::steady_clock::now() + patience;

    while (!holds()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        std::this_thread::yield();
    }
    return true;
}

Machine::Machine(const rnic::Function::Settings &settings)
    : function_(settings), file_(memfd_create("memory", MFD_CLOEXEC)), client_(function_) {
    if (ftruncate(file_.get(), memory_size) != 0)
        throw std::runtime_error("ftruncate");
    memory_ = static_cast<u8 *>(
        mmap(nullptr, memory_size, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0));
    client_.greet();
    map_all();
    for (u32 i = 0; i < settings.vectors; i++) {
        const std::array<uint32_t, 5> set = {
            20, VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER, VFIO_PCI_MSIX_IRQ_INDEX, i,
            1};
        events_.emplace_back(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
        const std::array<int, 1> fds = {events_.back().get()};
        if (client_.call(bus::Command::set_irqs, octets(set), fds).error() != 0)
            throw std::runtime_error("set_irqs");
    }
    bus_master(true);
}

Machine::~Machine() {
    client_.hang_up();
    munmap(memory_, memory_size);
}

void Machine::map_all() {
    const std::array<int, 1> fds = {file_.get()};
    const bus::DmaMap low{32, 3, 0, memory_at, seam - memory_at};
    const bus::DmaMap high{32, 3, seam - memory_at, seam, memory_size - (seam - memory_at)};

    if (client_.call(bus::Command::dma_map, octets(low), fds).error() != 0 ||
        client_.call(bus::Command::dma_map, octets(high), fds).error() != 0)
        throw std::runtime_error("dma_map");
}

u64 Machine::alloc(u64 size, u64 align) {
    next_ = (next_ + align - 1) / align * align;
    const u64 at = next_;
    next_ += size;
    if (next_ > memory_at + memory_size)
        throw std::runtime_error("out of memory");
    std::memset(memory_ + (at - memory_at), 0, size);
    return at;
}

u64 Machine::read(u64 offset) {
    const bus::RegionAccess access{offset, VFIO_PCI_BAR0_REGION_INDEX, 8};

    return le64toh(
        client_.call(bus::Command::region_read, octets(access)).as<uint64_t>(sizeof(access)));
}

void Machine::write(u64 offset, u64 value) {
    const bus::RegionAccess access{offset, VFIO_PCI_BAR0_REGION_INDEX, 8};

    client_.post(bus::Command::region_write, octets(access, htole64(value)));
}

u64 Machine::config(u64 offset, size_t count) {
    const bus::RegionAccess access{offset, VFIO_PCI_CONFIG_REGION_INDEX,
                                   static_cast<uint32_t>(count)};
    const auto reply = client_.call(bus::Command::region_read, octets(access));
    u64 value = 0;

    std::memcpy(&value, reply.payload.data() + sizeof(access), count);
    return le64toh(value);
}

void Machine::config(u64 offset, size_t count, u64 value) {
    const bus::RegionAccess access{offset, VFIO_PCI_CONFIG_REGION_INDEX,
                                   static_cast<uint32_t>(count)};
    auto payload = octets(access, htole64(value));

    payload.resize(sizeof(access) + count);
    client_.call(bus::Command::region_write, payload);
}

void Machine::bus_master(bool on) {
    config(PCI_COMMAND, 2, on ? PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER : PCI_COMMAND_MEMORY);
}

void Machine::function_level_reset() {
    u64 at = config(PCI_CAPABILITY_LIST, 1);

    while ((config(at, 2) & 0xff) != PCI_CAP_ID_EXP)
        at = config(at + 1, 1);
    config(at + PCI_EXP_DEVCTL, 2, PCI_EXP_DEVCTL_BCR_FLR);
}

bool Machine::wait_state(u64 wanted) {
    return eventually([&] { return state() == wanted; });
}

u64 Machine::interrupts(u32 vector) {
    eventfd_t count = 0;

    return eventfd_read(events_.at(vector).get(), &count) == 0 ? count : 0;
}

} // namespace xiw::test
