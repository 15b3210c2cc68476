// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw;

namespace {

constexpr u32 stag = 0x12345678;

xiw_stag_view region() {
    xiw_stag_view v{};

    v.state = XIW_STAG_VALID;
    v.key = xiw_stag_key(stag);
    v.access = XIW_ACCESS_REMOTE_READ | XIW_ACCESS_REMOTE_WRITE;
    v.pd = 3;
    v.stream = 9;
    v.base = 0x1000;
    v.length = 0x100;
    return v;
}

xiw_stag_use use(u64 to = 0x1000, u64 length = 1) {
    return {stag, 3, 9, XIW_ACCESS_REMOTE_READ, to, length};
}

xiw_stag_verdict verdict(const xiw_stag_view &v, const xiw_stag_use &u) {
    return xiw_stag_judge(&v, nullptr, &u);
}

} // namespace

TEST_CASE("an STag is valid only with its key, PD and stream",
          "[R-SEC-002][R-SEC-003][S-REM-003][D-SEC-001][D-SEC-002]"
          "[D-SEC-004][D-HDR-015][D-ERR-008][R-ERR-014]") {
    xiw_stag_view v = region();
    xiw_stag_use u = use();

    CHECK(verdict(v, u) == XIW_STAG_OK);
    CHECK(xiw_stag_judge(nullptr, nullptr, &u) == XIW_STAG_UNKNOWN);
    u.stag++;
    CHECK(verdict(v, u) == XIW_STAG_UNKNOWN);
    u = use();
    for (u8 state : {XIW_STAG_FREE, XIW_STAG_INVALID}) {
        v.state = state;
        CHECK(verdict(v, u) == XIW_STAG_UNKNOWN);
    }
    v = region();
    u.pd = 4;
    CHECK(verdict(v, u) == XIW_STAG_NOT_ASSOCIATED);
    u = use();
    u.stream = 8;
    CHECK(verdict(v, u) == XIW_STAG_OK);
    v.flags = XIW_STAGF_STREAM;
    CHECK(verdict(v, u) == XIW_STAG_NOT_ASSOCIATED);
    CHECK(verdict(v, use()) == XIW_STAG_OK);
    // With XIW_STAGF_STREAM, only the stream to which an STag belongs can use the STag.
    for (u32 owner = 0; owner < 20; owner++)
        for (u32 user = 0; user < 20; user++) {
            v.stream = owner;
            u.stream = user;
            CHECK(verdict(v, u) == (user == owner ? XIW_STAG_OK : XIW_STAG_NOT_ASSOCIATED));
        }
}

TEST_CASE("each access right is checked separately", "[R-SEC-006][I-ATOM-020]") {
    for (u8 have = 0; have < 64; have++)
        for (u8 want = 0; want < 64; want++) {
            xiw_stag_view v = region();
            xiw_stag_use u = use();

            v.access = have;
            u.access = want;
            CHECK(verdict(v, u) == ((have & want) == want ? XIW_STAG_OK : XIW_STAG_NO_ACCESS));
        }
}

TEST_CASE("bounds are exact to the octet", "[R-SEC-004][S-REM-005][D-ERR-010][D-ERR-011]") {
    xiw_stag_view v = region();

    CHECK(verdict(v, use(0x1000, 0x100)) == XIW_STAG_OK);
    CHECK(verdict(v, use(0x10ff, 1)) == XIW_STAG_OK);
    CHECK(verdict(v, use(0x1100, 0)) == XIW_STAG_OK);
    CHECK(verdict(v, use(0x0fff, 1)) == XIW_STAG_BOUNDS);
    CHECK(verdict(v, use(0x0fff, 2)) == XIW_STAG_BOUNDS);
    CHECK(verdict(v, use(0x1000, 0x101)) == XIW_STAG_BOUNDS);
    CHECK(verdict(v, use(0x10ff, 2)) == XIW_STAG_BOUNDS);
    CHECK(verdict(v, use(0x1100, 1)) == XIW_STAG_BOUNDS);
    CHECK(verdict(v, use(0x1101, 0)) == XIW_STAG_BOUNDS);
    CHECK(verdict(v, use(0, ~0ULL)) == XIW_STAG_BOUNDS);
    v.length = 0;
    CHECK(verdict(v, use(0x1000, 0)) == XIW_STAG_OK);
    CHECK(verdict(v, use(0x1000, 1)) == XIW_STAG_BOUNDS);
    // Test MRs with unaligned bounds.
    for (u64 base = 0x1000; base < 0x1010; base++)
        for (u64 length = 1; length < 18; length++) {
            v.base = base;
            v.length = length;
            CAPTURE(base, length);
            CHECK(verdict(v, use(base, length)) == XIW_STAG_OK);
            CHECK(verdict(v, use(base + length - 1, 1)) == XIW_STAG_OK);
            CHECK(verdict(v, use(base - 1, 1)) == XIW_STAG_BOUNDS);
            CHECK(verdict(v, use(base - 1, 2)) == XIW_STAG_BOUNDS);
            CHECK(verdict(v, use(base, length + 1)) == XIW_STAG_BOUNDS);
            CHECK(verdict(v, use(base + length, 1)) == XIW_STAG_BOUNDS);
            CHECK(verdict(v, use(base + length - 1, 2)) == XIW_STAG_BOUNDS);
        }
}

TEST_CASE("wrap is checked before bounds", "[D-ERR-012][R-ERR-018]") {
    xiw_stag_view v = region();

    CHECK(verdict(v, use(~0ULL, 1)) == XIW_STAG_WRAP); // TO and length add up to 2^64
    CHECK(verdict(v, use(~0ULL - 7, 8)) == XIW_STAG_WRAP);
    CHECK(verdict(v, use(~0ULL - 7, 9)) == XIW_STAG_WRAP);
    CHECK(verdict(v, use(~0ULL - 7, 7)) == XIW_STAG_BOUNDS);
    CHECK(verdict(v, use(2, ~0ULL)) == XIW_STAG_WRAP);
    v.base = 0;
    v.length = ~0ULL;
    CHECK(verdict(v, use(~0ULL - 8, 8)) == XIW_STAG_OK);
    CHECK(verdict(v, use(0, ~0ULL)) == XIW_STAG_OK);
}

TEST_CASE("the first failed check decides the verdict") {
    xiw_stag_view v = region();
    xiw_stag_use u{stag + 1, 4, 8, XIW_ACCESS_REMOTE_ATOMIC, ~0ULL, 8};

    v.flags = XIW_STAGF_STREAM;
    CHECK(verdict(v, u) == XIW_STAG_UNKNOWN);
    u.stag--;
    CHECK(verdict(v, u) == XIW_STAG_NOT_ASSOCIATED);
    u.pd = 3;
    CHECK(verdict(v, u) == XIW_STAG_NOT_ASSOCIATED);
    u.stream = 9;
    CHECK(verdict(v, u) == XIW_STAG_NO_ACCESS);
    v.access |= XIW_ACCESS_REMOTE_ATOMIC;
    CHECK(verdict(v, u) == XIW_STAG_WRAP);
    u.to = 0;
    CHECK(verdict(v, u) == XIW_STAG_BOUNDS);
}

TEST_CASE("a memory window is valid only while its memory region is", "[R-SEC-003][D-SEC-007]") {
    xiw_stag_view parent = region(), window = region();
    xiw_stag_use u = use(0x1010, 16);

    parent.key = 0x99;
    parent.access = XIW_ACCESS_BIND | XIW_ACCESS_LOCAL_WRITE;
    parent.generation = 5;
    window.flags = XIW_STAGF_WINDOW | XIW_STAGF_STREAM;
    window.parent = 0xabcd00 | parent.key;
    window.generation = 5;
    auto check = [&] { return xiw_stag_judge(&window, &parent, &u); };

    CHECK(check() == XIW_STAG_OK);
    CHECK(xiw_stag_judge(&window, nullptr, &u) == XIW_STAG_UNKNOWN);
    parent.generation++;
    CHECK(check() == XIW_STAG_UNKNOWN);
    parent.generation--;
    parent.state = XIW_STAG_INVALID;
    CHECK(check() == XIW_STAG_UNKNOWN);
    parent.state = XIW_STAG_VALID;
    parent.key++;
    CHECK(check() == XIW_STAG_UNKNOWN);
    parent.key--;
    parent.flags = XIW_STAGF_WINDOW;
    CHECK(check() == XIW_STAG_UNKNOWN);
    parent.flags = 0;
    parent.pd++;
    CHECK(check() == XIW_STAG_NOT_ASSOCIATED);
    parent.pd--;
    parent.access = XIW_ACCESS_BIND;
    CHECK(check() == XIW_STAG_UNKNOWN); // the MW allows writes, its MR does not
    parent.access = XIW_ACCESS_LOCAL_WRITE;
    CHECK(check() == XIW_STAG_UNKNOWN);
    parent.access |= XIW_ACCESS_BIND;
    parent.length = 0x1f;
    CHECK(check() == XIW_STAG_BOUNDS);
    parent.length = 0x20;
    CHECK(check() == XIW_STAG_OK);
}

TEST_CASE("each verdict has its fault codes",
          "[D-ERR-008][D-ERR-009][R-ERR-014][R-ERR-015][R-ERR-019]") {
    CHECK(xiw_stag_placement_fault(XIW_STAG_OK) == XIW_FAULT_NONE);
    CHECK(xiw_stag_placement_fault(XIW_STAG_UNKNOWN) == XIW_FAULT_DDP_STAG);
    CHECK(xiw_stag_placement_fault(XIW_STAG_NOT_ASSOCIATED) == XIW_FAULT_DDP_NOT_ASSOCIATED);
    CHECK(xiw_stag_placement_fault(XIW_STAG_NO_ACCESS) == XIW_FAULT_DDP_STAG);
    CHECK(xiw_stag_placement_fault(XIW_STAG_WRAP) == XIW_FAULT_DDP_WRAP);
    CHECK(xiw_stag_placement_fault(XIW_STAG_BOUNDS) == XIW_FAULT_DDP_BOUNDS);
    CHECK(xiw_stag_request_fault(XIW_STAG_UNKNOWN) == XIW_FAULT_RDMA_STAG);
    CHECK(xiw_stag_request_fault(XIW_STAG_NOT_ASSOCIATED) == XIW_FAULT_RDMA_NOT_ASSOCIATED);
    CHECK(xiw_stag_request_fault(XIW_STAG_NO_ACCESS) == XIW_FAULT_RDMA_ACCESS);
    CHECK(xiw_stag_request_fault(XIW_STAG_WRAP) == XIW_FAULT_RDMA_WRAP);
    CHECK(xiw_stag_request_fault(XIW_STAG_BOUNDS) == XIW_FAULT_RDMA_BOUNDS);
    for (int v = XIW_STAG_UNKNOWN; v < XIW_STAG_VERDICT_COUNT; v++) {
        auto one = static_cast<xiw_stag_verdict>(v);

        CHECK(xiw_stag_status_fault(xiw_stag_status(one)) == xiw_stag_request_fault(one));
    }
    CHECK(xiw_stag_status_fault(XIW_ERR_LENGTH) == XIW_FAULT_RDMA_STREAM);
    CHECK(xiw_stag_status_fault(XIW_ERR_INVALID) == XIW_FAULT_RDMA_STREAM);
}

TEST_CASE("an STag is invalidated only by its PD and stream, and only if allowed",
          "[R-SND-013][R-SND-015][I-INV-002][I-INV-004][I-INV-006]"
          "[I-INV-008][I-INV-009]") {
    xiw_stag_view v = region();
    auto check = [&](u32 s, u32 pd, u32 stream) {
        return xiw_stag_invalidate_check(&v, s, pd, stream, true);
    };

    CHECK(check(stag, 3, 9) == XIW_ERR_ACCESS); // an MR that the peer may not invalidate
    v.flags = XIW_STAGF_REMOTE_INV;
    CHECK(check(stag, 3, 9) == XIW_OK);
    CHECK(check(stag, 3, 8) == XIW_OK);
    CHECK(check(stag, 4, 9) == XIW_ERR_PD);
    CHECK(check(stag + 1, 3, 9) == XIW_ERR_STAG);
    v.flags |= XIW_STAGF_STREAM;
    CHECK(check(stag, 3, 8) == XIW_ERR_ACCESS);
    CHECK(check(stag, 3, 9) == XIW_OK);
    // Only the streams of its PD can invalidate an MW that belongs to no stream.
    v.flags = XIW_STAGF_REMOTE_INV | XIW_STAGF_WINDOW;
    CHECK(check(stag, 3, 8) == XIW_OK);
    CHECK(check(stag, 4, 9) == XIW_ERR_PD);
    v.state = XIW_STAG_INVALID;
    CHECK(check(stag, 3, 9) == XIW_ERR_STAG);
    CHECK(xiw_stag_invalidate_check(nullptr, stag, 3, 9, true) == XIW_ERR_STAG);
}

TEST_CASE("the owner invalidates an STag without that right, but not of another stream or PD") {
    xiw_stag_view v = region();
    auto check = [&](u32 pd, u32 stream) {
        return xiw_stag_invalidate_check(&v, stag, pd, stream, false);
    };

    CHECK(check(3, 8) == XIW_OK);
    CHECK(check(4, 8) == XIW_ERR_PD);
    v.flags = XIW_STAGF_STREAM;
    CHECK(check(3, 8) == XIW_ERR_ACCESS);
    CHECK(check(3, 9) == XIW_OK);
    v.state = XIW_STAG_INVALID;
    CHECK(check(3, 9) == XIW_ERR_STAG);
    CHECK(xiw_stag_invalidate_check(nullptr, stag, 3, 9, false) == XIW_ERR_STAG);
}

TEST_CASE("table entries are little endian") {
    xiw_stag_entry entry{};
    xiw_stag_view v;

    entry.state = XIW_STAG_VALID;
    entry.key = 0x78;
    entry.access = XIW_ACCESS_REMOTE_READ;
    entry.pd = cpu_to_le32(3);
    entry.stream = cpu_to_le32(4);
    entry.flags = cpu_to_le32(XIW_STAGF_WINDOW);
    entry.base = cpu_to_le64(0x1122334455667788);
    entry.length = cpu_to_le64(5);
    entry.parent = cpu_to_le32(6);
    entry.generation = cpu_to_le32(7);
    entry.first = cpu_to_le32(8);
    xiw_stag_view_get(&v, &entry);
    CHECK(v.state == XIW_STAG_VALID);
    CHECK(v.key == 0x78);
    CHECK(v.access == XIW_ACCESS_REMOTE_READ);
    CHECK(v.pd == 3);
    CHECK(v.stream == 4);
    CHECK(v.flags == XIW_STAGF_WINDOW);
    CHECK(v.base == 0x1122334455667788);
    CHECK(v.length == 5);
    CHECK(v.parent == 6);
    CHECK(v.generation == 7);
    CHECK(v.first == 8);
    CHECK(xiw_stag_index(stag) == 0x123456);
}
