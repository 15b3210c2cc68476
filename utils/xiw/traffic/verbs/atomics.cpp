// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Self-test of atomics. The expected results are literal numbers, so that the driver's arithmetic
// does not check itself.
#include "traffic/verbs/loop.hpp"

#include <fmt/format.h>

namespace xiw::traffic {

namespace {

enum class Kind : uint8_t { fetch_add, cmp_swap, masked_fetch_add, masked_cmp_swap };

struct Example {
    Kind kind;
    uint64_t was, data, mask, compare, compare_mask, is;
};

constexpr uint64_t ones = ~uint64_t{0};
constexpr Example examples[] = {
    {Kind::fetch_add, 41, 1, 0, 0, 0, 42},
    {Kind::fetch_add, ones, 1, 0, 0, 0, 0},
    {Kind::fetch_add, 0, ones, 0, 0, 0, ones},
    {Kind::fetch_add, 0xffffffff, 1, 0, 0, 0, 0x100000000},
    {Kind::fetch_add, 0x0123456789abcdef, 0, 0, 0, 0, 0x0123456789abcdef},
    {Kind::cmp_swap, 7, 9, 0, 7, 0, 9},
    {Kind::cmp_swap, 7, 9, 0, 8, 0, 7},
    {Kind::cmp_swap, ones, 0, 0, ones, 0, 0},
    {Kind::cmp_swap, 0x8000000000000000, 1, 0, 0, 0, 0x8000000000000000},
    // A set bit in the mask marks the top bit of a field. No carry leaves a field.
    {Kind::masked_fetch_add, 0x00000000ffffffff, 0x0000000100000001, 0x0000000080000000, 0, 0,
     0x0000000100000000},
    {Kind::masked_fetch_add, ones, 0x0101010101010101, 0x8080808080808080, 0, 0, 0},
    {Kind::masked_fetch_add, 0x0123456789abcdef, ones, ones, 0, 0, 0xfedcba9876543210},
    {Kind::masked_fetch_add, 0xffffffff, 1, 0, 0, 0, 0x100000000},
    // Some bits are compared, and other bits are replaced.
    {Kind::masked_cmp_swap, 0x1111222233334444, 0xaaaabbbbccccdddd, 0xffff00000000ffff,
     0x00002222ffffffff, 0x0000ffff00000000, 0xaaaa22223333dddd},
    {Kind::masked_cmp_swap, 0x1122334455667788, 0, 0xf0, 0x88, 0xff, 0x1122334455667708},
    {Kind::masked_cmp_swap, 0x1122334455667788, 0, ones, 0x89, 1, 0x1122334455667788},
    {Kind::masked_cmp_swap, 5, 6, 0, 0, 0, 5},
};
// Offsets of the word: each aligned offset in a cache line, and both sides of a page boundary.
constexpr size_t places[] = {0, 8, 16, 24, 32, 40, 48, 56, 4088, 4096};

int post(End &end, const Example &e, size_t result, Remote to) {
    switch (e.kind) {
    case Kind::fetch_add:
        return end.fetch_add(result, to, e.data, 1);
    case Kind::cmp_swap:
        return end.cmp_swap(result, to, e.compare, e.data, 1);
    case Kind::masked_fetch_add:
        return end.masked_fetch_add(result, to, e.data, e.mask, 1);
    case Kind::masked_cmp_swap:
        return end.masked_cmp_swap(result, to, e.compare, e.compare_mask, e.data, e.mask, 1);
    }
    return EINVAL;
}

std::string run(const Place &place, Kind kind) {
    Loop loop(place);
    size_t done = 0;
    for (const Example &e : examples) {
        if (e.kind != kind)
            continue;
        for (const size_t at : places) {
            const size_t result = in_at + (at + 8) % 64;
            uint64_t &word = loop.b().word(out_at + at);
            uint64_t &before = loop.b().word(out_at + at - 8);
            uint64_t &behind = loop.b().word(out_at + at + 8);
            word = e.was;
            before = behind = ~e.was;
            loop.a().word(result) = ~e.was;
            works(post(loop.a(), e, result, loop.b().remote(out_at + at)), "atomic");
            loop.good(loop.a());
            if (loop.a().word(result) != e.was)
                throw Failed(fmt::format("returned {1:#018x} instead of {0:#018x}", e.was,
                                         loop.a().word(result)));
            if (word != e.is)
                throw Failed(
                    fmt::format("{:#018x} became {:#018x} instead of {:#018x}", e.was, word, e.is));
            if (before != ~e.was || behind != ~e.was)
                throw Failed("adjacent words have changed");
            done++;
        }
    }
    return fmt::format("{} of them", done);
}

// Post many atomics at once. Check that none is lost, and that each returns a different value.
std::string sum(const Place &place) {
    constexpr size_t many = End::depth / 2;
    constexpr uint64_t rounds = 20;
    Loop loop(place);
    loop.b().word(out_at) = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < many; i++)
            works(loop.a().fetch_add(in_at + i * 8, loop.b().remote(out_at), 3, i), "FetchAdd");
        for (size_t i = 0; i < many; i++)
            loop.good(loop.a());
        for (size_t i = 0; i < many; i++)
            if (const uint64_t was = loop.a().word(in_at + i * 8); was != (round * many + i) * 3)
                throw Failed(fmt::format("number {} returned {}", round * many + i, was));
    }
    if (const uint64_t is = loop.b().word(out_at); is != rounds * many * 3)
        throw Failed(fmt::format("the sum is {} instead of {}", is, rounds * many * 3));
    return fmt::format("{} FetchAdds, {} at once", rounds * many, many);
}

} // namespace

std::vector<LoopCase> atomic_cases() {
    const auto of = [](Kind kind) { return [=](const Place &place) { return run(place, kind); }; };
    return {{"fetch-add", has_atomics, false, of(Kind::fetch_add)},
            {"cmp-swap", has_atomics, false, of(Kind::cmp_swap)},
            {"masked-fetch-add", has_atomics, true, of(Kind::masked_fetch_add)},
            {"masked-cmp-swap", has_atomics, true, of(Kind::masked_cmp_swap)},
            {"atomic-sum", has_atomics, false, sum}};
}

} // namespace xiw::traffic
