// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "render/table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <ostream>

#include <fmt/format.h>

namespace xiw::render {

namespace {

constexpr std::string_view none = "-";

std::string_view escape(Colour colour) {
    switch (colour) {
    case Colour::good:
        return "\033[32m";
    case Colour::warning:
        return "\033[33m";
    case Colour::bad:
        return "\033[31m";
    case Colour::bold:
        return "\033[1m";
    case Colour::plain:
        break;
    }
    return {};
}

std::string capitals(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) {
        return c == '_' ? ' ' : static_cast<char>(std::toupper(c));
    });
    return text;
}

} // namespace

std::string paint(std::string_view text, Colour colour, bool enabled) {
    if (!enabled || colour == Colour::plain)
        return std::string(text);
    return fmt::format("{}{}\033[0m", escape(colour), text);
}

namespace {

struct Range {
    unsigned char least, most;
};

// Well-formed UTF-8: Table 3-7 of the Unicode Standard, which has neither overlong forms nor
// surrogates.
struct Utf8 {
    Range first, second; // ranges of the first two octets
    size_t octets;
};

constexpr Range further{0x80, 0xbf}; // range of the third and the fourth octet

constexpr auto utf8 = std::to_array<Utf8>({
    {{0x00, 0x7f}, {}, 1},
    {{0xc2, 0xdf}, {0x80, 0xbf}, 2},
    {{0xe0, 0xe0}, {0xa0, 0xbf}, 3},
    {{0xe1, 0xec}, {0x80, 0xbf}, 3},
    {{0xed, 0xed}, {0x80, 0x9f}, 3},
    {{0xee, 0xef}, {0x80, 0xbf}, 3},
    {{0xf0, 0xf0}, {0x90, 0xbf}, 4},
    {{0xf1, 0xf3}, {0x80, 0xbf}, 4},
    {{0xf4, 0xf4}, {0x80, 0x8f}, 4},
});

// Returns true for the control characters C0, DEL and C1. Terminals that use UTF-8 obey C1, too.
bool is_control(std::string_view character) {
    const auto octet = [character](size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 1)
        return octet(0) < 0x20 || octet(0) == 0x7f;
    return octet(0) == 0xc2 && octet(1) < 0xa0;
}

} // namespace

size_t utf8_octets(std::string_view text) {
    const auto within = [text](size_t i, Range range) {
        const auto octet = static_cast<unsigned char>(text[i]);
        return octet >= range.least && octet <= range.most;
    };
    for (const Utf8 &row : utf8)
        if (text.size() >= row.octets && within(0, row.first) &&
            (row.octets < 2 || within(1, row.second)) && (row.octets < 3 || within(2, further)) &&
            (row.octets < 4 || within(3, further)))
            return row.octets;
    return 0;
}

std::string printable(std::string_view text) {
    std::string safe;
    while (!text.empty()) {
        const size_t valid = utf8_octets(text);
        const std::string_view next = text.substr(0, std::max<size_t>(valid, 1));
        if (valid != 0 && !is_control(next))
            safe += next;
        else
            for (const unsigned char c : next)
                safe += fmt::format("\\x{:02x}", c);
        text.remove_prefix(next.size());
    }
    return safe;
}

namespace {

// The next octet or escape sequence of a text: its length, and whether it occupies a column. Escape
// sequences and continuation octets of UTF-8 occupy none.
struct Step {
    size_t octets;
    bool column;
};

Step step(std::string_view text) {
    if (text[0] == '\033') {
        const size_t end = text.find('m');
        return {end == std::string_view::npos ? text.size() : end + 1, false};
    }
    return {1, (static_cast<unsigned char>(text[0]) & 0xc0) != 0x80};
}

} // namespace

size_t columns(std::string_view text) {
    size_t count = 0;
    while (!text.empty()) {
        const Step next = step(text);
        count += next.column ? 1 : 0;
        text.remove_prefix(next.octets);
    }
    return count;
}

std::string clip(std::string_view text, size_t most) {
    std::string shown;
    size_t count = 0;
    bool coloured = false;
    while (!text.empty()) {
        const Step next = step(text);
        if (next.column && count++ == most)
            break;
        coloured = coloured || text[0] == '\033';
        shown += text.substr(0, next.octets);
        text.remove_prefix(next.octets);
    }
    return coloured ? shown + "\033[0m" : shown;
}

std::string spaced(std::string name) {
    std::ranges::replace(name, '_', ' ');
    return name;
}

std::string size_word(uint64_t octets) {
    constexpr auto units = std::to_array<std::string_view>({"KiB", "MiB", "GiB", "TiB", "PiB"});

    if (octets < 1024)
        return fmt::format("{} B", octets);
    auto value = static_cast<double>(octets) / 1024;
    size_t unit = 0;
    // From 1023.95 on, use the next unit, because 1023.95 would be printed as 1024.0.
    while (value >= 1023.95 && unit + 1 < units.size()) {
        value /= 1024;
        unit++;
    }
    return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string grouped(uint64_t number) {
    std::string digits = std::to_string(number);
    for (size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string hex_word(std::span<const uint8_t> octets) {
    std::string text;
    for (const uint8_t octet : octets)
        text += fmt::format("{:02x}", octet);
    return text;
}

namespace {

// Returns true for a numeric text: "12", "1,234", "0.5 ms", "1.2 MiB/s"; but not "10.10.0.1",
// "1/16" or "0x10".
bool is_number(std::string_view text) {
    constexpr std::string_view digits = "0123456789,";
    const auto pass = [&text](auto belongs) {
        const auto end = std::ranges::find_if_not(text, belongs);
        const bool some = end != text.begin();
        text.remove_prefix(static_cast<size_t>(end - text.begin()));
        return some;
    };
    const auto is_digit = [digits](char c) { return digits.find(c) != std::string_view::npos; };
    if (!pass(is_digit))
        return false;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (!pass(is_digit))
            return false;
    }
    if (!text.starts_with(' '))
        return text.empty();
    text.remove_prefix(1);
    return pass([](unsigned char c) { return std::isalpha(c) != 0 || c == '/' || c == '%'; }) &&
           text.empty();
}

} // namespace

void Table::aligned(std::ostream &out, bool colour, int indent) const {
    std::vector<size_t> width(headings_.size(), 0);
    std::vector<bool> right(headings_.size(), true);

    for (const auto &row : rows_)
        for (size_t i = 0; i < row.size(); i++)
            if (!row[i].text.empty()) {
                width[i] = std::max({width[i], columns(row[i].text), headings_[i].size()});
                right[i] = right[i] && is_number(row[i].text);
            }

    const auto line = [&](auto text_of, auto colour_of) {
        std::string before(static_cast<size_t>(indent), ' ');
        for (size_t i = 0; i < headings_.size(); i++) {
            if (width[i] == 0)
                continue;
            const std::string text = text_of(i);
            const size_t rest = width[i] - columns(text);
            out << before << std::string(right[i] ? rest : 0, ' ')
                << paint(text, colour_of(i), colour);
            before.assign((right[i] ? 0 : rest) + 2, ' ');
        }
        out << '\n';
    };

    if (rows_.empty())
        return;
    line([this](size_t i) { return capitals(headings_[i]); }, [](size_t) { return Colour::bold; });
    for (const auto &row : rows_)
        line([&row](size_t i) { return row[i].text.empty() ? std::string(none) : row[i].text; },
             [&row](size_t i) { return row[i].text.empty() ? Colour::plain : row[i].colour; });
}

void Table::tsv(std::ostream &out) const {
    for (size_t i = 0; i < headings_.size(); i++)
        out << (i == 0 ? "" : "\t") << headings_[i];
    out << '\n';
    tsv_rows(out);
}

void Table::tsv_rows(std::ostream &out) const {
    for (const auto &row : rows_) {
        for (size_t i = 0; i < row.size(); i++)
            out << (i == 0 ? "" : "\t") << (row[i].text.empty() ? none : row[i].text);
        out << '\n';
    }
}

} // namespace xiw::render
