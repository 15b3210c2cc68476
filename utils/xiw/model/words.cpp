// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/words.hpp"

#include "model/protocol.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <linux/xiw.h>
#include <rnic/xiw_rnic.h>

namespace xiw {

namespace {

using std::string_view;

// Each table has the length of its enum: a test compares both with linux/xiw.h.
constexpr auto kinds = std::to_array<string_view>({"soft", "pci"});

constexpr auto device_states = std::to_array<string_view>({"down", "active", "failed", "removing"});

constexpr auto knowns =
    std::to_array<string_view>({"configured", "negotiated", "observed", "refused"});

constexpr auto roles = std::to_array<string_view>({"listener", "initiator", "responder"});

// By bit of enum xiw_nl_rtr.
constexpr auto rtrs = std::to_array<string_view>({"write", "read", "send"});

constexpr auto scopes = std::to_array<string_view>({"none", "device", "global"});

constexpr auto origins = std::to_array<string_view>({"local", "remote"});

constexpr auto notices =
    std::to_array<string_view>({"terminate", "abort", "reject", "connect-error", "device-failed",
                                "connect", "qp-state", "crc-error", "config", "lost"});
static_assert(notices.size() == XIW_NL_NOTICE_MAX + 1);

constexpr auto latencies = std::to_array<string_view>({"send", "write", "read", "atomic", "local"});
static_assert(latencies.size() == XIW_NL_LATENCY_MAX + 1);

constexpr auto rings = std::to_array<string_view>(
    {"send-queue", "receive-queue", "requests", "responses", "ord", "ird", "events", "admin"});
static_assert(rings.size() == XIW_NL_RING_MAX + 1);

// By bit of enum xiw_stream_state.
constexpr auto streams = std::to_array<string_view>(
    {"open", "first-fpdu", "peer-closed", "lost", "term-sent", "stopped", "closed", "rtr-timeout"});
static_assert(XIW_ST_RTR_TIMEOUT == 1 << (streams.size() - 1));

constexpr auto limits = std::to_array<string_view>({{},
                                                    "qp",
                                                    "cq",
                                                    "mr",
                                                    "srq",
                                                    "pd",
                                                    "mw",
                                                    "wr",
                                                    "cqe",
                                                    "sge",
                                                    "inline",
                                                    "ird",
                                                    "ord",
                                                    "private_data"});
static_assert(limits.size() == XIW_A_LIMITS_MAX + 1);

constexpr auto objects = std::to_array<string_view>(
    {{}, "qp", "cq", "mr", "srq", "pd", "mw", "connection", "listener", "parked"});
static_assert(objects.size() == XIW_A_OBJECTS_MAX + 1);

using Shape = CapabilityShape;

struct CapabilityWord {
    string_view name;
    Shape shape;
};

constexpr auto capabilities = std::to_array<CapabilityWord>({
    {"mpa_revision", Shape::number},
    {"enhanced_setup", Shape::flag},
    {"crc", Shape::flag},
    {"markers_tx", Shape::flag},
    {"markers_rx", Shape::flag},
    {"peer_to_peer", Shape::flag},
    {"rtr", Shape::rtr_set},
    {"ird", Shape::number},
    {"ord", Shape::number},
    {"mulpdu", Shape::number},
    {"fetch_add", Shape::flag},
    {"cmp_swap", Shape::flag},
    {"atomic_mask", Shape::flag},
    {"atomic_scope", Shape::scope},
    {"immediate", Shape::flag},
    {"immediate_solicited", Shape::flag},
});
static_assert(capabilities.size() == XIW_NL_CAPABILITY_MAX + 1);

constexpr auto counters = std::to_array<CounterWord>({
    {"tx_bytes", {}},
    {"rx_bytes", {}},
    {"tx_pkts", {}},
    {"rx_pkts", {}},
    {"rx_drops", "FPDUs dropped"},
    {"tx_batches", {}},
    {"rx_staged", {}},
    {"rx_crc_errors", "bad CRC"},
    {"rx_framing_errors", "bad FPDU lengths or markers"},
    {"rx_malformed", "bad DDP or RDMAP headers"},
    {"out_of_buffer", "messages without a posted receive"},
    {"out_of_sequence", "messages out of sequence"},
    {"req_remote_access_errors", "own requests refused for access"},
    {"resp_remote_access_errors", "peers' requests refused for access"},
    {"req_cqe_error", "failed sends"},
    {"resp_cqe_error", "failed receives"},
    {"event_stalls", {}},
    {"cq_overflows", "completion queue overflows"},
    {"connects", {}},
    {"accepts", {}},
    {"connect_errors", "failed connects"},
    {"rejects_sent", {}},
    {"rejects_received", "rejected connects"},
    {"mpa_errors", "bad MPA frames"},
    {"mpa_timeouts", "setup timeouts"},
    {"terminates_sent", "Terminates sent"},
    {"terminates_received", "Terminates received"},
    {"aborts", "lost TCP connections"},
    {"parks", {}},
    {"park_timeouts", "receive waits that timed out"},
    {"rnic_errors", "RNIC errors"},
});
static_assert(counters.size() == XIW_NL_COUNTER_MAX + 1);

template <size_t N>
std::string word(const std::array<string_view, N> &table, uint64_t value) {
    if (value < N && !table[value].empty())
        return std::string(table[value]);
    return unknown_word(value);
}

// Join the words of the bits that are set; "none" if there are none.
template <size_t N>
std::string words(const std::array<string_view, N> &table, uint64_t bits) {
    std::string list;
    for (unsigned bit = 0; bit < N; bit++) {
        if (bits >> bit & 1)
            list += fmt::format("{}{}", list.empty() ? "" : "+", table[bit]);
        bits &= ~(uint64_t{1} << bit);
    }
    if (bits != 0)
        list += (list.empty() ? "" : "+") + unknown_word(bits);
    return list.empty() ? "none" : list;
}

// Make one word of a name from the core.
std::string core_word(const char *(*name_of)(unsigned), uint64_t value) {
    const char *name = value <= UINT32_MAX ? name_of(static_cast<unsigned>(value)) : nullptr;
    if (name == nullptr)
        return unknown_word(value);
    std::string word = name;
    std::ranges::replace(word, ' ', '-');
    return word;
}

} // namespace

std::string unknown_word(uint64_t value) {
    return fmt::format("unknown({:#x})", value);
}

std::string kind_word(uint64_t kind) {
    return word(kinds, kind);
}

std::string device_state_word(uint64_t state) {
    return word(device_states, state);
}

std::string known_word(uint64_t known) {
    return word(knowns, known);
}

std::string role_word(uint64_t role) {
    return word(roles, role);
}

std::string mpa_state_word(uint64_t state) {
    return core_word(xiw_protocol_mpa_state, state);
}

std::string stream_state_word(uint64_t state) {
    return core_word(xiw_protocol_stream_state, state);
}

std::string rtr_word(uint64_t forms) {
    return words(rtrs, forms);
}

std::optional<uint32_t> parse_rtr(string_view words) {
    uint32_t forms = 0;
    while (true) {
        const size_t end = words.find('+');
        const auto *it = std::ranges::find(rtrs, words.substr(0, end));
        if (it == rtrs.end())
            return std::nullopt;
        forms |= 1U << (it - rtrs.begin());
        if (end == string_view::npos)
            return forms;
        words.remove_prefix(end + 1);
    }
}

std::string origin_word(uint64_t origin) {
    return word(origins, origin);
}

std::string notice_kind_word(uint64_t kind) {
    return word(notices, kind);
}

std::string latency_word(uint64_t operation) {
    return word(latencies, operation);
}

std::string ring_word(uint64_t kind) {
    return word(rings, kind);
}

std::string stream_word(uint64_t bits) {
    return words(streams, bits);
}

std::string limit_word(uint64_t attribute) {
    return word(limits, attribute);
}

std::string object_word(uint64_t attribute) {
    return word(objects, attribute);
}

std::string capability_word(uint64_t capability) {
    if (capability < capabilities.size())
        return std::string(capabilities[capability].name);
    return unknown_word(capability);
}

CapabilityShape capability_shape(uint64_t capability) {
    return capability < capabilities.size() ? capabilities[capability].shape : Shape::number;
}

std::string capability_value_word(uint64_t capability, uint64_t value) {
    switch (capability_shape(capability)) {
    case Shape::flag:
        return value == 0 ? "off" : value == 1 ? "on" : unknown_word(value);
    case Shape::rtr_set:
        return rtr_word(value);
    case Shape::scope:
        return word(scopes, value);
    case Shape::number:
        break;
    }
    return std::to_string(value);
}

std::span<const CounterWord> counter_words() {
    return counters;
}

std::string counter_word(uint64_t counter) {
    if (counter < counters.size())
        return std::string(counters[counter].name);
    return unknown_word(counter);
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
        // Some peers swap layer and type.
        if (!xiw_protocol_terminate(type, layer, code, &row))
            return fmt::format("{} {}", triple, unknown_word(cause));
        triple += fmt::format(", meant as {}:", triple_word(type, layer, code));
    }
    const std::string where = rfc_word(row.rfc);
    return fmt::format("{} {}{}", triple, row.words,
                       where.empty() ? "" : fmt::format(" ({})", where));
}

} // namespace xiw
