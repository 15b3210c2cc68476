// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The steps: one row for each verb.
#pragma once

#include "message.hpp"

namespace xiw::peer {

class Session;

// The words of a step, with the values of the variables in place of their names.
struct Call {
    std::vector<std::string> words; // words other than KEY=VALUE; all words if the verb is raw
    Keys keys;

    // Get the word at `index`, or the value of the key `name`. If it is missing, get `otherwise`.
    std::string word(size_t index, std::string_view otherwise = {}) const;
    std::string key(std::string_view name, std::string_view otherwise = {}) const;
    bool has(std::string_view name) const { return keys.find(name) != keys.end(); }
};

struct Verb {
    std::string_view name;
    std::string_view usage;
    std::string_view help;
    size_t least, most; // limits of the number of words other than KEY=VALUE
    bool raw;           // KEY=VALUE is a word like any other
    bool (*accepts)(const std::vector<std::string> &words, std::string_view key);
    void (*run)(Session &session, const Call &call);
    bool waits = true; // the step waits, so a wire with bursts first releases its packets
};

std::span<const Verb> verbs();
const Verb *verb_named(std::string_view name);
// Checks words before variable substitution. Returns an error message; empty if they are valid.
std::string verb_check(const Verb &verb, const std::vector<std::string> &words);
Call verb_call(const Verb &verb, const std::vector<std::string> &words, const Keys &variables);

// Groups of verbs. Each group has a separate file.
std::span<const Verb> link_verbs();
std::span<const Verb> send_verbs();
std::span<const Verb> expect_verbs();
std::span<const Verb> control_verbs();
std::span<const Verb> fuzz_verbs();

constexpr size_t ANY_NUMBER = ~size_t{0};

} // namespace xiw::peer
