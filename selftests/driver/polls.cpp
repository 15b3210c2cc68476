// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Whatever work a vector has, its poll keeps the CPU for a limited time. If the poll ends early, it
// loses no event.
#include "polls.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <memory>

extern "C" {
#include <rnic/xiw_rnic.h>
}

namespace {

constexpr uint64_t ms = 1'000'000;
constexpr unsigned haste = 256; // value of XIW_VECTOR_HASTE
constexpr unsigned limit = 3;   // max events in one poll, and max handlers; each takes 1 ms

class Polls {
  public:
    polls *operator*() const { return polls_.get(); }

    void events(unsigned n, uint8_t type, uint64_t ns) {
        while (n-- != 0)
            polls_event(polls_.get(), type, ns);
    }
    // Queue all CQs. The handler of each CQ takes `ns` nanoseconds.
    void notify_all(uint64_t ns) {
        for (unsigned i = 0; i < POLLS_CQS; i++)
            polls_notify(polls_.get(), i, ns);
    }
    // Check that each handler was called once, in the order of the CQs.
    void notified_all() const {
        REQUIRE(polls_handlers(polls_.get()) == POLLS_CQS);
        for (unsigned i = 0; i < POLLS_CQS; i++)
            CHECK(polls_handler(polls_.get(), i) == i);
    }
    // Leave the handler of CQ 0 to another poll, which an event causes before the timer expires.
    void answered() {
        polls_notify(polls_.get(), 0, 0);
        polls_post(polls_.get(), false);
        events(1, XIW_EV_MESSAGE, 0);
        polls_run_all(polls_.get());
        REQUIRE(polls_handlers(polls_.get()) == 1);
    }

  private:
    std::unique_ptr<polls, decltype(&polls_free)> polls_{polls_new(), polls_free};
};

} // namespace

TEST_CASE("poll: a poll with little work does all of it") {
    Polls p;

    p.events(20, XIW_EV_TX_DONE, 100);
    p.notify_all(100);
    CHECK(polls_run(*p) < POLLS_BUDGET);
    CHECK(polls_events(*p) == 20);
    p.notified_all();
    CHECK_FALSE(polls_scheduled(*p));
}

TEST_CASE("poll: a poll ends when its time is up, whatever the type of the events") {
    const auto type =
        GENERATE(as<uint8_t>{}, XIW_EV_STATE, XIW_EV_SOLICITED, XIW_EV_MESSAGE, XIW_EV_TX_DONE);
    Polls p;

    p.events(40, type, ms);
    for (unsigned done = 0; done < 40;) {
        const int used = polls_run(*p);
        CHECK((used == POLLS_BUDGET || polls_events(*p) == 40));
        CHECK(polls_events(*p) > done);
        CHECK(polls_events(*p) <= done + limit);
        done = polls_events(*p);
    }
    polls_run_all(*p);
    CHECK(polls_events(*p) == 40);
}

TEST_CASE("poll: a poll ends when its time is up, even between handlers") {
    Polls p;

    p.notify_all(ms);
    for (unsigned done = 0; done < POLLS_CQS; done = polls_handlers(*p)) {
        polls_run(*p);
        CHECK(polls_handlers(*p) > done);
        CHECK(polls_handlers(*p) <= done + limit);
        CHECK((polls_scheduled(*p) || polls_handlers(*p) == POLLS_CQS));
    }
    p.notified_all();
}

TEST_CASE("poll: endless events do not starve a handler") {
    Polls p;

    p.notify_all(0);
    for (unsigned i = 0; i < POLLS_CQS && polls_handlers(*p) < POLLS_CQS; i++) {
        p.events(5, XIW_EV_SOLICITED, ms);
        polls_run(*p);
    }
    p.notified_all();
}

TEST_CASE("poll: a flush waits for all handlers, including those that a poll deferred") {
    const auto events = GENERATE(0U, 40U);
    Polls p;

    p.notify_all(ms);
    polls_run(*p);
    REQUIRE(polls_handlers(*p) < POLLS_CQS);
    p.events(events, XIW_EV_SOLICITED, ms);
    polls_flush(*p);
    p.notified_all();
    CHECK(polls_events(*p) == events);
    CHECK(polls_failures(*p) == 0);
}

TEST_CASE("poll: a flush whose event disappears fails the device and ends") {
    const auto handled = GENERATE(0U, 1U, 1023U, 1024U, 5000U);
    Polls p;

    for (unsigned i = 0; i < handled; i++) {
        p.events(1, XIW_EV_SOLICITED, 0);
        polls_run_all(*p);
    }
    polls_flush(*p);
    CHECK(polls_failures(*p) == 0);
    p.events(1, XIW_EV_SOLICITED, 0);
    polls_take_back(*p);
    polls_flush(*p);
    CHECK(polls_failures(*p) == 1);
    CHECK(polls_events(*p) == handled);
    // After the failure of the device, a second flush also ends.
    polls_flush(*p);
    CHECK(polls_failures(*p) == 1);
}

TEST_CASE("poll: a flush does not wait if nothing is pending") {
    Polls p;

    polls_flush(*p);
    CHECK(polls_waits(*p) == 0);
    p.events(1, XIW_EV_SOLICITED, 0);
    p.notify_all(0);
    polls_run_all(*p);
    p.notified_all();
    polls_flush(*p);
    CHECK(polls_waits(*p) == 0);
    p.events(1, XIW_EV_SOLICITED, 0);
    polls_flush(*p);
    CHECK(polls_waits(*p) == 1);
    CHECK(polls_events(*p) == 2);
}

TEST_CASE("poll: a flush waits for a handler that a poll inside a post has left") {
    Polls p;

    polls_notify(*p, 0, 0);
    polls_post(*p, false);
    REQUIRE(polls_handlers(*p) == 0);
    polls_flush(*p);
    CHECK(polls_handlers(*p) == 1);
}

TEST_CASE("poll: a poll inside a post calls no handler, and the next poll calls it") {
    Polls p;

    polls_notify(*p, 0, 0);
    polls_post(*p, false);
    CHECK(polls_handlers(*p) == 0);
    CHECK(polls_timing(*p));
    CHECK_FALSE(polls_woken(*p));
    p.events(1, XIW_EV_MESSAGE, 0);
    polls_run_all(*p);
    CHECK(polls_handlers(*p) == 1);
}

TEST_CASE("poll: a poll inside a post on another device calls handlers") {
    Polls p;

    polls_notify(*p, 0, 0);
    polls_post(*p, true);
    CHECK(polls_handlers(*p) == 1);
    CHECK_FALSE(polls_timing(*p));
    CHECK_FALSE(polls_woken(*p));
}

TEST_CASE("poll: a worker calls a handler that cannot wait") {
    Polls p;

    polls_notify(*p, 0, 0);
    polls_hurry(*p);
    polls_post(*p, false);
    CHECK(polls_handlers(*p) == 0);
    CHECK_FALSE(polls_timing(*p));
    CHECK(polls_woken(*p));

    // The handler that must not wait has been called, so the next handler may wait.
    polls_run(*p);
    CHECK(polls_handlers(*p) == 1);
    polls_notify(*p, 1, 0);
    polls_post(*p, false);
    CHECK(polls_timing(*p));
    CHECK_FALSE(polls_woken(*p));
}

// A CPU reports a completion, and then queues the CQ. Another CPU may poll in between.
TEST_CASE("poll: a poll before the CQ is queued does not let a handler wait that cannot wait") {
    Polls p;

    polls_hurry(*p);
    polls_run(*p);
    polls_notify_urgent(*p, 0);
    polls_post(*p, false);
    CHECK(polls_handlers(*p) == 0);
    CHECK_FALSE(polls_timing(*p));
    CHECK(polls_woken(*p));
}

TEST_CASE("poll: a handler waits for a limited time") {
    Polls p;

    polls_notify(*p, 0, 0);
    polls_post(*p, false);
    REQUIRE(polls_timing(*p));
    polls_expire(*p, false);
    polls_run_all(*p);
    CHECK(polls_handlers(*p) == 1);

    // No other poll had called the handler before the timer expired. So for a limited number of
    // polls, the driver does not let handlers wait, but wakes the worker.
    unsigned woken = 0;
    for (unsigned i = 0; i < 2 * haste && !polls_timing(*p); i++) {
        polls_notify(*p, 0, 0);
        polls_post(*p, false);
        woken += polls_woken(*p);
        polls_run(*p);
    }
    CHECK(woken == haste);
    CHECK(polls_timing(*p));
}

TEST_CASE("poll: after another poll, a later handler waits in vain only if the CPU is idle") {
    const bool idle = GENERATE(false, true);
    Polls p;

    p.answered();
    polls_notify(*p, 1, 0);
    polls_post(*p, false);
    polls_expire(*p, idle);
    polls_run_all(*p);
    CHECK(polls_handlers(*p) == 2);
    polls_notify(*p, 2, 0);
    polls_post(*p, false);
    CHECK(polls_timing(*p) == !idle);
    CHECK(polls_woken(*p) == idle);
}

TEST_CASE("poll: an idle CPU without pending handlers lets the next handlers wait") {
    Polls p;

    p.answered();
    polls_expire(*p, true);
    polls_run_all(*p);
    polls_notify(*p, 1, 0);
    polls_post(*p, false);
    CHECK(polls_timing(*p));
    CHECK_FALSE(polls_woken(*p));
}
