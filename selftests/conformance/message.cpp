// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "message.hpp"

#include "crc32c.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace xiw::peer {

namespace {

constexpr size_t CRC_LEN = 4;

constexpr Field control[] = {
    {"ulpdu_len", 0, 2, 0, 16}, {"t", 2, 1, 7, 1},      {"l", 2, 1, 6, 1},
    {"ddp_rsvd", 2, 1, 2, 4},   {"dv", 2, 1, 0, 2},     {"rv", 3, 1, 6, 2},
    {"rdmap_rsvd", 3, 1, 4, 2}, {"opcode", 3, 1, 0, 4},
};
constexpr Field tagged[] = {{"stag", 4, 4, 0, 32}, {"to", 8, 8, 0, 64}};
constexpr Field untagged[] = {
    {"inv", 4, 4, 0, 32}, {"qn", 8, 4, 0, 32}, {"msn", 12, 4, 0, 32}, {"mo", 16, 4, 0, 32}};

constexpr Field read_request[] = {
    {"sink_stag", 20, 4, 0, 32}, {"sink_to", 24, 8, 0, 64}, {"size", 32, 4, 0, 32},
    {"src_stag", 36, 4, 0, 32},  {"src_to", 40, 8, 0, 64},
};
constexpr Field terminate[] = {
    {"layer", 20, 1, 4, 4},      {"etype", 20, 1, 0, 4}, {"code", 21, 1, 0, 8},
    {"m", 22, 2, 15, 1},         {"d", 22, 2, 14, 1},    {"r", 22, 2, 13, 1},
    {"term_rsvd", 22, 2, 0, 13},
};
// Send with Immediate: the value takes the place of the STag.
constexpr Field send_immediate[] = {{"imm", 4, 4, 0, 32}};
constexpr Field immediate[] = {{"imm", 20, 8, 0, 64}};
constexpr Field atomic_request[] = {
    {"aop_rsvd", 20, 4, 4, 28},    {"aop", 20, 4, 0, 4},        {"id", 24, 4, 0, 32},
    {"target_stag", 28, 4, 0, 32}, {"target_to", 32, 8, 0, 64}, {"operand", 40, 8, 0, 64},
    {"mask", 48, 8, 0, 64},        {"compare", 56, 8, 0, 64},   {"compare_mask", 64, 8, 0, 64},
};
constexpr Field atomic_response[] = {{"id", 20, 4, 0, 32}, {"original", 24, 8, 0, 64}};

constexpr Kind table[] = {
    {"write", true, 0x0, 0, {}, 0},
    {"read-request", false, 0x1, 1, read_request, 28},
    {"read-response", true, 0x2, 0, {}, 0},
    {"send", false, 0x3, 0, {}, 0},
    {"send-inv", false, 0x4, 0, {}, 0},
    {"send-se", false, 0x5, 0, {}, 0},
    {"send-se-inv", false, 0x6, 0, {}, 0},
    {"terminate", false, 0x7, 2, terminate, 4},
    {"immediate", false, 0x8, 0, immediate, 8},
    {"immediate-se", false, 0x9, 0, immediate, 8},
    {"atomic-request", false, 0xa, 1, atomic_request, 52},
    {"atomic-response", false, 0xb, 3, atomic_response, 12},
    {"send-imm", false, 0xf, 0, send_immediate, 0},
};

// Aliases, with the values that they imply.
struct Alias {
    std::string_view name, kind;
    uint64_t aop, mask, compare_mask;
};

constexpr Alias aliases[] = {
    {"fetchadd", "atomic-request", 0, 0, ~uint64_t{0}},
    {"FetchAdd", "atomic-request", 0, 0, ~uint64_t{0}},
    {"cmpswap", "atomic-request", 2, ~uint64_t{0}, ~uint64_t{0}},
    {"CmpSwap", "atomic-request", 2, ~uint64_t{0}, ~uint64_t{0}},
};

const Alias *alias_named(std::string_view name) {
    auto found = std::ranges::find(aliases, name, &Alias::name);

    return found == std::end(aliases) ? nullptr : found;
}

const Field *field_named(const Kind &kind, std::string_view name) {
    std::span<const Field> ddp = kind.tagged ? std::span<const Field>(tagged) : untagged;

    for (std::span<const Field> group : {std::span<const Field>(control), ddp, kind.header})
        for (const Field &f : group)
            if (f.name == name)
                return &f;
    return nullptr;
}

size_t pad_len(size_t ulpdu) {
    return (4 - (2 + ulpdu) % 4) % 4;
}

void put(Octets &octets, const Kind &kind, std::string_view name, uint64_t value) {
    const Field *field = field_named(kind, name);

    if (field == nullptr)
        throw std::invalid_argument(fmt::format("{} has no field {}", kind.name, name));
    if (value > field->mask())
        throw std::invalid_argument(fmt::format("{}=0x{:x} is too much", name, value));
    field->set(octets, value);
}

Octets header(const Kind &kind, const Alias *alias, uint32_t msn) {
    Octets made(kind.payload_at());

    put(made, kind, "t", kind.tagged ? 1 : 0);
    put(made, kind, "l", 1);
    put(made, kind, "dv", 1);
    put(made, kind, "rv", 1);
    put(made, kind, "opcode", kind.opcode);
    if (!kind.tagged) {
        put(made, kind, "qn", kind.queue);
        put(made, kind, "msn", msn);
    }
    if (alias != nullptr) {
        put(made, kind, "aop", alias->aop);
        put(made, kind, "mask", alias->mask);
        put(made, kind, "compare_mask", alias->compare_mask);
    }
    return made;
}

bool is_framing(std::string_view key) {
    return key == "len" || key == "pad" || key == "crc";
}

// Adds the headers of the offending message that a Terminate contains (RFC 5040 §4.8).
void terminate_parts(Frame &frame, size_t at, size_t size) {
    if (size >= 2) {
        frame.fields.push_back({"seg_len", static_cast<unsigned>(at), 2, 0, 16});
        at += 2;
        size -= 2;
    }
    frame.parts.push_back({"header", at, size});
}

} // namespace

std::span<const Kind> kinds() {
    return table;
}

const Kind *kind_named(std::string_view name) {
    if (const Alias *alias = alias_named(name))
        name = alias->kind;
    auto found = std::ranges::find(table, name, &Kind::name);

    return found == std::end(table) ? nullptr : found;
}

bool kind_has(const Kind &kind, std::string_view key) {
    return field_named(kind, key) != nullptr ||
           (kind.opcode == 0x7 && (key == "seg_len" || key == "header"));
}

Octets build(std::string_view name, const Keys &keys, uint32_t msn) {
    const Kind *kind = kind_named(name);

    if (kind == nullptr)
        throw std::invalid_argument(fmt::format("no message is called {}", name));
    Octets made = header(*kind, alias_named(name), msn);
    Octets rest;
    for (const auto &[key, text] : keys) {
        if (key == "seg_len" || key == "header" || key == "data" || is_framing(key))
            continue;
        put(made, *kind, key, number(text));
    }
    if (auto found = keys.find("seg_len"); found != keys.end()) {
        rest.resize(2);
        store(rest, 0, 2, number(found->second));
    }
    for (std::string_view key : {"header", "data"})
        if (auto found = keys.find(key); found != keys.end())
            append(rest, octets_of(found->second));
    append(made, rest);
    return frame_ulpdu(Octets(made.begin() + 2, made.end()), keys);
}

Octets frame_ulpdu(const Octets &ulpdu, const Keys &keys) {
    auto key = [&](std::string_view name) -> const std::string * {
        auto found = keys.find(name);

        return found == keys.end() ? nullptr : &found->second;
    };
    Octets made(2);

    if (ulpdu.size() > 0xffff)
        throw std::invalid_argument("a ULPDU has at most 65535 octets");
    store(made, 0, 2, key("len") != nullptr ? number(*key("len")) : ulpdu.size());
    append(made, ulpdu);
    append(made, key("pad") != nullptr ? octets_of(*key("pad")) : Octets(pad_len(ulpdu.size())));
    Crc32c crc;
    crc.add(made);
    Octets tail = crc.wire();
    if (const std::string *how = key("crc")) {
        if (*how == "bad")
            tail[0] ^= 1;
        else if (*how == "none")
            tail.assign(CRC_LEN, 0);
        else
            tail = octets_of_hex(*how);
    }
    append(made, tail);
    return made;
}

Frame decode(const Octets &fpdu) {
    Frame frame{.kind = "unknown", .octets = fpdu, .fields = {}, .parts = {}};
    if (fpdu.size() < 8)
        return frame;
    size_t end = 2 + load(fpdu, 0, 2); // of the ULPDU
    if (end + pad_len(end - 2) + CRC_LEN != fpdu.size()) {
        frame.fields.push_back(control[0]);
        return frame;
    }
    for (const Field &f : control)
        if (f.at + f.size <= end)
            frame.fields.push_back(f);
    bool is_tagged = (fpdu[2] & 0x80) != 0;
    for (const Field &f : is_tagged ? std::span<const Field>(tagged) : untagged)
        if (f.at + f.size <= end)
            frame.fields.push_back(f);
    size_t at = std::min<size_t>(end, is_tagged ? 16 : 20);
    auto kind = std::ranges::find(table, fpdu[3] & 0x0f, &Kind::opcode);
    if (kind != std::end(table) && kind->tagged == is_tagged && end >= kind->payload_at()) {
        frame.kind = kind->name;
        frame.fields.insert(frame.fields.end(), kind->header.begin(), kind->header.end());
        at = kind->payload_at();
    }
    if (frame.kind == "terminate")
        terminate_parts(frame, at, end - at);
    else
        frame.parts.push_back({"data", at, end - at});
    frame.parts.push_back({"pad", end, fpdu.size() - CRC_LEN - end});
    frame.parts.push_back({"crc", fpdu.size() - CRC_LEN, CRC_LEN});
    return frame;
}

bool crc_good(const Octets &fpdu) {
    Octets renewed = fpdu;

    crc_renew(renewed);
    return renewed == fpdu;
}

void crc_renew(Octets &fpdu) {
    Crc32c crc;

    if (fpdu.size() < CRC_LEN)
        return;
    crc.add(OctetView(fpdu).first(fpdu.size() - CRC_LEN));
    Octets wire = crc.wire();
    std::ranges::copy(wire, fpdu.end() - CRC_LEN);
}

} // namespace xiw::peer
