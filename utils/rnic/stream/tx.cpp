// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "stream/tx.hpp"

#include "ring/event_ring.hpp"
#include "rnic.hpp"
#include "stream/stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace xiw::rnic {

namespace {

enum : u32 {
    batch_max = 65536, // size at which a batch is passed to TCP
    quantum = 8,       // max batches before the turn of another stream
    retry_ms = 10,     // retry if TCP is full and sends no notification
};

} // namespace

Tx::Tx(Stream &stream, const xiw_adm_stream &wanted) : stream_(stream) {
    xiw_send_init(&core_, wanted.log2_units, max_gather);
    for (u32 i = 0; i < XIW_TXQ_COUNT; i++)
        rings_.at(i) = le64_to_cpu(wanted.tx[i]);
}

void Tx::open(const xiw_conn_params &params) {
    const u32 flags = le32_to_cpu(params.flags);

    framing_.crc = (flags & XIW_CONNF_CRC) != 0;
    framing_.markers = (flags & XIW_CONNF_TX_MARKERS) != 0;
    held_ = (flags & XIW_CONNF_INITIATOR) == 0;
    follow_mtu();
}

// Adapt the MULPDU to the segment size of TCP (RFC 5044 §4.5).
void Tx::follow_mtu() {
    const u32 mss = stream_.socket().segment_size();

    if (mss == mss_)
        return;
    mss_ = mss;
    mulpdu_ = xiw_mulpdu(mss, framing_.markers);
    if (stream_.mulpdu_max() != 0)
        mulpdu_ = std::min(mulpdu_, std::max(stream_.mulpdu_max(), u32{XIW_MULPDU_MIN}));
    if (!stream_.stopped())
        stream_.store(offsetof(xiw_stream_ctx, mulpdu), mulpdu_);
}

// Build the next FPDU. On an error, the batch and the current message do not change.
u8 Tx::build_fpdu(u32 mulpdu) {
    const xiw_send_message before = core_.msg;
    xiw_ddp_piece piece{};

    ulpdu_.resize(xiw_ddp_seg_ulpdu_len(&core_.msg.seg, mulpdu));
    xiw_ddp_seg_next(&core_.msg.seg, mulpdu, ulpdu_.data(), &piece);
    const u8 status = gather(std::span(ulpdu_).subspan(piece.header_len));
    if (status != XIW_OK) {
        core_.msg = before;
        return status;
    }
    const xiw_span part{ulpdu_.data(), static_cast<u32>(ulpdu_.size())};
    xiw_frame frame{};
    xiw_frame_init(&frame, &framing_, part.len);
    const size_t start = batch_.size();
    batch_.resize(start + frame.wire_len);
    xiw_fpdu_encode(batch_.data() + start, &framing_, &part, 1);
    ends_.push_back(static_cast<u32>(batch_.size()));
    octets_ += piece.len;
    stream_.rnic().stats().tx_fpdus++;
    return XIW_OK;
}

void Tx::build_terminate() {
    xiw_ddp_seg seg{};
    std::array<u8, XIW_DDP_HDR_MAX + XIW_TERM_SIZE> ulpdu{};
    xiw_ddp_piece piece{};

    xiw_ddp_seg_untagged(&seg, xiw_rdmap_ctrl(XIW_OP_TERMINATE), 0, XIW_QN_TERMINATE,
                         XIW_DDP_FIRST_MSN, terminate_length_);
    xiw_ddp_seg_next(&seg, XIW_MULPDU_MIN, ulpdu.data(), &piece);
    std::memcpy(ulpdu.data() + piece.header_len, terminate_message_.data(), terminate_length_);
    const xiw_span part{ulpdu.data(), piece.header_len + terminate_length_};
    xiw_frame frame{};
    xiw_frame_init(&frame, &framing_, part.len);
    batch_.resize(frame.wire_len);
    xiw_fpdu_encode(batch_.data(), &framing_, &part, 1);
    ends_.push_back(frame.wire_len);
    terminate_due_ = false;
    terminated_ = true;
    stream_.rnic().stats().tx_fpdus++;
    stream_.rnic().stats().tx_messages[XIW_OP_TERMINATE]++;
}

// Fill the batch from the rings. Returns false if a descriptor failed.
bool Tx::build_batch() {
    follow_mtu();
    while (batch_.size() < batch_max) {
        if (core_.msg.desc == nullptr && !next())
            return !core_.failed;
        const u8 status = build_fpdu(mulpdu_);
        if (status != XIW_OK) {
            xiw_send_fail(&core_, core_.msg.queue, static_cast<enum xiw_status>(status),
                          core_.msg.seg.offset);
            return false;
        }
        if (core_.msg.seg.done)
            message_done();
    }
    return true;
}

// Move tx_head past all built units, because TCP has all their octets.
void Tx::publish() {
    if (stream_.stopped())
        return;
    for (size_t i = 0; i < XIW_TXQ_COUNT; i++)
        if (xiw_send_publish(&core_.ring[i]))
            stream_.store(offsetof(xiw_stream_ctx, tx_head) + i * sizeof(u32), core_.ring[i].done);
    stream_.store(offsetof(xiw_stream_ctx, tx_octets), octets_);
}

// Raise the events of a pass. Room for them was reserved at the start of the pass.
void Tx::report() {
    constexpr size_t size = offsetof(xiw_event, tx) + sizeof(xiw_ev_tx);
    u32 unused = pass_events;
    xiw_event event{};

    event.type = XIW_EV_TX_DONE;
    event.stream = cpu_to_le32(stream_.index());
    for (u8 i = 0; i < XIW_TXQ_COUNT && !stream_.stopped(); i++) {
        if (!xiw_send_report(&core_.ring[i]))
            continue;
        event.queue = i;
        event.tx.index = cpu_to_le32(core_.ring[i].done);
        stream_.events().commit(event, size);
        unused--;
    }
    if (core_.error_due && batch_.empty() && !stream_.stopped()) {
        core_.error_due = false;
        event.type = XIW_EV_TX_ERROR;
        event.status = core_.error_status;
        event.queue = core_.error_queue;
        event.tx.index = cpu_to_le32(core_.error_index);
        event.tx.done = cpu_to_le32(core_.error_done);
        stream_.events().commit(event, size);
        unused--;
    }
    stream_.events().cancel(unused);
}

bool Tx::anything() const {
    if (!batch_.empty() || terminate_due_ || core_.error_due)
        return true;
    return !stream_.stopped() && !held_ && !core_.failed &&
           (core_.msg.desc != nullptr || pending());
}

// Pass the batch to TCP. Return: 1 if TCP has the whole batch; 0 if a part is left; a negative
// errno if the connection is lost.
int Tx::flush() {
    while (sent_ < batch_.size()) {
        const auto rest = std::span<const u8>(batch_).subspan(sent_);
        const int n = stream_.socket().send(rest, false);
        if (n == -EAGAIN || n == -ENOMEM || n == -ENOBUFS) {
            // If no octet is outstanding, no acknowledgement wakes the stream, so use a timer.
            if (!stream_.socket().outstanding())
                stream_.retry_in(retry_ms);
            return 0;
        }
        if (n < 0)
            return n;
        stream_.rnic().captured(stream_.connection(), true, rest.first(static_cast<size_t>(n)));
        stream_.rnic().stats().tx_sends++;
        stream_.rnic().stats().tx_octets += static_cast<u32>(n);
        sent_ += static_cast<u32>(n);
    }
    batch_.clear();
    ends_.clear();
    sent_ = 0;
    return 1;
}

// Build and send batches. Returns true if more can be sent after the turn of another stream. result
// is the last result of flush().
bool Tx::pump(int &result) {
    for (u32 batches = 0;; batches++) {
        result = flush();
        if (result <= 0)
            return false;
        publish();
        if (terminate_due_) {
            build_terminate();
            continue;
        }
        if (stream_.stopped() || held_ || core_.failed)
            return false;
        if (batches >= quantum)
            return core_.msg.desc != nullptr || pending();
        build_batch();
        if (batch_.empty()) {
            publish();
            return false;
        }
    }
}

void Tx::swap_buffers() {
    auto &shared = stream_.rnic().send_buffers();

    ulpdu_.swap(shared.ulpdu);
    batch_.swap(shared.batch);
    ends_.swap(shared.ends);
}

void Tx::give_back() {
    if (!batch_.empty())
        return;
    ends_.clear();
    if (stream_.rnic().send_buffers().batch.capacity() == 0)
        swap_buffers();
    ulpdu_ = std::vector<u8>();
    batch_ = std::vector<u8>();
    ends_ = std::vector<u32>();
}

bool Tx::run() {
    bool more = false;
    int result = 1;

    if (finished_)
        return false;
    if (anything()) {
        const bool tells = !stream_.stopped();
        if (tells && !stream_.events().reserve(pass_events)) {
            stream_.events().stall(stream_, pass_events);
            return false;
        }
        if (batch_.empty())
            swap_buffers();
        more = pump(result);
        if (tells)
            report();
        give_back();
    }
    if (result < 0) {
        stream_.lost();
        return false;
    }
    if (!stream_.ending())
        return more;
    if (batch_.empty() && !terminate_due_ &&
        (stream_.stopped() || held_ || (core_.msg.desc == nullptr && !pending())))
        stream_.tx_idle();
    return more;
}

// Keep the FPDU that is partly in TCP, and prepare the Terminate. A passive side sends no Terminate
// if it never received an FPDU (RFC 5044 §7.1.3).
void Tx::terminate() {
    const auto partly =
        std::find_if(ends_.begin(), ends_.end(), [&](u32 end) { return end >= sent_; });
    const u32 keep = sent_ == 0 || partly == ends_.end() ? 0 : *partly;
    const auto dropped = static_cast<u32>(batch_.size()) - keep;

    batch_.resize(keep);
    framing_.pos = static_cast<u16>((framing_.pos - dropped) % XIW_MARKER_SPACING);
    if (sent_ == keep) {
        batch_.clear();
        sent_ = 0;
    }
    ends_.clear();
    core_.msg.desc = nullptr;
    core_.error_due = false;
    terminate_length_ =
        std::min(stream_.load(offsetof(xiw_stream_ctx, term_length)), u32{XIW_TERM_SIZE});
    stream_.rnic().memory().read(stream_.word(offsetof(xiw_stream_ctx, term)),
                                 terminate_message_.data(), terminate_length_);
    terminate_due_ = terminate_length_ != 0 && (!held_ || stream_.rx().arrived());
}

void Tx::drop() {
    batch_.clear();
    give_back();
    sent_ = 0;
    core_.msg.desc = nullptr;
    terminate_due_ = false;
    core_.error_due = false;
}

} // namespace xiw::rnic
