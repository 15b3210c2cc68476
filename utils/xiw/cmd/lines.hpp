// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CMD_LINES_HPP
#define XIW_CMD_LINES_HPP

#include "cmd/command.hpp"

#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace xiw::cmd {

struct Line {
    std::string place; // "FILE:3: ", before what there is to say of it
    std::vector<std::string> words;
};

// Commands, one a line: words with blanks between them, which quotes of either kind
// keep together. A word that begins with # begins a comment.
class Lines {
  public:
    // Of a file, or of standard input if it is "-". Throws Error.
    Lines(const Environment &env, const std::string &file);

    // The next line with a word in it; nothing at the end. Throws Error, with the place,
    // for a line that is none; the next call goes on behind it.
    std::optional<Line> next();

    const std::string &name() const { return name_; }

  private:
    bool read(std::string &text);

    std::string name_;
    std::ifstream file_;
    std::istream *in_;
    size_t number_ = 0;
};

// The same word for such a file. Throws Error if no line can hold it.
std::string quoted(const std::string &word);

} // namespace xiw::cmd

#endif
