// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The wall clock time of a completion. The test determines how long each reading of a clock takes.
#include "clock.h"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace {

uint64_t offset = 1'790'000'000'000'000'000;
uint64_t monotonic;
std::vector<uint64_t> delays; // the time that each reading of a clock takes, in ns
size_t next;

uint64_t slow_clock(clockid_t clock) {
    monotonic += next < delays.size() ? delays[next] : 100;
    next++;
    return clock == CLOCK_REALTIME ? monotonic + offset : monotonic;
}

uint64_t wallclock(std::vector<uint64_t> readings, xiw_clock_offset *last = nullptr) {
    xiw_clock_offset none{};

    monotonic = 5'000'000;
    next = 0;
    delays = std::move(readings);
    return xiw_wallclock(last ? last : &none, 4'000'000, slow_clock);
}

} // namespace

TEST_CASE("provider: the wall clock of a completion is exact if nothing delays the readings") {
    CHECK(wallclock({}) == 4'000'000 + offset);
    CHECK(next == 3);
}

TEST_CASE("provider: a thread that loses its CPU between two clocks does not change the time") {
    CHECK(wallclock({100, 200'000, 100}) == 4'000'000 + offset);
    CHECK(wallclock({100, 100, 200'000}) == 4'000'000 + offset);
    CHECK(wallclock({200'000, 100, 100}) == 4'000'000 + offset);
}

TEST_CASE("provider: with slow clocks, the shortest interval limits the error") {
    std::vector<uint64_t> readings(24, 9'000);
    readings[13] = 2'000; // the fifth reading of CLOCK_REALTIME

    const uint64_t time = wallclock(readings);
    CHECK(time >= 4'000'000 + offset - 5'500);
    CHECK(time <= 4'000'000 + offset + 5'500);
    CHECK(next == 24);
}

TEST_CASE("provider: wall clocks keep their order until the clock is set") {
    const uint64_t begin = offset;
    xiw_clock_offset last{};

    const uint64_t first = wallclock(std::vector<uint64_t>(24, 9'000), &last);
    CHECK(wallclock({100, 700, 100}, &last) == first);
    CHECK(wallclock({100, 100, 700}, &last) == first);
    for (const int64_t step : {-100'000, 100'000}) {
        offset = begin + static_cast<uint64_t>(step);
        CHECK(wallclock({}, &last) == 4'000'000 + offset);
    }
    offset = begin;
}
