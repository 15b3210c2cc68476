// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "startup.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>

namespace xiw::peer {

namespace {

constexpr std::string_view REQUEST = "MPA ID Req Frame";
constexpr std::string_view REPLY = "MPA ID Rep Frame";
constexpr size_t KEY_LEN = 16;
constexpr size_t WORD_LEN = 4; // size of IRD and ORD with their flags (RFC 6581)

constexpr Field plain[] = {
    {"markers", 16, 1, 7, 1}, {"crc", 16, 1, 6, 1}, {"reject", 16, 1, 5, 1},  {"s", 16, 1, 4, 1},
    {"res", 16, 1, 0, 4},     {"rev", 17, 1, 0, 8}, {"pd_len", 18, 2, 0, 16},
};
// Flags of RFC 6581: "a" is peer-to-peer setup; "b", "c" and "d" are an RTR by Send, Write and
// Read.
constexpr Field enhanced[] = {
    {"a", 20, 2, 15, 1}, {"b", 20, 2, 14, 1}, {"ird", 20, 2, 0, 14},
    {"c", 22, 2, 15, 1}, {"d", 22, 2, 14, 1}, {"ord", 22, 2, 0, 14},
};

const Field *in(std::span<const Field> fields, std::string_view name) {
    auto found = std::ranges::find(fields, name, &Field::name);

    return found == fields.end() ? nullptr : &*found;
}

void put(Octets &octets, const Field &field, std::string_view text) {
    uint64_t value = flag_or_number(text);

    if (value > field.mask())
        throw std::invalid_argument(fmt::format("{}={} is too much", field.name, text));
    field.set(octets, value);
}

} // namespace

bool startup_has(std::string_view key) {
    return in(plain, key) != nullptr || in(enhanced, key) != nullptr;
}

Octets build_startup(std::string_view kind, const Keys &keys) {
    std::string_view title = kind == "request" ? REQUEST : REPLY;
    Octets made(title.begin(), title.end());
    auto has = [&](std::string_view key) { return keys.find(key) != keys.end(); };

    made.resize(STARTUP_MIN);
    put(made, *in(plain, "rev"), "2");
    put(made, *in(plain, "crc"), "on");
    for (const Field &f : plain)
        if (auto found = keys.find(f.name); found != keys.end())
            put(made, f, found->second);
    if (!has("s"))
        put(made, *in(plain, "s"), in(plain, "rev")->get(made) >= 2 ? "on" : "off");
    if (in(plain, "s")->get(made) != 0 && in(plain, "rev")->get(made) >= 2) {
        made.resize(STARTUP_MIN + WORD_LEN);
        for (const Field &f : enhanced)
            if (auto found = keys.find(f.name); found != keys.end())
                put(made, f, found->second);
    } else if (std::ranges::any_of(enhanced, [&](const Field &f) { return has(f.name); })) {
        throw std::invalid_argument("depths and RTR kinds need rev=2 and s=on");
    }
    if (auto found = keys.find("private"); found != keys.end())
        append(made, octets_of(found->second));
    if (!has("pd_len"))
        store(made, 18, 2, made.size() - STARTUP_MIN);
    if (auto found = keys.find("key"); found != keys.end()) {
        Octets other = octets_of(found->second);

        other.resize(KEY_LEN);
        std::ranges::copy(other, made.begin());
    }
    return made;
}

size_t startup_size(OctetView octets) {
    return STARTUP_MIN + load(octets, 18, 2);
}

Frame decode_startup(const Octets &octets) {
    Frame frame{.kind = "unknown", .octets = octets, .fields = {}, .parts = {}};
    size_t at = STARTUP_MIN;

    if (octets.size() < at)
        return frame;
    std::string_view title(reinterpret_cast<const char *>(octets.data()), KEY_LEN);
    if (title == REQUEST)
        frame.kind = "request";
    else if (title == REPLY)
        frame.kind = "reply";
    frame.fields.assign(std::begin(plain), std::end(plain));
    if (frame.value("s") == 1 && frame.value("rev") >= 2 && octets.size() >= at + WORD_LEN) {
        frame.fields.insert(frame.fields.end(), std::begin(enhanced), std::end(enhanced));
        at += WORD_LEN;
    }
    frame.parts.push_back({"private", at, octets.size() - at});
    return frame;
}

} // namespace xiw::peer
