// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The contents of a capture, as plain data. All of this data is untrusted.
#ifndef XIW_WIRE_WIRE_HPP
#define XIW_WIRE_WIRE_HPP

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace xiw::wire {

using Octets = std::vector<uint8_t>;
using Span = std::span<const uint8_t>;

struct Endpoint {
    std::array<uint8_t, 16> address{}; // IPv4: the first four octets
    uint16_t port = 0;
    bool v6 = false;
    auto operator<=>(const Endpoint &) const = default;
};

// The value of IRD or ORD that leaves the depth to the ULPs (RFC 6581 section 9.1).
constexpr uint16_t depth_none = 0x3fff;

// An MPA Request or Reply.
struct Startup {
    bool reply = false;
    bool good = true; // false: invalid revision or length
    uint8_t revision = 0;
    bool markers = false, crc = false, reject = false, enhanced = false, peer_to_peer = false;
    bool rtr_write = false, rtr_read = false, rtr_send = false;
    std::optional<uint16_t> ird, ord; // empty: the field is missing or depth_none
    Octets private_data;
};

struct DdpHeader {
    bool tagged = false, last = false;
    uint8_t ddp_version = 0, rdmap_version = 0, opcode = 0;
    uint32_t stag = 0;                 // tagged: the STag; untagged: the STag to invalidate
    std::optional<uint32_t> immediate; // of Send with Immediate
    bool solicited = false;            // requests a solicited event
    uint64_t to = 0;
    uint32_t queue = 0, msn = 0, mo = 0;
    uint32_t payload = 0; // octets after this header
};

struct ReadRequest {
    uint32_t sink_stag, size, source_stag;
    uint64_t sink_to, source_to;
};

struct AtomicRequest {
    uint8_t operation;
    uint32_t id, stag;
    uint64_t to, data, mask, compare, compare_mask;
};

struct AtomicResponse {
    uint32_t id;
    uint64_t value;
};

struct Immediate {
    uint64_t value;
};

struct Terminate {
    uint16_t cause; // layer, type, code: 4, 4 and 8 bits
    std::optional<uint16_t> segment_length;
    std::optional<DdpHeader> header;
    std::optional<ReadRequest> read;
};

using Body =
    std::variant<std::monostate, ReadRequest, AtomicRequest, AtomicResponse, Immediate, Terminate>;

enum class Crc { off, good, bad, unseen }; // unseen: only the RNIC has seen the CRC

struct Fpdu {
    uint32_t length = 0; // length of the ULPDU, or of the message if the RNIC captures messages
    uint16_t markers = 0;
    Crc crc = Crc::off;
    std::optional<DdpHeader> header; // empty: too few octets, or damaged
    Body body;
    std::optional<uint16_t> fault; // code that the receiver would send, as in Terminate::cause
};

// Octets that cannot be decoded: missing in the capture, or at an unknown position.
struct Gap {
    enum class Why { missing, unknown } why = Why::missing;
    uint64_t octets = 0;
};

struct End {
    enum class How { fin, fin_inside, rst } how; // fin_inside: in the middle of an FPDU
};

struct Totals {
    uint64_t fpdus = 0, octets = 0, bad_crc = 0, missing = 0, unknown = 0;
};

struct Connection {
    uint64_t number = 0; // from 1, in the order in which connections are recognised
    Endpoint initiator, responder;
    bool started = false; // the capture has the MPA frames, which name initiator and responder
    Totals sent, answered;
};

struct Item {
    uint64_t time = 0; // time of the packet that completed the item, in nanoseconds since 1970
    const Connection *connection = nullptr;
    bool forward = false; // sent by the initiator
    std::variant<Startup, Fpdu, Gap, End> what;
};

using Tell = std::function<void(const Item &)>;

} // namespace xiw::wire

#endif
