// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "function.hpp"

#include "bus/message.hpp"
#include "limits.hpp"

#include <algorithm>
#include <cstring>

#include <linux/vfio.h>

namespace xiw::rnic {

namespace {

enum : u64 { register_octets = 8 };

constexpr u64 identification = XIW_PCI_MAGIC | u64{XIW_PCI_VERSION} << XIW_PCI_ID_VERSION_SHIFT |
                               u64{XIW_RNIC_ABI} << XIW_PCI_ID_ABI_SHIFT;

bool is_doorbell(u64 offset) {
    return offset >= XIW_PCI_DOORBELL &&
           offset < XIW_PCI_DOORBELL + u64{XIW_PCI_DOORBELL_PAGES} * XIW_PCI_PAGE;
}

} // namespace

Function::Function(const Settings &settings)
    : interrupts_(settings.vectors), port_(settings.interface),
      caps_(capabilities(settings.vectors)), config_(settings.vectors, port_.mac()),
      engine_(dma_, interrupts_, port_, settings.faults, settings.capture) {}

uint64_t Function::region_size(uint32_t region) const {
    if (region == VFIO_PCI_BAR0_REGION_INDEX)
        return XIW_PCI_BAR_SIZE;
    return region == VFIO_PCI_CONFIG_REGION_INDEX ? bus::Config::size : 0;
}

u64 Function::read_register(u64 offset) const {
    const u64 vector = (offset - XIW_REG_MODERATION) / register_octets;

    if (offset >= XIW_REG_MODERATION && vector < interrupts_.count())
        return interrupts_.interval(static_cast<u32>(vector));
    if (offset >= XIW_REG_CAPS && offset < XIW_REG_CAPS + sizeof(caps_)) {
        u64 value = 0;
        std::memcpy(&value, reinterpret_cast<const u8 *>(&caps_) + (offset - XIW_REG_CAPS),
                    sizeof(value));
        return le64_to_cpu(value);
    }
    switch (offset) {
    case XIW_REG_ID:
        return identification;
    case XIW_REG_STATUS:
        return engine_.status();
    case XIW_REG_CONTROL:
        return (engine_.status() & XIW_PCI_STATE_MASK) == XIW_PCI_READY ? XIW_CTL_ENABLE : 0;
    case XIW_REG_RESET_MS:
        return reset_ms;
    case XIW_REG_HEARTBEAT:
        return engine_.heartbeat();
    case XIW_REG_FATAL:
        return engine_.fatal();
    case XIW_REG_MAC:
        return port_.mac();
    case XIW_REG_MTU:
        return port_.mtu();
    case XIW_REG_LINK:
        return port_.up() ? 1 : 0;
    case XIW_REG_ADMIN_BASE:
        return admin_base_;
    case XIW_REG_ADMIN_LOG2:
        return admin_log2_;
    default:
        return 0;
    }
}

void Function::registers_reset() {
    admin_base_ = 0;
    admin_log2_ = 0;
}

void Function::write_register(u64 offset, u64 value) {
    const bool idle = (engine_.status() & XIW_PCI_STATE_MASK) == XIW_PCI_IDLE;
    const u64 vector = (offset - XIW_REG_MODERATION) / register_octets;

    if (is_doorbell(offset)) {
        engine_.ring(value);
    } else if (offset >= XIW_REG_MODERATION && vector < interrupts_.count()) {
        interrupts_.interval(static_cast<u32>(vector),
                             static_cast<u32>(std::min<u64>(value, XIW_PCI_MODERATION_MAX)));
    } else if (offset == XIW_REG_ADMIN_BASE && idle) {
        admin_base_ = value;
    } else if (offset == XIW_REG_ADMIN_LOG2 && idle) {
        admin_log2_ = value;
    } else if (offset == XIW_REG_CONTROL && (value & XIW_CTL_RESET) != 0) {
        registers_reset();
        engine_.reset(false);
    } else if (offset == XIW_REG_CONTROL && (value & XIW_CTL_ENABLE) != 0 && idle) {
        engine_.enable(admin_base_, admin_log2_);
    }
}

void Function::read(uint32_t region, uint64_t offset, std::span<uint8_t> data) {
    if (region == VFIO_PCI_CONFIG_REGION_INDEX) {
        config_.read(offset, data);
        return;
    }
    if (!config_.powered()) {
        std::fill(data.begin(), data.end(), u8{0xff});
        return;
    }
    for (size_t done = 0; done < data.size();) {
        const u64 at = offset + done;
        const u64 value = cpu_to_le64(read_register(at & ~(register_octets - 1)));
        const size_t skip = at % register_octets;
        const size_t n = std::min<size_t>(register_octets - skip, data.size() - done);
        std::memcpy(data.data() + done, reinterpret_cast<const u8 *>(&value) + skip, n);
        done += n;
    }
}

void Function::write(uint32_t region, uint64_t offset, bus::Octets data) {
    u64 value = 0;

    if (region == VFIO_PCI_CONFIG_REGION_INDEX) {
        write_config(offset, data);
        return;
    }
    if (data.size() != sizeof(value) || offset % register_octets != 0 || !config_.powered())
        return;
    std::memcpy(&value, data.data(), sizeof(value));
    write_register(offset, le64_to_cpu(value));
}

void Function::write_config(u64 offset, bus::Octets data) {
    const auto effect = config_.write(offset, data);

    if (effect.reset)
        reset();
    dma_.enable(config_.bus_master() && config_.powered());
    // In D3hot, raise no interrupts. The return to D0 resets the function.
    if (!config_.powered())
        interrupts_.silence(true);
}

// Reset the whole function, including its configuration space: at a function-level reset, a reset
// of the bus or a change from D3hot to D0, and when the client disconnects.
void Function::reset() {
    config_.reset();
    dma_.enable(false);
    registers_reset();
    engine_.reset(true);
}

uint32_t Function::irq_count(uint32_t index) const {
    if (index == VFIO_PCI_MSIX_IRQ_INDEX)
        return interrupts_.count();
    return index == VFIO_PCI_ERR_IRQ_INDEX || index == VFIO_PCI_REQ_IRQ_INDEX ? 1 : 0;
}

// Ignore eventfds of the indexes ERR and REQ, because xiw-rnic reports neither errors nor removals
// of the device.
void Function::irq_assign(uint32_t index, uint32_t number, Descriptor event) {
    if (index == VFIO_PCI_MSIX_IRQ_INDEX)
        interrupts_.assign(number, std::move(event));
}

void Function::irq_trigger(uint32_t index, uint32_t number) {
    if (index == VFIO_PCI_MSIX_IRQ_INDEX)
        interrupts_.trigger(number);
}

int Function::dma_map(const bus::DmaMap &map, Descriptor file) {
    return dma_.map(map, file);
}
void Function::dma_unmap(uint64_t address, uint64_t size) {
    dma_.unmap(address, size);
}
void Function::dma_unmap_all() {
    dma_.unmap_all();
}

} // namespace xiw::rnic
