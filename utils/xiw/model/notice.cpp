// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/notice.hpp"

#include "model/explain.hpp"
#include "model/protocol.h"
#include "model/words.hpp"

#include <ctime>

#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw {

namespace {

// Bits and lengths of headers (RFC 5041 section 4, RFC 5040 section 4).
constexpr uint8_t tagged_bit = 0x80;
constexpr uint8_t last_bit = 0x40;
constexpr uint8_t opcode_mask = 0x0f;
constexpr size_t tagged_length = 14;
constexpr size_t untagged_length = 18;
constexpr size_t read_length = 28;

template <typename Number>
Number big_endian(std::span<const uint8_t> octets, size_t at) {
    Number value = 0;
    for (size_t i = 0; i < sizeof(Number); i++)
        value = static_cast<Number>(value << 8 | octets[at + i]);
    return value;
}

std::string terminate_triple(uint64_t cause) {
    return triple_word(cause >> 12 & 0xf, cause >> 8 & 0xf, cause & 0xff);
}

std::string error_word(uint64_t error) {
    const auto list = explain(std::to_string(error));
    for (const Explanation &e : list)
        if (e.kind.starts_with("errno"))
            return fmt::format("{}, {}", e.subject, e.effect.empty() ? e.meaning : e.effect);
    return unknown_word(error);
}

bool is_local(const Notice &notice) {
    return notice.origin == XIW_NL_ORIGIN_LOCAL;
}

std::string because(const Notice &notice) {
    return notice.text.empty() ? "" : ": " + notice.text;
}

Cause cause_of_code(uint64_t code) {
    return {.origin = {},
            .layer = static_cast<uint8_t>(code >> 12 & 0xf),
            .type = static_cast<uint8_t>(code >> 8 & 0xf),
            .code = static_cast<uint8_t>(code & 0xff),
            .text = terminate_word(static_cast<uint16_t>(code))};
}

// Format the four octets of an untagged header that belong to RDMAP: an STag or an immediate. These
// octets are 0 if the driver hides them from the user.
std::string rsvdulp_text(const SegmentHeader &header) {
    if (header.stag == 0)
        return {};
    return fmt::format(", {} {:#010x}",
                       xiw_protocol_immediate(header.opcode) ? "immediate" : "invalidates STag",
                       header.stag);
}

} // namespace

std::optional<Cause> cause_of(const Connection &connection) {
    if (!connection.terminate)
        return std::nullopt;
    Cause cause = cause_of_code(*connection.terminate);
    cause.origin = connection.terminate_origin;
    return cause;
}

std::optional<SegmentHeader> parse_segment_header(std::span<const uint8_t> octets) {
    SegmentHeader header;

    if (octets.size() < tagged_length)
        return std::nullopt;
    header.tagged = (octets[0] & tagged_bit) != 0;
    if (!header.tagged && octets.size() < untagged_length)
        return std::nullopt;
    header.last = (octets[0] & last_bit) != 0;
    header.opcode = octets[1] & opcode_mask;
    header.stag = big_endian<uint32_t>(octets, 2);
    if (header.tagged) {
        header.to = big_endian<uint64_t>(octets, 6);
        return header;
    }
    header.queue = big_endian<uint32_t>(octets, 6);
    header.msn = big_endian<uint32_t>(octets, 10);
    header.mo = big_endian<uint32_t>(octets, 14);
    return header;
}

std::optional<ReadHeader> parse_read_header(std::span<const uint8_t> octets) {
    if (octets.size() < read_length)
        return std::nullopt;
    return ReadHeader{
        .sink_stag = big_endian<uint32_t>(octets, 0),
        .sink_to = big_endian<uint64_t>(octets, 4),
        .size = big_endian<uint32_t>(octets, 12),
        .source_stag = big_endian<uint32_t>(octets, 16),
        .source_to = big_endian<uint64_t>(octets, 20),
    };
}

std::string notice_text(const Notice &notice) {
    if (!notice.kind)
        return "unknown";
    switch (*notice.kind) {
    case XIW_NL_NOTICE_TERMINATE:
        return fmt::format(
            "{} Terminate {}", is_local(notice) ? "sent" : "received",
            notice.terminate ? terminate_word(static_cast<uint16_t>(*notice.terminate)) : "?");
    case XIW_NL_NOTICE_ABORT:
        return fmt::format(
            "{}{}", is_local(notice) ? "closed without a Terminate" : "ended without a Terminate",
            because(notice));
    case XIW_NL_NOTICE_REJECT:
        return (is_local(notice) ? "this end rejected the connect"
                                 : "the peer rejected the connect") +
               because(notice);
    case XIW_NL_NOTICE_CONNECT_ERROR:
        if (notice.text.empty() && notice.error)
            return "connect failed: " + error_word(*notice.error);
        return "connect failed" + because(notice);
    case XIW_NL_NOTICE_DEVICE_FAILED:
        return "device failed" + because(notice);
    case XIW_NL_NOTICE_CONNECT:
        return is_local(notice) ? "connected" : "accepted";
    case XIW_NL_NOTICE_QP_STATE:
        return fmt::format("{} -> {}", notice.from ? stream_state_word(*notice.from) : "?",
                           notice.to ? stream_state_word(*notice.to) : "?");
    case XIW_NL_NOTICE_CRC_ERROR:
        return "received an FPDU with a bad CRC";
    case XIW_NL_NOTICE_CONFIG:
        return "the configuration was changed";
    case XIW_NL_NOTICE_LOST:
        return "the kernel had to drop events";
    case XIW_NL_NOTICE_LISTEN_ERROR:
        return fmt::format("a listener waits{}",
                           notice.error ? ": " + error_word(*notice.error) : because(notice));
    default:
        return notice_kind_word(*notice.kind) + because(notice);
    }
}

std::string record_text(const Record &record) {
    const std::string size = record.length ? fmt::format("{} octets", *record.length) : "?";
    const auto header = parse_segment_header(record.ddp_header);
    if (!header)
        return fmt::format("unreadable, {}", size);
    std::string text = opcode_word(header->opcode);
    if (header->tagged && !record.hidden && header->stag != 0)
        text += fmt::format(", STag {:#010x}, TO {:#x}", header->stag, header->to);
    if (!header->tagged) {
        text += fmt::format(", queue {}", header->queue);
        // MSNs begin with 1. The driver records 0 if the RNIC assigns the MSN later.
        if (header->msn != 0)
            text += fmt::format(", MSN {}, MO {}", header->msn, header->mo);
        text += rsvdulp_text(*header);
    }
    text += ", " + size;
    if (record.message)
        text += ", the message";
    else if (header->last)
        text += ", the last of the message";
    return text;
}

std::string record_direction(const Record &record) {
    return record.sent ? "sent" : "received";
}

Maybe record_opcode(const Record &record) {
    const auto header = parse_segment_header(record.ddp_header);
    return header ? Maybe(header->opcode) : Maybe();
}

std::string record_operation(const Record &record) {
    const auto header = parse_segment_header(record.ddp_header);
    return header ? opcode_word(header->opcode) : "";
}

std::string notice_time(const Notice &notice) {
    return notice.time ? time_text(*notice.time) : "";
}

std::optional<NoticeCause> notice_cause(const Notice &notice) {
    if (!notice.terminate)
        return std::nullopt;
    NoticeCause cause{cause_of_code(*notice.terminate), {}, {}, {}, false, {}};
    cause.segment_length = notice.segment_length;
    cause.ddp_header = notice.ddp_header;
    cause.rdma_header = notice.rdma_header;
    cause.hidden = notice.hidden;
    cause.header_text = notice_header_text(notice);
    return cause;
}

std::string notice_header_text(const Notice &notice) {
    const auto header = parse_segment_header(notice.ddp_header);
    if (!header)
        return {};
    std::string text = opcode_word(header->opcode);
    if (notice.segment_length)
        text += fmt::format(", segment of {} octets", *notice.segment_length);
    if (header->tagged) {
        text +=
            notice.hidden ? "" : fmt::format(", STag {:#010x}, TO {:#x}", header->stag, header->to);
    } else {
        text += fmt::format(", queue {}, MSN {}, MO {}", header->queue, header->msn, header->mo);
        text += rsvdulp_text(*header);
    }
    if (const auto read = parse_read_header(notice.rdma_header)) {
        text += fmt::format(", {} octets", read->size);
        if (!notice.hidden)
            text += fmt::format(" from STag {:#010x}, TO {:#x} to STag {:#010x}, TO {:#x}",
                                read->source_stag, read->source_to, read->sink_stag, read->sink_to);
    }
    if (notice.hidden)
        text += ", STags and addresses for CAP_NET_ADMIN only";
    return text;
}

std::string notice_advice(const Notice &notice) {
    std::vector<Explanation> list;

    if (notice.terminate)
        list = explain(terminate_triple(*notice.terminate));
    else if (notice.error)
        list = explain(std::to_string(*notice.error));
    for (const Explanation &e : list)
        if (notice.terminate || e.kind.starts_with("errno"))
            return e.advice;
    return {};
}

bool is_trouble(const Notice &notice) {
    return notice.kind != XIW_NL_NOTICE_CONNECT && notice.kind != XIW_NL_NOTICE_QP_STATE &&
           notice.kind != XIW_NL_NOTICE_CONFIG;
}

std::string time_text(uint64_t nanoseconds) {
    const auto seconds = static_cast<time_t>(nanoseconds / 1'000'000'000);
    tm utc{};
    char date[32];

    if (gmtime_r(&seconds, &utc) == nullptr ||
        std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &utc) == 0)
        return std::to_string(nanoseconds);
    return fmt::format("{}.{:06}Z", date, nanoseconds / 1000 % 1'000'000);
}

} // namespace xiw
