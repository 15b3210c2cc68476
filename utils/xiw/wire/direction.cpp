// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire/direction.hpp"

#include "wire/message.hpp"

#include <core.hpp>

#include <cstddef>
#include <cstring>

namespace xiw::wire {

namespace {

// Maximum number of octets that wait for the MPA frame of the other direction.
constexpr size_t waiting_most = 1U << 20;
// After this number of bad CRCs in a row, the framing is assumed to be wrong.
constexpr unsigned bad_most = 8;

constexpr char request_key[] = "MPA ID Req Frame";
constexpr char reply_key[] = "MPA ID Rep Frame";

bool begins_like(Span octets, const char *key) {
    return std::memcmp(octets.data(), key, std::min<size_t>(octets.size(), XIW_MPA_KEY_LEN)) == 0;
}

bool crc_good(const xiw_frame &frame, Span fpdu) {
    return xiw_crc32c_matches(&fpdu[frame.crc_at],
                              xiw_crc32c_update(xiw_crc32c_begin(), fpdu.data(), frame.crc_at));
}

} // namespace

// Models the receiver of this direction, to find the markers and to detect faults.
struct Direction::Receiver {
    xiw_framing framing{};
    xiw_ddp_rx rx{};
    std::array<xiw_match_row, XIW_MATCH_ROWS> match{};
    bool judging = true; // false after a fault or a gap, when the state is unknown

    explicit Receiver(const Framing &agreed) {
        framing.crc = agreed.crc;
        framing.markers = agreed.markers;
        xiw_ddp_rx_init(&rx, 1, XIW_CONNF_OPCODES);
        xiw_opcode_match(match.data());
    }

    std::optional<uint16_t> cause(enum xiw_fault fault) {
        if (fault == XIW_FAULT_NONE)
            return std::nullopt;
        judging = false;
        const xiw_term_code code = xiw_fault_code(fault);
        if (code.flags == XIW_TERM_SILENT)
            return std::nullopt;
        return static_cast<uint16_t>(code.layer << 12 | code.etype << 8 | code.code);
    }

    // Do all checks that need neither STags nor receive queues. Returns the Terminate code of a
    // fault, if there is one.
    std::optional<uint16_t> judge(Span ulpdu) {
        xiw_ddp_header h{};
        if (!judging)
            return std::nullopt;
        rx.requests = 1; // accept each request: the number of outstanding requests is unknown
        enum xiw_fault found =
            xiw_ddp_rx_header(&rx, match.data(), ulpdu.data(), static_cast<u32>(ulpdu.size()), &h);
        if (found == XIW_FAULT_NONE && !xiw_ddp_is_tagged(&h))
            found = xiw_ddp_rx_untagged(&rx, match.data(), &h, true, ~0ULL);
        if (found == XIW_FAULT_NONE && xiw_ddp_rx_placed(&rx, &h) &&
            xiw_ddp_opcode(&h) == XIW_OP_SEND_IMM && (h.rdmap_ctrl & XIW_RDMAP_RESERVED) != 0)
            found = XIW_FAULT_RDMA_OPCODE; // the driver, not the core, detects this fault
        return cause(found);
    }

    void moved(uint64_t count) {
        judging = false;
        framing.pos = static_cast<u16>((framing.pos + count) % XIW_MARKER_SPACING);
    }
};

Direction::Direction(Listener &listener) : listener_(listener) {}
Direction::~Direction() = default;

void Direction::become(State state) {
    state_ = state;
    if (state == State::deaf || state == State::hunting)
        Octets().swap(buffer_);
    if (state == State::deaf)
        receiver_.reset();
}

void Direction::hunt(const Framing &framing) {
    receiver_ = std::make_unique<Receiver>(framing);
    receiver_->judging = false;
    become(State::hunting);
}

void Direction::agree(const Framing &framing) {
    if (state_ != State::waiting)
        return;
    receiver_ = std::make_unique<Receiver>(framing);
    become(State::fpdus);
    read_fpdus();
}

void Direction::drop(uint64_t count, Gap::Why why) {
    const uint64_t unread = buffer_.size();

    receiver_->moved(unread + count);
    become(State::hunting);
    if (unread != 0)
        listener_.gap({Gap::Why::unknown, unread});
    if (count != 0)
        listener_.gap({why, count});
}

void Direction::missing(uint64_t count) {
    if (state_ == State::deaf)
        return;
    if (state_ == State::startup || state_ == State::waiting)
        hunt({});
    drop(count, Gap::Why::missing);
}

void Direction::octets(Span piece) {
    if (state_ == State::deaf)
        return;
    if (state_ == State::hunting) {
        if (!in_step(piece)) {
            drop(piece.size(), Gap::Why::unknown);
            return;
        }
        become(State::fpdus);
    }
    buffer_.insert(buffer_.end(), piece.begin(), piece.end());
    if (state_ == State::startup)
        read_startup(piece);
    else if (state_ == State::waiting && buffer_.size() > waiting_most)
        hunt({});
    else if (state_ == State::fpdus)
        read_fpdus();
}

void Direction::read_startup(Span piece) {
    const bool request = begins_like(buffer_, request_key);

    if (!request && !begins_like(buffer_, reply_key)) {
        if (whole_) {
            become(State::deaf);
            return;
        }
        // The capture may begin in the middle of the stream. In this case, a matching CRC shows
        // that the stream is iWARP.
        const Octets first(piece.begin(), piece.end());
        hunt({});
        octets(first);
        return;
    }

    xiw_mpa_frame frame{};
    u32 total = XIW_MPA_HDR_LEN;
    xiw_mpa_verdict verdict = XIW_MPA_NEED;
    // Read the header first, then as many octets as its length requires. Later octets are not
    // part of the frame.
    for (u32 seen = 0; verdict == XIW_MPA_NEED && seen < total && buffer_.size() >= total;) {
        seen = total;
        verdict = xiw_mpa_parse(&frame, request ? XIW_MPA_REQUEST : XIW_MPA_REPLY, buffer_.data(),
                                seen, &total);
    }
    if (verdict == XIW_MPA_NEED)
        return;
    const Startup startup = make_startup(frame, verdict == XIW_MPA_FRAME, buffer_);
    if (verdict == XIW_MPA_FRAME) {
        buffer_.erase(buffer_.begin(), buffer_.begin() + total);
        become(State::waiting);
    } else {
        become(State::deaf);
    }
    listener_.startup(startup);
}

void Direction::read_fpdus() {
    xiw_framing &framing = receiver_->framing;
    Octets plain; // one FPDU, without markers
    size_t at = 0;

    while (state_ == State::fpdus) {
        xiw_frame frame{};
        const size_t have = buffer_.size() - at;
        if (have < xiw_frame_head(&framing))
            break;
        xiw_frame_peek(&frame, &framing, &buffer_[at]);
        if (have < frame.wire_len)
            break;
        plain.assign(&buffer_[at], &buffer_[at] + frame.wire_len);

        Fpdu fpdu;
        fpdu.length = frame.ulpdu_len;
        fpdu.markers = frame.markers;
        if (framing.crc)
            fpdu.crc = crc_good(frame, plain) ? Crc::good : Crc::bad;
        const enum xiw_fault marker = xiw_frame_strip(&frame, &framing, plain.data());
        const Span ulpdu(&plain[XIW_FPDU_LEN_LEN], frame.ulpdu_len);
        xiw_frame_done(&framing, &frame);
        at += frame.wire_len;

        if (fpdu.crc == Crc::bad)
            fpdu.fault = receiver_->cause(XIW_FAULT_LLP_CRC);
        else if (marker != XIW_FAULT_NONE)
            fpdu.fault = receiver_->cause(marker);
        else
            fpdu.fault = receiver_->judge(ulpdu);
        if (marker == XIW_FAULT_NONE)
            fpdu.header = parse_header(ulpdu);
        if (fpdu.header)
            fpdu.body = parse_body(*fpdu.header, ulpdu);
        bad_ = fpdu.crc == Crc::bad ? bad_ + 1 : 0;
        listener_.fpdu(fpdu);
        if (bad_ == bad_most) {
            bad_ = 0;
            buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(at));
            drop(0, Gap::Why::unknown);
            return;
        }
    }
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(at));
}

// Returns true if a complete FPDU begins at the start of `piece`. Returns false for an incomplete
// FPDU, because its CRC cannot be checked.
bool Direction::in_step(Span piece) const {
    const xiw_framing &framing = receiver_->framing;
    xiw_frame frame{};

    if ((framing.markers && framing.pos % 4 != 0) || piece.size() < xiw_frame_head(&framing))
        return false;
    xiw_frame_peek(&frame, &framing, piece.data());
    if (frame.ulpdu_len < XIW_DDP_TAGGED_LEN || piece.size() < frame.wire_len)
        return false;
    if (framing.crc)
        return crc_good(frame, piece);
    // Without a CRC, check that the headers are consistent.
    Octets plain(piece.begin(), piece.begin() + frame.wire_len);
    if (xiw_frame_strip(&frame, &framing, plain.data()) != XIW_FAULT_NONE)
        return false;
    const auto h = parse_header({&plain[XIW_FPDU_LEN_LEN], frame.ulpdu_len});
    if (!h || h->ddp_version != XIW_DDP_DV || h->rdmap_version != 1)
        return false;
    const xiw_opcode_row &row = *xiw_opcode_of(h->opcode);
    return row.kind != XIW_CLASS_REFUSED && h->tagged == ((row.flags & XIW_OPF_TAGGED) != 0) &&
           (h->tagged || h->queue == row.qn);
}

} // namespace xiw::wire
