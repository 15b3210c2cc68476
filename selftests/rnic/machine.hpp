// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A machine with memory and the RNIC's PCI function. It takes the place of QEMU.
#pragma once

#include "client.hpp"
#include "core.hpp"
#include "function.hpp"

#include <chrono>
#include <functional>

namespace xiw::test {

// Check a condition repeatedly, until it is true or `patience` has passed. Return whether the
// condition became true.
bool eventually(const std::function<bool()> &holds,
                std::chrono::milliseconds patience = std::chrono::seconds(20));

class Machine {
  public:
    static constexpr u64 memory_at = 0x100000;
    static constexpr u64 memory_size = 32 << 20;
    // The address at which a mapping ends and another mapping begins. Buffers may cross this
    // address.
    static constexpr u64 seam = memory_at + 0x3000;

    explicit Machine(const rnic::Function::Settings &settings = {});
    ~Machine();
    Machine(const Machine &) = delete;
    Machine &operator=(const Machine &) = delete;
    Machine(Machine &&) = delete;
    Machine &operator=(Machine &&) = delete;

    u64 alloc(u64 size, u64 align = 64);
    template <typename T = u8>
    T *at(u64 bus) const {
        return reinterpret_cast<T *>(memory_ + (bus - memory_at));
    }
    template <typename T>
    volatile T &word(u64 bus) const {
        return *reinterpret_cast<volatile T *>(memory_ + (bus - memory_at));
    }

    u64 read(u64 offset);
    void write(u64 offset, u64 value);
    u64 config(u64 offset, size_t octets);
    void config(u64 offset, size_t octets, u64 value);
    void bus_master(bool on);
    void function_level_reset();
    u64 state() { return read(XIW_REG_STATUS) & XIW_PCI_STATE_MASK; }
    bool wait_state(u64 state);

    // Return the number of interrupts of a vector since the previous call.
    u64 interrupts(u32 vector);

    Client &client() { return client_; }
    void map_all();

  private:
    rnic::Function function_;
    Descriptor file_;
    u8 *memory_;
    u64 next_ = memory_at + 0x2000;
    std::vector<Descriptor> events_;
    Client client_;
};

} // namespace xiw::test
