// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The PCI function, as the vfio-user server sees it. All calls come from one thread. A CPU of the
// guest may wait until a call returns. So a call must not wait for other threads, except until an
// access to guest memory ends.
#ifndef XIW_RNIC_BUS_DEVICE_HPP
#define XIW_RNIC_BUS_DEVICE_HPP

#include "bus/message.hpp"

namespace xiw::rnic::bus {

class Device {
  public:
    Device() = default;
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;
    Device(Device &&) = delete;
    Device &operator=(Device &&) = delete;
    virtual ~Device() = default;

    // Get the size in octets of a region (VFIO_PCI_*_REGION_INDEX); 0 if there is none.
    virtual uint64_t region_size(uint32_t region) const = 0;
    // Access octets of the region.
    virtual void read(uint32_t region, uint64_t offset, std::span<uint8_t> data) = 0;
    virtual void write(uint32_t region, uint64_t offset, Octets data) = 0;

    // Get the number of interrupts of an index (VFIO_PCI_*_IRQ_INDEX).
    virtual uint32_t irq_count(uint32_t index) const = 0;
    // Set the eventfd of an interrupt. An empty descriptor means none.
    virtual void irq_assign(uint32_t index, uint32_t number, Descriptor event) = 0;
    virtual void irq_trigger(uint32_t index, uint32_t number) = 0;

    // Map guest memory. Return: 0 or an errno. Without a file, the range is mapped, but accesses
    // fail.
    virtual int dma_map(const DmaMap &map, Descriptor file) = 0;
    virtual void dma_unmap(uint64_t address, uint64_t size) = 0;
    virtual void dma_unmap_all() = 0;

    virtual void reset() = 0;
};

} // namespace xiw::rnic::bus

#endif
