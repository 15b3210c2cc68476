// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "wire/conversation.hpp"

#include <utility>

namespace xiw::wire {

Conversation::Conversation(Endpoint first, Endpoint second, Found found, const Tell &tell)
    : first_(first), second_(second), found_(std::move(found)), tell_(tell) {}

void Conversation::segment(const Segment &segment, uint64_t time) {
    Half &half = segment.from == first_ ? forward_ : backward_;
    const uint32_t data = segment.seq + (segment.syn ? 1 : 0);

    now_ = time;
    if (segment.syn && !half.reassembly.begun()) {
        half.reassembly.begin(data);
        half.direction.whole();
    }
    if (segment.acks)
        other(half).reassembly.acknowledged(segment.ack);
    half.reassembly.segment(data, segment.length, segment.octets, half.direction);
    if (segment.fin && !half.fin) {
        half.reassembly.begin(data);
        half.fin = data + segment.length;
    }
    half.maybe_end();
    if (segment.rst && !reset_) {
        reset_ = true;
        forward_.reassembly.flush(forward_.direction);
        backward_.reassembly.flush(backward_.direction);
        if (is_iwarp())
            half.tell(End{End::How::rst});
    }
}

bool Conversation::succeeded_by(const Segment &segment) const {
    const Half &half = segment.from == first_ ? forward_ : backward_;
    return segment.syn && !segment.acks && half.reassembly.begun() &&
           (half.reassembly.next() != segment.seq + 1 || reset_ || half.ended);
}

bool Conversation::is_over() const {
    const auto deaf = [](const Half &half) {
        return half.direction.state() == Direction::State::deaf;
    };
    return reset_ || (forward_.fin && backward_.fin) || (deaf(forward_) && deaf(backward_));
}

void Conversation::finish() {
    for (Half *half : {&forward_, &backward_}) {
        half->reassembly.flush(half->direction);
        half->maybe_end();
        if (is_iwarp() && !half->ended && half->direction.unread() != 0)
            half->gap({Gap::Why::unknown, half->direction.unread()});
        half->flush_gap();
    }
}

void Conversation::Half::maybe_end() {
    if (!fin || ended || reassembly.next() != *fin)
        return;
    ended = true;
    if (whole_.is_iwarp())
        tell(End{direction.unread() == 0 ? End::How::fin : End::How::fin_inside});
}

void Conversation::Half::tell(decltype(Item::what) what) {
    flush_gap();
    say(std::move(what));
}

void Conversation::Half::flush_gap() {
    if (hole.octets != 0)
        say(std::exchange(hole, Gap{}));
}

void Conversation::Half::say(decltype(Item::what) what) {
    Connection &c = *whole_.connection_;
    const bool from_initiator = forward_ != whole_.swapped_;

    (from_initiator ? c.sent : c.answered) = totals;
    whole_.tell_({whole_.now_, &c, from_initiator, std::move(what)});
}

void Conversation::Half::fpdu(const Fpdu &fpdu) {
    if (!whole_.is_iwarp())
        whole_.show(*this, false);
    totals.fpdus++;
    totals.octets += fpdu.length;
    totals.bad_crc += fpdu.crc == Crc::bad ? 1 : 0;
    tell(fpdu);
}

// Report no gap before the connection is recognised as iWARP. Merge adjacent gaps of the same kind.
void Conversation::Half::gap(const Gap &gap) {
    (gap.why == Gap::Why::missing ? totals.missing : totals.unknown) += gap.octets;
    if (!whole_.is_iwarp())
        return;
    if (gap.why != hole.why)
        flush_gap();
    hole = {gap.why, hole.octets + gap.octets};
}

void Conversation::startup(Half &half, const Startup &frame) {
    if (!is_iwarp())
        show(half, frame.reply);
    half.started = frame;
    half.tell(frame);
    agree();
}

void Conversation::show(const Half &sender, bool reply) {
    swapped_ = sender.forward_ == reply;
    connection_ = &found_();
    connection_->initiator = swapped_ ? second_ : first_;
    connection_->responder = swapped_ ? first_ : second_;
}

// RFC 5044 §7.1: both directions have CRCs if either end requests CRCs. A direction has markers if
// its receiver requests markers.
void Conversation::agree() {
    const auto &one = forward_.started;
    const auto &two = backward_.started;

    if (!one || !two)
        return;
    if (one->reply == two->reply || one->reject || two->reject) {
        forward_.direction.close();
        backward_.direction.close();
        return;
    }
    connection_->started = true;
    const bool crc = one->crc || two->crc;
    forward_.direction.agree({.crc = crc, .markers = two->markers});
    backward_.direction.agree({.crc = crc, .markers = one->markers});
}

} // namespace xiw::wire
