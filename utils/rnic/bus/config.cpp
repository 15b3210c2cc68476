// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "bus/config.hpp"

#include <algorithm>

#include <linux/pci_regs.h>
#include <rnic/xiw_rnic_pci.h>

namespace xiw::rnic::bus {

namespace {

enum : size_t {
    pm_at = 0x40,
    msix_at = 0x50,
    express_at = 0x60,
    serial_at = 0x100,
    aer_at = 0x140
};

constexpr size_t flr_octet = express_at + PCI_EXP_DEVCTL + 1;
constexpr uint8_t flr_bit = PCI_EXP_DEVCTL_BCR_FLR >> 8;

constexpr uint32_t extended(uint32_t id, uint32_t version, size_t next) {
    return id | version << 16 | static_cast<uint32_t>(next) << 20;
}

} // namespace

Config::Config(uint32_t vectors, uint64_t serial) {
    identity();
    power_management();
    msix(vectors);
    express();
    serial_number(serial);
    error_reporting();
    now_ = initial_;
}

void Config::put(Octets &to, size_t at, uint64_t value, size_t octets) {
    for (size_t i = 0; i < octets; i++)
        to.at(at + i) = static_cast<uint8_t>(value >> 8 * i);
}

void Config::identity() {
    put(initial_, PCI_VENDOR_ID, XIW_PCI_VENDOR, 2);
    put(initial_, PCI_DEVICE_ID, XIW_PCI_DEVICE, 2);
    put(initial_, PCI_STATUS, PCI_STATUS_CAP_LIST, 2);
    put(initial_, PCI_REVISION_ID, XIW_PCI_REVISION, 1);
    put(initial_, PCI_CLASS_REVISION + 1, XIW_PCI_CLASS, 3);
    put(initial_, PCI_BASE_ADDRESS_0, PCI_BASE_ADDRESS_MEM_TYPE_64, 4);
    put(initial_, PCI_SUBSYSTEM_VENDOR_ID, XIW_PCI_VENDOR, 2);
    put(initial_, PCI_SUBSYSTEM_ID, XIW_PCI_DEVICE, 2);
    put(initial_, PCI_CAPABILITY_LIST, pm_at, 1);
    put(writable_, PCI_COMMAND,
        PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY | PCI_COMMAND_SERR |
            PCI_COMMAND_INTX_DISABLE,
        2);
    put(writable_, PCI_CACHE_LINE_SIZE, 0xff, 1);
    put(writable_, PCI_BASE_ADDRESS_0, ~uint64_t{XIW_PCI_BAR_SIZE - 1}, 8);
    put(writable_, PCI_INTERRUPT_LINE, 0xff, 1);
    put(clears_, PCI_STATUS, 0xf900, 2);
}

void Config::power_management() {
    put(initial_, pm_at, PCI_CAP_ID_PM | msix_at << 8, 2);
    put(initial_, pm_at + PCI_PM_PMC, 3, 2);
    put(writable_, pm_at + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK, 2);
}

void Config::msix(uint32_t vectors) {
    put(initial_, msix_at, PCI_CAP_ID_MSIX | express_at << 8, 2);
    put(initial_, msix_at + PCI_MSIX_FLAGS, vectors - 1, 2);
    put(initial_, msix_at + PCI_MSIX_TABLE, XIW_PCI_MSIX_TABLE | XIW_PCI_BAR, 4);
    put(initial_, msix_at + PCI_MSIX_PBA, XIW_PCI_MSIX_PBA | XIW_PCI_BAR, 4);
    put(writable_, msix_at + PCI_MSIX_FLAGS, PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL, 2);
}

void Config::express() {
    constexpr uint32_t link = 1 | 1 << 4; // 2.5 GT/s, one lane

    put(initial_, express_at, PCI_CAP_ID_EXP, 2);
    put(initial_, express_at + PCI_EXP_FLAGS, 2, 2);
    put(initial_, express_at + PCI_EXP_DEVCAP, PCI_EXP_DEVCAP_FLR | PCI_EXP_DEVCAP_RBER | 1, 4);
    put(initial_, express_at + PCI_EXP_LNKCAP, link, 4);
    put(initial_, express_at + PCI_EXP_LNKSTA, link, 2);
    put(initial_, express_at + PCI_EXP_LNKCTL2, 1, 2);
    put(initial_, express_at + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN,
        2);
    put(writable_, express_at + PCI_EXP_DEVCTL, 0x7fff, 2);
    put(writable_, express_at + PCI_EXP_LNKCTL, 0x1fb, 2);
    put(clears_, express_at + PCI_EXP_DEVSTA, 0xf, 2);
}

void Config::serial_number(uint64_t serial) {
    put(initial_, serial_at, extended(PCI_EXT_CAP_ID_DSN, 1, aer_at), 4);
    put(initial_, serial_at + 4, serial, 8);
}

void Config::error_reporting() {
    constexpr uint32_t uncorrectable = 0x007ff030, correctable = 0x0000f1c1;

    put(initial_, aer_at, extended(PCI_EXT_CAP_ID_ERR, 2, 0), 4);
    put(initial_, aer_at + PCI_ERR_UNCOR_SEVER, 0x00462030, 4);
    put(initial_, aer_at + PCI_ERR_COR_MASK, 0x2000, 4);
    put(clears_, aer_at + PCI_ERR_UNCOR_STATUS, uncorrectable, 4);
    put(writable_, aer_at + PCI_ERR_UNCOR_MASK, uncorrectable, 4);
    put(writable_, aer_at + PCI_ERR_UNCOR_SEVER, uncorrectable, 4);
    put(clears_, aer_at + PCI_ERR_COR_STATUS, correctable, 4);
    put(writable_, aer_at + PCI_ERR_COR_MASK, correctable, 4);
}

void Config::read(size_t offset, std::span<uint8_t> data) const {
    std::copy_n(now_.begin() + static_cast<ptrdiff_t>(offset), data.size(), data.begin());
}

Config::Effect Config::write(size_t offset, std::span<const uint8_t> data) {
    const bool was_powered = powered();
    Effect effect;

    for (size_t i = 0; i < data.size(); i++) {
        const size_t at = offset + i;
        uint8_t &octet = now_.at(at);
        octet = static_cast<uint8_t>((octet & ~writable_.at(at)) | (data[i] & writable_.at(at)));
        octet = static_cast<uint8_t>(octet & ~(data[i] & clears_.at(at)));
        if (at == flr_octet && (data[i] & flr_bit) != 0)
            effect.reset = true;
    }
    if (!was_powered && powered())
        effect.reset = true;
    return effect;
}

void Config::reset() {
    now_ = initial_;
}

bool Config::bus_master() const {
    return (now_[PCI_COMMAND] & PCI_COMMAND_MASTER) != 0;
}

bool Config::powered() const {
    return (now_[pm_at + PCI_PM_CTRL] & PCI_PM_CTRL_STATE_MASK) == 0;
}

} // namespace xiw::rnic::bus
