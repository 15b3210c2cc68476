// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/spec.hpp"

#include "error.hpp"

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace xiw {

namespace {

constexpr std::string_view paragraph = "\302\247"; // the sign, in UTF-8

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

std::vector<std::string> split(std::string_view text, char between) {
    std::vector<std::string> list;
    while (!text.empty()) {
        const size_t end = std::min(text.find(between), text.size());
        list.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return list;
}

// Split "RFC7306 §4, Fig 4" into the document and the parts after each sign.
std::vector<std::string> sections(std::string_view source) {
    std::vector<std::string> list;
    for (size_t at = source.find(paragraph); at != std::string_view::npos;
         at = source.find(paragraph, at)) {
        at += paragraph.size();
        const size_t end = std::min(source.find_first_of(" ,", at), source.size());
        list.emplace_back(source.substr(at, end - at));
    }
    return list;
}

Requirement requirement(const SpecRow &row) {
    const std::string_view source = row.source;
    return {.id = row.id,
            .level = row.level,
            .document = std::string(source.substr(0, source.find(' '))),
            .source = row.source,
            .sections = sections(source),
            .tests = split(row.tests, '\t'),
            .reason = row.reason};
}

// Normalise the filter once, before it is applied to all rows.
SpecFilter normal(SpecFilter filter) {
    for (std::string &id : filter.ids)
        id = upper(id);
    filter.document = upper(filter.document);
    std::erase(filter.document, ' ');
    filter.level = upper(filter.level);
    if (filter.section.starts_with(paragraph))
        filter.section.erase(0, paragraph.size());
    return filter;
}

// "7306" and "RFC7306" are equal; "IBA" matches names that begin with it.
bool is_document(std::string_view document, std::string_view asked) {
    constexpr std::string_view rfc = "RFC";
    if (document.starts_with(rfc))
        return document == asked || document.substr(rfc.size()) == asked;
    return upper(std::string(document)).starts_with(asked);
}

// Is "7.1.2(3)" within "7.1"?
bool is_section(std::string_view section, std::string_view asked) {
    if (!section.starts_with(asked))
        return false;
    section.remove_prefix(asked.size());
    return section.empty() || section[0] == '.' || section[0] == '(';
}

bool matches(const Requirement &row, const SpecFilter &want) {
    if (!want.ids.empty() && std::ranges::none_of(want.ids, [&row](const std::string &id) {
            return row.id.starts_with(id);
        }))
        return false;
    if (!want.document.empty() && !is_document(row.document, want.document))
        return false;
    if (!want.section.empty() &&
        std::ranges::none_of(row.sections, [&want](const std::string &section) {
            return is_section(section, want.section);
        }))
        return false;
    if (!want.level.empty() && row.level != want.level)
        return false;
    return !want.untested || row.tests.empty();
}

// List all values of a field, for messages.
std::string there_is(const std::vector<Requirement> &rows, std::string Requirement::*field) {
    std::vector<std::string> words;
    for (const Requirement &row : rows)
        if (std::ranges::find(words, row.*field) == words.end())
            words.push_back(row.*field);
    return fmt::format("valid: {}", fmt::join(words, ", "));
}

} // namespace

std::vector<Requirement> requirements(const SpecFilter &filter) {
    const SpecFilter want = normal(filter);
    std::vector<Requirement> rows;
    for (const SpecRow &row : std::span(spec_rows, spec_row_count))
        rows.push_back(requirement(row));

    if (!want.document.empty() && std::ranges::none_of(rows, [&want](const Requirement &row) {
            return is_document(row.document, want.document);
        }))
        throw Error(Exit::usage, fmt::format("no requirement is from \"{}\"", filter.document),
                    there_is(rows, &Requirement::document));
    if (!want.level.empty() &&
        std::ranges::find(rows, want.level, &Requirement::level) == rows.end())
        throw Error(Exit::usage, fmt::format("no requirement has the level \"{}\"", filter.level),
                    there_is(rows, &Requirement::level));
    std::erase_if(rows, [&want](const Requirement &row) { return !matches(row, want); });
    return rows;
}

} // namespace xiw
