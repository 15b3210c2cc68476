// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Shares of users. An allocation of memory for one user may take a long time, so no other task may
// wait for it. During an allocation, the test runs another task, and aborts if that task would have
// to wait.
#include "shares.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cerrno>
#include <memory>

namespace {

class Shares {
  public:
    shares *operator*() const { return shares_.get(); }

    // Takes entries until the driver refuses one. Returns the number of entries.
    unsigned take_all(uint32_t user) {
        unsigned n = 0;
        int err = 0;
        while (!(err = shares_take(shares_.get(), user)))
            n++;
        CHECK(err == -EAGAIN);
        return n;
    }
    void give(uint32_t user, unsigned n) {
        while (n-- != 0)
            shares_give(shares_.get(), user);
    }

  private:
    std::unique_ptr<shares, decltype(&shares_free)> shares_{shares_new(), shares_free};
};

} // namespace

TEST_CASE("share: one user gets an eighth of a table, all users get half") {
    Shares s;

    for (uint32_t user = 1; user <= SHARES_USERS / SHARES_USER; user++)
        CHECK(s.take_all(user) == SHARES_USER);
    CHECK(s.take_all(60) == 0);
    s.give(1, SHARES_USER);
    CHECK(s.take_all(60) == SHARES_USER);
    s.give(60, SHARES_USER);
    for (uint32_t user = 2; user <= SHARES_USERS / SHARES_USER; user++)
        s.give(user, SHARES_USER);
}

TEST_CASE("share: no task waits for an allocation of memory of another task") {
    const auto what = GENERATE(SHARES_TAKE, SHARES_TAKE_GIVE);
    const auto user = GENERATE(7U, 8U);
    const auto skip = GENERATE(0U, 1U); // while the share is allocated, or memory for the array
    const unsigned kept = what == SHARES_TAKE;
    Shares s;

    shares_during(*s, skip, what, user);
    CHECK(shares_take(*s, 7) == 0);
    REQUIRE(shares_ran(*s));
    // The entries of both tasks are counted.
    const unsigned others = user == 7 ? kept : 0;
    CHECK(s.take_all(7) == SHARES_USER - 1 - others);
    s.give(7, SHARES_USER);
    if (user == 8)
        s.give(8, kept);
}
