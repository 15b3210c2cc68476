// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_RENDER_TABLE_HPP
#define XIW_RENDER_TABLE_HPP

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xiw::render {

enum class Colour { plain, good, warning, bad, bold };

struct Cell {
    std::string text;
    Colour colour = Colour::plain;

    // The conversion is implicit, so that a row is a list of strings and coloured cells.
    Cell(std::string words, Colour paint = Colour::plain) : text(std::move(words)), colour(paint) {}
    Cell(const char *words) : text(words) {}
};

// Rows under headings. The same table gives aligned text for people and tab-separated text for
// scripts.
class Table {
  public:
    explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}

    void row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }

    // Print columns with two blanks between them. Each line is indented, headings are in capitals,
    // and a column that contains only numbers is aligned to the right. Columns without any value
    // are omitted.
    void aligned(std::ostream &out, bool colour, int indent = 0) const;
    // Print one line of headings, and then the rows; "-" means that there is no value.
    void tsv(std::ostream &out) const;
    void tsv_rows(std::ostream &out) const;

  private:
    std::vector<std::string> headings_;
    std::vector<std::vector<Cell>> rows_;
};

std::string paint(std::string_view text, Colour colour, bool enabled);

// Get the number of octets of the UTF-8 character at the start of the text; 0 if there is none.
size_t utf8_octets(std::string_view text);
// Replace control characters and invalid UTF-8 by \xNN, because the text may be a name that another
// user has chosen.
std::string printable(std::string_view text);

// Get the number of terminal columns of the text. Escape sequences of paint() occupy no column.
size_t columns(std::string_view text);
// Cut the text to `most` columns, and end its colours.
std::string clip(std::string_view text, size_t most);

// Fold the lines to `most` columns at blanks. fold.cpp describes how a continuation is indented.
std::string folded(std::string_view text, size_t most);

// Replace underscores: "tx_bytes" becomes "tx bytes".
std::string spaced(std::string name);

// size_word(1234567) is "1.2 MiB", and grouped(1234567) is "1,234,567".
std::string size_word(uint64_t octets);
std::string grouped(uint64_t number);
// Format octets with two digits for each: "c1407777".
std::string hex_word(std::span<const uint8_t> octets);

} // namespace xiw::render

#endif
