// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CMD_LINES_HPP
#define XIW_CMD_LINES_HPP

#include "cmd/command.hpp"

#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xiw::cmd {

struct Line {
    std::string place; // "FILE:3: ", the prefix of messages about the line
    std::vector<std::string> words;
};

// Returns the words of a line. Returns nothing if a closing quote is missing.
using Split = std::optional<std::vector<std::string>>(std::string_view text);

// Words are separated by blanks. A word in single or double quotes may contain blanks. A word that
// begins with # begins a comment.
Split words_of;
// All blanks are removed, so the line is one word. Any # begins a comment, as in xiw-link.
Split assignment_of;
// Returns true if a file of links.d can contain this line, so that assignment_of() and xiw-link
// read the same line.
bool is_assignment(const std::string &line);

class Lines {
  public:
    // Reads a file, or standard input if the name is "-". Throws Error.
    Lines(const Environment &env, const std::string &file, Split *split = words_of);

    // Get the next line that contains a word; empty at the end. Throws Error with the position of
    // an invalid line. The next call continues after that line.
    std::optional<Line> next();

    const std::string &name() const { return name_; }

  private:
    bool read(std::string &text);

    std::string name_;
    Split *split_;
    std::ifstream file_;
    std::istream *in_;
    size_t number_ = 0;
};

// Quote a word, if needed, so that words_of() reads it as one word. Throws Error if no line can
// contain the word.
std::string quoted(const std::string &word);

} // namespace xiw::cmd

#endif
