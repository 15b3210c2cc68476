// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "bus/dma.hpp"

#include "bus/access.hpp"
#include "bus/message.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include <sys/mman.h>
#include <sys/stat.h>

namespace xiw::rnic::bus {

namespace {

enum : size_t { files_max = 64, mappings_max = 65535 };

} // namespace

class Dma::Ram {
  public:
    Ram(int fd, uint64_t size) : size_(size) {
        void *at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (at == MAP_FAILED) {
            at = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
            rights_ = readable;
        }
        memory_ = at == MAP_FAILED ? nullptr : static_cast<uint8_t *>(at);
    }
    Ram(const Ram &) = delete;
    Ram &operator=(const Ram &) = delete;
    Ram(Ram &&) = delete;
    Ram &operator=(Ram &&) = delete;
    ~Ram() {
        if (memory_ != nullptr)
            munmap(memory_, size_);
    }

    uint8_t *memory() const { return memory_; }
    uint64_t size() const { return size_; }
    uint32_t rights() const { return rights_; }

  private:
    uint64_t size_;
    uint8_t *memory_ = nullptr;
    uint32_t rights_ = readable | writable;
};

Dma::Dma() {
    Access::install();
}

// Many mappings of the client may refer to one file. This process maps the file once, and keeps it
// mapped while a mapping of the client refers to it.
int Dma::ram_of(int fd, std::shared_ptr<Ram> &ram) {
    struct stat status{};

    if (fstat(fd, &status) != 0 || status.st_size <= 0)
        return EINVAL;
    const auto size = static_cast<uint64_t>(status.st_size);
    const File file{status.st_dev, status.st_ino};
    if (const auto known = files_.find(file); known != files_.end())
        ram = known->second.lock();
    if (ram && ram->size() == size)
        return 0;
    std::erase_if(files_, [](const auto &entry) { return entry.second.expired(); });
    if (!ram && files_.size() >= files_max)
        return ENOSPC;
    ram = std::make_shared<Ram>(fd, size);
    if (ram->memory() == nullptr)
        return EINVAL;
    files_[file] = ram;
    return 0;
}

bool Dma::overlaps(uint64_t first, uint64_t last) const {
    auto next = table_.upper_bound(last);
    return next != table_.begin() && std::prev(next)->second.last >= first;
}

int Dma::map(const DmaMap &map, const Descriptor &file) {
    const std::lock_guard guard(lock_);

    if (map.size == 0 || map.size - 1 > std::numeric_limits<uint64_t>::max() - map.address)
        return EINVAL;
    const uint64_t last = map.address + (map.size - 1);
    if (overlaps(map.address, last))
        return EEXIST;
    if (table_.size() >= mappings_max)
        return ENOSPC;
    Mapping mapping{.last = last, .memory = nullptr, .rights = map.flags, .ram = nullptr};
    if (file) {
        if (const int error = ram_of(file.get(), mapping.ram); error != 0)
            return error;
        if (map.size > mapping.ram->size() || map.offset > mapping.ram->size() - map.size)
            return EINVAL;
        mapping.memory = mapping.ram->memory() + map.offset;
        mapping.rights &= mapping.ram->rights();
    }
    table_.emplace(map.address, std::move(mapping));
    return 0;
}

// Remove a range. The range may contain any number of mappings, may cover only parts of a mapping,
// and may include the last octet of the address space.
void Dma::unmap(uint64_t address, uint64_t size) {
    const std::lock_guard guard(lock_);

    if (size == 0)
        return;
    const uint64_t room = std::numeric_limits<uint64_t>::max() - address;
    const uint64_t last = address + std::min(size - 1, room);
    auto at = table_.upper_bound(last);
    while (at != table_.begin()) {
        --at;
        if (at->second.last < address)
            break;
        const uint64_t first = at->first;
        Mapping old = std::move(at->second);
        at = table_.erase(at);
        if (old.last > last) {
            Mapping rest = old;
            if (rest.memory != nullptr)
                rest.memory += last + 1 - first;
            at = table_.emplace(last + 1, std::move(rest)).first;
        }
        if (first < address) {
            old.last = address - 1;
            at = table_.emplace(first, std::move(old)).first;
        }
    }
}

void Dma::unmap_all() {
    const std::lock_guard guard(lock_);

    table_.clear();
    files_.clear();
}

void Dma::enable(bool on) {
    const std::lock_guard guard(lock_);

    enabled_ = on;
}

void Dma::suspend(bool on) {
    const std::lock_guard guard(lock_);

    suspended_ = on;
}

size_t Dma::piece(uint64_t address, size_t size, uint32_t rights, uint8_t **memory) const {
    auto at = table_.upper_bound(address);

    if (!enabled_ || suspended_ || at == table_.begin())
        return 0;
    const auto &[first, mapping] = *--at;
    if (mapping.last < address || mapping.memory == nullptr || (mapping.rights & rights) != rights)
        return 0;
    *memory = mapping.memory + (address - first);
    const uint64_t more = mapping.last - address;
    return more < size ? static_cast<size_t>(more) + 1 : size;
}

template <typename Use>
bool Dma::each_piece(uint64_t address, size_t size, uint32_t rights, Use use) const {
    const std::lock_guard guard(lock_);

    for (size_t done = 0; done < size;) {
        uint8_t *memory = nullptr;
        const size_t n = piece(address + done, size - done, rights, &memory);
        if (n == 0)
            return false;
        const Access access(memory, n);
        use(memory, done, n);
        if (access.failed())
            return false;
        done += n;
    }
    return true;
}

bool Dma::read(uint64_t address, void *to, size_t size) const {
    auto *out = static_cast<uint8_t *>(to);

    return each_piece(address, size, readable, [out](const uint8_t *memory, size_t at, size_t n) {
        std::memcpy(out + at, memory, n);
    });
}

bool Dma::write(uint64_t address, const void *from, size_t size) const {
    const auto *in = static_cast<const uint8_t *>(from);

    return each_piece(address, size, writable, [in](uint8_t *memory, size_t at, size_t n) {
        std::memcpy(memory, in + at, n);
    });
}

template <typename T>
T *Dma::word(uint64_t address, uint32_t rights) const {
    uint8_t *memory = nullptr;

    if (address % sizeof(T) != 0 || piece(address, sizeof(T), rights, &memory) != sizeof(T) ||
        reinterpret_cast<uintptr_t>(memory) % sizeof(T) != 0)
        return nullptr;
    return reinterpret_cast<T *>(memory);
}

template uint64_t *Dma::word(uint64_t, uint32_t) const;

bool Dma::load(uint64_t address, uint32_t &value) const {
    const std::lock_guard guard(lock_);
    auto *at = word<uint32_t>(address, readable);

    if (at == nullptr)
        return false;
    const Access access(reinterpret_cast<const uint8_t *>(at), sizeof(*at));
    value = std::atomic_ref(*at).load(std::memory_order_seq_cst);
    return !access.failed();
}

bool Dma::store(uint64_t address, uint32_t value) const {
    const std::lock_guard guard(lock_);
    auto *at = word<uint32_t>(address, writable);

    if (at == nullptr)
        return false;
    const Access access(reinterpret_cast<const uint8_t *>(at), sizeof(*at));
    std::atomic_ref(*at).store(value, std::memory_order_seq_cst);
    return !access.failed();
}

bool Dma::store(uint64_t address, uint8_t value) const {
    const std::lock_guard guard(lock_);
    auto *at = word<uint8_t>(address, writable);

    if (at == nullptr)
        return false;
    const Access access(at, sizeof(*at));
    std::atomic_ref(*at).store(value, std::memory_order_release);
    return !access.failed();
}

} // namespace xiw::rnic::bus
