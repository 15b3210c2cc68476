// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Overruns of a CQ, the number of its used entries, and when the driver queues the CQ for its
// handler. A CQ may overflow repeatedly, because CQs of ib_core's pools outlive the QPs that
// overflow them.
#include "cqs.h"

#include <catch2/catch_test_macros.hpp>

#include <memory>

namespace {

class Cqs {
  public:
    cqs *operator*() const { return cqs_.get(); }

    void push(unsigned qp, unsigned n) {
        while (n-- != 0)
            cqs_push(cqs_.get(), qp, next_++);
    }
    unsigned poll_all() {
        unsigned n = 0;
        for (uint64_t id = 0; cqs_poll(cqs_.get(), &id); last_ = id, n++)
            CHECK(id > last_);
        return n;
    }

  private:
    std::unique_ptr<cqs, decltype(&cqs_free)> cqs_{cqs_new(4), cqs_free};
    uint64_t next_ = 1, last_ = 0;
};

} // namespace

TEST_CASE("CQ: completions that fit cause no overrun") {
    Cqs c;
    const auto size = cqs_size(*c);

    for (unsigned round = 0; round < 3; round++) {
        c.push(0, size);
        cqs_work(*c);
        CHECK(cqs_errors(*c) == 0);
        CHECK_FALSE(cqs_ended(*c, 0));
        CHECK(c.poll_all() == size);
    }
}

TEST_CASE("CQ: every overrun, not only the first, raises CQ_ERR and ends the QPs") {
    Cqs c;
    const auto size = cqs_size(*c);

    for (unsigned round = 1; round <= 3; round++) {
        for (unsigned qp = 0; qp < CQS_QPS; qp++)
            cqs_reconnect(*c, qp);
        c.push(0, size + 2);
        cqs_work(*c);
        CHECK(cqs_errors(*c) == round);
        CHECK(cqs_ended(*c, 0));
        CHECK(cqs_ended(*c, 1));
        CHECK(c.poll_all() == size);
    }
}

TEST_CASE("CQ: a QP that loses a completion while an overrun is handled ends, too") {
    Cqs c;

    c.push(0, cqs_size(*c) + 1);
    // Before the work item runs, QP 0 leaves the CQ, and QP 1 overflows the CQ.
    cqs_clean(*c, 0);
    c.push(1, cqs_size(*c) + 1);
    cqs_work(*c);
    CHECK(cqs_ended(*c, 1));
    CHECK(cqs_errors(*c) == 1);
    c.poll_all();
    cqs_reconnect(*c, 1);
    c.push(1, cqs_size(*c) + 1);
    cqs_work(*c);
    CHECK(cqs_ended(*c, 1));
    CHECK(cqs_errors(*c) == 2);
}

TEST_CASE("CQ: flushed completions of an ended QP cause no further overrun") {
    Cqs c;

    c.push(0, cqs_size(*c) + 1);
    cqs_work(*c);
    c.push(0, 20);
    cqs_work(*c);
    CHECK(cqs_errors(*c) == 1);
    cqs_clean(*c, 0);
    CHECK(c.poll_all() == 0);
}

TEST_CASE("CQ: completions of a QP that is being reset are dropped, and cause no overrun") {
    Cqs c;
    const auto size = cqs_size(*c);

    c.push(1, size - 1);
    cqs_discard(*c, 0, true);
    c.push(0, 20);
    cqs_work(*c);
    CHECK(cqs_errors(*c) == 0);
    CHECK(cqs_used(*c) == size - 1);
    cqs_discard(*c, 0, false);
    c.push(0, 1);
    CHECK(c.poll_all() == size);
}

TEST_CASE("CQ: only a successful Send or Write lets its handler wait") {
    Cqs c;

    CHECK_FALSE(cqs_hurries(*c, CQS_SEND, false));
    CHECK_FALSE(cqs_hurries(*c, CQS_WRITE, false));
    CHECK(cqs_hurries(*c, CQS_READ, false));
    CHECK(cqs_hurries(*c, CQS_RECEIVE, false));
}

TEST_CASE("CQ: an error does not let its handler wait") {
    Cqs c;

    CHECK(cqs_hurries(*c, CQS_SEND, true));
    CHECK(cqs_hurries(*c, CQS_WRITE, true));
}

TEST_CASE("CQ: the number of used entries follows the kernel's consumer") {
    Cqs c;
    uint64_t id = 0;

    CHECK(cqs_used(*c) == 0);
    c.push(0, 3);
    CHECK(cqs_used(*c) == 3);
    CHECK(cqs_poll(*c, &id));
    CHECK(cqs_used(*c) == 2);
}

TEST_CASE("CQ: the number of used entries follows a user's index, whatever the user writes") {
    Cqs c;
    const auto size = cqs_size(*c);

    cqs_consume(*c, 0);
    c.push(0, size);
    CHECK(cqs_used(*c) == size);
    // The user consumes completions, and the kernel adds no further completion.
    cqs_consume(*c, 3);
    CHECK(cqs_used(*c) == size - 3);
    cqs_consume(*c, size);
    CHECK(cqs_used(*c) == 0);
    for (const uint32_t wrong : {size + 1, 0x80000000U, ~0U}) {
        cqs_consume(*c, wrong);
        CHECK(cqs_used(*c) == size);
    }
}

// A task that posts to an open QP may itself complete earlier work requests.
TEST_CASE("CQ: successful completions queue the CQ at once, even in a task that never sleeps") {
    Cqs c;

    for (unsigned i = 0; i < 40; i++)
        CHECK(cqs_queues(*c, CQS_SEND, false));
}

TEST_CASE("CQ: flushed completions of a task queue the CQ 16 times until the task sleeps") {
    Cqs c;

    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 40; i++)
            CHECK(cqs_queues(*c, CQS_SEND, true) == (i < 16));
        CHECK(cqs_queues(*c, CQS_SEND, false));
        CHECK_FALSE(cqs_queues(*c, CQS_SEND, true));
        cqs_sleep();
    }
}

TEST_CASE("CQ: the CQ is queued as urgent if one of its new completions cannot wait") {
    Cqs c;

    for (const auto kind : {CQS_SEND, CQS_RECEIVE, CQS_WRITE}) {
        CHECK(cqs_queues(*c, kind, false));
        CHECK(cqs_urgent(*c) == (kind == CQS_RECEIVE));
    }
    CHECK(cqs_queues(*c, CQS_SEND, true));
    CHECK(cqs_urgent(*c));
    cqs_moderate(*c, 2);
    for (const auto kind : {CQS_SEND, CQS_RECEIVE, CQS_WRITE}) {
        CHECK_FALSE(cqs_queues(*c, kind, false));
        CHECK(cqs_queues(*c, CQS_SEND, false));
        CHECK(cqs_urgent(*c) == (kind == CQS_RECEIVE));
    }
}
