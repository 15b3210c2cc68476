// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Configuration space of the function: its contents, and the bits that a client can write.
#ifndef XIW_RNIC_BUS_CONFIG_HPP
#define XIW_RNIC_BUS_CONFIG_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace xiw::rnic::bus {

class Config {
  public:
    static constexpr size_t size = 4096;

    // What a write requests from the function.
    struct Effect {
        bool reset = false; // a function-level reset, or D3hot to D0
    };

    Config(uint32_t vectors, uint64_t serial);

    void read(size_t offset, std::span<uint8_t> data) const;
    Effect write(size_t offset, std::span<const uint8_t> data);
    void reset();

    bool bus_master() const;
    bool powered() const; // in D0

  private:
    using Octets = std::array<uint8_t, size>;

    static void put(Octets &to, size_t at, uint64_t value, size_t octets);
    void identity();
    void power_management();
    void msix(uint32_t vectors);
    void express();
    void serial_number(uint64_t serial);
    void error_reporting();

    Octets initial_{};
    Octets writable_{}; // bits that can be written
    Octets clears_{};   // bits that are cleared by writing 1
    Octets now_{};
};

} // namespace xiw::rnic::bus

#endif
