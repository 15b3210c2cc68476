// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// How the software RNIC invalidates an STag while another stream places data by this STag.
#include "stags.h"

#include <catch2/catch_test_macros.hpp>

#include <cerrno>
#include <memory>

#include "core.hpp"

namespace {

class Stags {
  public:
    stags *operator*() const { return stags_.get(); }

  private:
    std::unique_ptr<stags, decltype(&stags_free)> stags_{stags_new(), stags_free};
};

} // namespace

TEST_CASE("stags: an invalidation ends when the last pass with the STag ends",
          "[R-SEC-007][S-REM-006]") {
    Stags t;
    const uint32_t stag = stags_region(*t);

    REQUIRE(stags_place(*t, 1, stag));
    REQUIRE(stags_place(*t, 2, stag));
    CHECK(stags_invalidate(*t, 0, stag) == -EINPROGRESS);
    for (unsigned pass : {1U, 2U}) {
        CHECK(stags_state(*t, stag) == XIW_STAG_VALID);
        CHECK(stags_woken(*t, 0) == 0);
        // A pass that already uses the STag may use it until the pass ends. No other pass may begin
        // to use the STag.
        CHECK(stags_place(*t, pass, stag));
        CHECK_FALSE(stags_place(*t, 0, stag));
        stags_pass_over(*t, pass);
        CHECK_FALSE(stags_place(*t, pass, stag));
    }
    CHECK(stags_state(*t, stag) == XIW_STAG_INVALID);
    CHECK(stags_woken(*t, 0) == 1);
    CHECK_FALSE(stags_place(*t, 1, stag));
}

TEST_CASE("stags: a Send with Invalidate is not reported before the last pass ends",
          "[R-SND-016][R-SEC-007]") {
    Stags t;
    const uint32_t held = stags_region(*t), idle = stags_region(*t);

    REQUIRE(stags_place(*t, 1, held));
    CHECK(stags_receive_invalidation(*t, 0, held) == 0);
    CHECK(stags_state(*t, held) == XIW_STAG_VALID);
    CHECK(stags_woken(*t, 0) == 0);
    stags_pass_over(*t, 1);
    CHECK(stags_state(*t, held) == XIW_STAG_INVALID);
    CHECK(stags_woken(*t, 0) == 1);
    // If no pass uses the STag, the RNIC reports the message immediately.
    CHECK(stags_receive_invalidation(*t, 2, idle) == 1);
    CHECK(stags_state(*t, idle) == XIW_STAG_INVALID);
}

TEST_CASE("stags: a deregistration ends when the last pass with the STag ends",
          "[R-SEC-007][S-REM-006]") {
    Stags t;
    const uint32_t stag = stags_region(*t);

    REQUIRE(stags_place(*t, 1, stag));
    CHECK(stags_clear(*t, stag) == -EINPROGRESS);
    CHECK(stags_clear(*t, stag) == XIW_ERR_BUSY);
    CHECK(stags_state(*t, stag) == XIW_STAG_VALID);
    CHECK(stags_answered(*t) == 0);
    CHECK_FALSE(stags_place(*t, 0, stag));
    stags_pass_over(*t, 1);
    CHECK(stags_state(*t, stag) == XIW_STAG_FREE);
    CHECK(stags_answered(*t) == 1);
}

TEST_CASE("stags: a pass with a window holds its region, too", "[R-SEC-007]") {
    Stags t;
    const uint32_t region = stags_region(*t), window = stags_window(*t, region);

    REQUIRE(stags_place(*t, 1, window));
    CHECK(stags_clear(*t, region) == -EINPROGRESS);
    CHECK(stags_state(*t, region) == XIW_STAG_VALID);
    CHECK_FALSE(stags_place(*t, 0, window));
    stags_pass_over(*t, 1);
    CHECK(stags_state(*t, region) == XIW_STAG_FREE);
    CHECK(stags_answered(*t) == 1);
    CHECK_FALSE(stags_place(*t, 1, window));
    // The MW stays valid without its MR, but gives no access.
    CHECK(stags_state(*t, window) == XIW_STAG_VALID);
    CHECK(stags_invalidate(*t, 0, window) == XIW_OK);
}

TEST_CASE("stags: a deregistration during an invalidation waits for the same pass", "[R-SEC-007]") {
    Stags t;
    const uint32_t stag = stags_region(*t);

    REQUIRE(stags_place(*t, 1, stag));
    CHECK(stags_invalidate(*t, 0, stag) == -EINPROGRESS);
    CHECK(stags_invalidate(*t, 2, stag) == XIW_ERR_STAG);
    CHECK(stags_clear(*t, stag) == -EINPROGRESS);
    CHECK(stags_answered(*t) == 0);
    stags_pass_over(*t, 1);
    CHECK(stags_state(*t, stag) == XIW_STAG_FREE);
    CHECK(stags_woken(*t, 0) == 1);
    CHECK(stags_answered(*t) == 1);
}

TEST_CASE("stags: without a pass, an invalidation and a deregistration end at once") {
    Stags t;
    const uint32_t stag = stags_region(*t);

    REQUIRE(stags_place(*t, 1, stag));
    stags_pass_over(*t, 1);
    CHECK(stags_invalidate(*t, 0, stag) == XIW_OK);
    CHECK(stags_state(*t, stag) == XIW_STAG_INVALID);
    CHECK(stags_clear(*t, stag) == XIW_OK);
    CHECK(stags_state(*t, stag) == XIW_STAG_FREE);
    CHECK(stags_woken(*t, 0) + stags_answered(*t) == 0);
}

TEST_CASE("stags: a stream that waits no longer is not woken") {
    for (unsigned stream : {0U, 1U}) {
        Stags t;
        const uint32_t stag = stags_region(*t);

        REQUIRE(stags_place(*t, 2, stag));
        REQUIRE(stags_invalidate(*t, 0, stag) == -EINPROGRESS);
        // Stream 1 does not wait, so stags_forget() has no effect on it.
        stags_forget(*t, stream, stag);
        stags_pass_over(*t, 2);
        CHECK(stags_state(*t, stag) == XIW_STAG_INVALID);
        CHECK(stags_woken(*t, 0) == stream);
    }
}

// When a stream ends, the driver unbinds the MWs of the stream. The driver finds them only among
// the STags that it has allocated for MWs. So a descriptor must not change an MR into an MW, or an
// MW into an MR.
TEST_CASE("stags: a descriptor sets no region to a window, and no window to a region") {
    Stags t;
    const uint32_t region = stags_region(*t), other = stags_region(*t);
    const uint32_t window = stags_window(*t, region);

    CHECK(stags_bind(*t, 0, window, region) == XIW_ERR_STAG); // the MW is valid
    REQUIRE(stags_invalidate(*t, 0, other) == XIW_OK);
    REQUIRE(stags_invalidate(*t, 0, window) == XIW_OK);
    CHECK(stags_bind(*t, 0, other, region) == XIW_ERR_STAG);
    CHECK(stags_state(*t, other) == XIW_STAG_INVALID);
    CHECK(stags_register(*t, 0, window) == XIW_ERR_STAG);
    CHECK(stags_state(*t, window) == XIW_STAG_INVALID);
    CHECK(stags_register(*t, 0, other) == XIW_OK);
    CHECK(stags_bind(*t, 0, window, region) == XIW_OK);
    CHECK(stags_place(*t, 0, other));
    CHECK(stags_place(*t, 0, window));
    stags_pass_over(*t, 0);
}

// The timer of a wait may expire just as the wait ends. The stream may then notice the expiry
// during its next wait. The late expiry must not end the next wait.
TEST_CASE("segments: the end of an earlier wait does not end the wait for a receive") {
    Stags t;

    stags_park(*t, 0);
    CHECK_FALSE(stags_wait_over(*t, 0));
    stags_expire(*t, 0);
    CHECK(stags_wait_over(*t, 0));
}

// The ULP may post a receive after the wait is over, but before the stream has processed the
// message again. The message is then delivered, and the next message may wait for the full park_ms.
TEST_CASE("segments: after the end of a wait, the next message without a receive waits again") {
    Stags t;

    stags_park(*t, 0);
    stags_expire(*t, 0);
    REQUIRE(stags_wait_over(*t, 0));
    REQUIRE(stags_send(*t, 0, 0, true));
    CHECK_FALSE(stags_send(*t, 0, 1, false));
}
