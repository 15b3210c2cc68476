// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// How the software RNIC reads records of TLS. If a read has no end, records.c aborts.
#include "records.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <array>
#include <cerrno>
#include <memory>

namespace {

class Records {
  public:
    records *operator*() const { return records_.get(); }

  private:
    // true: TLS of newer kernels
    std::unique_ptr<records, decltype(&records_free)> records_{records_new(GENERATE(false, true)),
                                                               records_free};
};

} // namespace

TEST_CASE("records: a conn reads octets across records, and keeps the rest") {
    Records r;
    std::array<uint8_t, 16> buf{};

    records_send(*r, 2, 5);
    CHECK(records_take(*r, buf.data(), 3) == 3);
    CHECK(records_take(*r, buf.data() + 3, 4) == 4);
    CHECK(records_take(*r, buf.data() + 7, 9) == 3);
    CHECK(records_take(*r, buf.data() + 10, 6) == -EAGAIN);
    for (unsigned i = 0; i < 10; i++)
        CHECK(buf[i] == i);
}

TEST_CASE("records: a conn drops as many octets as it wants to") {
    Records r;
    uint8_t octet = 0;

    records_send(*r, 100, 10);
    CHECK(records_take(*r, nullptr, 901) == 901);
    CHECK(records_take(*r, &octet, 1) == 1);
    CHECK(octet == 901 % 256);
    CHECK(records_take(*r, nullptr, 1000) == 98);
    CHECK(records_take(*r, nullptr, 1000) == -EAGAIN);
}

TEST_CASE("records: the read of a conn ends if the peer sends only records without data") {
    Records r;
    std::array<uint8_t, 16> buf{};

    records_send(*r, 3, 4);
    records_flood(*r);
    SECTION("a read into a buffer") {
        CHECK(records_take(*r, buf.data(), 12) == 12);
        CHECK(records_take(*r, buf.data(), 4) == -EPROTO);
        CHECK(records_take(*r, buf.data(), 4) == -EPROTO);
    }
    SECTION("octets that are dropped") {
        CHECK(records_take(*r, nullptr, 1 << 20) == 12);
        CHECK(records_take(*r, nullptr, 1 << 20) == -EPROTO);
    }
}

TEST_CASE("records: a conn waits for the rest of a record that arrives in many segments") {
    Records r;
    std::array<uint8_t, 16> buf{};

    SECTION("after a record") {
        records_send(*r, 1, 4);
        records_part(*r, 100);
        CHECK(records_take(*r, buf.data(), 16) == 4);
        CHECK(records_take(*r, buf.data(), 12) == -EAGAIN);
    }
    SECTION("alone") {
        records_part(*r, 100);
        CHECK(records_take(*r, buf.data(), 16) == -EAGAIN);
    }
}

TEST_CASE("records: the pass of a stream ends if the peer sends only records without data") {
    Records r;

    records_send(*r, 100, 4);
    records_flood(*r);
    CHECK(records_read(*r) == -EPROTO);
    CHECK(records_got(*r) == 400);
}

TEST_CASE("records: a stream waits for the rest of a record that arrives in many segments") {
    Records r;

    SECTION("after a record") {
        records_send(*r, 1, 4);
        records_part(*r, 100);
        CHECK(records_read(*r) == 1);
        CHECK(records_got(*r) == 4);
    }
    SECTION("alone") {
        records_part(*r, 100);
        CHECK(records_read(*r) == 1);
    }
}
