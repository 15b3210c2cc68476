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
 * Each scenario prints "pass NAME" or "fail NAME: why" and details. Steps outside scenarios run in
 * order. When one of them fails, the others are not run. Runs only the scenarios whose names
 * contain `only`.
 */
Outcome run(const Script &script, const Options &options, std::string_view only, std::ostream &out);

// Get the vectors to which the scenarios refer, without running a scenario. Throws
// std::runtime_error for a missing definition.
std::multiset<std::string> vectors_named(const Script &script);

} // namespace xiw::peer
