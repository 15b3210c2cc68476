// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_RENDER_TABLE_HPP
#define XIW_RENDER_TABLE_HPP

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace xiw::render {

enum class Colour { plain, good, warning, bad, bold };

struct Cell {
    std::string text;
    Colour colour = Colour::plain;

    // Converts, so that a row is a list of strings with a coloured one between.
    Cell(std::string words, Colour paint = Colour::plain) : text(std::move(words)), colour(paint) {}
    Cell(const char *words) : text(words) {}
};

// Rows under headings. The same table gives the aligned text for people and
// the tab-separated form for scripts.
class Table {
  public:
    explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}

    void row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }

    // Columns two blanks apart, each line behind the indent, headings in
    // capitals; numbers to the right. A column that has no value in any row is
    // left out.
    void aligned(std::ostream &out, bool colour, int indent = 0) const;
    // One line of headings, then the rows; "-" for no value.
    void tsv(std::ostream &out) const;
    void tsv_rows(std::ostream &out) const;

  private:
    std::vector<std::string> headings_;
    std::vector<std::vector<Cell>> rows_;
};

std::string paint(std::string_view text, Colour colour, bool enabled);

// The text with control characters as \xNN: names come from the kernel, but
// were chosen by somebody.
std::string printable(std::string_view text);

// So many columns of a terminal; the escape sequences of paint() take none.
size_t columns(std::string_view text);
// No more of it than so many columns, with the colours ended.
std::string clip(std::string_view text, size_t most);

// The same with lines of no more than so many columns, as far as blanks between words
// allow: what goes on does so below the last of a line's columns.
std::string folded(std::string_view text, size_t most);

// "tx_bytes" -> "tx bytes".
std::string spaced(std::string name);

// 1234567 -> "1.2 MiB", and "1,234,567".
std::string size_word(uint64_t octets);
std::string grouped(uint64_t number);

} // namespace xiw::render

#endif
