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

// Advice for Terminate codes. driver/core/term.c contains the meanings of the codes.
constexpr auto term_advice = std::to_array<TermAdvice>({
    {0, 1, 0x00, "the peer's key was invalidated or never registered: check the ULP"},
    {0, 1, 0x01, "the request exceeds the memory that the peer registered"},
    {0, 1, 0x02, "the peer registered the memory without the required right"},
    {0, 1, 0x03, "the key belongs to another protection domain of the peer"},
    {0, 2, 0x06,
     "the other end has no RFC 7306 atomics or immediates or no Send with Immediate, or they "
     "are off: see xiw caps for this end, docs/interop.md for others"},
    {0, 2, 0x07,
     "an Atomic whose address is not a multiple of 8 octets, or a message whose length its "
     "operation does not allow"},
    {1, 1, 0x00, "a Write to a key that was invalidated or never registered"},
    {1, 1, 0x01, "a Write that exceeds the registered memory"},
    {1, 2, 0x02,
     "no receive was posted in time: use a deeper receive queue or a longer park-time; or, for a "
     "Read "
     "or an Atomic, more outstanding requests than the agreed IRD: xiw conn"},
    {1, 2, 0x05, "a Send that is longer than the receive posted for it"},
    {2, 0, 0x01, "check the path and the other machine: xiw stat, ss -ti"},
    {2, 0, 0x02,
     "octets changed on the way, unnoticed by TCP: bad memory, or a NIC's checksum "
     "offload (ethtool -K DEV rx off tx off to find out)"},
    {2, 0, 0x03, "the ends count markers differently: markers=off"},
    {2, 0, 0x04, "the other end is not iWARP, or has another revision: mpa-revision=1"},
    {2, 0, 0x05, "the initiator had no memory for the connection"},
    {2, 0, 0x06,
     "the responder requires more inbound Reads than the initiator supports: reduce them in its "
     "ULP"},
    {2, 0, 0x07, "the ends have no RTR form in common: rtr=write+read, or peer-to-peer=off"},
});

struct Status {
    string_view name, meaning, advice;
};

// The statuses of work completions, in the order of their numbers in ib_verbs.h. xiw does not
// report all of these statuses.
constexpr string_view never = "xiw does not report this status; other drivers may";
constexpr auto statuses = std::to_array<Status>({
    {"SUCCESS", "done", {}},
    {"LOC_LEN_ERR", "the received data was longer than its memory", {}},
    {"LOC_QP_OP_ERR", "this QP cannot execute the request",
     "over iWARP: a Read into memory without the right, a message too long, an operation "
     "that is disabled"},
    {"LOC_EEC_OP_ERR", "end-to-end context of InfiniBand's reliable datagrams", never},
    {"LOC_PROT_ERR", "the request names local memory that is not registered for it",
     "check key, bounds, rights and protection domain of the local entries"},
    {"WR_FLUSH_ERR", "not executed: the connection has ended, or the QP is in error",
     "another completion or the QP's event has the cause: xiw conn shows Terminates"},
    {"MW_BIND_ERR", "a registration, a bind or an invalidation failed",
     "check state and key of the region: it must be invalid to be registered"},
    {"BAD_RESP_ERR", "a response that does not match the request", never},
    {"LOC_ACCESS_ERR", "local memory lacks a right", never},
    {"REM_INV_REQ_ERR", "the other end does not support this request",
     "atomics and immediates need RFC 7306 at both ends: xiw caps"},
    {"REM_ACCESS_ERR", "the memory of the other end does not allow it",
     "check its key, bounds and rights; xiw conn has the Terminate code"},
    {"REM_OP_ERR", "the other end could not execute it",
     "an Atomic: the address must be a multiple of 8 octets; else check the other end"},
    {"RETRY_EXC_ERR", "no response after all retries",
     "xiw: the peer that the QP names by number did not connect, or has ended its QP"},
    {"RNR_RETRY_EXC_ERR", "the other end had no receive posted in time",
     "its receive queue is too short for its load, or its park-time"},
    {"LOC_RDD_VIOL_ERR", "a domain of InfiniBand's reliable datagrams", never},
    {"REM_INV_RD_REQ_ERR", "InfiniBand's reliable datagrams", never},
    {"REM_ABORT_ERR", "the other end gave up", never},
    {"INV_EECN_ERR", "end-to-end context of InfiniBand's reliable datagrams", never},
    {"INV_EEC_STATE_ERR", "end-to-end context of InfiniBand's reliable datagrams", never},
    {"FATAL_ERR", "the connection broke below RDMA: TCP, MPA or DDP",
     "xiw conn has the Terminate code, xiw stat the error counters"},
    {"RESP_TIMEOUT_ERR", "timed out waiting for an answer", never},
    {"GENERAL_ERR", "an error that has no other code", never},
});

struct Errno {
    int number;
    string_view meaning, advice;
};

// The meanings of an errno in the driver, rdma_cm and iw_cm.
constexpr auto errnos = std::to_array<Errno>({
    {EPERM, "not permitted", "CAP_NET_ADMIN in the network namespace"},
    {EIO, "the RNIC does not respond, or has failed",
     "look for \"device failed\" in the kernel log"},
    {ENOMEM, "no memory, or a queue that is full",
     "fewer or smaller queues; the send queue's depth"},
    {EACCES, "a key of another protection domain, or a missing right", {}},
    {EBUSY, "in use", "find the user: rdma resource show"},
    {EEXIST, "the interface already has a device, or the name is in use", "rdma link show"},
    {ENODEV, "no such device, or it is being removed", "rdma link show; is the module loaded?"},
    {EINVAL, "an invalid attribute or request",
     "the kernel's message (dmesg, or the tool's extack) names it"},
    {ERANGE, "outside the registered memory, or out of range", {}},
    {EMSGSIZE, "too long for the queue or the frame",
     "check gather entries, inline octets, and private data (508 octets at most)"},
    {EPROTO, "the MPA frames of the two ends do not match",
     "xiw stat: mpa_errors; xiw conn --detail; mpa-revision=1 for old ends"},
    {EOPNOTSUPP, "this RNIC, kernel or configuration does not support it",
     "xiw caps, xiw config show; Send with Immediate is off by default"},
    {EADDRINUSE, "the port is taken",
     "iWARP listens on a TCP port: nvmet-tcp and nvmet-rdma need different ones (ss -ltn)"},
    {EADDRNOTAVAIL, "the address does not belong to the device's interface", "ip address show"},
    {ENETUNREACH, "no route to the destination", "ip route get ADDRESS"},
    {ECONNABORTED, "the connection ended while it was being set up", {}},
    {ECONNRESET, "the other end closed TCP",
     "while connecting: no iWARP service listens there, or it supports only revision 1 "
     "(mpa-revision=1)"},
    {EISCONN, "the QP is already connected", {}},
    {ENOTCONN, "the QP is not connected", {}},
    {ETIMEDOUT, "timed out waiting for an answer",
     "check firewall, address and startup-time; is the other end iWARP?"},
    {ECONNREFUSED, "no service listens on that port, or its ULP rejected the connection",
     "check ss -ltn at the other end; a ULP's reason is in its private data"},
    {EHOSTUNREACH, "no route to the other end", "ip route get ADDRESS; ping"},
    {EOVERFLOW, "address plus length is 2^64 or more", {}},
    {ENOKEY, "the device requires encryption, and nothing encrypts the connection",
     "xiw doctor; encryption.md"},
});

std::string upper(string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return result;
}

// Parse a number: decimal, or hexadecimal with 0x.
std::optional<unsigned> parse_number(string_view text) {
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
    // siw swaps layer and type. Add the meaning of the swapped code if no RFC defines the code as
    // written. Also add this meaning for a code of RFC 6581. RFC 6581 allows its codes only in the
    // MPA negotiation, so the sender of such a code in an open stream is probably siw.
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

// Explain a code of the form "L/T/CODE"; empty if the form or a part is invalid.
std::vector<Explanation> explain_slashes(string_view text) {
    std::array<unsigned, 3> part{};
    for (size_t i = 0; i < part.size(); i++) {
        const size_t end = i + 1 < part.size() ? text.find('/') : text.size();
        if (end == string_view::npos)
            return {};
        const auto value = parse_number(text.substr(0, end));
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

    // A packed code has the layer in bits 19-16 (vendor_err) or 15-12 (tables), and the type in
    // bits 11-8.
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
    if (const auto value = parse_number(code))
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
