// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Access to the rings, contexts and tables of the driver. A failed access throws Fatal, and the
// RNIC then does nothing until a reset. Payload is accessed without these functions, because a
// failed access to payload is only an error of the stream.
#ifndef XIW_RNIC_RING_MEMORY_HPP
#define XIW_RNIC_RING_MEMORY_HPP

#include "bus/dma.hpp"
#include "core.hpp"
#include "fault.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <rnic/xiw_rnic_pci.h>

namespace xiw::rnic {

struct Fatal {
    xiw_pci_fatal why;
    u32 detail;
};

class Memory {
  public:
    Memory(const bus::Dma &dma, Faults &faults) : dma_(dma), faults_(faults) {}

    const bus::Dma &dma() const { return dma_; }

    void read(u64 at, void *to, size_t size) const { must(dma_.read(at, to, size), at); }
    void write(u64 at, const void *from, size_t size) const {
        must(dma_.write(at, from, size), at);
    }
    template <typename T>
    T get(u64 at) const {
        T value;
        read(at, &value, sizeof(value));
        return value;
    }
    // Write a structure that the driver reads. The device misbehaviour `fuzz` may mangle it.
    void tell(u64 at, const void *from, size_t size) const {
        if (!faults_.wanted(Faults::fuzz)) {
            write(at, from, size);
            return;
        }
        std::array<u8, 64> other{};
        const size_t changed = std::min(size, other.size());

        std::memcpy(other.data(), from, changed);
        const Faults::Mangled mangled = faults_.mangle({other.data(), changed});
        if (mangled == Faults::Mangled::before)
            write(at, other.data(), changed);
        if (mangled != Faults::Mangled::only)
            write(at, from, size);
        if (mangled == Faults::Mangled::only || mangled == Faults::Mangled::behind)
            write(at, other.data(), changed);
    }
    template <typename T>
    void tell(u64 at, const T &value) const {
        tell(at, &value, sizeof(value));
    }
    // Write a word that the driver may read at the same time. The write is atomic.
    void tell_word(u64 at, u32 value) const {
        u32 other = value;
        const bool mangled = faults_.mangle({reinterpret_cast<u8 *>(&other), sizeof(other)}) ==
                             Faults::Mangled::only;

        store(at, mangled ? other : value);
    }

    // Read or write a word that the driver may access at the same time.
    u32 load(u64 at) const {
        u32 value = 0;
        must(dma_.load(at, value), at);
        return le32_to_cpu(value);
    }
    void store(u64 at, u32 value) const { must(dma_.store(at, cpu_to_le32(value)), at); }
    void store_octet(u64 at, u8 value) const { must(dma_.store(at, value), at); }

  private:
    static void must(bool done, u64 at) {
        if (!done)
            throw Fatal{XIW_FATAL_DMA, static_cast<u32>(at >> 12)};
    }

    const bus::Dma &dma_;
    Faults &faults_;
};

} // namespace xiw::rnic

#endif
