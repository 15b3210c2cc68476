// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <numeric>

using namespace xiw;

namespace {

// Return octets of ascending value, so that a test detects a shift by one octet.
Octets payload(size_t length) {
    Octets p(length);

    std::iota(p.begin(), p.end(), static_cast<u8>(1));
    return p;
}

Octets encode(xiw_framing &framing, const Octets &ulpdu) {
    Octets out(XIW_FPDU_WIRE_MAX);
    xiw_span part{ulpdu.data(), static_cast<u32>(ulpdu.size())};

    out.resize(xiw_fpdu_encode(out.data(), &framing, &part, 1));
    return out;
}

// Count markers by iterating over the octets of the stream.
u32 markers_by_walking(u32 pos, u32 plain) {
    u32 count = 0;

    for (u32 content = 0; content < plain; pos++) {
        if (pos % XIW_MARKER_SPACING == 0) {
            pos += XIW_MARKER_LEN;
            count++;
        }
        content++;
    }
    return count;
}

} // namespace

TEST_CASE("the pad makes an FPDU a multiple of four octets", "[M-FPDU-003]") {
    const u32 pads[] = {2, 1, 0, 3};

    for (u32 n = 0; n <= XIW_ULPDU_FIELD_MAX; n++) {
        REQUIRE(xiw_fpdu_pad(n) == pads[n % 4]);
        REQUIRE(xiw_fpdu_size(n) == 2 + n + pads[n % 4] + 4);
        REQUIRE(xiw_fpdu_size(n) % 4 == 0);
    }
    CHECK(xiw_fpdu_size(XIW_ULPDU_FIELD_MAX) == XIW_FPDU_PLAIN_MAX);
}

TEST_CASE("the MULPDU follows from the EMSS",
          "[M-SIZE-001][M-SIZE-002][M-SIZE-005][M-DDP-003][M-DDP-005]") {
    struct {
        u32 emss, plain, marked;
    } rows[] = {
        {1460, 1454, 1442}, {1448, 1442, 1430},  {8948, 8942, 8870}, {536, 530, 522},
        {88, 128, 128},     {134, 128, 128},     {137, 130, 128},    {65495, 64768, 64768},
        {0, 128, 128},      {~0U, 64768, 64768},
    };

    for (auto &row : rows) {
        CAPTURE(row.emss);
        CHECK(xiw_mulpdu(row.emss, false) == row.plain);
        CHECK(xiw_mulpdu(row.emss, true) == row.marked);
    }
    // An FPDU whose ULPDU has MULPDU octets fits into a TCP segment, wherever its markers are. This
    // holds for each EMSS that is large enough for the minimum MULPDU.
    for (u32 emss = 160; emss < 2000; emss++)
        for (u32 pos = 0; pos < XIW_MARKER_SPACING; pos += 4) {
            xiw_framing framing{static_cast<u16>(pos), true, true};
            xiw_frame frame;

            xiw_frame_init(&frame, &framing, xiw_mulpdu(emss, true));
            REQUIRE(frame.wire_len <= emss);
        }
}

TEST_CASE("the marker count agrees with a walk over the octets", "[M-MARK-005]") {
    for (u32 pos = 0; pos < XIW_MARKER_SPACING; pos += 4)
        for (u32 plain = 4; plain < 2200; plain += 4)
            REQUIRE(xiw_marker_count(pos, plain) == markers_by_walking(pos, plain));
    CHECK(xiw_marker_next(0) == 0);
    CHECK(xiw_marker_next(4) == 508);
    CHECK(xiw_marker_next(508) == 4);
}

TEST_CASE("the longest FPDU fits its bound") {
    xiw_framing framing{0, true, true};
    xiw_frame frame;

    xiw_frame_init(&frame, &framing, XIW_ULPDU_FIELD_MAX);
    CHECK(frame.wire_len <= XIW_FPDU_WIRE_MAX);
}

TEST_CASE("markers stand every 512 octets and point back to their FPDU",
          "[M-MARK-001][M-MARK-003][M-MARK-004][M-MARK-006][M-MARK-007][M-MARK-008][M-MARK-009]"
          "[M-CRC-008][M-CRC-009][M-CONN-031]") {
    xiw_framing framing{0, true, true};
    Octets stream;
    std::vector<size_t> starts; // offsets of ULPDU Length fields

    for (size_t n : {42, 14, 466, 18, 1442, 2000, 30, 480, 1}) {
        bool lead = framing.pos == 0;

        starts.push_back(stream.size() + (lead ? XIW_MARKER_LEN : 0));
        Octets fpdu = encode(framing, payload(n));
        stream.insert(stream.end(), fpdu.begin(), fpdu.end());
        CHECK(framing.pos == stream.size() % XIW_MARKER_SPACING);
        // The CRC covers the markers at the beginning of the FPDU and inside the FPDU.
        CHECK(xiw_crc32c_update(xiw_crc32c_begin(), fpdu.data(), static_cast<u32>(fpdu.size())) ==
              XIW_CRC32C_RESIDUE);
    }
    for (size_t at = 0; at < stream.size(); at += XIW_MARKER_SPACING) {
        size_t start = 0;

        for (size_t s : starts)
            if (s <= at + XIW_MARKER_LEN)
                start = s;
        CAPTURE(at);
        CHECK(stream.at(at) == 0);
        CHECK(stream.at(at + 1) == 0);
        u32 ptr = get_unaligned_be16(&stream.at(at + XIW_MARKER_PTR_AT));
        CHECK(ptr == (start > at ? 0 : at - start));
    }
}

TEST_CASE("the pointer of a marker does not count a marker in front of the FPDU", "[M-MARK-007]") {
    xiw_framing framing{0, true, true};
    Octets fpdu = encode(framing, payload(600));

    CHECK(get_unaligned_be16(&fpdu[XIW_MARKER_PTR_AT]) == 0);
    CHECK(get_unaligned_be16(&fpdu[XIW_MARKER_LEN]) == 600);
    CHECK(get_unaligned_be16(&fpdu[XIW_MARKER_SPACING + XIW_MARKER_PTR_AT]) ==
          XIW_MARKER_SPACING - XIW_MARKER_LEN);
}

TEST_CASE("strip is the inverse of encode", "[M-MARK-011]") {
    for (u32 pos = 0; pos < XIW_MARKER_SPACING; pos += 4)
        for (size_t n : {0, 1, 14, 18, 70, 496, 500, 502, 504, 506, 508, 510, 1024, 1500, 3000}) {
            xiw_framing framing{static_cast<u16>(pos), true, true}, tx = framing;
            Octets ulpdu = payload(n), fpdu = encode(tx, ulpdu);
            xiw_frame frame;

            CAPTURE(pos, n);
            Octets field(fpdu.end() - XIW_CRC_LEN, fpdu.end());
            xiw_frame_peek(&frame, &framing, fpdu.data());
            REQUIRE(frame.wire_len == fpdu.size());
            REQUIRE(frame.ulpdu_len == n);
            REQUIRE(xiw_frame_strip(&frame, &framing, fpdu.data()) == XIW_FAULT_NONE);
            REQUIRE(get_unaligned_be16(fpdu.data()) == n);
            u32 plain = xiw_fpdu_size(static_cast<u32>(n));
            REQUIRE(Octets(fpdu.begin() + plain - XIW_CRC_LEN, fpdu.begin() + plain) == field);
            REQUIRE(Octets(fpdu.begin() + 2, fpdu.begin() + 2 + static_cast<long>(n)) == ulpdu);
        }
}

TEST_CASE("a marker with a wrong pointer is a fault", "[M-ERR-003][M-MARK-002][M-MARK-003]") {
    xiw_framing framing{508, false, true}, tx = framing;
    Octets good = encode(tx, payload(600));
    xiw_frame frame;

    xiw_frame_peek(&frame, &framing, good.data());
    REQUIRE(frame.markers == 2);
    for (u32 marker : {4U, 516U})
        for (u32 octet = 0; octet < XIW_MARKER_LEN; octet++) {
            Octets bad = good;
            // The receiver ignores the marker's reserved field and the low two bits of its pointer.
            u8 mask = octet == 3 ? 0x03 : octet < 2 ? 0xff : 0;

            bad[marker + octet] ^= mask;
            CHECK(xiw_frame_strip(&frame, &framing, bad.data()) == XIW_FAULT_NONE);
            if (octet < 2)
                continue;
            bad = good;
            bad[marker + octet] ^= 0x04;
            CHECK(xiw_frame_strip(&frame, &framing, bad.data()) == XIW_FAULT_LLP_MARKER);
        }
}

TEST_CASE("with CRCs off, the CRC field is sent as zero", "[M-FPDU-006]") {
    xiw_framing off{0, false, false}, on{0, true, false};
    Octets without = encode(off, payload(21)), with = encode(on, payload(21));

    REQUIRE(without.size() == with.size());
    CHECK(Octets(without.end() - 4, without.end()) == Octets(4, 0));
    CHECK(Octets(with.end() - 4, with.end()) != Octets(4, 0));
}

TEST_CASE("the zero-copy path builds the same trailer as the encoder", "[M-CRC-008]") {
    for (bool crc : {true, false})
        for (size_t n = 1; n < 40; n++) {
            xiw_framing framing{0, crc, false}, tx = framing;
            Octets ulpdu = payload(n), fpdu = encode(tx, ulpdu);
            u8 trailer[XIW_FPDU_MAX_TRAILER];
            u32 reg = xiw_crc32c_update(xiw_crc32c_begin(), fpdu.data(), 2 + n);
            u32 length = xiw_fpdu_trailer(trailer, &framing, reg, static_cast<u32>(n));

            CHECK(Octets(trailer, trailer + length) ==
                  Octets(fpdu.begin() + 2 + static_cast<long>(n), fpdu.end()));
        }
}

TEST_CASE("scattered octets are copied and summed in order") {
    Octets all = payload(100);
    xiw_span spans[] = {
        {all.data(), 3}, {all.data() + 3, 0}, {all.data() + 3, 40}, {all.data() + 43, 57}};

    for (u32 at = 0; at < 100; at += 7)
        for (u32 length = 0; at + length <= 100; length += 3) {
            Octets out(length);

            xiw_spans_copy(out.data(), spans, 4, at, length);
            CHECK(out == Octets(all.begin() + at, all.begin() + at + length));
            CHECK(xiw_spans_crc(~0U, spans, 4, at, length) ==
                  xiw_crc32c_update(~0U, all.data() + at, length));
        }
}

TEST_CASE("copies and sums of scattered octets end with the last span") {
    Octets all = payload(100), behind(50, 0xff), out(150, 0xee);
    xiw_span spans[] = {{all.data(), 40}, {all.data() + 40, 60}, {behind.data(), 50}};

    CHECK(xiw_spans_crc(~0U, spans, 2, 0, 150) == xiw_crc32c_update(~0U, all.data(), 100));
    xiw_spans_copy(out.data(), spans, 2, 0, 150);
    CHECK(Octets(out.begin(), out.begin() + 100) == all);
    CHECK(Octets(out.begin() + 100, out.end()) == Octets(50, 0xee));
}
