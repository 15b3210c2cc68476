// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "fault.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

namespace xiw::rnic {

namespace {

constexpr std::array<std::string_view, Faults::kinds> names = {
    "doorbell", "delay", "completion", "phase", "garbage", "stop", "interrupt", "link"};

template <typename T>
T number(std::string_view text, std::string_view spec) {
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);

    if (error != std::errc() || end != text.data() + text.size())
        throw std::invalid_argument("no number in fault '" + std::string(spec) + "'");
    return value;
}

} // namespace

void Faults::add(std::string_view spec) {
    std::string_view rest = spec;
    Row row{.set = true};

    if (const auto at = rest.find('@'); at != std::string_view::npos) {
        std::string_view count = rest.substr(at + 1);
        row.lasting = count.ends_with('+');
        if (row.lasting)
            count.remove_suffix(1);
        row.at = number<uint64_t>(count, spec);
        rest = rest.substr(0, at);
    }
    if (const auto equals = rest.find('='); equals != std::string_view::npos) {
        row.value = number<uint32_t>(rest.substr(equals + 1), spec);
        rest = rest.substr(0, equals);
    }
    const auto *name = std::find(names.begin(), names.end(), rest);
    if (name == names.end() || row.at == 0)
        throw std::invalid_argument("unknown fault '" + std::string(spec) + "'");
    rows_.at(static_cast<size_t>(name - names.begin())) = row;
}

bool Faults::strikes(Kind kind) {
    Row &row = rows_[kind];

    if (!row.set)
        return false;
    row.seen++;
    return row.lasting ? row.seen >= row.at : row.seen == row.at;
}

} // namespace xiw::rnic
