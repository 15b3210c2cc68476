// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/lines.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace xiw::cmd {

namespace {

// Maximum length of a line in bytes. No useful line is longer.
constexpr size_t longest = 65536;

constexpr std::string_view blanks = " \t\r";

bool is_blank(char c) {
    return blanks.find(c) != std::string_view::npos;
}

bool is_control(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r') || c == 0x7f;
}

} // namespace

std::optional<std::vector<std::string>> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (size_t at = 0; at < text.size();) {
        if (is_blank(text[at])) {
            at++;
            continue;
        }
        if (text[at] == '#')
            break;
        std::string &word = words.emplace_back();
        for (; at < text.size() && !is_blank(text[at]); at++) {
            if (text[at] != '"' && text[at] != '\'') {
                word += text[at];
                continue;
            }
            const size_t end = text.find(text[at], at + 1);
            if (end == std::string_view::npos)
                return std::nullopt;
            word += text.substr(at + 1, end - at - 1);
            at = end;
        }
    }
    return words;
}

std::optional<std::vector<std::string>> assignment_of(std::string_view text) {
    std::string word(text.substr(0, text.find('#')));

    std::erase_if(word, is_blank);
    return word.empty() ? std::vector<std::string>() : std::vector{std::move(word)};
}

bool is_assignment(const std::string &line) {
    return std::ranges::none_of(line, is_control) && assignment_of(line) == std::vector{line};
}

Lines::Lines(const Environment &env, const std::string &file, Split *split)
    : name_(file == "-" ? "standard input" : file), split_(split) {
    if (file == "-") {
        in_ = &standard_input(env);
        return;
    }
    errno = 0;
    file_.open(file);
    if (!file_)
        throw Error(Exit::failed,
                    fmt::format("cannot open {}: {}", file,
                                std::generic_category().message(errno != 0 ? errno : EIO)));
    in_ = &file_;
}

// Read a line to its end, even if it is too long. Returns false if there is no line.
bool Lines::read(std::string &text) {
    bool any = false;
    size_t length = 0;
    char c = 0;

    text.clear();
    while (in_->get(c)) {
        any = true;
        if (c == '\n')
            break;
        if (length++ < longest)
            text += c;
    }
    if (in_->bad())
        throw Error(Exit::failed, fmt::format("cannot read {}", name_));
    number_ += any ? 1 : 0;
    if (length > longest)
        throw Error(Exit::usage, fmt::format("{}:{}: the line has {} octets, the limit is {}",
                                             name_, number_, length, longest));
    return any;
}

std::optional<Line> Lines::next() {
    std::string text;
    while (read(text)) {
        const std::string place = fmt::format("{}:{}: ", name_, number_);
        if (std::ranges::any_of(text, is_control))
            throw Error(Exit::usage, place + "the line is not text");
        auto words = split_(text);
        if (!words)
            throw Error(Exit::usage, place + "missing closing quote");
        if (!words->empty())
            return Line{place, std::move(*words)};
    }
    return std::nullopt;
}

std::string quoted(const std::string &word) {
    if (std::ranges::none_of(word, [](char c) {
            return is_blank(c) || is_control(c) || c == '"' || c == '\'' || c == '#';
        }))
        return word.empty() ? "''" : word;
    const char quote = word.find('"') == std::string::npos ? '"' : '\'';
    if (word.find(quote) != std::string::npos || std::ranges::any_of(word, is_control))
        throw Error(Exit::failed,
                    fmt::format("the configuration format does not support the name \"{}\"", word));
    return fmt::format("{0}{1}{0}", quote, word);
}

} // namespace xiw::cmd
