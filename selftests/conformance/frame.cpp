// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "frame.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace xiw::peer {

namespace {

constexpr size_t SHOWN = 16; // max octets that a summary shows of each part of a frame

// Fields that a summary omits if they have this value.
struct Usual {
    std::string_view name;
    uint64_t value;
};

constexpr Usual usual[] = {
    {"l", 1},   {"dv", 1}, {"rv", 1},  {"ddp_rsvd", 0}, {"rdmap_rsvd", 0},
    {"inv", 0}, {"mo", 0}, {"res", 0}, {"aop_rsvd", 0}, {"term_rsvd", 0},
};

constexpr std::string_view silent[] = {"ulpdu_len", "t", "opcode", "qn", "pd_len"};

bool says_nothing(const Field &field, uint64_t value) {
    return std::ranges::find(silent, field.name) != std::end(silent) ||
           std::ranges::any_of(
               usual, [&](const Usual &u) { return u.name == field.name && u.value == value; });
}

std::string number_text(const Field &field, uint64_t value) {
    if (field.width <= 4)
        return fmt::format("{}", value);
    return fmt::format("0x{:0{}x}", value, (field.width + 3) / 4);
}

} // namespace

uint64_t Field::get(OctetView octets) const {
    return load(octets, at, size) >> shift & mask();
}

void Field::set(Octets &octets, uint64_t value) const {
    uint64_t word = load(octets, at, size) & ~(mask() << shift);

    store(octets, at, size, word | (value & mask()) << shift);
}

const Field *Frame::field(std::string_view name) const {
    auto found = std::ranges::find(fields, name, &Field::name);

    return found == fields.end() ? nullptr : &*found;
}

std::optional<uint64_t> Frame::value(std::string_view name) const {
    const Field *found = field(name);

    if (found == nullptr)
        return {};
    return found->get(octets);
}

std::optional<Octets> Frame::part(std::string_view name) const {
    auto found = std::ranges::find(parts, name, &Part::name);

    if (found == parts.end())
        return {};
    OctetView view = OctetView(octets).subspan(found->at, found->size);
    return Octets(view.begin(), view.end());
}

std::optional<std::string> Frame::text(std::string_view name) const {
    if (const Field *found = field(name))
        return number_text(*found, found->get(octets));
    if (auto found = part(name))
        return hex(*found);
    return {};
}

std::string Frame::summary() const {
    std::string text = kind;

    for (const Field &f : fields)
        if (uint64_t value = f.get(octets); !says_nothing(f, value))
            text += fmt::format(" {}={}", f.name, number_text(f, value));
    for (const Part &p : parts) {
        if (p.size == 0 || p.name == "pad" || p.name == "crc")
            continue;
        OctetView view = OctetView(octets).subspan(p.at, p.size);
        text += fmt::format(" {}={}", p.name, hex(view.first(std::min(SHOWN, p.size))));
        if (p.size > SHOWN)
            text += fmt::format("..({} octets)", p.size);
    }
    return text;
}

std::string Frame::describe() const {
    std::string text = fmt::format("  {} of {} octets\n", kind, octets.size());

    for (const Field &f : fields)
        text += fmt::format("    {:4}  {:<12} {}\n", f.at, f.name, number_text(f, f.get(octets)));
    for (const Part &p : parts)
        if (p.size != 0)
            text += fmt::format("    {:4}  {:<12} {} octets\n", p.at, p.name, p.size);
    return text + dump(octets);
}

} // namespace xiw::peer
