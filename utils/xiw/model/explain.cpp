// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/explain.hpp"

#include "model/protocol.h"
#include "model/words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace xiw {

namespace {

using std::string_view;

struct TermAdvice {
    unsigned layer, type, code;
    string_view advice;
};

// The core has the meaning of a code (driver/core/term.c); this table has the advice.
constexpr auto term_advice = std::to_array<TermAdvice>({
    {0, 1, 0x00, "the peer's key was invalidated or never registered: look at the ULP"},
    {0, 1, 0x01, "the request reaches beyond the memory that the peer registered"},
    {0, 1, 0x02, "the peer registered the memory without the right that the request needs"},
    {0, 1, 0x03, "the key belongs to another protection domain of the peer"},
    {0, 2, 0x06,
     "the other end has no RFC 7306 atomics or immediates, or they are off: xiw caps tells "
     "for this end, docs/interop.md for others"},
    {0, 2, 0x07,
     "an Atomic whose address is no multiple of 8 octets, or a message of a length that its "
     "operation cannot have"},
    {1, 1, 0x00, "a Write to a key that was invalidated or never registered"},
    {1, 1, 0x01, "a Write beyond the memory that was registered"},
    {1, 2, 0x02,
     "no receive was posted in time: deeper receive queue or longer park-time; or, of a Read "
     "or an Atomic, more at once than the IRD that was agreed: xiw conn"},
    {1, 2, 0x05, "a Send that is longer than the receive posted for it"},
    {2, 0, 0x01, "the path or the other machine: xiw stat, ss -ti"},
    {2, 0, 0x02,
     "octets were changed on the way where TCP did not notice: memory, or a NIC's checksum "
     "offload (ethtool -K DEV rx off tx off to find out)"},
    {2, 0, 0x03, "an end that counts markers otherwise: markers=off"},
    {2, 0, 0x04, "no iWARP end there, or one of another revision: mpa-revision=1"},
    {2, 0, 0x05, "the initiator had no memory for the connection"},
    {2, 0, 0x06, "the responder needs more inbound Reads than the initiator can: fewer in its ULP"},
    {2, 0, 0x07, "the ends have no RTR form in common: rtr=write+read, or peer-to-peer=off"},
});

struct Status {
    string_view name, meaning, advice;
};

// Numbered as in ib_verbs.h. Some statuses come only from other drivers.
constexpr string_view never = "xiw does not give this one; other drivers may";
constexpr auto statuses = std::to_array<Status>({
    {"SUCCESS", "done", {}},
    {"LOC_LEN_ERR", "what arrived was longer than the memory for it", {}},
    {"LOC_QP_OP_ERR", "the request is none that this QP can carry out",
     "over iWARP: a Read into memory without the right, a message too long, an operation "
     "that is switched off"},
    {"LOC_EEC_OP_ERR", "end-to-end context of InfiniBand's reliable datagrams", never},
    {"LOC_PROT_ERR", "own memory that the request names is not registered for it",
     "key, bounds, right and protection domain of the local entries"},
    {"WR_FLUSH_ERR", "not carried out: the connection has ended, or the QP is in error",
     "another completion or the QP's event has the cause: xiw conn shows Terminates"},
    {"MW_BIND_ERR", "a registration, a bind or an invalidation failed",
     "the state and the key of the region: it must be invalid to be registered"},
    {"BAD_RESP_ERR", "an answer that does not fit the request", never},
    {"LOC_ACCESS_ERR", "a right is missing on own memory", never},
    {"REM_INV_REQ_ERR", "the other end does not know or take this request",
     "atomics and immediates need RFC 7306 at both ends: xiw caps"},
    {"REM_ACCESS_ERR", "the other end's memory does not allow it",
     "key, bounds and rights that it told; xiw conn has the Terminate code"},
    {"REM_OP_ERR", "the other end could not carry it out",
     "an Atomic: address a multiple of 8 octets; else look at the other end"},
    {"RETRY_EXC_ERR", "no answer after all repetitions", "over iWARP that is TCP's: FATAL_ERR"},
    {"RNR_RETRY_EXC_ERR", "the other end had no receive posted in time",
     "its receive queue is too short for its load, or its park-time"},
    {"LOC_RDD_VIOL_ERR", "a domain of InfiniBand's reliable datagrams", never},
    {"REM_INV_RD_REQ_ERR", "InfiniBand's reliable datagrams", never},
    {"REM_ABORT_ERR", "the other end gave up", never},
    {"INV_EECN_ERR", "end-to-end context of InfiniBand's reliable datagrams", never},
    {"INV_EEC_STATE_ERR", "end-to-end context of InfiniBand's reliable datagrams", never},
    {"FATAL_ERR", "the connection broke below RDMA: TCP, MPA or DDP",
     "xiw conn has the Terminate code, xiw stat the counters of trouble"},
    {"RESP_TIMEOUT_ERR", "no answer in time", never},
    {"GENERAL_ERR", "an error that has no other code", never},
});

struct Errno {
    int number;
    string_view meaning, advice;
};

// Meanings in the driver, rdma_cm and iw_cm.
constexpr auto errnos = std::to_array<Errno>({
    {EPERM, "the caller may not do that", "CAP_NET_ADMIN in the network namespace"},
    {EIO, "the RNIC does not answer, or answered nonsense", "xiw: device failed? the kernel's log"},
    {ENOMEM, "no memory, or a queue that is full",
     "fewer or smaller queues; the send queue's depth"},
    {EACCES, "a key of another protection domain, or a right is missing", {}},
    {EBUSY, "in use", "who holds it: rdma resource show"},
    {EEXIST, "the interface, or the name, has its device already", "rdma link show"},
    {ENODEV, "no such device, or it is going away", "rdma link show; is the module loaded?"},
    {EINVAL, "an attribute or request that no such object can have",
     "the kernel's message (dmesg, or the tool's extack) names it"},
    {ERANGE, "beyond what was registered, or what the setting takes", {}},
    {EMSGSIZE, "longer than the queue or the frame has room for",
     "gather entries, inline octets, private data of 508 octets at most"},
    {EPROTO, "the other end's startup frames make no sense together with ours",
     "xiw stat: mpa_errors; xiw conn --detail; mpa-revision=1 for old ends"},
    {EOPNOTSUPP, "this RNIC, kernel or configuration does not have it",
     "xiw caps, xiw config show; Send with Immediate does not exist over iWARP"},
    {EADDRINUSE, "the port is taken",
     "iWARP listens on a TCP port: nvmet-tcp and nvmet-rdma need different ones (ss -ltn)"},
    {EADDRNOTAVAIL, "the address is none of the device's interface", "ip address show"},
    {ENETUNREACH, "no route to there", "ip route get ADDRESS"},
    {ECONNABORTED, "the connection ended while it was being set up", {}},
    {ECONNRESET, "the other end closed TCP",
     "while connecting: no iWARP listens there, or revision 1 only (mpa-revision=1)"},
    {EISCONN, "the QP has its connection already", {}},
    {ENOTCONN, "the QP is not connected", {}},
    {ETIMEDOUT, "no answer in time", "firewall, address; startup-time; is the other end iWARP?"},
    {ECONNREFUSED, "nobody listens on that port, or the ULP there said no",
     "ss -ltn at the other end; the reason of a ULP is in its private data"},
    {EHOSTUNREACH, "no way to the other end", "ip route get ADDRESS; ping"},
    {EOVERFLOW, "an address plus a length that passes 2^64", {}},
});

std::string upper(string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return result;
}

// Parse a number: decimal, or hexadecimal with 0x.
std::optional<unsigned> number(string_view text) {
    unsigned value = 0;
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
        base = 16;
    }
    const auto [end, error] = std::from_chars(text.begin(), text.end(), value, base);
    if (error != std::errc() || end != text.end())
        return std::nullopt;
    return value;
}

std::string advice_of(const xiw_protocol_code &row) {
    const auto *it = std::ranges::find_if(term_advice, [&row](const TermAdvice &advice) {
        return advice.layer == row.layer && advice.type == row.etype && advice.code == row.code;
    });
    return it == term_advice.end() ? "" : std::string(it->advice);
}

Explanation term_explanation(const xiw_protocol_code &row) {
    return {.subject = triple_word(row.layer, row.etype, row.code),
            .kind = "Terminate code",
            .meaning = row.words,
            .source = rfc_word(row.rfc),
            .effect = fmt::format("the request that it names completes with {}, all others with "
                                  "WR_FLUSH_ERR; the QP's event is {}",
                                  row.status, row.event),
            .advice = advice_of(row)};
}

std::vector<Explanation> explain_triple(unsigned layer, unsigned type, unsigned code) {
    xiw_protocol_code row{};
    std::vector<Explanation> list;

    if (xiw_protocol_terminate(layer, type, code, &row))
        list.push_back(term_explanation(row));
    // siw swaps layer and type: add the swapped meaning if it differs.
    const bool startup = layer == 2 && type == 0 && code >= 5;
    if ((list.empty() || startup) && xiw_protocol_terminate(type, layer, code, &row)) {
        Explanation meant = term_explanation(row);
        meant.subject = fmt::format("{} sent by siw, meaning {}", triple_word(layer, type, code),
                                    meant.subject);
        list.push_back(meant);
    }
    if (list.empty())
        list.push_back({.subject = triple_word(layer, type, code),
                        .kind = "Terminate code",
                        .meaning = "no RFC defines this code",
                        .source = {},
                        .effect = {},
                        .advice = {}});
    return list;
}

// Parse "L/T/CODE"; empty if the form or a part is invalid.
std::vector<Explanation> explain_slashes(string_view text) {
    std::array<unsigned, 3> part{};
    for (size_t i = 0; i < part.size(); i++) {
        const size_t end = i + 1 < part.size() ? text.find('/') : text.size();
        if (end == string_view::npos)
            return {};
        const auto value = number(text.substr(0, end));
        if (!value || *value > (i + 1 < part.size() ? 0xfU : 0xffU))
            return {};
        part[i] = *value;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return explain_triple(part[0], part[1], part[2]);
}

Explanation status_explanation(size_t i) {
    const Status &status = statuses[i];
    return {.subject = std::string(status.name),
            .kind = fmt::format("work completion status {}", i),
            .meaning = std::string(status.meaning),
            .source = {},
            .effect = {},
            .advice = std::string(status.advice)};
}

std::optional<Explanation> errno_explanation(int value) {
    const char *name = strerrorname_np(value);
    if (name == nullptr || value == 0)
        return std::nullopt;
    const auto *it = std::ranges::find(errnos, value, &Errno::number);
    Explanation result{.subject = name,
                       .kind = fmt::format("errno {}", value),
                       .meaning = strerrordesc_np(value),
                       .source = {},
                       .effect = {},
                       .advice = {}};
    if (it != errnos.end()) {
        result.effect = it->meaning;
        result.advice = it->advice;
    }
    return result;
}

void add(std::vector<Explanation> &list, std::optional<Explanation> explanation) {
    if (explanation)
        list.push_back(std::move(*explanation));
}

std::vector<Explanation> explain_number(unsigned value, bool hexadecimal) {
    std::vector<Explanation> list;

    // Packed: layer in bits 19-16 (vendor_err) or 15-12 (tables), type in 11-8.
    if (hexadecimal && value > 0xff && value <= 0xfffff) {
        const unsigned layer = value > 0xffff ? value >> 16 : value >> 12;
        if (value <= 0xffff || (value >> 12 & 0xf) == 0)
            return explain_triple(layer, value >> 8 & 0xf, value & 0xff);
        return list;
    }
    if (value < statuses.size())
        list.push_back(status_explanation(value));
    if (value <= 4095)
        add(list, errno_explanation(static_cast<int>(value)));
    return list;
}

std::vector<Explanation> explain_name(std::string name) {
    std::vector<Explanation> list;

    for (const string_view prefix : {"IB_WC_", "IBV_WC_"})
        if (name.starts_with(prefix))
            name.erase(0, prefix.size());
    for (size_t i = 0; i < statuses.size(); i++)
        if (name == statuses[i].name)
            list.push_back(status_explanation(i));
    for (int value = 1; value < 4096 && list.empty(); value++) {
        const char *known = strerrorname_np(value);
        if (known != nullptr && name == known)
            add(list, errno_explanation(value));
    }
    return list;
}

} // namespace

std::vector<Explanation> explain(string_view code) {
    if (code.find('/') != string_view::npos)
        return explain_slashes(code);
    if (code.starts_with('-'))
        code.remove_prefix(1); // -ECONNREFUSED, as in the kernel's log
    if (const auto value = number(code))
        return explain_number(*value, code.size() > 1 && (code[1] == 'x' || code[1] == 'X'));
    return explain_name(upper(code));
}

std::string completion_word(uint64_t status) {
    return status < statuses.size() ? std::string(statuses[status].name) : unknown_word(status);
}

std::vector<Explanation> explain_all() {
    std::vector<Explanation> list;
    xiw_protocol_code row{};

    for (unsigned i = 0; xiw_protocol_terminate_row(i, &row); i++)
        list.push_back(term_explanation(row));
    for (size_t i = 0; i < statuses.size(); i++)
        list.push_back(status_explanation(i));
    for (const Errno &entry : errnos)
        add(list, errno_explanation(entry.number));
    return list;
}

} // namespace xiw
