// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Code that several microbenchmarks use. Each file registers its own benchmarks. Each benchmark
// checks its result, so that a fast wrong answer is an error.
#pragma once

#include <core.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace xiw::bench {

using Octets = std::vector<u8>;

// Two MTUs, and for each the maximum segment size of TCP over IPv4 with timestamps.
struct Path {
    const char *name;
    u32 mss;
};
inline constexpr Path paths[] = {{"mtu1500", 1448}, {"mtu9000", 8948}};

inline constexpr u32 message_sizes[] = {64, 4096, 65536, 1048576};

inline Octets octets(size_t count) {
    Octets out(count);
    u32 v = 1;

    for (u8 &o : out) {
        v = v * 1664525 + 1013904223;
        o = static_cast<u8>(v >> 24);
    }
    return out;
}

// Make the compiler store the value at `p`, as if the value were read. Do not use Google's
// DoNotOptimize(): GCC at -O1 miscompiles it for a variable that is used later.
inline void keep(const void *p) {
    asm volatile("" : : "g"(p) : "memory");
}

// Finish a benchmark after its loop. `right` is true if the result is right. `moved` is the number
// of octets that one iteration moves.
inline void finish(benchmark::State &state, bool right, u64 moved = 0) {
    if (moved)
        state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * moved));
    if (!right)
        state.SkipWithError("wrong result");
}

template <typename F>
void add(const std::string &name, F run) {
    benchmark::RegisterBenchmark(name.c_str(), std::move(run));
}

inline std::string name(std::initializer_list<std::string> parts) {
    std::string out;

    for (const std::string &part : parts)
        out += (out.empty() ? "" : "/") + part;
    return out;
}

// Return the STag entry of an MR that all streams of PD 1 may use and a peer may invalidate.
inline xiw_stag_entry region(u32 stag, u64 base, u64 length) {
    xiw_stag_entry e{};

    e.state = XIW_STAG_VALID;
    e.key = xiw_stag_key(stag);
    e.access = XIW_ACCESS_LOCAL_WRITE | XIW_ACCESS_REMOTE_READ | XIW_ACCESS_REMOTE_WRITE |
               XIW_ACCESS_REMOTE_ATOMIC;
    e.pd = cpu_to_le32(1);
    e.flags = cpu_to_le32(XIW_STAGF_REMOTE_INV);
    e.base = cpu_to_le64(base);
    e.length = cpu_to_le64(length);
    return e;
}

void add_checksum();
void add_dispatch();
void add_fpdu();
void add_queues();
void add_segment();
void add_stag();
void add_stream();

} // namespace xiw::bench
