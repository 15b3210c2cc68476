// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Room in an event ring of the software RNIC: who gets room that becomes available, and when.
#include "slots.h"

#include <catch2/catch_test_macros.hpp>

#include <memory>

namespace {

class Slots {
  public:
    slots *operator*() const { return slots_.get(); }

    // Reserve all room, so that no event can be written.
    void fill() { REQUIRE(slots_reserve(slots_.get(), SLOTS_ENTRIES)); }
    // Let the first `n` streams stall. Each of them needs room for `want` events.
    void stall(unsigned n, unsigned want) {
        for (unsigned i = 0; i < n; i++)
            REQUIRE_FALSE(slots_pass(slots_.get(), i, want));
    }
    // Let the first `n` streams stall, and cancel enough reserved room to wake one of them.
    void wake_first(unsigned n) {
        fill();
        stall(n, 3);
        slots_cancel(slots_.get(), 3);
    }
    // Return the number of streams that the poll must run.
    unsigned woken() const {
        unsigned n = 0;
        for (unsigned i = 0; i < SLOTS_STREAMS; i++)
            n += slots_woken(slots_.get(), i);
        return n;
    }
    // Check that only the test holds references to the streams.
    void unreferenced() const {
        for (unsigned i = 0; i < SLOTS_STREAMS; i++)
            CHECK(slots_references(slots_.get(), i) == 1);
    }

  private:
    std::unique_ptr<slots, decltype(&slots_free)> slots_{slots_new(), slots_free};
};

} // namespace

TEST_CASE("slots: a notice is written at once if there is room") {
    Slots s;

    REQUIRE(slots_reserve(*s, SLOTS_ENTRIES - 1));
    slots_notify(*s, 0);
    CHECK_FALSE(slots_waits(*s, 0));
    CHECK(slots_notices(*s) == 1);
    CHECK(slots_raised(*s) == 1);
}

TEST_CASE("slots: a notice that waits is written when reserved room is returned") {
    Slots s;

    s.fill();
    slots_notify(*s, 0);
    CHECK(slots_waits(*s, 0));
    CHECK(slots_notices(*s) == 0);
    CHECK(slots_raised(*s) == 0);
    slots_cancel(*s, SLOTS_ENTRIES);
    CHECK_FALSE(slots_waits(*s, 0));
    REQUIRE(slots_notices(*s) == 1);
    CHECK(slots_notice(*s, 0) == 0);
    CHECK(slots_raised(*s) == 1);
    // The notice has used one entry.
    CHECK_FALSE(slots_reserve(*s, SLOTS_ENTRIES));
    CHECK(slots_reserve(*s, SLOTS_ENTRIES - 1));
}

TEST_CASE("slots: notices that wait are written in order, and only while there is room") {
    Slots s;

    s.fill();
    for (unsigned i : {2U, 0U, 1U})
        slots_notify(*s, i);
    slots_cancel(*s, 2);
    REQUIRE(slots_notices(*s) == 2);
    CHECK(slots_notice(*s, 0) == 2);
    CHECK(slots_notice(*s, 1) == 0);
    CHECK(slots_waits(*s, 1));
    // The vector is raised for the first event only, because the driver has not armed it again.
    CHECK(slots_raised(*s) == 1);
    slots_consume(*s, 1);
    REQUIRE(slots_notices(*s) == 3);
    CHECK(slots_notice(*s, 2) == 1);
    CHECK_FALSE(slots_waits(*s, 1));
}

TEST_CASE("slots: a notice does not wait for streams, but leaves them the rest of the room") {
    Slots s;

    s.fill();
    s.stall(1, 3);
    slots_notify(*s, 0);
    slots_cancel(*s, 3);
    CHECK(slots_notices(*s) == 1);
    CHECK(s.woken() == 0);
    slots_cancel(*s, 1);
    CHECK(slots_woken(*s, 0));
    // A notice may take room that a stream has claimed.
    slots_notify(*s, 1);
    CHECK(slots_notices(*s) == 2);
}

TEST_CASE("slots: stalled streams are woken oldest first, as many as there is room for") {
    Slots s;

    s.fill();
    s.stall(3, 3);
    slots_cancel(*s, 2);
    CHECK(s.woken() == 0);
    CHECK(slots_raised(*s) == 0);
    slots_cancel(*s, 1);
    CHECK(slots_woken(*s, 0));
    CHECK(s.woken() == 1);
    CHECK(slots_raised(*s) == 1);
    slots_cancel(*s, 2);
    CHECK(s.woken() == 1);
    slots_cancel(*s, 1);
    CHECK(slots_woken(*s, 1));
    CHECK(s.woken() == 2);
    slots_poll(*s);
    REQUIRE(slots_passes(*s) == 2);
    CHECK(slots_passed(*s, 0) == 0);
    CHECK(slots_passed(*s, 1) == 1);
    CHECK(slots_got(*s, 0) == 3);
    CHECK(slots_got(*s, 1) == 3);
    CHECK(s.woken() == 0);
    slots_cancel(*s, 3);
    CHECK(slots_woken(*s, 2));
    slots_poll(*s);
    CHECK(slots_got(*s, 2) == 3);
    s.unreferenced();
}

TEST_CASE("slots: events that the driver consumes wake stalled streams") {
    Slots s;

    s.fill();
    slots_commit(*s, SLOTS_ENTRIES);
    s.stall(2, 3);
    slots_consume(*s, 2);
    CHECK(s.woken() == 0);
    slots_consume(*s, 1);
    CHECK(slots_woken(*s, 0));
    CHECK(s.woken() == 1);
    slots_consume(*s, 3);
    CHECK(slots_woken(*s, 1));
}

TEST_CASE("slots: no other stream takes the room of a claim") {
    Slots s;

    s.wake_first(1);
    REQUIRE(slots_woken(*s, 0));
    CHECK_FALSE(slots_reserve(*s, 1));
    // Stream 1 stalls while stream 0 has a claim, so stream 1 needs room in addition to the claim.
    CHECK_FALSE(slots_pass(*s, 1, 1));
    CHECK_FALSE(slots_woken(*s, 1));
    slots_cancel(*s, 2);
    CHECK(slots_woken(*s, 1));
    CHECK(slots_reserve(*s, 1));
    CHECK_FALSE(slots_reserve(*s, 1));
    slots_poll(*s);
    CHECK(slots_got(*s, 0) == 3);
    CHECK(slots_got(*s, 1) == 1);
    CHECK_FALSE(slots_reserve(*s, 1));
    s.unreferenced();
}

TEST_CASE("slots: a woken stream that stalls again has only one claim") {
    Slots s;

    s.wake_first(1);
    REQUIRE(slots_woken(*s, 0));
    // Before the poll runs the stream, another context needs room for an event of the stream.
    CHECK_FALSE(slots_pass(*s, 0, 3));
    slots_cancel(*s, 4);
    CHECK(slots_reserve(*s, 4));
    CHECK_FALSE(slots_reserve(*s, 1));
    slots_poll(*s);
    CHECK(slots_passes(*s) == 1);
    CHECK(slots_got(*s, 0) == 3);
    CHECK_FALSE(slots_reserve(*s, 1));
    slots_cancel(*s, 1);
    CHECK(slots_reserve(*s, 1));
    s.unreferenced();
}

TEST_CASE("slots: a claim that is dropped without use wakes the next stream") {
    Slots s;

    s.wake_first(2);
    REQUIRE(slots_woken(*s, 0));
    REQUIRE_FALSE(slots_woken(*s, 1));
    slots_run_idle(*s, 0);
    CHECK(slots_woken(*s, 1));
    // Now stream 1 has a claim on the room.
    CHECK_FALSE(slots_reserve(*s, 1));
}

TEST_CASE("slots: a poll whose streams use no room wakes the next stream") {
    Slots s;

    s.wake_first(3);
    slots_need(*s, 0, 0);
    slots_poll(*s);
    REQUIRE(slots_passes(*s) == 1);
    CHECK(slots_got(*s, 0) == 0);
    CHECK(slots_woken(*s, 1));
    CHECK(s.woken() == 1);
    slots_poll(*s);
    CHECK(slots_got(*s, 1) == 3);
    CHECK(s.woken() == 0);
}

TEST_CASE("slots: a woken stream that is destroyed drops its claim") {
    Slots s;

    s.wake_first(2);
    REQUIRE(slots_woken(*s, 0));
    slots_unstall(*s, 0);
    CHECK(slots_woken(*s, 1));
    CHECK_FALSE(slots_reserve(*s, 1));
    slots_need(*s, 0, 0);
    slots_poll(*s);
    CHECK(slots_got(*s, 1) == 3);
    s.unreferenced();
}

TEST_CASE("slots: a stalled stream that is destroyed waits no longer") {
    Slots s;

    s.fill();
    s.stall(2, 3);
    slots_unstall(*s, 0);
    CHECK(slots_references(*s, 0) == 1);
    slots_cancel(*s, 3);
    CHECK_FALSE(slots_woken(*s, 0));
    CHECK(slots_woken(*s, 1));
}

TEST_CASE("slots: the poll drops the claim of a stream without TLS before the stream runs") {
    Slots s;

    s.wake_first(1);
    // If the claim still counted, the pass would find no room, and the stream would stall again.
    slots_poll(*s);
    CHECK(slots_got(*s, 0) == 3);
    CHECK(s.woken() == 0);
    s.unreferenced();
}

TEST_CASE("slots: a stream with TLS keeps its claim until its work item runs") {
    Slots s;

    slots_encrypt(*s, 0);
    s.wake_first(2);
    REQUIRE(slots_woken(*s, 0));
    slots_poll(*s);
    CHECK(slots_got(*s, 0) == 0);
    CHECK_FALSE(slots_reserve(*s, 1));
    CHECK(s.woken() == 0);
    slots_serve(*s, 0);
    CHECK(slots_got(*s, 0) == 3);
    CHECK(s.woken() == 0);
    slots_cancel(*s, 3);
    CHECK(slots_woken(*s, 1));
}
