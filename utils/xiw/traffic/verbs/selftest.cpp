// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "traffic/verbs/ends.hpp"
#include "traffic/verbs/loop.hpp"

#include <array>

namespace xiw::traffic {

namespace {

using Verdict = TestCase::Verdict;

std::string lacks(const Place &place, const LoopCase &one) {
    if ((one.needs & has_atomics & ~place.flags) != 0)
        return place.device + " has no atomics";
    if ((one.needs & has_imm & ~place.flags) != 0)
        return place.device + " has no Write with Immediate";
    if (one.direct && !place.is_direct)
        return "for xiw devices only";
    return {};
}

TestCase carry_out(const Place &place, const LoopCase &one) {
    if (std::string why = lacks(place, one); !why.empty())
        return {one.name, Verdict::skip, std::move(why)};
    try {
        return {one.name, Verdict::pass, one.run(place)};
    } catch (const Failed &failed) {
        return {one.name, Verdict::fail, failed.what()};
    } catch (const Error &error) {
        return {one.name, Verdict::fail, error.what()};
    }
}

} // namespace

void selftest(const SelftestOrder &order, Selftest &result,
              const std::function<void(const TestCase &)> &done) {
    const Interrupts interrupts;
    Place place = find_place(order.device, interrupts);
    place.timeout = order.timeout;
    place.notices = order.notices;
    result.device = place.device;
    try {
        for (const auto &cases : {data_cases(), atomic_cases(), refusal_cases()})
            for (const LoopCase &one : cases) {
                result.cases.push_back(carry_out(place, one));
                done(result.cases.back());
            }
    } catch (const Interrupted &) {
        throw Error(Exit::failed, "interrupted");
    }
}

} // namespace xiw::traffic
