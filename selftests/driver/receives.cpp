// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Receives of a user whose queues are longer than the RX rings. The size of a PCIe RNIC's rings is
// limited, because they need contiguous memory.
#include "receives.h"

#include <catch2/catch_test_macros.hpp>

#include <deque>
#include <memory>
#include <vector>

namespace {

class Receives {
  public:
    receives *operator*() const { return receives_.get(); }

    // Check that `all` receives have completed once, in order: the first `well` receives with
    // success, and the others with flush status.
    void completed(unsigned all, unsigned well) const {
        REQUIRE(receives_done(receives_.get()) == all);
        for (unsigned i = 0; i < all; i++) {
            CHECK(receives_id(receives_.get(), i) == i);
            CHECK(receives_flushed(receives_.get(), i) == (i >= well));
        }
        CHECK_FALSE(receives_failed(receives_.get()));
    }

  private:
    std::unique_ptr<receives, decltype(&receives_free)> receives_{receives_new(), receives_free};
};

} // namespace

TEST_CASE("receives: the RNIC gets a full ring, and one more receive for each that it uses") {
    Receives r;

    receives_post(*r, RECEIVES_DEPTH);
    CHECK(receives_given(*r) == RECEIVES_RING);
    for (unsigned i = 0; i < RECEIVES_DEPTH; i++) {
        REQUIRE(receives_given(*r) - i <= RECEIVES_RING);
        REQUIRE(receives_given(*r) > i);
        REQUIRE(receives_slot(*r, i) == i);
        receives_use(*r);
    }
    CHECK(receives_given(*r) == RECEIVES_DEPTH);
    r.completed(RECEIVES_DEPTH, RECEIVES_DEPTH);
}

TEST_CASE("receives: the ring stays full while the user posts one receive for each completion") {
    Receives r;

    receives_post(*r, RECEIVES_DEPTH);
    for (unsigned i = 0; i < RECEIVES_DEPTH; i++) {
        receives_use(*r);
        receives_post(*r, 1);
        REQUIRE(receives_given(*r) == i + 1 + RECEIVES_RING);
    }
    r.completed(RECEIVES_DEPTH, RECEIVES_DEPTH);
}

TEST_CASE("receives: receives for which the ring has no room are flushed with the rest") {
    Receives r;

    receives_post(*r, RECEIVES_DEPTH);
    receives_use(*r);
    receives_flush(*r);
    r.completed(RECEIVES_DEPTH, 1);
    receives_post(*r, 1);
    r.completed(RECEIVES_DEPTH + 1, 1);
    receives_post(*r, RECEIVES_DEPTH);
    r.completed(2 * RECEIVES_DEPTH + 1, 1);
}

TEST_CASE("receives: only the receive that the RNIC has refused has the status of the error") {
    Receives r;

    receives_post(*r, RECEIVES_DEPTH);
    receives_use(*r);
    receives_use(*r);
    receives_refuse(*r);
    CHECK(receives_done(*r) == 2);
    receives_flush(*r);
    receives_post(*r, 1);
    REQUIRE(receives_done(*r) == RECEIVES_DEPTH + 1);
    for (unsigned i = 0; i <= RECEIVES_DEPTH; i++) {
        CHECK(receives_id(*r, i) == i);
        CHECK(receives_refused(*r, i) == (i == 2));
        CHECK(receives_flushed(*r, i) == (i > 2));
    }
}

TEST_CASE("shared receives: a slot is reused after the RNIC has read it") {
    Receives r;

    receives_share(*r, RECEIVES_DEPTH);
    CHECK(receives_shared_given(*r) == RECEIVES_RING);
    // Three messages take one receive each. The third message ends first.
    receives_take(*r);
    receives_take(*r);
    const unsigned last = receives_take(*r);
    CHECK(receives_shared_given(*r) == RECEIVES_RING);
    receives_end(*r, last);
    CHECK(receives_shared_given(*r) == RECEIVES_RING + 3);
    CHECK_FALSE(receives_failed(*r));
}

TEST_CASE("shared receives: each receive completes once, whatever the order") {
    Receives r;
    std::deque<unsigned> taken;
    std::vector<bool> seen(2UL * RECEIVES_DEPTH);
    unsigned posted = RECEIVES_DEPTH;

    receives_share(*r, posted);
    for (unsigned i = 0; i < seen.size(); i++) {
        // The number of unfinished messages rises to 100 and falls again, several times.
        while (taken.size() < i % 100 + 1 && receives_done(*r) + taken.size() < posted)
            taken.push_back(receives_take(*r));
        REQUIRE_FALSE(taken.empty());
        const bool newest = i % 3 == 0;
        receives_end(*r, newest ? taken.back() : taken.front());
        newest ? taken.pop_back() : taken.pop_front();
        const auto id = receives_id(*r, i);
        REQUIRE(id < posted);
        REQUIRE_FALSE(seen[id]);
        seen[id] = true;
        if (posted < seen.size()) {
            receives_share(*r, 1);
            posted++;
        }
    }
    CHECK_FALSE(receives_failed(*r));
}

TEST_CASE("shared receives: messages that hold a full ring block others until one ends") {
    Receives r;
    unsigned taken = 0;

    receives_share(*r, RECEIVES_DEPTH);
    for (unsigned i = 0; i < RECEIVES_RING; i++)
        taken = receives_take(*r);
    CHECK(receives_shared_given(*r) == RECEIVES_RING);
    receives_end(*r, taken);
    CHECK(receives_shared_given(*r) == RECEIVES_RING + RECEIVES_BATCH);
}

TEST_CASE("shared receives: a post rings a doorbell if unfinished messages have emptied the ring") {
    Receives r;
    unsigned taken = 0;

    receives_share(*r, RECEIVES_BATCH + 1);
    for (unsigned i = 0; i < RECEIVES_BATCH + 1; i++)
        taken = receives_take(*r);
    receives_end(*r, taken);
    receives_share(*r, 1);
    CHECK(receives_shared_given(*r) == RECEIVES_BATCH + 2);
}

TEST_CASE("shared receives: a post rings a doorbell unless each QP can take a receive") {
    Receives r;

    for (unsigned i = 0; i < RECEIVES_BATCH + 1; i++)
        receives_join(*r);
    receives_share(*r, RECEIVES_BATCH + 1);
    receives_join(*r);
    for (unsigned i = 0; i < RECEIVES_BATCH + 1; i++)
        receives_take(*r);
    receives_share(*r, 1);
    CHECK(receives_shared_given(*r) == RECEIVES_BATCH + 2);
}

TEST_CASE("shared receives: receives outside the ring count towards the limit") {
    Receives r;

    receives_share(*r, RECEIVES_DEPTH);
    receives_arm(*r, RECEIVES_DEPTH - 1);
    receives_end(*r, receives_take(*r));
    CHECK(receives_limits(*r) == 0);
    receives_end(*r, receives_take(*r));
    CHECK(receives_limits(*r) == 1);
    receives_end(*r, receives_take(*r));
    CHECK(receives_limits(*r) == 1);
}

TEST_CASE("shared receives: an RNIC that reports an impossible index gets no more receives") {
    for (const uint32_t wrong : {1U, RECEIVES_RING + 0U, ~0U - RECEIVES_RING}) {
        Receives r;

        receives_share(*r, RECEIVES_DEPTH);
        const unsigned cookie = receives_take(*r);
        receives_report(*r, RECEIVES_RING + wrong);
        receives_end(*r, cookie);
        CHECK(receives_shared_given(*r) == RECEIVES_RING);
    }
}
