// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Decode and check an entry of the STag table. The benchmarks "stag-table" access the entries of
// tables of up to 8 MiB, in order or at random. The benchmarks "stag" cover all results of the
// check.
#include "bench.hpp"

namespace xiw::bench {
namespace {

constexpr u64 base = 0x10000;
constexpr u64 length = 1048576;
constexpr u32 batch = 1024; // number of accesses in an iteration

xiw_stag_use use(u32 stag) {
    return {stag, 1, 1, XIW_ACCESS_REMOTE_WRITE, base + 4096, 1430};
}

u32 stag_at(u32 index) {
    return index << 8 | (index & 0xff);
}

void check(benchmark::State &state, u32 entries, bool scattered) {
    std::vector<xiw_stag_entry> table(entries);
    u32 good = 0, rounds = 0, v = 1;
    xiw_stag_view view;

    for (u32 i = 0; i < entries; i++)
        table[i] = region(stag_at(i), base, length);
    for (auto _ : state) {
        for (u32 i = 0; i < batch; i++) {
            // With these constants, a linear congruential generator has a full period modulo each
            // power of two. `entries` is a power of two, so the generator visits all entries.
            v = scattered ? v * 1664525 + 1013904223 : v + 1;
            u32 index = v & (entries - 1);
            xiw_stag_use access = use(stag_at(index));
            xiw_stag_view_get(&view, &table[index]);
            good += xiw_stag_judge(&view, nullptr, &access) == XIW_STAG_OK;
        }
        rounds += batch;
    }
    state.SetItemsProcessed(state.iterations() * batch);
    finish(state, good == rounds);
}

struct Case {
    const char *name;
    xiw_stag_verdict verdict;
    void (*spoil)(xiw_stag_use &);
};
constexpr Case cases[] = {
    {"ok", XIW_STAG_OK, [](xiw_stag_use &) {}},
    {"unknown", XIW_STAG_UNKNOWN, [](xiw_stag_use &u) { u.stag++; }},
    {"not-associated", XIW_STAG_NOT_ASSOCIATED, [](xiw_stag_use &u) { u.pd++; }},
    {"no-access", XIW_STAG_NO_ACCESS, [](xiw_stag_use &u) { u.access = XIW_ACCESS_BIND; }},
    {"wrap", XIW_STAG_WRAP, [](xiw_stag_use &u) { u.to = ~0ULL; }},
    {"bounds", XIW_STAG_BOUNDS, [](xiw_stag_use &u) { u.to = base + length; }},
};

void judge(benchmark::State &state, const Case &one) {
    xiw_stag_entry entry = region(0x101, base, length);
    xiw_stag_verdict verdict = XIW_STAG_OK;
    xiw_stag_use access = use(0x101);
    xiw_stag_view view;

    one.spoil(access);
    for (auto _ : state) {
        xiw_stag_view_get(&view, &entry);
        verdict = xiw_stag_judge(&view, nullptr, &access);
        keep(&verdict);
    }
    finish(state, verdict == one.verdict);
}

void window(benchmark::State &state) {
    xiw_stag_entry region_entry = region(0x101, base, length),
                   window_entry = region(0x202, base, 8192);
    xiw_stag_verdict verdict = XIW_STAG_BOUNDS;
    xiw_stag_use access = use(0x202);
    xiw_stag_view parent, view;

    region_entry.access |= XIW_ACCESS_BIND | XIW_ACCESS_LOCAL_WRITE;
    window_entry.flags = cpu_to_le32(XIW_STAGF_WINDOW);
    window_entry.parent = cpu_to_le32(0x101);
    for (auto _ : state) {
        xiw_stag_view_get(&view, &window_entry);
        xiw_stag_view_get(&parent, &region_entry);
        verdict = xiw_stag_judge(&view, &parent, &access);
        keep(&verdict);
    }
    finish(state, verdict == XIW_STAG_OK);
}

} // namespace

void add_stag() {
    for (u32 entries : {1U, 1024U, 131072U})
        for (bool scattered : {false, true})
            add(name({"stag-table", std::to_string(entries), scattered ? "random" : "in-order"}),
                [=](auto &s) { check(s, entries, scattered); });
    for (const Case &one : cases)
        add(name({"stag", one.name}), [=](auto &s) { judge(s, one); });
    add("stag/window", window);
}

} // namespace xiw::bench
