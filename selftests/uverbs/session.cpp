// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "session.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace uverbs {

uint64_t Random::odd() {
    static constexpr std::array<uint64_t, 12> numbers = {
        0,          1,          2,          7,          0xff,       0xffff,
        0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 32, 1ULL << 63, ~0ULL};

    switch (below(3)) {
    case 0:
        return numbers[below(numbers.size())];
    case 1:
        return below(64);
    default:
        return word() >> below(64);
    }
}

Arena::Arena()
    : begin_(static_cast<uint8_t *>(
          mmap(nullptr, size + guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    if (begin_ == MAP_FAILED || mprotect(begin_, size, PROT_READ | PROT_WRITE))
        throw std::system_error(errno, std::generic_category(), "mmap");
}

Arena::~Arena() {
    munmap(begin_, size + guard);
}

uint64_t Arena::address(Random &random) const {
    const auto base = reinterpret_cast<uint64_t>(begin_);

    switch (random.below(16)) {
    case 0:
        return 0;
    case 1:
        return 0xffff888000000000 + random.below(1 << 30);
    case 2:
        return base + size - random.below(64);
    default:
        return base + random.below(size - 4096);
    }
}

Session::Session(const std::string &path) : file_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    if (file_ < 0)
        throw std::system_error(errno, std::generic_category(), path);
}

Session::~Session() {
    for (const auto file : files_)
        close(file);
    close(file_);
}

uint32_t Session::some(Kind kind, Random &random) {
    const std::lock_guard guard(lock_);
    auto &of = handles_[static_cast<size_t>(kind)];

    if (of.empty() || random.once_in(40))
        return static_cast<uint32_t>(random.odd());
    return of[random.below(of.size())];
}

void Session::made(Kind kind, uint32_t handle) {
    const std::lock_guard guard(lock_);
    handles_[static_cast<size_t>(kind)].push_back(handle);
}

void Session::gone(Kind kind, uint32_t handle) {
    const std::lock_guard guard(lock_);
    auto &of = handles_[static_cast<size_t>(kind)];
    of.erase(std::remove(of.begin(), of.end(), handle), of.end());
}

void Session::numbered(uint32_t number) {
    const std::lock_guard guard(lock_);
    // Keep the 32 newest numbers, because most older QPs have been destroyed.
    if (numbers_.size() == 32)
        numbers_.erase(numbers_.begin());
    numbers_.push_back(number);
}

uint32_t Session::number(Random &random) {
    const std::lock_guard guard(lock_);

    if (numbers_.empty() || random.once_in(40))
        return static_cast<uint32_t>(random.odd());
    const auto number = numbers_[random.below(numbers_.size())];
    return random.once_in(6) ? number + static_cast<uint32_t>(random.below(8)) : number;
}

void Session::registered(Region region) {
    const std::lock_guard guard(lock_);
    if (regions_.size() == 32)
        regions_.erase(regions_.begin());
    regions_.push_back(region);
}

Session::Region Session::region(Random &random) {
    const std::lock_guard guard(lock_);
    return regions_.empty() ? Region{} : regions_[random.below(regions_.size())];
}

void Session::opened(int file) {
    const std::lock_guard guard(lock_);
    files_.push_back(file);
}

void Session::offers(uint64_t key, uint32_t length) {
    const std::lock_guard guard(lock_);
    if (length)
        offers_.push_back({key, length});
}

std::optional<Session::Offer> Session::offer(Random &random) {
    const std::lock_guard guard(lock_);
    if (offers_.empty())
        return {};
    return offers_[random.below(offers_.size())];
}

void Tally::count(const char *what, bool taken) {
    const std::lock_guard guard(lock_);
    auto &row = rows_[what];
    ++(taken ? row.taken : row.refused);
}

void Tally::print() const {
    const std::lock_guard guard(lock_);
    for (const auto &[what, row] : rows_)
        std::printf("%-22s %9llu taken %9llu refused\n", what.c_str(),
                    static_cast<unsigned long long>(row.taken),
                    static_cast<unsigned long long>(row.refused));
}

uint64_t Tally::taken(const std::string &what) const {
    const std::lock_guard guard(lock_);
    const auto row = rows_.find(what);
    return row == rows_.end() ? 0 : row->second.taken;
}

} // namespace uverbs
