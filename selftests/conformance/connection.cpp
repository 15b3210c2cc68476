// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "connection.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace xiw::peer {

void Connection::open(Tcp tcp) {
    *this = Connection(wire_);
    tcp_ = std::move(tcp);
}

void Connection::before_send() {
    if (wire_ != nullptr)
        wire_->gather();
}

void Connection::before_wait() {
    if (wire_ != nullptr)
        wire_->before_wait();
}

void Connection::shut() {
    before_send();
    tcp_.shut();
}

void Connection::abort() {
    before_send();
    tcp_.abort();
}

void Connection::close() {
    if (tcp_.is_open())
        before_send();
    tcp_.close();
}

/*
 * If split_ divides the octets into pieces, sends each piece only after the endpoint has
 * acknowledged the previous piece. So the endpoint receives each piece as a separate TCP segment.
 * Does not wait while the wire holds packets, because no acknowledgment can arrive.
 */
void Connection::transmit(OctetView octets, Deadline deadline) {
    if (!tcp_.is_open())
        throw std::runtime_error("there is no connection");
    if (corked_) {
        append(corked_octets_, octets);
        return;
    }
    before_send();
    for (size_t i = 0; !split_.sizes.empty() && !octets.empty(); i++) {
        size_t n = split_.each ? split_.sizes[0] : i < split_.sizes.size() ? split_.sizes[i] : 0;

        if (n == 0 || n >= octets.size())
            break;
        tcp_.send(octets.first(n), deadline);
        if (wire_ == nullptr || !wire_->held())
            tcp_.flush(deadline);
        octets = octets.subspan(n);
    }
    split_ = {};
    tcp_.send(octets, deadline);
}

void Connection::uncork(Deadline deadline) {
    Octets octets = std::move(corked_octets_);

    corked_ = false;
    corked_octets_.clear();
    transmit(octets, deadline);
}

void Connection::startup_seen(const Frame &frame, bool sent) {
    (sent ? sent_startup_ : got_startup_) = frame;
    if (!sent_startup_ || !got_startup_)
        return;
    tx.markers = got_startup_->value("markers") == 1;
    rx_.markers = sent_startup_->value("markers") == 1;
    crc = got_startup_->value("crc") == 1 || sent_startup_->value("crc") == 1;
}

void Connection::unexpected(std::string_view awaited) const {
    std::string_view what = tcp_.end() == Tcp::End::rst   ? "the connection was reset"
                            : tcp_.end() == Tcp::End::fin ? "the peer closed"
                                                          : "nothing more came in time";
    std::string text = fmt::format("{} instead of {}", what, awaited);

    if (!input_.empty())
        text += fmt::format(", after {} octets\n{}", input_.size(), dump(input_));
    throw Mismatch(text);
}

void Connection::more(Deadline deadline, std::string_view awaited) {
    if (!tcp_.is_open())
        throw std::runtime_error("there is no connection");
    before_wait();
    if (tcp_.end() != Tcp::End::open || !tcp_.receive(input_, deadline) ||
        tcp_.end() != Tcp::End::open)
        unexpected(awaited);
}

Frame Connection::receive_startup(Deadline deadline) {
    constexpr std::string_view awaited = "an MPA startup frame";

    while (input_.size() < STARTUP_MIN || input_.size() < startup_size(input_))
        more(deadline, awaited);
    auto end = input_.begin() + static_cast<std::ptrdiff_t>(startup_size(input_));
    Frame frame = decode_startup(Octets(input_.begin(), end));
    input_.erase(input_.begin(), end);
    return frame;
}

Received Connection::receive_fpdu(Deadline deadline) {
    if (put_back_)
        return *std::exchange(put_back_, std::nullopt);
    for (;;) {
        if (auto received = rx_.next(input_))
            return *received;
        more(deadline, "an FPDU");
    }
}

Tcp::End Connection::receive_end(Deadline deadline) {
    if (put_back_)
        throw Mismatch("a frame instead of the end of the stream\n" +
                       decode(put_back_->fpdu).describe());
    before_wait();
    while (input_.empty() && tcp_.end() == Tcp::End::open)
        if (!tcp_.receive(input_, deadline))
            unexpected("the end of the stream");
    if (!input_.empty()) {
        Octets rest = input_;
        auto received = rx_.next(rest);

        throw Mismatch(fmt::format("{} octets instead of the end of the stream\n{}", input_.size(),
                                   received ? decode(received->fpdu).describe() : dump(input_)));
    }
    return tcp_.end();
}

std::optional<Received> Connection::receive_fpdu_or_end(Deadline deadline) {
    if (put_back_)
        return std::exchange(put_back_, std::nullopt);
    before_wait();
    for (;;) {
        if (auto received = rx_.next(input_))
            return received;
        if (tcp_.end() == Tcp::End::rst || (tcp_.end() == Tcp::End::fin && input_.empty()))
            return {};
        if (tcp_.end() == Tcp::End::fin || !tcp_.receive(input_, deadline))
            unexpected("an FPDU or the end");
    }
}

void Connection::drain(Deadline deadline) {
    before_wait();
    while (tcp_.end() == Tcp::End::open)
        if (!tcp_.receive(input_, deadline))
            unexpected("the end of the stream");
}

void Connection::receive_nothing(Deadline until) {
    if (put_back_)
        throw Mismatch("a frame instead of silence\n" + decode(put_back_->fpdu).describe());
    before_wait();
    while (input_.empty() && tcp_.end() == Tcp::End::open)
        if (!tcp_.receive(input_, until))
            return;
    unexpected("silence");
}

} // namespace xiw::peer
