// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// One received FPDU: the checks in the order of RFC 5044 §6, RFC 5041 §7 and RFC 5040 §7, then
// placement, then delivery. RDMAP interprets the opcodes; only their classes are used here.
#include "ring/event_ring.hpp"
#include "rnic.hpp"
#include "stream/rx.hpp"
#include "stream/stream.hpp"

#include <algorithm>
#include <cstring>

namespace xiw::rnic {

void Rx::commit(const xiw_event &event, size_t size) {
    slot_ = false;
    stream_.events().commit(event, size);
}

void Rx::count_message(const xiw_ddp_header &h) const {
    stream_.rnic().stats().rx_messages[xiw_ddp_opcode(&h)]++;
}

// Report the first error of a stream once; nothing is placed after it.
Rx::Step Rx::fault_found(const Segment &segment, xiw_fault fault) {
    const xiw_term_code code = xiw_fault_code(fault);
    const xiw_ddp_header &h = segment.h;
    xiw_event event{};

    event.type = XIW_EV_ERROR;
    event.stream = cpu_to_le32(stream_.index());
    event.error.layer = code.layer;
    event.error.etype = code.etype;
    event.error.code = code.code;
    event.error.silent = (code.flags & XIW_TERM_SILENT) != 0 ? 1 : 0;
    if (segment.headed && fault != XIW_FAULT_DDP_LOCAL) {
        u32 length = h.header_len;
        // The whole Read Request, in case the fault belongs to RDMAP.
        if (!xiw_ddp_is_tagged(&h) && h.qn == XIW_QN_REQUEST && h.payload_len == XIW_READ_REQ_LEN)
            length += XIW_READ_REQ_LEN;
        event.error.header_length = static_cast<u8>(length);
        event.error.ulpdu_length = cpu_to_le16(h.ulpdu_len);
        std::memcpy(event.error.header, segment.ulpdu.data(), length);
    }
    dead_ = true;
    faulted_ = true;
    blocked_ = true;
    stream_.rnic().stats().rx_dropped++;
    commit(event, offsetof(xiw_event, error) + sizeof(event.error));
    return Step::done;
}

Rx::Step Rx::deliver_message(const Segment &segment, u32 cookie, u8 placed) {
    const xiw_ddp_header &h = segment.h;
    xiw_event event{};

    if (h.kind == XIW_MATCH_DELIVER_INV &&
        stream_.rnic().stags().invalidate(h.stag, stream_.owner(), true) != XIW_OK)
        return fault_found(segment, XIW_FAULT_RDMA_INVALIDATE);
    event.type = XIW_EV_MESSAGE;
    event.status = placed;
    event.stream = cpu_to_le32(stream_.index());
    event.message.cookie = cpu_to_le32(cookie);
    event.message.length = cpu_to_le32(ddp_.length);
    event.message.msn = cpu_to_le32(h.msn);
    event.message.rsvdulp = cpu_to_le32(h.stag);
    event.message.write_length = cpu_to_le32(ddp_.write_length);
    event.message.queue = static_cast<u8>(h.qn);
    event.message.ddp_ctrl = h.ddp_ctrl;
    event.message.rdmap_ctrl = h.rdmap_ctrl;
    event.message.ulpdu_length = cpu_to_le16(h.ulpdu_len);
    if (h.kind == XIW_MATCH_CONSUME || h.kind == XIW_MATCH_INLINE) {
        const size_t n = std::min<size_t>(h.payload_len, sizeof(event.message.data));
        event.message.inline_length = static_cast<u8>(n);
        std::memcpy(event.message.data, segment.payload().data(), n);
    }
    if (h.qn == XIW_QN_SEND)
        receive_.taken = false;
    // It ends the stream; nothing follows from its sender.
    if (h.qn == XIW_QN_TERMINATE)
        dead_ = true;
    commit(event, offsetof(xiw_event, message.data) + event.message.inline_length);
    return Step::done;
}

// No receive is posted: RX of the whole stream waits, for a limited time (DEC-62).
Rx::Step Rx::park() {
    constexpr size_t times = offsetof(xiw_stream_ctx, parked);

    if (!parked_) {
        parked_ = true;
        stream_.store(times, stream_.load(times) + 1);
        stream_.store(offsetof(xiw_stream_ctx, rx_waiting), u32{1});
        stream_.rnic().stats().rx_parked++;
        stream_.wait(park_ms_);
    }
    return Step::keep;
}

Rx::Step Rx::untagged(const Segment &segment) {
    const xiw_ddp_header &h = segment.h;
    bool available = false;

    if (h.qn == XIW_QN_SEND) {
        available = receive_.taken || take_receive();
        if (!available && park_ms_ != 0 && !park_over_)
            return park();
    } else {
        available = h.qn == XIW_QN_RESPONSE && xiw_solicited_available(&fifo_);
    }
    u32 cookie = receive_.cookie;
    u8 placed = XIW_OK;
    xiw_fault fault =
        xiw_ddp_rx_untagged(&ddp_, stream_.rnic().match(), &h, available, receive_.room);
    if (fault == XIW_FAULT_NONE && h.qn == XIW_QN_RESPONSE)
        fault = xiw_solicited_check(&fifo_, &h);
    if (fault == XIW_FAULT_NONE && (h.kind == XIW_MATCH_DELIVER || h.kind == XIW_MATCH_DELIVER_INV))
        fault = place_receive(segment.payload());
    if (fault != XIW_FAULT_NONE)
        return fault_found(segment, fault);
    if (h.qn == XIW_QN_RESPONSE) {
        const auto *entry = xiw_solicited_placed(&fifo_, &h);
        cookie = entry != nullptr ? entry->cookie : 0;
        if (entry != nullptr)
            placed = place_value(segment.payload(), *entry);
    }
    if (!xiw_ddp_rx_placed(&ddp_, &h))
        return Step::done;
    count_message(h);
    return deliver_message(segment, cookie, placed);
}

Rx::Step Rx::write(const Segment &segment) {
    const xiw_ddp_header &h = segment.h;
    xiw_fault fault = XIW_FAULT_NONE;

    if (!xiw_ddp_is_empty(&h))
        fault = place_tagged(segment.payload(), h.stag, h.to, XIW_ACCESS_REMOTE_WRITE);
    if (fault != XIW_FAULT_NONE)
        return fault_found(segment, fault);
    write_octets_ += h.payload_len;
    if (xiw_ddp_rx_placed(&ddp_, &h)) {
        writes_++;
        count_message(h);
    }
    return Step::done;
}

Rx::Step Rx::solicited(const Segment &segment) {
    const xiw_ddp_header &h = segment.h;
    xiw_fault fault = xiw_solicited_check(&fifo_, &h);

    if (fault == XIW_FAULT_NONE && h.payload_len > 0) {
        // A bus address: only a local sink can have it.
        if (h.stag != XIW_STAG_LOCAL_DMA)
            fault = place_tagged(segment.payload(), h.stag, h.to, XIW_ACCESS_LOCAL_WRITE);
        else if (!place_bus(segment.payload(), h.to))
            fault = XIW_FAULT_RDMA_LOCAL;
    }
    if (fault != XIW_FAULT_NONE)
        return fault_found(segment, fault);
    const auto *entry = xiw_solicited_placed(&fifo_, &h);
    xiw_ddp_rx_placed(&ddp_, &h);
    if (entry == nullptr)
        return Step::done;
    count_message(h);
    xiw_event event{};
    event.type = XIW_EV_SOLICITED;
    event.stream = cpu_to_le32(stream_.index());
    event.solicited.cookie = cpu_to_le32(entry->cookie);
    event.solicited.length = cpu_to_le32(entry->length);
    if ((entry->flags & XIW_SINK_INVALIDATE) != 0)
        event.solicited.status =
            stream_.rnic().stags().invalidate(entry->stag, stream_.owner(), false);
    commit(event, offsetof(xiw_event, solicited) + sizeof(event.solicited));
    return Step::done;
}

// Passive side: the peer has our Reply and has sent an FPDU; now we may send (RFC 5044 §7.1.3).
// The driver is notified before it gets the segment. Returns true if there is room for that
// event.
bool Rx::first_fpdu() {
    first_seen_ = true;
    stream_.tx().release();
    stream_.wait_no_more();
    stream_.events().cancel(1);
    slot_ = false;
    stream_.state(XIW_ST_FIRST_FPDU);
    stream_.rnic().schedule(stream_);
    return room();
}

Rx::Step Rx::examine(std::span<const u8> ulpdu) {
    Segment segment;

    segment.ulpdu = ulpdu;
    const auto fault = xiw_ddp_rx_header(&ddp_, stream_.rnic().match(), ulpdu.data(),
                                         static_cast<u32>(ulpdu.size()), &segment.h);
    if (fault == XIW_FAULT_DDP_LOCAL) {
        stream_.rnic().stats().framing_errors++;
        return fault_found(segment, fault);
    }
    segment.headed = true;
    if (fault != XIW_FAULT_NONE)
        return fault_found(segment, fault);
    if (!first_seen_ && !first_fpdu())
        return Step::keep;
    Step step = Step::done;
    switch (segment.h.kind) {
    case XIW_MATCH_WRITE:
        step = write(segment);
        break;
    case XIW_MATCH_SOLICITED:
        step = solicited(segment);
        break;
    default:
        step = untagged(segment);
    }
    if (step == Step::done && !faulted_)
        octets_ += segment.h.payload_len;
    return step;
}

} // namespace xiw::rnic
