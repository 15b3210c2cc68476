// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "atomic_bits.hpp"
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <random>

using namespace xiw;

namespace {

// Return a random value. Most values are edge cases for masks and carries, such as 0 or one bit.
u64 awkward(std::mt19937_64 &random) {
    u64 v = random();

    switch (random() % 6) {
    case 0:
        return v;
    case 1:
        return v & random() & random();
    case 2:
        return v | random() | random();
    case 3:
        return 0;
    case 4:
        return ~0ULL;
    default:
        return 1ULL << v % 64;
    }
}

} // namespace

TEST_CASE("atomics give the results of the golden vectors",
          "[vectors][X-ATOM-003][X-ATOM-008][X-ATOM-009][X-ATOM-010][X-ATOM-011]"
          "[X-ATOM-012][X-ATOM-013][X-ATOM-020][X-ATOM-021][X-ATOM-022]"
          "[X-ATOM-024][X-ATOM-025][I-ATOM-006]") {
    REQUIRE(atomic_vectors().size() == 52);
    for (const AtomicVector &v : atomic_vectors()) {
        u64 result = ~v.result;

        INFO(v.id);
        bool store =
            xiw_atomic_apply(v.add ? XIW_ATOMIC_FETCH_ADD : XIW_ATOMIC_CMP_SWAP, v.original, v.data,
                             v.mask, v.compare, v.compare_mask, &result);
        CHECK(result == v.result);
        CHECK((store || v.result == v.original));
        if (v.add) {
            CHECK(store);
            CHECK(fetch_add_by_bits(v.original, v.data, v.mask) == v.result);
        } else {
            CHECK(cmp_swap_by_bits(v.original, v.data, v.mask, v.compare, v.compare_mask) ==
                  v.result);
        }
    }
}

TEST_CASE("atomics agree with a bitwise reference", "[X-ATOM-008][X-ATOM-020][X-ATOM-021]") {
    const u64 seed = std::random_device{}();
    std::mt19937_64 random(seed);

    CAPTURE(seed);
    for (int i = 0; i < 200000; i++) {
        u64 o = awkward(random), d = awkward(random), m = awkward(random);
        // The compare data equals the original value in some rounds, so that swaps occur.
        u64 c = random() % 2 ? o ^ (awkward(random) & awkward(random)) : awkward(random);
        u64 cm = awkward(random);

        CAPTURE(o, d, m, c, cm);
        REQUIRE(xiw_atomic_fetch_add(o, d, m) == fetch_add_by_bits(o, d, m));
        REQUIRE(xiw_atomic_cmp_swap(o, d, m, c, cm) == cmp_swap_by_bits(o, d, m, c, cm));
        REQUIRE(xiw_atomic_hits(o, c, cm) == (((o ^ c) & cm) == 0));
    }
}

TEST_CASE("a CmpSwap that does not match stores nothing", "[X-ATOM-022]") {
    u64 result;

    CHECK_FALSE(xiw_atomic_apply(XIW_ATOMIC_CMP_SWAP, 7, 9, ~0ULL, 6, ~0ULL, &result));
    CHECK(result == 7);
    CHECK(xiw_atomic_apply(XIW_ATOMIC_CMP_SWAP, 7, 9, ~0ULL, 7, ~0ULL, &result));
    CHECK(result == 9);
}

TEST_CASE("atomic operations other than FetchAdd and CmpSwap are refused",
          "[X-ATOM-035][X-ATOM-040][X-IANA-003]") {
    for (u32 aop = 0; aop < 16; aop++)
        CHECK(xiw_atomic_supported(aop) ==
              (aop == 0 || aop == 2 ? XIW_FAULT_NONE : XIW_FAULT_RDMA_OPCODE));
}

TEST_CASE("the address of an atomic must be a multiple of eight",
          "[X-ATOM-017][X-ATOM-034][I-ATOM-003]") {
    for (u64 at = 0; at < 32; at++)
        CHECK(xiw_atomic_aligned(at) == (at % 8 ? XIW_FAULT_RDMA_STREAM : XIW_FAULT_NONE));
}
