// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The guest's memory as the function sees it: a table of mappings, and accesses that may cross
// several mappings. Mappings may be added and removed while other threads access memory. After
// unmap() returns, no access uses the removed mappings.
#ifndef XIW_RNIC_BUS_DMA_HPP
#define XIW_RNIC_BUS_DMA_HPP

#include "bus/access.hpp"
#include "bus/descriptor.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include <sys/types.h>

namespace xiw::rnic::bus {

struct DmaMap;

class Dma {
  public:
    Dma();

    // Add and remove mappings of the client. Return: 0 or an errno.
    int map(const DmaMap &map, const Descriptor &file);
    void unmap(uint64_t address, uint64_t size);
    void unmap_all();
    // Enable or disable accesses. They are enabled if Bus Master Enable is set and the function is
    // in D0. While they are disabled, every access fails.
    void enable(bool on);
    // Suspend accesses during a reset. Every access then fails, even if accesses are enabled.
    void suspend(bool on);

    // Access memory. Returns false if a part is not mapped with the required right. In this case,
    // some octets may have been copied.
    bool read(uint64_t address, void *to, size_t size) const;
    bool write(uint64_t address, const void *from, size_t size) const;
    // Access an aligned word that other threads or the driver access at the same time.
    bool load(uint64_t address, uint32_t &value) const; // seq_cst
    bool store(uint64_t address, uint32_t value) const; // seq_cst
    bool store(uint64_t address, uint8_t value) const;  // release
    // Change a value atomically. If change(original, result) returns false, the value stays.
    template <typename Change>
    bool modify(uint64_t address, uint64_t &original, Change change) const;

  private:
    // A file of guest memory. The whole file is mapped once.
    class Ram;
    enum Right : uint32_t { readable = 1, writable = 2 };
    struct Mapping {
        uint64_t last;   // last octet of the mapping
        uint8_t *memory; // NULL: accesses fail
        uint32_t rights;
        std::shared_ptr<Ram> ram;
    };
    using Table = std::map<uint64_t, Mapping>; // the key is the first octet
    using File = std::pair<dev_t, ino_t>;

    // Get the memory at address. Returns the number of contiguous octets, up to size; 0 if there
    // are none. lock_ is held.
    size_t piece(uint64_t address, size_t size, uint32_t rights, uint8_t **memory) const;
    // Call use(memory, offset, octets) for each piece. Returns false if a part is not mapped.
    template <typename Use>
    bool each_piece(uint64_t address, size_t size, uint32_t rights, Use use) const;
    template <typename T>
    T *word(uint64_t address, uint32_t rights) const;
    // Get the mapping of a file of guest memory. Return: 0 or an errno.
    int ram_of(int fd, std::shared_ptr<Ram> &ram);
    bool overlaps(uint64_t first, uint64_t last) const;

    mutable std::mutex lock_;
    bool enabled_ = false;
    bool suspended_ = false;
    Table table_;
    std::map<File, std::weak_ptr<Ram>> files_;
};

template <typename Change>
bool Dma::modify(uint64_t address, uint64_t &original, Change change) const {
    const std::lock_guard guard(lock_);
    auto *at = word<uint64_t>(address, readable | writable);

    if (at == nullptr)
        return false;
    const Access access(reinterpret_cast<const uint8_t *>(at), sizeof(*at));
    const std::atomic_ref<uint64_t> atomic(*at);
    original = atomic.load();
    uint64_t result = 0;
    while (change(original, result) && !atomic.compare_exchange_weak(original, result)) {
    }
    return !access.failed();
}

} // namespace xiw::rnic::bus

#endif
