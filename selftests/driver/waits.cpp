// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Which streams a shared receive ring wakes when the driver posts receives.
#include "waits.h"

#include <catch2/catch_test_macros.hpp>

#include <memory>

namespace {

class Waits {
  public:
    // Let the first `waiting` streams wait, in order.
    explicit Waits(unsigned waiting) {
        for (unsigned i = 0; i < waiting; i++)
            REQUIRE_FALSE(waits_take(**this, i));
    }
    waits *operator*() const { return waits_.get(); }

  private:
    std::unique_ptr<waits, decltype(&waits_free)> waits_{waits_new(), waits_free};
};

} // namespace

TEST_CASE("waits: each receive wakes the next stream, once") {
    Waits w(3);

    CHECK(waits_starved(*w));
    for (unsigned i : {0U, 1U, 2U}) {
        waits_post(*w, 1);
        for (unsigned j : {0U, 1U, 2U})
            CHECK(waits_woken(*w, j) == (j <= i ? 1 : 0));
    }
    CHECK_FALSE(waits_starved(*w));
    for (unsigned i : {2U, 0U, 1U})
        CHECK(waits_take(*w, i));
    CHECK(waits_held(*w) == 0);
    CHECK_FALSE(waits_take(*w, 0));
}

TEST_CASE("waits: a stream that runs early leaves the receive of a stream that was woken") {
    Waits w(3);

    waits_post(*w, 1);
    CHECK(waits_woken(*w, 0) == 1);
    // Segments of the other two streams arrive before stream 0 runs.
    CHECK_FALSE(waits_take(*w, 1));
    CHECK_FALSE(waits_take(*w, 2));
    CHECK(waits_take(*w, 0));
    waits_post(*w, 2);
    CHECK(waits_woken(*w, 1) == 1);
    CHECK(waits_woken(*w, 2) == 1);
    CHECK(waits_take(*w, 2));
    CHECK(waits_take(*w, 1));
    CHECK(waits_held(*w) == 0);
}

TEST_CASE("waits: a stream that runs before the doorbell takes its own receive only") {
    Waits w(3);

    waits_post_quietly(*w, 1);
    CHECK_FALSE(waits_take(*w, 1));
    CHECK(waits_woken(*w, 0) == 1);
    waits_post_quietly(*w, 1);
    CHECK(waits_take(*w, 1));
    CHECK_FALSE(waits_take(*w, 2));
    CHECK(waits_take(*w, 0));
    waits_post(*w, 1);
    CHECK(waits_woken(*w, 2) == 1);
    CHECK(waits_take(*w, 2));
    CHECK(waits_held(*w) == 0);
}

TEST_CASE("waits: a stream that does not wait leaves the receives of those that wait") {
    Waits w(2);

    waits_post(*w, 2);
    CHECK_FALSE(waits_take(*w, 5));
    CHECK(waits_take(*w, 1));
    CHECK(waits_take(*w, 0));
    waits_post(*w, 1);
    CHECK(waits_woken(*w, 5) == 1);
    CHECK(waits_take(*w, 5));
}

TEST_CASE("waits: the receive of a woken stream that ends goes to the next stream") {
    Waits w(3);

    waits_post(*w, 1);
    waits_leave(*w, 0);
    CHECK(waits_woken(*w, 1) == 1);
    CHECK(waits_woken(*w, 2) == 0);
    CHECK(waits_held(*w) == 2);
    // Stream 2 has not been woken, so its end leaves no receive for another stream.
    waits_leave(*w, 2);
    CHECK(waits_woken(*w, 1) == 1);
    CHECK(waits_take(*w, 1));
    CHECK(waits_held(*w) == 0);
}

TEST_CASE("waits: one doorbell wakes more streams than one batch") {
    Waits w(WAITS_STREAMS);

    waits_post(*w, WAITS_STREAMS);
    for (unsigned i = 0; i < WAITS_STREAMS; i++) {
        REQUIRE(waits_woken(*w, i) == 1);
        REQUIRE(waits_take(*w, i));
    }
    CHECK(waits_held(*w) == 0);
}
