// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Measure CRC32C alone, a copy alone, and both in one pass.
#include "bench.hpp"

#include <cstring>

namespace xiw::bench {
namespace {

constexpr u32 sizes[] = {64, 256, 1448, 4096, 65536};

void crc(benchmark::State &state, u32 size) {
    Octets from = octets(size);
    u32 sum = 0;

    for (auto _ : state) {
        sum = xiw_crc32c_update(xiw_crc32c_begin(), from.data(), size);
        keep(&sum);
    }
    finish(state, sum != xiw_crc32c_begin(), size);
}

void copy(benchmark::State &state, u32 size) {
    Octets from = octets(size), to(size);

    for (auto _ : state) {
        std::memcpy(to.data(), from.data(), size);
        benchmark::ClobberMemory();
    }
    finish(state, to == from, size);
}

void copy_crc(benchmark::State &state, u32 size) {
    Octets from = octets(size), to(size);
    u32 sum = 0;

    for (auto _ : state) {
        sum = xiw_crc32c_copy(xiw_crc32c_begin(), to.data(), from.data(), size);
        keep(&sum);
    }
    finish(state, to == from && sum == xiw_crc32c_update(xiw_crc32c_begin(), from.data(), size),
           size);
}

} // namespace

void add_checksum() {
    for (u32 size : sizes) {
        add(name({"crc", std::to_string(size)}), [=](auto &s) { crc(s, size); });
        add(name({"copy", std::to_string(size)}), [=](auto &s) { copy(s, size); });
        add(name({"copy+crc", std::to_string(size)}), [=](auto &s) { copy_crc(s, size); });
    }
}

} // namespace xiw::bench
