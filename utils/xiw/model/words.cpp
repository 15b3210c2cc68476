// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/words.hpp"

#include "model/names.hpp"
#include "model/protocol.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <linux/xiw.h>
#include <rnic/xiw_rnic.h>

namespace xiw {

namespace {

using std::string_view;

// Words for the bits of enum xiw_stream_state.
constexpr string_view streams[] = {"open",   "first-fpdu",  "peer-closed",
                                   "lost",   "term-sent",   "stopped",
                                   "closed", "rtr-timeout", "unencrypted"};
static_assert(XIW_ST_UNENCRYPTED == 1 << (std::size(streams) - 1));

using Shape = CapabilityShape;

// Capabilities that are not flags.
struct CapabilityRow {
    uint64_t id;
    Shape shape;
};
constexpr CapabilityRow shapes[] = {
    {XIW_NL_CAPABILITY_MPA_REVISION, Shape::number}, {XIW_NL_CAPABILITY_RTR, Shape::rtr_set},
    {XIW_NL_CAPABILITY_IRD, Shape::number},          {XIW_NL_CAPABILITY_ORD, Shape::number},
    {XIW_NL_CAPABILITY_MULPDU, Shape::number},       {XIW_NL_CAPABILITY_ATOMIC_SCOPE, Shape::scope},
};

template <size_t N>
std::string word(const string_view (&names)[N], uint64_t value) {
    if (value < N && !names[value].empty())
        return std::string(names[value]);
    return unknown_word(value);
}

// Join the words of the bits that are set; "none" if there are none.
template <size_t N>
std::string words(const string_view (&names)[N], uint64_t bits) {
    std::string list;
    for (unsigned bit = 0; bit < N; bit++) {
        if (bits >> bit & 1)
            list += fmt::format("{}{}", list.empty() ? "" : "+", names[bit]);
        bits &= ~(uint64_t{1} << bit);
    }
    if (bits != 0)
        list += (list.empty() ? "" : "+") + unknown_word(bits);
    return list.empty() ? "none" : list;
}

} // namespace

std::string unknown_word(uint64_t value) {
    return fmt::format("unknown({:#x})", value);
}

std::string kind_word(uint64_t kind) {
    return word(names::kind, kind);
}

std::string device_state_word(uint64_t state) {
    return word(names::device_state, state);
}

std::string known_word(uint64_t known) {
    return word(names::known, known);
}

std::string role_word(uint64_t role) {
    return word(names::role, role);
}

std::string mpa_state_word(uint64_t state) {
    return word(names::mpa_state, state);
}

std::string stream_state_word(uint64_t state) {
    return word(names::stream_state, state);
}

std::string rtr_word(uint64_t forms) {
    return words(names::rtr, forms);
}

std::string encryption_word(uint64_t layers) {
    return words(names::encryption, layers);
}

std::string cipher_word(uint64_t cipher) {
    return word(names::tls_cipher, cipher);
}

std::optional<uint32_t> parse_rtr(string_view words) {
    uint32_t forms = 0;
    while (true) {
        const size_t end = words.find('+');
        const auto *it = std::ranges::find(names::rtr, words.substr(0, end));
        if (it == std::end(names::rtr))
            return std::nullopt;
        forms |= 1U << (it - std::begin(names::rtr));
        if (end == string_view::npos)
            return forms;
        words.remove_prefix(end + 1);
    }
}

std::string origin_word(uint64_t origin) {
    return word(names::origin, origin);
}

std::string notice_kind_word(uint64_t kind) {
    return word(names::notice, kind);
}

std::string injection_word(uint64_t kind) {
    return word(names::inject, kind);
}

std::string latency_word(uint64_t operation) {
    return word(names::latency, operation);
}

std::string ring_word(uint64_t kind) {
    return word(names::ring, kind);
}

std::string stream_word(uint64_t bits) {
    return words(streams, bits);
}

std::string limit_word(uint64_t attribute) {
    return word(names::limits, attribute);
}

std::string object_word(uint64_t attribute) {
    return word(names::objects, attribute);
}

std::string capability_word(uint64_t capability) {
    return word(names::capability, capability);
}

CapabilityShape capability_shape(uint64_t capability) {
    const auto *it = std::ranges::find(shapes, capability, &CapabilityRow::id);
    if (it != std::end(shapes))
        return it->shape;
    return capability < std::size(names::capability) ? Shape::flag : Shape::number;
}

std::string capability_value_word(uint64_t capability, uint64_t value) {
    switch (capability_shape(capability)) {
    case Shape::flag:
        return value == 0 ? "off" : value == 1 ? "on" : unknown_word(value);
    case Shape::rtr_set:
        return rtr_word(value);
    case Shape::scope:
        return word(names::atomic_scope, value);
    case Shape::number:
        break;
    }
    return std::to_string(value);
}

std::string opcode_word(uint8_t opcode) {
    const char *name = xiw_protocol_opcode(opcode);
    return name != nullptr ? name : unknown_word(opcode);
}

std::string atomic_word(uint8_t operation) {
    return operation == 0 ? "FetchAdd" : operation == 2 ? "CmpSwap" : unknown_word(operation);
}

std::string rfc_word(string_view where) {
    const size_t blank = where.find(' ');
    if (blank == string_view::npos)
        return {};
    return fmt::format("RFC {} section {}", where.substr(0, blank), where.substr(blank + 1));
}

std::string triple_word(unsigned layer, unsigned type, unsigned code) {
    return fmt::format("{}/{}/{:#04x}", layer, type, code);
}

std::string terminate_word(uint16_t cause) {
    const unsigned layer = cause >> 12 & 0xf;
    const unsigned type = cause >> 8 & 0xf;
    const unsigned code = cause & 0xff;
    std::string triple = triple_word(layer, type, code);
    xiw_protocol_code row{};

    if (!xiw_protocol_terminate(layer, type, code, &row)) {
        // Some peers swap layer and type, so try the swapped code.
        if (!xiw_protocol_terminate(type, layer, code, &row))
            return fmt::format("{} {}", triple, unknown_word(cause));
        triple += fmt::format(", meant as {}:", triple_word(type, layer, code));
    }
    const std::string where = rfc_word(row.rfc);
    return fmt::format("{} {}{}", triple, row.words,
                       where.empty() ? "" : fmt::format(" ({})", where));
}

} // namespace xiw
