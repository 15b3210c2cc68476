// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "traffic/pattern.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <endian.h>
#include <fmt/format.h>

namespace xiw::traffic {

namespace {

// Compute eight octets of the pattern (the mixer of splitmix64).
uint64_t word(uint64_t key, uint64_t number) {
    uint64_t x = key + (number + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

// Visit the words of the pattern that overlap `size` octets at the offset `place`.
template <typename Visit>
void walk(size_t size, uint64_t key, uint64_t place, const Visit &visit) {
    std::array<uint8_t, 8> octets{};
    for (size_t i = 0; i < size;) {
        const size_t skip = (place + i) % octets.size();
        const size_t count = std::min(octets.size() - skip, size - i);
        const uint64_t little = htole64(word(key, (place + i) / octets.size()));
        std::memcpy(octets.data(), &little, octets.size());
        if (!visit(i, std::span<const uint8_t>(octets).subspan(skip, count)))
            return;
        i += count;
    }
}

} // namespace

void fill(Octets octets, uint64_t key, uint64_t place) {
    walk(octets.size(), key, place, [octets](size_t at, std::span<const uint8_t> wanted) {
        std::memcpy(octets.data() + at, wanted.data(), wanted.size());
        return true;
    });
}

std::optional<Difference> difference(std::span<const uint8_t> octets, uint64_t key,
                                     uint64_t place) {
    std::optional<Difference> found;
    walk(octets.size(), key, place, [&](size_t at, std::span<const uint8_t> wanted) {
        if (std::memcmp(octets.data() + at, wanted.data(), wanted.size()) == 0)
            return true;
        const auto [right, wrong] = std::mismatch(wanted.begin(), wanted.end(),
                                                  octets.begin() + static_cast<ptrdiff_t>(at));
        found = Difference{static_cast<size_t>(wrong - octets.begin()), *wrong, *right};
        return false;
    });
    return found;
}

std::string difference_word(const Difference &d, size_t size) {
    return fmt::format("octet {} of {} is {:#04x} instead of {:#04x}", d.offset, size, d.is,
                       d.wanted);
}

} // namespace xiw::traffic
