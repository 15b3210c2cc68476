// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <random>

using namespace xiw;

namespace {

struct Deframer {
    Deframer(bool crc, bool markers, u32 size = XIW_FPDU_WIRE_MAX) : staging(size) {
        xiw_deframer_init(&d, crc, markers, staging.data(), size);
    }
    // Returns all ULPDUs that end in the `length` octets at `p`.
    std::vector<Octets> feed(const u8 *p, size_t length) {
        xiw_span in{p, static_cast<u32>(length)}, out{};
        std::vector<Octets> ulpdus;

        while (xiw_deframe_feed(&d, &in, &out) == XIW_DEFRAME_ULPDU)
            ulpdus.emplace_back(out.p, out.p + out.len);
        return ulpdus;
    }

    Octets staging;
    xiw_deframer d;
};

} // namespace

TEST_CASE("the deframer finds all FPDUs in random pieces") {
    const u32 seed = std::random_device{}();
    std::mt19937 random(seed);

    CAPTURE(seed);
    for (int round = 0; round < 60; round++) {
        bool crc = random() % 4, markers = random() % 2;
        xiw_framing tx{0, crc, markers};
        std::vector<Octets> sent, got;
        Octets stream;
        Deframer rx(crc, markers);

        for (int i = 0; i < 40; i++) {
            size_t n = random() % 3 ? random() % 100 : random() % 3000;
            Octets ulpdu(n), fpdu(XIW_FPDU_WIRE_MAX);

            for (u8 &o : ulpdu)
                o = static_cast<u8>(random());
            xiw_span part{ulpdu.data(), static_cast<u32>(n)};
            fpdu.resize(xiw_fpdu_encode(fpdu.data(), &tx, &part, 1));
            stream.insert(stream.end(), fpdu.begin(), fpdu.end());
            sent.push_back(ulpdu);
        }
        for (size_t at = 0; at < stream.size();) {
            size_t n = std::min<size_t>(1 + random() % 700, stream.size() - at);

            for (Octets &u : rx.feed(stream.data() + at, n))
                got.push_back(std::move(u));
            at += n;
        }
        CAPTURE(crc, markers);
        REQUIRE(xiw_deframer_idle(&rx.d));
        REQUIRE(got == sent);
    }
}

TEST_CASE("with CRCs off, the CRC field is ignored") {
    Octets fpdu = wire_vector("N-CRC-01").octets;
    Deframer off(false, false), on(true, false);

    CHECK(off.feed(fpdu.data(), fpdu.size()).size() == 1);
    CHECK(on.feed(fpdu.data(), fpdu.size()).empty());
    CHECK(on.d.fault == XIW_FAULT_LLP_CRC);
}

TEST_CASE("a nonzero pad with a matching CRC is accepted") {
    Octets fpdu = wire_vector("S-02").octets;
    Deframer rx(true, false);

    fpdu[fpdu.size() - 5] = 0x5a;
    xiw_crc32c_put(&fpdu[fpdu.size() - 4],
                   xiw_crc32c_update(xiw_crc32c_begin(), fpdu.data(), fpdu.size() - 4));
    REQUIRE(rx.feed(fpdu.data(), fpdu.size()).size() == 1);
}

TEST_CASE("the deframer returns nothing after a fault") {
    Octets bad = wire_vector("N-CRC-03").octets, good = wire_vector("S-01").octets;
    Deframer rx(true, false);

    CHECK(rx.feed(bad.data(), bad.size()).empty());
    CHECK(rx.feed(good.data(), good.size()).empty());
    CHECK(rx.d.fault == XIW_FAULT_LLP_CRC);
}

TEST_CASE("an FPDU longer than the staging buffer is a fault") {
    Octets fpdu = wire_vector("S-10a").octets;
    Deframer small(true, false, static_cast<u32>(fpdu.size()) - 1);
    Deframer just(true, false, static_cast<u32>(fpdu.size()));

    CHECK(small.feed(fpdu.data(), fpdu.size()).empty());
    CHECK(small.d.fault == XIW_FAULT_SILENT);
    CHECK(just.feed(fpdu.data(), fpdu.size()).size() == 1);
}

TEST_CASE("the deframer is idle between FPDUs, and not inside one") {
    Octets fpdu = wire_vector("S-05").octets;
    Deframer rx(true, false);

    CHECK(xiw_deframer_idle(&rx.d));
    for (size_t i = 0; i < fpdu.size() - 1; i++) {
        rx.feed(&fpdu[i], 1);
        CHECK_FALSE(xiw_deframer_idle(&rx.d));
    }
    rx.feed(&fpdu.back(), 1);
    CHECK(xiw_deframer_idle(&rx.d));
}

TEST_CASE("markers stay in step over any number of octets", "[M-MARK-010]") {
    xiw_framing tx{0, true, true};
    Deframer rx(true, true);
    Octets ulpdu(1001, 0x5a), fpdu(XIW_FPDU_WIRE_MAX);
    u64 total = 0;

    // Send many more octets than 16 bits can count.
    while (total < 1 << 20) {
        xiw_span part{ulpdu.data(), static_cast<u32>(ulpdu.size())};
        u32 n = xiw_fpdu_encode(fpdu.data(), &tx, &part, 1);

        REQUIRE(rx.feed(fpdu.data(), n) == std::vector<Octets>{ulpdu});
        total += n;
        REQUIRE(tx.pos == total % XIW_MARKER_SPACING);
        REQUIRE(rx.d.framing.pos == tx.pos);
    }
}
