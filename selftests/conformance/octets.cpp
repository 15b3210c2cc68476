// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "octets.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

namespace xiw::peer {

namespace {

constexpr size_t PER_LINE = 16;
constexpr uint64_t LONGEST = uint64_t{1} << 26; // max octets of count:N and fill:XX:N

[[noreturn]] void bad(std::string_view what, std::string_view text) {
    throw std::invalid_argument(fmt::format("'{}' is no {}", text, what));
}

uint64_t term(std::string_view text, std::string_view whole) {
    int base = 10;
    uint64_t value = 0;

    if (text.starts_with("0x") || text.starts_with("0X")) {
        base = 16;
        text.remove_prefix(2);
    }
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size())
        bad("number", whole);
    return value;
}

std::vector<std::string_view> parts(std::string_view text, char separator) {
    std::vector<std::string_view> found;

    for (;;) {
        size_t end = text.find(separator);

        found.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return found;
        text.remove_prefix(end + 1);
    }
}

uint64_t length(std::string_view text) {
    uint64_t n = number(text);

    if (n > LONGEST)
        bad("length", text);
    return n;
}

Octets part(std::string_view text) {
    if (text.starts_with("text:")) {
        text.remove_prefix(5);
        return {text.begin(), text.end()};
    }
    auto words = parts(text, ':');
    Octets made;
    if (words[0] == "count" && (words.size() == 2 || words.size() == 3)) {
        uint64_t first = words.size() == 3 ? number(words[2]) : 0;

        made.resize(length(words[1]));
        std::generate(made.begin(), made.end(), [&] { return static_cast<uint8_t>(first++); });
    } else if (words[0] == "fill" && words.size() == 3) {
        Octets value = octets_of_hex(words[1]);

        if (value.size() != 1)
            bad("octet", words[1]);
        made.assign(length(words[2]), value[0]);
    } else {
        made = octets_of_hex(text);
    }
    return made;
}

std::string lines(OctetView octets, const OctetView *wanted) {
    std::string text;

    for (size_t at = 0; at < octets.size(); at += PER_LINE) {
        std::string marks;
        bool marked = false;

        text += fmt::format("    {:04x} ", at);
        for (size_t i = at; i < std::min(at + PER_LINE, octets.size()); i++) {
            bool same = wanted == nullptr || (i < wanted->size() && (*wanted)[i] == octets[i]);

            text += fmt::format(" {:02x}", octets[i]);
            marks += same ? "   " : " ^^";
            marked = marked || !same;
        }
        text += '\n';
        if (marked)
            text += fmt::format("{:9}{}\n", "", marks);
    }
    return text;
}

} // namespace

uint64_t load(OctetView octets, size_t at, size_t size) {
    uint64_t value = 0;

    for (uint8_t octet : octets.subspan(at, size))
        value = value << 8 | octet;
    return value;
}

void store(Octets &octets, size_t at, size_t size, uint64_t value) {
    for (size_t i = size; i-- > 0; value >>= 8)
        octets.at(at + i) = static_cast<uint8_t>(value);
}

std::string hex(OctetView octets) {
    return fmt::format("{:02x}", fmt::join(octets, ""));
}

Octets octets_of_hex(std::string_view text) {
    Octets made;

    if (text.size() % 2 != 0)
        bad("string of octets", text);
    for (size_t i = 0; i < text.size(); i += 2) {
        uint8_t octet = 0;
        auto [end, error] = std::from_chars(&text[i], text.data() + i + 2, octet, 16);

        if (error != std::errc{} || end != text.data() + i + 2)
            bad("string of octets", text);
        made.push_back(octet);
    }
    return made;
}

void append(Octets &to, OctetView what) {
    to.insert(to.end(), what.begin(), what.end());
}

std::string dump(OctetView octets) {
    return lines(octets, nullptr);
}

std::string dump_differences(OctetView octets, OctetView wanted) {
    return lines(octets, &wanted);
}

Octets octets_of(std::string_view text) {
    Octets made;

    if (text.empty())
        return made;
    for (std::string_view word : parts(text, ','))
        append(made, part(word));
    return made;
}

uint64_t number(std::string_view text) {
    std::string_view rest = text;
    uint64_t sum = 0;
    bool minus = false;

    for (;;) {
        size_t end = rest.find_first_of("+-");
        uint64_t value = term(rest.substr(0, end), text);

        sum = minus ? sum - value : sum + value;
        if (end == std::string_view::npos)
            return sum;
        minus = rest[end] == '-';
        rest.remove_prefix(end + 1);
    }
}

uint64_t flag_or_number(std::string_view text) {
    if (text == "on")
        return 1;
    return text == "off" ? 0 : number(text);
}

} // namespace xiw::peer
