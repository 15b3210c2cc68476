// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The PCI function: configuration space, registers and doorbells, and the engine behind them.
#ifndef XIW_RNIC_FUNCTION_HPP
#define XIW_RNIC_FUNCTION_HPP

#include "bus/config.hpp"
#include "bus/device.hpp"
#include "engine.hpp"

namespace xiw::rnic {

class Function final : public bus::Device {
  public:
    struct Settings {
        std::string interface; // interface of the host; empty if there is none
        u16 vectors = 8;
        Faults faults;
        host::Capture *capture = nullptr;
    };

    explicit Function(const Settings &settings);

    uint64_t region_size(uint32_t region) const override;
    void read(uint32_t region, uint64_t offset, std::span<uint8_t> data) override;
    void write(uint32_t region, uint64_t offset, bus::Octets data) override;
    uint32_t irq_count(uint32_t index) const override;
    void irq_assign(uint32_t index, uint32_t number, Descriptor event) override;
    void irq_trigger(uint32_t index, uint32_t number) override;
    int dma_map(const bus::DmaMap &map, Descriptor file) override;
    void dma_unmap(uint64_t address, uint64_t size) override;
    void dma_unmap_all() override;
    void reset() override;

  private:
    u64 read_register(u64 offset) const;
    void write_register(u64 offset, u64 value);
    void write_config(u64 offset, bus::Octets data);
    void registers_reset();

    bus::Dma dma_;
    bus::Interrupts interrupts_;
    host::Port port_;
    xiw_rnic_caps caps_;
    bus::Config config_;
    u64 admin_base_ = 0;
    u64 admin_log2_ = 0;
    Engine engine_; // declared last, because its thread uses the other members
};

} // namespace xiw::rnic

#endif
