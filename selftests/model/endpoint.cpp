// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "endpoint.hpp"

#include <cstring>
#include <stdexcept>

namespace xiw {

Endpoint::Endpoint(const Config &config)
    : config_(config), match_(XIW_MATCH_ROWS), solicited_entries_(std::max<u16>(config.ord, 1)),
      inbound_(std::max<u16>(config.ird, 1)), staging_(XIW_FPDU_WIRE_MAX) {
    xiw_opcode_match(match_.data());
    receiver.match = match_.data();
    xiw_ddp_rx_init(&rx, config.ird, config.conn_flags);
    xiw_deframer_init(&deframer, config.crc, config.rx_markers, staging_.data(),
                      static_cast<u32>(staging_.size()));
    tx_framing = {0, config.crc, config.tx_markers};
    xiw_solicited_init(&solicited, solicited_entries_.data(), config.ord);
    xiw_orq_init(&orq, config.ord, 0x1000);
    xiw_irrq_init(&irrq, config.ird);
    for (u32 &msn : tx_msn)
        msn = XIW_DDP_FIRST_MSN;
}

Region &Endpoint::region(u32 stag, u64 base, u64 length, u8 access, u32 flags, u32 pd) {
    Region &r = regions_[xiw_stag_index(stag)];

    r.view.state = XIW_STAG_VALID;
    r.view.key = xiw_stag_key(stag);
    r.view.access = access;
    r.view.flags = flags;
    r.view.pd = pd;
    r.view.base = base;
    r.view.length = length;
    r.memory.assign(length, 0);
    return r;
}

Region *Endpoint::find(u32 stag) {
    auto it = regions_.find(xiw_stag_index(stag));

    return it == regions_.end() ? nullptr : &it->second;
}

u8 *Endpoint::at(u32 stag, u64 to) {
    Region *r = find(stag);

    if (!r)
        throw std::out_of_range("no such STag");
    return r->memory.data() + (to - r->view.base);
}

xiw_stag_verdict Endpoint::verdict(const xiw_stag_use &use) {
    Region *r = find(use.stag);

    return xiw_stag_judge(r ? &r->view : nullptr, nullptr, &use);
}

void Endpoint::fail(xiw_fault why, const u8 *header, u32 have, u32 length) {
    fault = why;
    if (why == XIW_FAULT_SILENT)
        return;
    terminate.emplace(XIW_TERM_LEN_MAX);
    terminate->resize(xiw_term_build(terminate->data(), xiw_fault_code(why), header, have, length));
}

void Endpoint::receive(std::span<const u8> octets) {
    xiw_span in{octets.data(), static_cast<u32>(octets.size())};
    xiw_span out{};

    while (!fault && !received_terminate) {
        switch (xiw_deframe_feed(&deframer, &in, &out)) {
        case XIW_DEFRAME_NEED:
            return;
        case XIW_DEFRAME_FAULT:
            fail(deframer.fault, nullptr, 0, 0);
            return;
        case XIW_DEFRAME_ULPDU:
            ulpdu(out.p, out.len);
        }
    }
}

// Execute the steps of core/receive.h for a ULPDU, as an RNIC does.
void Endpoint::ulpdu(const u8 *p, u32 length) {
    const xiw_span whole{p, length};
    xiw_rx_segment seg{};

    seg.spans = &whole;
    seg.count = 1;
    xiw_receive_step step = xiw_receive_header(&receiver, &seg, p, length);
    for (; step < XIW_RECEIVE_DELIVER; step = xiw_receive_next(&receiver, &seg))
        perform(seg, p + seg.h.header_len);
    xiw_fault why = XIW_FAULT_NONE;
    if (step == XIW_RECEIVE_FAULT)
        why = seg.fault;
    else if (step == XIW_RECEIVE_DELIVER)
        why = deliver(seg, p + seg.h.header_len);
    if (why)
        fail(why, p, length, length);
}

void Endpoint::perform(xiw_rx_segment &seg, const u8 *payload) {
    const xiw_ddp_header &h = seg.h;

    switch (seg.step) {
    case XIW_RECEIVE_TAKE:
        seg.available = !receives_.empty();
        seg.room = receives_.empty() ? 0 : receives_.front().length;
        break;
    case XIW_RECEIVE_PLACE_TAGGED:
        seg.fault = place_tagged(seg, payload);
        break;
    case XIW_RECEIVE_PLACE_BUS: // no sink in this model has a bus address
        seg.fault = XIW_FAULT_DDP_STAG;
        break;
    case XIW_RECEIVE_PLACE_RECEIVE:
        receive_buffer_.resize(h.mo + h.payload_len);
        std::copy_n(payload, h.payload_len, receive_buffer_.begin() + h.mo);
        break;
    case XIW_RECEIVE_INVALIDATE:
        invalidate(seg);
        break;
    default: // deliver() reads the original value of an atomic from the payload
        break;
    }
}

xiw_fault Endpoint::place_tagged(const xiw_rx_segment &seg, const u8 *payload) {
    const u32 length = seg.h.payload_len;
    const xiw_stag_use use{seg.stag, config_.pd, config_.stream, seg.access, seg.to, length};

    if (xiw_fault why = xiw_stag_placement_fault(verdict(use)))
        return why;
    std::copy_n(payload, length, at(seg.stag, seg.to));
    return XIW_FAULT_NONE;
}

void Endpoint::invalidate(xiw_rx_segment &seg) {
    Region *r = find(seg.stag);

    if (seg.remote && xiw_stag_invalidate_check(r ? &r->view : nullptr, seg.stag, config_.pd,
                                                config_.stream, true) != XIW_OK)
        seg.status = XIW_ERR_STAG;
    else
        r->view.state = XIW_STAG_INVALID;
}

// Pass a complete message to RDMAP.
xiw_fault Endpoint::deliver(const xiw_rx_segment &seg, const u8 *payload) {
    switch (seg.h.kind) {
    case XIW_MATCH_SOLICITED:
        answered(0);
        return XIW_FAULT_NONE;
    case XIW_MATCH_INLINE:
        if (seg.h.qn == XIW_QN_REQUEST)
            return take_request(seg.h, payload);
        if (seg.h.qn == XIW_QN_RESPONSE)
            return take_atomic_response(payload);
        received_terminate.emplace(payload, payload + seg.h.payload_len);
        return XIW_FAULT_NONE;
    default:
        complete(seg, payload);
        return XIW_FAULT_NONE;
    }
}

xiw_fault Endpoint::take_request(const xiw_ddp_header &h, const u8 *payload) {
    Inbound in;
    xiw_fault why;
    Region *r;

    in.atomic = xiw_ddp_opcode(&h) == XIW_OP_ATOMIC_REQUEST;
    if (in.atomic) {
        xiw_atomic_req_get(&in.op, payload);
        r = find(in.op.stag);
        why = xiw_atomic_req_check(r ? &r->view : nullptr, nullptr, &in.op, config_.pd,
                                   config_.stream);
    } else {
        xiw_read_req_get(&in.read, payload);
        r = find(in.read.src_stag);
        why = xiw_read_req_check(r ? &r->view : nullptr, nullptr, &in.read, config_.pd,
                                 config_.stream);
    }
    if (why)
        return why;
    u32 slot = xiw_irrq_push(&irrq);
    if (slot == XIW_IRRQ_NONE)
        throw std::logic_error("credits and request queue disagree");
    inbound_.at(slot) = in;
    return XIW_FAULT_NONE;
}

xiw_fault Endpoint::take_atomic_response(const u8 *payload) {
    xiw_atomic_rsp rsp;

    xiw_atomic_rsp_get(&rsp, payload);
    if (xiw_fault why = xiw_orq_check_atomic(!atomic_ids.empty(),
                                             atomic_ids.empty() ? 0 : atomic_ids.front(), &rsp))
        return why;
    atomic_ids.pop_front();
    answered(rsp.value);
    return XIW_FAULT_NONE;
}

void Endpoint::complete(const xiw_rx_segment &seg, const u8 *payload) {
    Completion c;

    const u8 opcode = xiw_ddp_opcode(&seg.h);
    const bool consumed = seg.h.kind == XIW_MATCH_CONSUME;

    if (consumed) {
        c.with_imm = true;
        c.imm = get_unaligned_be32(payload);
    }
    if (opcode == XIW_OP_SEND_IMM) {
        c.with_imm = true;
        c.imm = seg.h.stag;
    }
    if (seg.h.kind == XIW_MATCH_DELIVER_INV)
        c.invalidated = seg.h.stag;
    c.id = receives_.front().id;
    c.receive = true;
    c.solicited = opcode == XIW_OP_SEND_IMM ? seg.h.rdmap_ctrl & XIW_RDMAP_SOLICITED
                                            : xiw_opcode_of(opcode)->flags & XIW_OPF_SOLICITED;
    c.length = consumed ? rx.write_length : rx.length;
    if (!consumed)
        c.data = std::move(receive_buffer_);
    receive_buffer_.clear();
    receives_.pop_front();
    completions.push_back(std::move(c));
}

// Complete the oldest outstanding Read or Atomic, because its response has arrived.
void Endpoint::answered(u64 original) {
    if (orq.count)
        xiw_orq_answered(&orq);
    for (Work &w : queue_) {
        if (!w.sent || w.done || w.wr.verb < Verb::Read)
            continue;
        w.done = true;
        w.completion.original = original;
        break;
    }
    retire();
}

void Endpoint::retire() {
    while (!queue_.empty() && queue_.front().done) {
        queue_.front().completion.id = queue_.front().wr.id;
        completions.push_back(std::move(queue_.front().completion));
        queue_.pop_front();
    }
}

Endpoint::Message Endpoint::untagged(u8 opcode, u8 qn, u32 rsvdulp, Octets data) {
    Message m;

    m.data = std::move(data);
    xiw_ddp_seg_untagged(&m.seg, xiw_rdmap_ctrl(opcode), rsvdulp, qn, tx_msn[qn]++,
                         static_cast<u32>(m.data.size()));
    return m;
}

Endpoint::Message Endpoint::tagged(u8 opcode, u32 stag, u64 to, u32 length) {
    Message m;

    xiw_ddp_seg_tagged(&m.seg, xiw_rdmap_ctrl(opcode), stag, to, length);
    return m;
}

bool Endpoint::next_request(std::vector<Message> &out) {
    auto it = std::find_if(queue_.begin(), queue_.end(), [](const Work &w) { return !w.sent; });

    if (it == queue_.end())
        return false;
    const WorkRequest &wr = it->wr;
    if (wr.fence && !xiw_orq_idle(&orq))
        return false;
    if (wr.verb >= Verb::Read && !xiw_orq_take(&orq))
        return false;
    it->sent = true;
    it->completion.length = static_cast<u32>(wr.data.size());
    switch (wr.verb) {
    case Verb::Send:
        out.push_back(
            untagged(wr.solicited ? XIW_OP_SEND_SE : XIW_OP_SEND, XIW_QN_SEND, 0, wr.data));
        break;
    case Verb::SendInv:
        out.push_back(untagged(wr.solicited ? XIW_OP_SEND_SE_INV : XIW_OP_SEND_INV, XIW_QN_SEND,
                               wr.invalidate, wr.data));
        break;
    case Verb::SendImm:
        out.push_back(untagged(XIW_OP_SEND_IMM, XIW_QN_SEND, wr.imm, wr.data));
        if (wr.solicited)
            out.back().seg.rdmap_ctrl |= XIW_RDMAP_SOLICITED;
        break;
    case Verb::Write:
    case Verb::WriteImm:
        out.push_back(tagged(XIW_OP_WRITE, wr.stag, wr.to, static_cast<u32>(wr.data.size())));
        out.back().data = wr.data;
        if (wr.verb == Verb::WriteImm) {
            Octets imm(XIW_IMM_LEN);

            put_unaligned_be32(wr.imm, imm.data());
            out.push_back(untagged(wr.solicited ? XIW_OP_IMM_SE : XIW_OP_IMM, XIW_QN_SEND, 0,
                                   std::move(imm)));
        }
        break;
    case Verb::Read:
    case Verb::ReadInv: {
        xiw_read_req req{wr.sink_stag, wr.length, wr.sink_to, wr.to, wr.stag};
        Octets header(XIW_READ_REQ_LEN);

        xiw_read_req_put(header.data(), &req);
        xiw_solicited_push_read(&solicited, wr.sink_stag, wr.sink_to, wr.length, 0,
                                wr.verb == Verb::ReadInv ? XIW_SINK_INVALIDATE : 0);
        out.push_back(untagged(XIW_OP_READ_REQUEST, XIW_QN_REQUEST, 0, std::move(header)));
        it->completion.length = wr.length;
        break;
    }
    case Verb::FetchAdd:
    case Verb::CmpSwap: {
        xiw_atomic_req req = wr.atomic;
        Octets header(XIW_ATOMIC_REQ_LEN);

        req.aop = wr.verb == Verb::FetchAdd ? XIW_ATOMIC_FETCH_ADD : XIW_ATOMIC_CMP_SWAP;
        req.req_id = xiw_orq_next_id(&orq);
        req.stag = wr.stag;
        req.to = wr.to;
        xiw_atomic_req_put(header.data(), &req);
        xiw_solicited_push_queue3(&solicited, 0, 0, 0);
        atomic_ids.push_back(req.req_id);
        out.push_back(untagged(XIW_OP_ATOMIC_REQUEST, XIW_QN_REQUEST, 0, std::move(header)));
        it->completion.length = XIW_ATOMIC_LEN;
        break;
    }
    }
    it->done = wr.verb < Verb::Read;
    return true;
}

bool Endpoint::next_response(std::vector<Message> &out) {
    u32 slot = xiw_irrq_next(&irrq);

    if (slot == XIW_IRRQ_NONE)
        return false;
    const Inbound &in = inbound_.at(slot);
    if (in.atomic) {
        Octets header(XIW_ATOMIC_RSP_LEN);
        u64 word, result;

        std::memcpy(&word, at(in.op.stag, in.op.to), sizeof(word));
        if (xiw_atomic_apply(in.op.aop, word, in.op.data, in.op.mask, in.op.compare,
                             in.op.compare_mask, &result))
            std::memcpy(at(in.op.stag, in.op.to), &result, sizeof(result));
        put_unaligned_be32(in.op.req_id, header.data());
        put_unaligned_be64(word, header.data() + 4);
        out.push_back(untagged(XIW_OP_ATOMIC_RESPONSE, XIW_QN_RESPONSE, 0, std::move(header)));
    } else {
        out.push_back(
            tagged(XIW_OP_READ_RESPONSE, in.read.sink_stag, in.read.sink_to, in.read.size));
        out.back().fetch = true;
        out.back().stag = in.read.src_stag;
        out.back().to = in.read.src_to;
    }
    xiw_irrq_begun(&irrq);
    return true;
}

void Endpoint::encode(Octets &out, Message &m) {
    u8 header[XIW_DDP_HDR_MAX];
    xiw_ddp_piece piece;

    while (!m.seg.done) {
        xiw_ddp_seg_next(&m.seg, config_.mulpdu, header, &piece);
        const u8 *payload = nullptr;
        if (piece.len)
            payload = (m.fetch ? at(m.stag, m.to) : m.data.data()) + piece.offset;
        xiw_span parts[] = {{header, piece.header_len}, {payload, piece.len}};
        xiw_frame frame;

        xiw_frame_init(&frame, &tx_framing, piece.header_len + piece.len);
        size_t before = out.size();
        out.resize(before + frame.wire_len);
        xiw_fpdu_encode(out.data() + before, &tx_framing, parts, 2);
    }
}

Octets Endpoint::transmit() {
    std::vector<Message> messages;
    Octets out;
    bool response;

    if (terminate) {
        Message m = untagged(XIW_OP_TERMINATE, XIW_QN_TERMINATE, 0, *terminate);

        terminate.reset();
        encode(out, m);
        return out;
    }
    if (fault)
        return out;
    // Alternate between responses and requests.
    responses_turn_ = !responses_turn_;
    response = responses_turn_ ? next_response(messages) : false;
    if (!response && !next_request(messages) && !responses_turn_)
        response = next_response(messages);
    for (Message &m : messages)
        encode(out, m);
    if (response) {
        xiw_irrq_done(&irrq);
        xiw_ddp_rx_credit(&rx);
    }
    retire();
    return out;
}

bool Endpoint::idle() const {
    return queue_.empty() && xiw_irrq_idle(&irrq) && xiw_orq_idle(&orq) && !terminate;
}

} // namespace xiw
