// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
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

u32 register_of(const Octets &octets) {
    return xiw_crc32c_update(xiw_crc32c_begin(), octets.data(), octets.size());
}

} // namespace

TEST_CASE("CRC32C: check value and octet order", "[M-CRC-001][M-CRC-010]") {
    const char digits[] = "123456789";
    u32 crc = xiw_crc32c_update(xiw_crc32c_begin(), digits, 9);
    u8 field[XIW_CRC_LEN];

    CHECK(xiw_crc32c_finish(crc) == XIW_CRC32C_CHECK);
    xiw_crc32c_put(field, crc);
    CHECK(hex_of(Octets(field, field + 4)) == "839206e3");
    CHECK(xiw_crc32c_matches(field, crc));
    std::swap(field[0], field[3]);
    CHECK_FALSE(xiw_crc32c_matches(field, crc));
}

TEST_CASE("CRC32C: any length, alignment and split") {
    Octets all(300);

    std::iota(all.begin(), all.end(), static_cast<u8>(7));
    for (size_t at = 0; at < 9; at++)
        for (size_t length = 0; length < 70; length++) {
            Octets part(all.begin() + static_cast<long>(at),
                        all.begin() + static_cast<long>(at + length));
            u32 crc = xiw_crc32c_update(xiw_crc32c_begin(), all.data() + at, length / 3);

            crc = xiw_crc32c_update(crc, all.data() + at + length / 3, length - length / 3);
            REQUIRE(crc == crc_by_bits(part));
        }
}

// Long enough for lanes of both kinds, several of each, and for what is behind them.
TEST_CASE("CRC32C: long runs, and copies of them") {
    Octets all(9000);

    for (size_t i = 0; i < all.size(); i++)
        all[i] = static_cast<u8>(i * 167 + i / 256);
    for (const size_t length :
         std::initializer_list<size_t>{0, 7, 383, 384, 391, 767, 768, 1343, 1344, 1448, 1727, 1728,
                                       2687, 2688, 4096, 4097, 8191, 8948})
        for (size_t at = 0; at < 9; at++) {
            const Octets part(all.begin() + static_cast<long>(at),
                              all.begin() + static_cast<long>(at + length));
            Octets out(length + 16, 0xee);
            const size_t to = (at * 5 + 3) % 8;

            REQUIRE(register_of(part) == crc_by_bits(part));
            REQUIRE(xiw_crc32c_copy(xiw_crc32c_begin(), out.data() + to, all.data() + at, length) ==
                    crc_by_bits(part));
            CHECK(std::equal(part.begin(), part.end(), out.begin() + static_cast<long>(to)));
            CHECK(std::count(out.begin(), out.begin() + static_cast<long>(to), 0xee) ==
                  static_cast<long>(to));
            CHECK(std::count(out.begin() + static_cast<long>(to + length), out.end(), 0xee) ==
                  static_cast<long>(16 - to));
        }
}

TEST_CASE("CRC32C: register behind an intact FPDU") {
    CHECK(register_of(wire_vector("S-01").octets) == XIW_CRC32C_RESIDUE);
    CHECK(register_of(wire_vector("AR-02").octets) == XIW_CRC32C_RESIDUE);
    CHECK(register_of(wire_vector("N-CRC-01").octets) != XIW_CRC32C_RESIDUE);
}
