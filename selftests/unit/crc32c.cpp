// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "crc32c/builds.hpp"
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>

using namespace xiw;

namespace {

u32 crc_by_bits(const Octets &octets) {
    u32 crc = ~0U;

    for (u8 o : octets) {
        crc ^= o;
        for (int i = 0; i < 8; i++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78U : 0);
    }
    return crc;
}

struct Build {
    const char *name;
    decltype(&xiw_crc32c_update) update;
    decltype(&xiw_crc32c_copy) copy;
};

const Build builds[] = {
    {"this machine", xiw_crc32c_update, xiw_crc32c_copy},
    {"x86-64 without SSE4.2", crc32c_update_no_sse42, crc32c_copy_no_sse42},
    {"another architecture", crc32c_update_no_x86, crc32c_copy_no_x86},
};

u32 register_of(const Octets &octets) {
    return xiw_crc32c_update(xiw_crc32c_begin(), octets.data(), octets.size());
}

} // namespace

TEST_CASE("CRC32C: check value and octet order", "[M-CRC-001][M-CRC-010]") {
    const char digits[] = "123456789";
    u32 crc = xiw_crc32c_update(xiw_crc32c_begin(), digits, 9);
    u8 field[XIW_CRC_LEN];

    CHECK(xiw_crc32c_finish(crc) == 0xe3069283);
    xiw_crc32c_put(field, crc);
    CHECK(hex_of(Octets(field, field + 4)) == "839206e3");
    CHECK(xiw_crc32c_matches(field, crc));
    std::swap(field[0], field[3]);
    CHECK_FALSE(xiw_crc32c_matches(field, crc));
}

TEST_CASE("CRC32C: the sum is right for any length, alignment and split") {
    Octets all(300);

    std::iota(all.begin(), all.end(), static_cast<u8>(7));
    for (const Build &build : builds)
        for (size_t at = 0; at < 9; at++)
            for (size_t length = 0; length < 70; length++) {
                Octets part(all.begin() + static_cast<long>(at),
                            all.begin() + static_cast<long>(at + length));
                u32 crc = build.update(xiw_crc32c_begin(), all.data() + at, length / 3);

                INFO(build.name);
                crc = build.update(crc, all.data() + at + length / 3, length - length / 3);
                REQUIRE(crc == crc_by_bits(part));
            }
}

namespace {

// Copy `length` octets between unaligned addresses. Check the data, the CRC and the adjacent
// memory.
void check_copy(const Build &build, const Octets &all, size_t at, size_t length) {
    const Octets part(all.begin() + static_cast<long>(at),
                      all.begin() + static_cast<long>(at + length));
    const u32 expected = crc_by_bits(part);
    const auto to = static_cast<long>((at * 5 + 3) % 8);
    Octets out(length + 16, 0xee);

    INFO(build.name);
    REQUIRE(build.update(xiw_crc32c_begin(), part.data(), length) == expected);
    REQUIRE(build.copy(xiw_crc32c_begin(), out.data() + to, all.data() + at, length) == expected);
    CHECK(std::equal(part.begin(), part.end(), out.begin() + to));
    CHECK(std::count(out.begin(), out.begin() + to, 0xee) == to);
    CHECK(std::count(out.begin() + to + static_cast<long>(length), out.end(), 0xee) == 16 - to);
}

} // namespace

// The core computes the CRC of a long buffer in long and short lanes (driver/core/crc32c.c). Some
// of the lengths below need several sets of lanes, and some leave octets after the last lane.
TEST_CASE("CRC32C: long buffers are summed and copied correctly", "[M-CRC-001]") {
    Octets all(9000);

    for (size_t i = 0; i < all.size(); i++)
        all[i] = static_cast<u8>(i * 167 + i / 256);
    for (const Build &build : builds)
        for (const size_t length :
             std::initializer_list<size_t>{0, 7, 383, 384, 391, 767, 768, 1343, 1344, 1448, 1727,
                                           1728, 2687, 2688, 4095, 4096, 4097, 8191, 8948})
            for (size_t at = 0; at < 9; at++)
                check_copy(build, all, at, length);
}

TEST_CASE("CRC32C: an intact FPDU leaves the residue in the register") {
    CHECK(register_of(wire_vector("S-01").octets) == XIW_CRC32C_RESIDUE);
    CHECK(register_of(wire_vector("AR-02").octets) == XIW_CRC32C_RESIDUE);
    CHECK(register_of(wire_vector("N-CRC-01").octets) != XIW_CRC32C_RESIDUE);
}
