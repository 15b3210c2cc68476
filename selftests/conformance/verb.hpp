// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// What a step can do: one row for each verb.
#pragma once

#include "message.hpp"

namespace xiw::peer {

class Session;

// A step's words with their variables replaced.
struct Call {
    std::vector<std::string> words; // those without =, unless the verb takes them raw
    Keys keys;

    // The word or key of that name, or otherwise.
    std::string word(size_t index, std::string_view otherwise = {}) const;
    std::string key(std::string_view name, std::string_view otherwise = {}) const;
    bool has(std::string_view name) const { return keys.find(name) != keys.end(); }
};

struct Verb {
    std::string_view name;
    std::string_view usage;
    std::string_view help;
    size_t least, most; // words without =
    bool raw;           // all words are taken as they are
    bool (*accepts)(const std::vector<std::string> &words, std::string_view key);
    void (*run)(Session &session, const Call &call);
    bool waits = true; // for somebody else; a wire in bursts lets go before
};

std::span<const Verb> verbs();
const Verb *verb_named(std::string_view name);
// What is wrong with these words, not yet substituted; empty if nothing is.
std::string verb_check(const Verb &verb, const std::vector<std::string> &words);
Call verb_call(const Verb &verb, const std::vector<std::string> &words, const Keys &variables);

// Groups of verbs, each in a file.
std::span<const Verb> link_verbs();
std::span<const Verb> send_verbs();
std::span<const Verb> expect_verbs();
std::span<const Verb> control_verbs();
std::span<const Verb> fuzz_verbs();

constexpr size_t ANY_NUMBER = ~size_t{0};

} // namespace xiw::peer
