// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "fault.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

namespace xiw::rnic {

namespace {

constexpr std::array<std::string_view, Faults::kinds> names = {
    "enable", "doorbell",  "delay",   "completion", "phase", "garbage", "flood",
    "stop",   "interrupt", "link",    "mtu",        "mute",  "heart",   "ghost",
    "burst",  "early",     "outcome", "stopped",    "first", "fuzz"};

// Kinds that require a value.
constexpr bool needs_value(Faults::Kind kind) {
    return kind == Faults::mtu || kind == Faults::burst || kind == Faults::fuzz;
}

template <typename T>
T number(std::string_view text, std::string_view spec) {
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);

    if (error != std::errc() || end != text.data() + text.size())
        throw std::invalid_argument("no number in fault '" + std::string(spec) + "'");
    return value;
}

// Report device misbehaviour on standard error. Tests wait for this line.
void tell(size_t kind) {
    std::cerr << "fault " << names.at(kind) << " strikes\n" << std::flush;
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
    const auto kind = static_cast<Kind>(name - names.begin());
    if (name == names.end() || row.at == 0 || (needs_value(kind) && row.value == 0))
        throw std::invalid_argument("unknown fault '" + std::string(spec) + "'");
    row.lasting = row.lasting || kind == burst;
    rows_.at(kind) = row;
}

bool Faults::strikes(Kind kind) {
    Row &row = rows_[kind];

    if (!row.set)
        return false;
    row.seen++;
    if (row.seen == row.at)
        tell(kind);
    return row.lasting ? row.seen >= row.at : row.seen == row.at;
}

uint32_t Faults::pick(uint32_t below) {
    return std::uniform_int_distribution<uint32_t>(0, below - 1)(random_);
}

Faults::Mangled Faults::mangle(std::span<uint8_t> octets) {
    // Values at the limits of indexes and lengths, where checks are likely to be wrong.
    constexpr std::array<uint32_t, 8> edges = {0,    1,       0xff,       0xffff,
                                               4096, 1 << 24, 0x7fffffff, 0xffffffff};
    Row &row = rows_[fuzz];

    if (!row.set || octets.empty() || ++row.seen < row.at || pick(row.value) != 0)
        return Mangled::no;
    if (!std::exchange(row.told, true))
        tell(fuzz);
    for (uint32_t changes = 1 + pick(3); changes > 0; changes--) {
        const uint32_t at = pick(static_cast<uint32_t>(octets.size()));
        const uint32_t edge = edges[pick(edges.size())];
        switch (pick(3)) {
        case 0:
            octets[at] ^= static_cast<uint8_t>(1U << pick(8));
            break;
        case 1:
            octets[at] = static_cast<uint8_t>(pick(32));
            break;
        default:
            std::memcpy(&octets[at & ~3U], &edge,
                        std::min(octets.size() - (at & ~3U), sizeof(edge)));
            break;
        }
    }
    return static_cast<Mangled>(1 + pick(3));
}

} // namespace xiw::rnic
