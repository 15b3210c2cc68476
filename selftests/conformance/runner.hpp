// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Runs the scenarios of a script, one after the other.
#pragma once

#include "session.hpp"

#include <iosfwd>

namespace xiw::peer {

struct Outcome {
    unsigned passed = 0, failed = 0;
};

/*
 * Runs the steps and scenarios of a script in order. Skips scenarios whose names do not contain
 * `only`. For each scenario, prints "pass NAME", or "fail NAME: why" and details. If a step outside
 * a scenario fails, the rest of the script is not run.
 */
Outcome run(const Script &script, const Options &options, std::string_view only, std::ostream &out);

// Gets the ids of the vectors that the scenarios use, without running a scenario. Throws
// std::runtime_error for a missing definition.
std::multiset<std::string> vectors_named(const Script &script);

} // namespace xiw::peer
