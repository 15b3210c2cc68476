// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The driver gets events of a stream in any order. A peer can cause some of these events. Only a
// broken RNIC writes the others. No event affects another stream or fails the device.
#include "bench.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <vector>

extern "C" {
#include <rnic/xiw_rnic.h>
}

namespace {

constexpr uint32_t success = 0, flushed = 5, no_answer = 12; // enum ib_wc_status

class Bench {
  public:
    bench *operator*() const { return bench_.get(); }

    std::vector<bench_note> notes() const {
        std::vector<bench_note> all(bench_notes(bench_.get()));
        for (unsigned i = 0; i < all.size(); i++)
            all[i] = bench_at(bench_.get(), i);
        return all;
    }
    std::vector<bench_note> notes(bench_what what) const {
        auto all = notes();
        std::erase_if(all, [what](const bench_note &note) { return note.what != what; });
        return all;
    }
    size_t count(bench_what what) const { return notes(what).size(); }
    // Return the position of the first record of a kind, or the number of records if there is none.
    size_t first(bench_what what) const {
        const auto all = notes();
        return static_cast<size_t>(
            std::find_if(all.begin(), all.end(),
                         [what](const bench_note &note) { return note.what == what; }) -
            all.begin());
    }
    // Check that each receive has completed once, in order: the first `well` receives with success,
    // and the others with flush status.
    void completed(unsigned well) const {
        const auto all = notes(BENCH_COMPLETION);

        REQUIRE(all.size() == BENCH_RECEIVES);
        for (unsigned i = 0; i < BENCH_RECEIVES; i++) {
            CHECK(all[i].id == BENCH_WR_ID + i);
            CHECK(all[i].value == (i < well ? success : flushed));
        }
    }
    void device_lives() const { CHECK(count(BENCH_DEVICE_FAILED) == 0); }

  private:
    std::unique_ptr<bench, decltype(&bench_free)> bench_{bench_new(), bench_free};
};

constexpr uint32_t open_bits = XIW_ST_OPEN, first_bits = open_bits | XIW_ST_FIRST_FPDU,
                   closed_bits = first_bits | XIW_ST_PEER_CLOSED,
                   lost_bits = first_bits | XIW_ST_LOST | XIW_ST_STOPPED,
                   stopped_bits = first_bits | XIW_ST_STOPPED;

} // namespace

TEST_CASE("events: an abort before the RNIC has the stream is ordered again") {
    for (bool aborted : {false, true}) {
        Bench b;

        bench_idle(*b);
        if (aborted)
            bench_abort(*b);
        const size_t early = b.count(BENCH_ORDER);
        bench_created(*b);
        const auto orders = b.notes(BENCH_ORDER);
        REQUIRE(orders.size() == early + aborted);
        if (aborted)
            CHECK(orders.back().value == XIW_ORDER_ABORT);
    }
}

TEST_CASE("events: first FPDU, Sends and reset in one burst are reported in order") {
    Bench b;

    bench_state(*b, first_bits);
    bench_send(*b, 0, 16);
    bench_send(*b, 1, 16);
    bench_state(*b, lost_bits);
    b.device_lives();
    CHECK(b.count(BENCH_RNIC_ERROR) == 0);
    b.completed(2);
    CHECK(b.count(BENCH_STOPPED) == 1);
    // The driver reports the stop of the stream after it has flushed the receives.
    CHECK(b.notes().back().what == BENCH_STOPPED);
}

TEST_CASE("events: a message before the FIN is delivered before the disconnect") {
    Bench b;

    bench_state(*b, first_bits);
    bench_send(*b, 0, 16);
    bench_state(*b, closed_bits);
    CHECK(b.first(BENCH_COMPLETION) < b.first(BENCH_DISCONNECT));
    CHECK(b.count(BENCH_DISCONNECT) == 1);
    bench_state(*b, closed_bits | XIW_ST_STOPPED);
    b.device_lives();
    b.completed(1);
}

TEST_CASE("events: a peer that is named by number leaves unnoticed") {
    const bool terminates = GENERATE(false, true);
    Bench b;

    bench_name(*b);
    bench_state(*b, first_bits);
    bench_send(*b, 0, 16);
    if (terminates)
        bench_left(*b);
    else
        bench_state(*b, closed_bits);
    bench_state(*b, closed_bits | XIW_ST_STOPPED);
    CHECK(b.count(BENCH_COMPLETION) == 1);
    CHECK(b.count(BENCH_EVENT) == 0);
    CHECK(b.count(BENCH_STOPPED) == 1);

    SECTION("until the QP ends") {
        bench_abort(*b);
        b.completed(1);
    }
    SECTION("until the device fails") {
        bench_reset(*b);
        b.completed(1);
    }
    SECTION("until the QP sends") {
        bench_wait(*b, 2);
        bench_unanswered(*b);
        const auto all = b.notes(BENCH_COMPLETION);
        REQUIRE(all.size() == 2 + BENCH_RECEIVES);
        CHECK(all[1].value == no_answer);
        CHECK(all[2].value == flushed);
    }
}

TEST_CASE("events: the end of a peer that is named by number is an error if work is outstanding") {
    Bench b;

    bench_name(*b);
    bench_state(*b, first_bits);
    bench_sent(*b, 0);
    bench_state(*b, closed_bits);
    bench_state(*b, closed_bits | XIW_ST_STOPPED);
    CHECK(b.count(BENCH_EVENT) == 1);
    CHECK(b.count(BENCH_COMPLETION) == 1 + BENCH_RECEIVES);
}

TEST_CASE("events: the end of another peer flushes the receives") {
    Bench b;

    bench_state(*b, first_bits);
    bench_left(*b);
    bench_state(*b, first_bits | XIW_ST_STOPPED);
    CHECK(b.count(BENCH_EVENT) == 1);
    b.completed(0);
}

TEST_CASE("events: all state bits may be set at once") {
    Bench b;

    bench_state(*b, lost_bits | XIW_ST_CLOSED);
    b.device_lives();
    b.completed(0);
    CHECK(b.count(BENCH_STOPPED) == 1);
}

TEST_CASE("events: events after STOPPED are ignored") {
    Bench b;

    bench_state(*b, first_bits);
    bench_state(*b, stopped_bits);
    b.completed(0);
    const auto before = b.notes().size();
    bench_send(*b, 0, 16);
    bench_message(*b, 1, 1);
    bench_message(*b, 2, 7);
    bench_message(*b, 3, 11);
    bench_message(*b, 9, 3);
    bench_solicited(*b, 0);
    bench_tx_done(*b, XIW_TXQ_REQUEST, 7);
    bench_tx_done(*b, XIW_TXQ_RESPONSE, 7);
    bench_tx_error(*b, XIW_TXQ_REQUEST, 7);
    bench_tx_error(*b, XIW_TXQ_RESPONSE, 7);
    bench_error(*b);
    bench_state(*b, stopped_bits);
    CHECK(b.notes().size() == before);
}

TEST_CASE("events: an impossible event ends the stream and is counted") {
    const auto lie = GENERATE(
        std::function<void(bench *)>{[](bench *b) { bench_send(b, 3, 16); }},
        [](bench *b) { bench_send(b, 0, 65); }, [](bench *b) { bench_send(b, XIW_RX_NONE, 1); },
        [](bench *b) { bench_message(b, 9, 3); }, [](bench *b) { bench_solicited(b, 0); },
        [](bench *b) { bench_solicited(b, XIW_RX_NONE - 1); },
        [](bench *b) { bench_tx_done(b, XIW_TXQ_REQUEST, 9); },
        [](bench *b) { bench_tx_done(b, XIW_TXQ_RESPONSE, 9); });
    Bench b;

    bench_state(*b, first_bits);
    lie(*b);
    b.device_lives();
    CHECK(b.count(BENCH_RNIC_ERROR) == 1);
    const auto orders = b.notes(BENCH_ORDER);
    REQUIRE_FALSE(orders.empty());
    CHECK(std::any_of(orders.begin(), orders.end(),
                      [](const bench_note &o) { return o.value == XIW_ORDER_ABORT; }));
    bench_state(*b, stopped_bits);
    b.completed(0);
    CHECK(b.count(BENCH_STOPPED) == 1);
}

TEST_CASE("events: the response to an RTR that was not sent does not count for a Read") {
    Bench b;

    bench_state(*b, first_bits);
    bench_sent(*b, 0);
    bench_solicited(*b, XIW_RX_NONE - 1);
    b.device_lives();
    CHECK(b.count(BENCH_RNIC_ERROR) == 1);
    CHECK(b.count(BENCH_ORDER) == 1);
}

// The RNIC reports a batch of messages after TCP has taken the whole batch. The response to a Read
// of the batch may arrive before this report.
TEST_CASE("events: a response completes a Read before the RNIC reports what it has sent") {
    Bench b;

    bench_state(*b, first_bits);
    bench_unreported(*b);
    bench_solicited(*b, 1);
    auto done = b.notes(BENCH_COMPLETION);
    REQUIRE(done.size() == 1);
    CHECK(done[0].id == 1);
    CHECK(done[0].value == success);
    bench_tx_done(*b, XIW_TXQ_REQUEST, 2);
    CHECK(b.count(BENCH_COMPLETION) == 1);
    CHECK(b.count(BENCH_RNIC_ERROR) == 0);
    CHECK(b.count(BENCH_ORDER) == 0);
}

// The work request without a signal has wr_id 0, as a work request without a callback.
TEST_CASE("events: a flush omits the completions that ib_core would ignore") {
    const bool core_polls = GENERATE(true, false);
    Bench b;

    if (core_polls)
        bench_core_polls(*b);
    bench_state(*b, first_bits);
    bench_unreported(*b);
    bench_state(*b, stopped_bits);
    const auto done = b.notes(BENCH_COMPLETION);
    REQUIRE(done.size() == (core_polls ? 1 : 2) + BENCH_RECEIVES);
    CHECK(done[0].id == (core_polls ? 1 : 0));
    CHECK(done[0].value == flushed);
}

TEST_CASE("events: the peer's Terminate neither changes nor triggers a Terminate of our own") {
    const bool own = GENERATE(true, false);
    Bench b;

    bench_state(*b, first_bits);
    if (own)
        bench_error(*b);
    const auto length = bench_terminate_length(*b);
    CHECK((length != 0) == own);
    bench_terminate(*b);
    CHECK(bench_terminate_length(*b) == length);
    CHECK(b.count(BENCH_ORDER) == 1);
}

// The STag of the Atomic Request does not exist. The driver detects this when the request arrives.
TEST_CASE("events: the error of a request takes precedence over a later error", "[R-ERR-008]") {
    constexpr unsigned invalid_stag = 0x0100;
    Bench b;

    bench_state(*b, first_bits);
    bench_message(*b, 1, 10);
    CHECK(bench_terminate_code(*b) == invalid_stag);
    bench_send(*b, 0, 16);
    bench_error(*b);
    CHECK(bench_terminate_code(*b) == invalid_stag);
    CHECK(b.count(BENCH_ORDER) == 1);
    bench_state(*b, stopped_bits);
    b.completed(0);
}

TEST_CASE("ring: a full ring has an entry whose completion the RNIC reports") {
    const auto units = GENERATE(16U, 32U, 64U);
    const auto longest = GENERATE(2U, 3U, 5U, 6U, 7U);
    std::minstd_rand random(units + longest);

    CHECK_FALSE(bench_ring_hangs(
        units, longest,
        [](void *context) -> unsigned { return (*static_cast<std::minstd_rand *>(context))(); },
        &random));
}

TEST_CASE("events: the end of a stream raises one asynchronous event") {
    const auto first = GENERATE(
        std::function<void(bench *)>{[](bench *b) { bench_error(b); }},
        [](bench *b) { bench_terminate(b); }, [](bench *b) { bench_solicited(b, 0); });
    const auto second = GENERATE(
        std::function<void(bench *)>{[](bench *b) { bench_error(b); }},
        [](bench *b) { bench_terminate(b); }, [](bench *b) { bench_state(b, lost_bits); });
    Bench b;

    bench_state(*b, first_bits);
    first(*b);
    CHECK(b.count(BENCH_EVENT) == 1);
    second(*b);
    bench_state(*b, stopped_bits);
    CHECK(b.count(BENCH_EVENT) == 1);
}

TEST_CASE("events: completions are reported in batches, each once and in order") {
    const auto behind = GENERATE(0U, 1U, 63U, 64U, 65U, 400U);
    const auto end = GENERATE(0, 1, 2);
    Bench b;

    bench_state(*b, first_bits);
    bench_sent(*b, behind);
    if (end == 0)
        bench_solicited(*b, 0);
    else if (end == 1)
        bench_state(*b, stopped_bits); // no response arrives, so the driver flushes all work
    else
        bench_error(*b);
    bench_state(*b, stopped_bits);
    const auto done = b.notes(BENCH_COMPLETION);
    REQUIRE(done.size() == behind + 1 + BENCH_RECEIVES);
    for (unsigned i = 0; i <= behind; i++) {
        CHECK(done[i].id == i);
        CHECK(done[i].value == (end == 0 ? success : flushed));
    }
    CHECK(bench_longest(*b) <= 64);
    b.device_lives();
}

TEST_CASE("events: in any event order, each receive completes once and no device fails") {
    std::minstd_rand random(7306);
    const std::vector<std::function<void(bench *)>> steps{
        [](bench *b) { bench_state(b, first_bits); },
        [](bench *b) { bench_state(b, closed_bits); },
        [](bench *b) { bench_state(b, first_bits | XIW_ST_RTR_TIMEOUT); },
        [](bench *b) { bench_state(b, lost_bits); },
        [](bench *b) { bench_state(b, stopped_bits | XIW_ST_TERM_SENT); },
        [](bench *b) { bench_send(b, 0, 16); },
        [](bench *b) { bench_send(b, 1, 16); },
        [](bench *b) { bench_message(b, 1, 1); },
        [](bench *b) { bench_message(b, 2, 7); },
        [](bench *b) { bench_message(b, 3, 11); },
        [](bench *b) { bench_solicited(b, 0); },
        [](bench *b) { bench_tx_done(b, XIW_TXQ_REQUEST, 1); },
        [](bench *b) { bench_tx_error(b, XIW_TXQ_RESPONSE, 0); },
        [](bench *b) { bench_error(b); },
    };

    for (int round = 0; round < 2000; round++) {
        Bench b;
        for (unsigned length = random() % 12; length != 0; length--)
            steps[random() % steps.size()](*b);
        bench_state(*b, lost_bits);
        b.device_lives();
        CHECK(b.count(BENCH_STOPPED) == 1);
        const auto done = b.notes(BENCH_COMPLETION);
        REQUIRE(done.size() == BENCH_RECEIVES);
        for (unsigned i = 0; i < BENCH_RECEIVES; i++)
            CHECK(done[i].id == BENCH_WR_ID + i);
    }
}
