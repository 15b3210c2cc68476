// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "render/table.hpp"

#include <algorithm>

namespace xiw::render {

namespace {

// How a line is folded. Columns are separated by two or more blanks. If the last column begins in
// the left half of the terminal, the continuation is indented to that column. Otherwise the line is
// a table row: it is folded between columns, and the continuation is indented by two blanks more
// than the line.
struct Fold {
    size_t hang;
    bool table;
};

Fold fold_of(std::string_view line, size_t most) {
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    Fold fold{indent + 2, false};
    for (size_t at = line.find("  ", indent); at != std::string_view::npos;
         at = line.find("  ", at)) {
        at = line.find_first_not_of(' ', at);
        if (at == std::string_view::npos)
            break;
        const size_t column = columns(line.substr(0, at));
        if (column > most / 2)
            return {indent + 2, true};
        fold.hang = std::max(fold.hang, column);
    }
    return fold;
}

// Find the last `gap` before the column `most`. If there is none, find the first `gap` of the line.
// Ignore the leading blanks.
size_t gap_of(std::string_view line, size_t most, std::string_view gap) {
    size_t found = std::string_view::npos;
    for (size_t at = line.find(gap, std::min(line.find_first_not_of(' '), line.size()));
         at != std::string_view::npos; at = line.find(gap, line.find_first_not_of(' ', at))) {
        if (found != std::string_view::npos && columns(line.substr(0, at)) > most)
            break;
        found = at;
    }
    return found;
}

std::string folded_line(std::string line, size_t most) {
    const Fold fold = fold_of(line, most);
    std::string shown;
    while (columns(line) > most) {
        size_t at = fold.table ? gap_of(line, most, "  ") : std::string::npos;
        if (at == std::string::npos)
            at = gap_of(line, most, " ");
        const size_t next = line.find_first_not_of(' ', at);
        if (at == std::string::npos || next == std::string::npos)
            break;
        shown += line.substr(0, at) + '\n';
        line = std::string(fold.hang, ' ') + line.substr(next);
    }
    return shown + line;
}

} // namespace

std::string folded(std::string_view text, size_t most) {
    std::string shown;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        shown += columns(line) > most ? folded_line(std::string(line), most) : std::string(line);
        if (end < text.size())
            shown += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return shown;
}

} // namespace xiw::render
