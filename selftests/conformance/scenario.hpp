// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The text of scenarios. A file is parsed and checked before any of its scenarios runs.
#pragma once

#include "message.hpp"

#include <functional>
#include <stdexcept>
#include <variant>

namespace xiw::peer {

struct Verb;

struct Place {
    std::string file;
    unsigned line = 0;

    std::string text() const;
};

class Malformed : public std::runtime_error {
  public:
    Malformed(const Place &place, const std::string &what);
};

// A line of a file. Its words still contain the names of variables.
struct Step {
    Place place;
    std::string text;
    const Verb *verb = nullptr;
    std::vector<std::string> words; // words after the verb
};

using Block = std::vector<Step>;

struct Scenario {
    Place place;
    std::string name;
    std::vector<Keys> cases; // variables of each run
    Block steps;
};

struct Script {
    std::vector<std::variant<Step, Scenario>> items; // in order
    std::map<std::string, Block, std::less<>> definitions;
    Block cleanup;

    // Throws Malformed.
    static Script read(const std::string &file);
    static Script parse(const std::string &text, const std::string &file);
};

// Splits a line at blanks. A word in "..." may contain blanks. A # at the beginning of a word
// starts a comment.
std::vector<std::string> words_of(std::string_view line);
// If the word is KEY=VALUE, splits it and returns true.
bool is_assignment(std::string_view word, std::string &key, std::string &value);
// Replaces $name and ${name}. Throws std::invalid_argument for a variable that is not set.
std::string substitute(std::string_view text, const Keys &variables);

} // namespace xiw::peer
