// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Process a received FPDU in the steps of core/receive.h.
#include "ring/event_ring.hpp"
#include "rnic.hpp"
#include "stream/rx.hpp"
#include "stream/stream.hpp"

namespace xiw::rnic {

void Rx::commit(const xiw_event &event, size_t size) {
    slot_ = false;
    stream_.events().commit(event, size);
}

// Report the first fault of a stream. Nothing is placed afterwards.
Rx::Step Rx::fault_found(const Segment &segment, xiw_fault fault) {
    xiw_event event{};

    dead_ = true;
    faulted_ = true;
    blocked_ = true;
    stream_.rnic().stats().rx_dropped++;
    // The stream takes no more receives. If it waits for a receive of a shared ring, give up its
    // claim, so that another waiting stream can take the receive.
    leave_receive();
    commit(event, xiw_receive_fault(&segment.core, fault, stream_.index(), &event));
    return Step::done;
}

Rx::Step Rx::deliver(const Segment &segment) {
    xiw_event event{};

    if (segment.core.receive)
        receive_.taken = false;
    // A Terminate ends the stream. The peer sends nothing after a Terminate.
    if (segment.core.h.qn == XIW_QN_TERMINATE)
        dead_ = true;
    commit(event, xiw_receive_event(&core_, &segment.core, stream_.index(), &event));
    return Step::done;
}

// No receive is posted: the receive direction of the stream waits for a limited time (DEC-62).
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

// Take a receive for a segment, unless its message already has one. Returns false if the stream
// must wait.
bool Rx::take(xiw_rx_segment &core) {
    core.available = receive_.taken || take_receive();
    // The time limit starts again if a later message finds no receive.
    if (core.available)
        park_over_ = false;
    core.room = receive_.room;
    core.cookie = receive_.cookie;
    return core.available || park_ms_ == 0 || park_over_;
}

Rx::Step Rx::process(Segment &segment) {
    xiw_rx_segment &core = segment.core;
    StagTable &stags = stream_.rnic().stags();
    xiw_receive_step step = core.step;

    while (step < XIW_RECEIVE_DELIVER) {
        switch (step) {
        case XIW_RECEIVE_TAKE:
            if (!take(core))
                return park();
            break;
        case XIW_RECEIVE_PLACE_TAGGED:
            core.fault =
                place_tagged(segment.payload(), stream_.owner(), core.stag, core.to, core.access);
            break;
        case XIW_RECEIVE_PLACE_BUS:
            if (!place_bus(segment.payload(), core.to))
                core.fault = XIW_FAULT_RDMA_LOCAL;
            break;
        case XIW_RECEIVE_PLACE_RECEIVE:
            core.fault = place_receive(segment.payload());
            break;
        case XIW_RECEIVE_PLACE_VALUE:
            core.status = place_value(segment.payload(), *core.entry);
            break;
        case XIW_RECEIVE_INVALIDATE:
            core.status = stags.invalidate(core.stag, stream_.owner(), core.remote);
            break;
        default:
            break;
        }
        step = xiw_receive_next(&core_, &core);
    }
    if (core.complete)
        stream_.rnic().stats().rx_messages[xiw_ddp_opcode(&core.h)]++;
    if (step == XIW_RECEIVE_DELIVER)
        return deliver(segment);
    return step == XIW_RECEIVE_DONE ? Step::done : fault_found(segment, core.fault);
}

// Handle the first valid FPDU that the passive side receives. The FPDU proves that the peer has the
// Reply, so this end may send (RFC 5044 §7.1.3). Report FIRST_FPDU to the driver before the
// segment. If the FPDU is a Terminate, do not report FIRST_FPDU: the peer refuses the Reply (RFC
// 6581 §9), and this end sends only a FIN. Returns true if there is room for the event of the
// segment.
bool Rx::first_fpdu(const xiw_ddp_header &header) {
    first_seen_ = true;
    stream_.wait_no_more();
    if (!xiw_ddp_is_tagged(&header) && header.qn == XIW_QN_TERMINATE)
        return true;
    stream_.tx().release();
    stream_.events().cancel(1);
    slot_ = false;
    if (!stream_.rnic().faults().strikes(Faults::first))
        stream_.state(XIW_ST_FIRST_FPDU);
    stream_.rnic().schedule(stream_);
    return room();
}

Rx::Step Rx::examine(std::span<const u8> ulpdu) {
    Segment segment(ulpdu);
    const xiw_receive_step first =
        xiw_receive_header(&core_, &segment.core, ulpdu.data(), static_cast<u32>(ulpdu.size()));

    if (!segment.core.headed)
        stream_.rnic().stats().framing_errors++;
    if (first == XIW_RECEIVE_FAULT)
        return fault_found(segment, segment.core.fault);
    if (!first_seen_ && !first_fpdu(segment.core.h))
        return Step::keep;
    const Step step = process(segment);
    if (step == Step::done && !faulted_)
        octets_ += segment.core.h.payload_len;
    return step;
}

} // namespace xiw::rnic
