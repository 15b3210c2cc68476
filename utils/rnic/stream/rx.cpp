// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "stream/rx.hpp"

#include "ring/event_ring.hpp"
#include "rnic.hpp"
#include "stream/stream.hpp"

#include <algorithm>
#include <cerrno>

namespace xiw::rnic {

namespace {

enum : u32 { pass_max = 1 << 20 }; // max octets before the turn of another stream

} // namespace

Rx::Rx(Stream &stream, const xiw_adm_stream &wanted) : stream_(stream), receiver_(stream.owner()) {
    if (le32_to_cpu(wanted.shared_rx) != XIW_RX_NONE) {
        shared_ = stream.rnic().shared_rx(le32_to_cpu(wanted.shared_rx));
        receiver_.pd = shared_->pd();
    } else if (wanted.rx != 0) {
        ring_ = ReceiveRing(le64_to_cpu(wanted.rx), wanted.log2_rx, wanted.log2_slot);
    }
}

void Rx::open(const xiw_conn_params &params) {
    const u32 flags = le32_to_cpu(params.flags);
    const u16 wanted = le16_to_cpu(params.ord);
    u16 ird = std::min<u16>(le16_to_cpu(params.ird), max_depth);

    // DEC-57: a Read as RTR needs an IRD of at least 1, even if the ULP requested 0.
    if (ird == 0 && (flags & XIW_CONNF_RTR_READ) != 0)
        ird = 1;
    entries_.resize(std::min<u16>(wanted, max_depth) + 1);
    xiw_solicited_init(&core_.fifo, entries_.data(), static_cast<u16>(entries_.size()));
    xiw_ddp_rx_init(&core_.ddp, ird, flags);
    core_.match = stream_.rnic().match();
    xiw_deframer_init(&deframer_, (flags & XIW_CONNF_CRC) != 0, (flags & XIW_CONNF_RX_MARKERS) != 0,
                      nullptr, XIW_FPDU_WIRE_MAX);
    first_seen_ = (flags & XIW_CONNF_INITIATOR) != 0;
    park_ms_ = le32_to_cpu(params.park_ms);
}

ReceiveRing::Words Rx::words() const {
    return {stream_.word(offsetof(xiw_stream_ctx, rx_tail)),
            stream_.word(offsetof(xiw_stream_ctx, rx_head)),
            stream_.word(offsetof(xiw_stream_ctx, rx_starved))};
}

bool Rx::take_receive() {
    const Memory &memory = stream_.rnic().memory();

    if (shared_)
        return shared_->take(stream_, receive_);
    if (!ring_ || ring_.posted(memory, words(), 1) == 0)
        return false;
    ring_.take(memory, words(), receive_);
    if (memory.load(words().starved) != 0)
        memory.store(words().starved, 0);
    return true;
}

void Rx::leave_receive() {
    if (shared_)
        shared_->leave(stream_);
}

// Check whether RX must still wait for a receive.
bool Rx::still_blocked() {
    if (!parked_)
        return false;
    // First check for a receive, and then the time limit: if there is a receive, no Terminate is
    // needed.
    if (receive_.taken || take_receive())
        park_over_ = false;
    else if (!park_over_)
        return true;
    parked_ = false;
    stream_.store(offsetof(xiw_stream_ctx, rx_waiting), u32{0});
    stream_.wait_no_more();
    return false;
}

bool Rx::room() {
    slot_ = slot_ || stream_.events().reserve(1);
    if (!slot_)
        stream_.events().stall(stream_, 1);
    return slot_;
}

// Process a whole ULPDU. Reserve room for one event first, so that every result can be reported.
// Returns false if the ULPDU must be processed again later.
bool Rx::take(std::span<const u8> ulpdu) {
    if (!room())
        return false;
    arrived_ = true;
    if (examine(ulpdu) == Step::keep)
        return false;
    pass_fpdus_++;
    return true;
}

// Report a fault that the deframer has found, when there is room for the event.
void Rx::broken(xiw_fault fault) {
    broken_ = fault;
    if (!room()) {
        blocked_ = true;
        return;
    }
    broken_ = XIW_FAULT_NONE;
    arrived_ = true;
    if (fault == XIW_FAULT_LLP_CRC)
        stream_.rnic().stats().crc_errors++;
    else
        stream_.rnic().stats().framing_errors++;
    pass_fpdus_++;
    fault_found(Segment({}), fault);
}

// Return the staging buffer to the RNIC if the buffer is not in use.
void Rx::unstage() {
    if (!staging_ || (!dead_ && (has_waiting_ || !xiw_deframer_idle(&deframer_))))
        return;
    deframer_.buf = nullptr;
    stream_.rnic().staging_give(std::move(staging_));
}

void Rx::feed(std::span<const u8> octets) {
    xiw_span in{octets.data(), static_cast<u32>(octets.size())};
    xiw_span out{};

    if (!staging_)
        staging_ = stream_.rnic().staging_take();
    deframer_.buf = staging_.get();
    while (!blocked_ && !dead_) {
        const auto verdict = xiw_deframe_feed(&deframer_, &in, &out);
        if (verdict == XIW_DEFRAME_NEED)
            break;
        if (verdict == XIW_DEFRAME_FAULT) {
            broken(deframer_.fault);
            break;
        }
        const std::span<const u8> ulpdu(out.p, out.len);
        if (!take(ulpdu)) {
            waiting_ = ulpdu;
            has_waiting_ = true;
            blocked_ = true;
        }
    }
    if (!dead_)
        kept_.assign(in.p, in.p + in.len);
}

void Rx::pass() {
    std::span<u8> scratch = stream_.rnic().scratch();
    int n = 0;

    if (broken_ != XIW_FAULT_NONE)
        broken(broken_);
    if (has_waiting_ && !dead_) {
        has_waiting_ = !take(waiting_);
        blocked_ = blocked_ || has_waiting_;
    }
    if (!kept_.empty() && !blocked_) {
        const std::vector<u8> old = std::exchange(kept_, {});
        if (!dead_)
            feed(old);
    }
    while (!blocked_ && pass_ < pass_max) {
        n = stream_.socket().receive(scratch);
        if (n <= 0)
            break;
        pass_ += static_cast<u32>(n);
        if (!dead_)
            stream_.rnic().stats().rx_octets += static_cast<u32>(n);
        stream_.rnic().captured(stream_.connection(), false, scratch.first(static_cast<size_t>(n)));
        if (!dead_)
            feed(scratch.first(static_cast<size_t>(n)));
    }
    if (blocked_ || pass_ >= pass_max || n == -EAGAIN || n > 0)
        return;
    if (n < 0) {
        stream_.lost();
    } else if (!stream_.peer_fin()) {
        if (!dead_ && !xiw_deframer_idle(&deframer_))
            stream_.lost();
        else
            stream_.peer_closed();
    }
}

void Rx::account() {
    if (pass_fpdus_ > 0) {
        stream_.rnic().stats().rx_fpdus += pass_fpdus_;
        if (!stream_.stopped()) {
            stream_.store(offsetof(xiw_stream_ctx, rx_octets), octets_);
            stream_.store(offsetof(xiw_stream_ctx, rx_writes), core_.writes);
            stream_.store(offsetof(xiw_stream_ctx, rx_write_octets), core_.write_octets);
        }
    }
    pass_fpdus_ = 0;
}

bool Rx::run() {
    if (still_blocked())
        return false;
    // After a fault, read nothing until the driver orders the stream to end. A read would open
    // TCP's window. Before the Terminate arrives, the peer could then complete the request to which
    // the Terminate refers.
    if (faulted_ && !stream_.stopped() && !stream_.ending())
        return false;
    blocked_ = false;
    pass_ = 0;
    pass();
    unstage();
    if (slot_) {
        slot_ = false;
        stream_.events().cancel(1);
    }
    account();
    return pass_ >= pass_max && !blocked_;
}

void Rx::wait_over() {
    if (!stream_.attached())
        return;
    if (!first_seen_) {
        stream_.rnic().stats().startup_timeouts++;
        stream_.state(XIW_ST_RTR_TIMEOUT);
    } else if (parked_) {
        park_over_ = true;
    }
}

void Rx::stop() {
    dead_ = true;
    if (parked_)
        stream_.store(offsetof(xiw_stream_ctx, rx_waiting), u32{0});
    parked_ = false;
    has_waiting_ = false;
    kept_ = std::vector<u8>();
    unstage();
    leave_receive();
}

} // namespace xiw::rnic
