// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// MPA negotiation over a socket (RFC 5044 §7.1, RFC 6581). A step that must wait returns the
// state in which it was called. Octets after a Reply stay in TCP for the stream; there must be
// none after a Request before our Reply.
#include "conn/connection.hpp"
#include "conn/listener.hpp"
#include "host/port.hpp"
#include "limits.hpp"
#include "rnic.hpp"
#include "stream/stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace xiw::rnic {

namespace {

// Linux's default range for choosing ports.
enum : u16 { drawn_first = 32768, drawn_last = 60999 };

struct RtrFlag {
    u32 flag;
    u8 rtr;
};
constexpr std::array<RtrFlag, 3> rtr_flags = {{
    {XIW_CONNF_RTR_SEND, XIW_RTR_SEND},
    {XIW_CONNF_RTR_WRITE, XIW_RTR_WRITE},
    {XIW_CONNF_RTR_READ, XIW_RTR_READ},
}};

u16 depth(u16 value) {
    return std::min<u16>(le16_to_cpu(value), XIW_MPA_DEPTH_NONE);
}

u32 rtr_to_flags(u8 rtr) {
    u32 flags = 0;

    for (const RtrFlag &row : rtr_flags)
        if ((rtr & row.rtr) != 0)
            flags |= row.flag;
    return flags;
}

u32 frame_flags(const xiw_mpa_frame &frame) {
    u32 flags = 0;

    if (frame.enhanced)
        flags |= XIW_CONNF_ENHANCED;
    if (frame.enhanced && frame.p2p)
        flags |= XIW_CONNF_P2P | rtr_to_flags(frame.rtr);
    return flags;
}

enum xiw_status startup_status(int error) {
    return error == -EPROTO ? XIW_ERR_PROTOCOL : host::status_of(error);
}

} // namespace

// ------------------------------------------------- conversion of driver and core types

void Connection::wish_from_params() {
    const u32 flags = le32_to_cpu(params_.flags);

    wish_ = {};
    wish_.rev = params_.mpa_rev != 0 ? params_.mpa_rev : 2;
    wish_.crc = (flags & XIW_CONNF_CRC) != 0;
    wish_.markers = (flags & XIW_CONNF_RX_MARKERS) != 0;
    wish_.p2p = (flags & XIW_CONNF_P2P) != 0;
    wish_.ird = depth(params_.ird);
    wish_.ord = depth(params_.ord);
    wish_.max_ird = max_depth;
    for (const RtrFlag &row : rtr_flags)
        if ((flags & row.flag) != 0)
            wish_.rtr |= row.rtr;
    // A responder must accept some form of RTR (RFC 6581 §9.2).
    if (state_ == State::decide || state_ == State::send_reply)
        if (wish_.rtr == 0)
            wish_.rtr = XIW_RTR_WRITE | XIW_RTR_READ;
}

// Pass the contents of the peer's frame to the ULP unchanged (RFC 6581 §9.1).
void Connection::tell_peer_frame(const xiw_mpa_frame &frame) {
    socket_.addresses(buf_.local, buf_.remote);
    buf_.local.scope = 0;
    buf_.remote.scope = 0;
    buf_.peer_flags = rx_[XIW_MPA_FLAGS_AT];
    buf_.peer_rev = rx_[XIW_MPA_REV_AT];
    buf_.peer_ird = cpu_to_le16(frame.enhanced ? frame.ird : u16{XIW_MPA_DEPTH_NONE});
    buf_.peer_ord = cpu_to_le16(frame.enhanced ? frame.ord : u16{XIW_MPA_DEPTH_NONE});
    buf_.peer_offer = cpu_to_le16(static_cast<u16>(frame_flags(frame)));
    buf_.private_length = cpu_to_le16(frame.pd_len);
    std::memcpy(buf_.private_data, rx_.data() + frame.pd_at, frame.pd_len);
}

// Set params_ to what both ends have agreed on.
void Connection::agree(bool initiator) {
    u32 flags = le32_to_cpu(params_.flags) &
                (XIW_CONNF_ATOMICS | XIW_CONNF_IMMEDIATE | XIW_CONNF_V6ONLY | XIW_CONNF_TOS);

    if (agreed_.crc)
        flags |= XIW_CONNF_CRC;
    if (agreed_.rx_markers)
        flags |= XIW_CONNF_RX_MARKERS;
    if (agreed_.tx_markers)
        flags |= XIW_CONNF_TX_MARKERS;
    if (agreed_.enhanced)
        flags |= XIW_CONNF_ENHANCED;
    if (agreed_.p2p)
        flags |= XIW_CONNF_P2P | rtr_to_flags(agreed_.rtr);
    if (initiator)
        flags |= XIW_CONNF_INITIATOR;
    params_.flags = cpu_to_le32(flags);
    params_.mpa_rev = agreed_.rev;
    params_.ird = cpu_to_le16(agreed_.ird);
    params_.ord = cpu_to_le16(agreed_.ord);
}

// -------------------------------------------------------------------------- frames

bool Connection::build_frame(xiw_mpa_frame &frame) {
    frame.pd_len = le16_to_cpu(buf_.private_length);
    tx_at_ = 0;
    tx_len_ = xiw_mpa_build(tx_.data(), &frame, buf_.private_data);
    return tx_len_ != 0;
}

// Never reads more than the frame. Return: 0 when it is complete, or a negative errno.
int Connection::read_frame(xiw_mpa_kind kind, xiw_mpa_frame &frame) {
    for (;;) {
        u32 total = 0;
        switch (xiw_mpa_parse(&frame, kind, rx_.data(), rx_len_, &total)) {
        case XIW_MPA_FRAME:
            return 0;
        case XIW_MPA_BAD:
            return -EPROTO;
        default:
            break;
        }
        if (total <= rx_len_ || total > rx_.size())
            return -EPROTO;
        const auto room = std::span(rx_).subspan(rx_len_, total - rx_len_);
        const int n = socket_.receive(room);
        if (n <= 0)
            return n != 0 ? n : -ECONNRESET;
        rnic_.captured(*this, false, room.first(static_cast<size_t>(n)));
        rx_len_ += static_cast<u32>(n);
    }
}

// Build the only FPDU without a stream, which does not exist here (RFC 6581 §9).
void Connection::build_terminate(xiw_fault fault) {
    xiw_framing framing{.pos = 0, .crc = wish_.crc || reply_.crc, .markers = reply_.markers};
    std::array<u8, XIW_DDP_HDR_MAX> header{};
    std::array<u8, XIW_TERM_LEN_MAX> message{};

    xiw_ddp_put_untagged(header.data(), xiw_rdmap_ctrl(XIW_OP_TERMINATE), true, 0, XIW_QN_TERMINATE,
                         XIW_DDP_FIRST_MSN, 0);
    const u32 length = xiw_term_build(message.data(), xiw_fault_code(fault), nullptr, 0, 0);
    const std::array<xiw_span, 2> parts = {
        {{header.data(), XIW_DDP_UNTAGGED_LEN}, {message.data(), length}}};
    tx_at_ = 0;
    tx_len_ = xiw_fpdu_encode(tx_.data(), &framing, parts.data(), parts.size());
}

Connection::State Connection::step_send() {
    if (lost_ != XIW_OK)
        return fail(lost_);
    while (tx_at_ < tx_len_) {
        const auto rest = std::span<const u8>(tx_).subspan(tx_at_, tx_len_ - tx_at_);
        const int n = socket_.send(rest, false);
        if (n == -EAGAIN && !expired()) {
            retry_.arm(retry_after);
            return state_;
        }
        if (n <= 0)
            return fail(n == -EAGAIN ? XIW_ERR_TIMEOUT : startup_status(n));
        rnic_.captured(*this, true, rest.first(static_cast<size_t>(n)));
        tx_at_ += static_cast<u32>(n);
    }
    switch (state_) {
    case State::send_request:
        return State::wait_reply;
    case State::send_reply:
        if (opened(XIW_CONN_ACCEPTED) == 0)
            return State::open;
        report(XIW_CONN_FAILED, XIW_ERR_GONE);
        close(true);
        return State::closed;
    default:
        return State::closing;
    }
}

// ----------------------------------------------------------------------- initiator

// The connection manager chooses ports without TCP; another socket may have that port. Then let
// TCP choose one. A port outside the range was requested by the user.
int Connection::bind_initiator(const xiw_addr &local) const {
    const u16 port = ntohs(local.port);
    xiw_addr any = local;

    if (!rnic_.port().has(host::address_of(local)))
        return -EADDRNOTAVAIL;
    const int error = socket_.bind(local);
    if (error != -EADDRINUSE || port < drawn_first || port > drawn_last)
        return error;
    any.port = 0;
    return socket_.bind(any);
}

Connection::State Connection::step_start() {
    int error = 0;

    if (lost_ != XIW_OK)
        return fail(lost_);
    wish_from_params();
    xiw_mpa_request(&request_, &wish_);
    if (!build_frame(request_))
        return fail(XIW_ERR_INVALID);
    rnic_.port().scope(buf_.local);
    rnic_.port().scope(buf_.remote);
    error = socket_.open(buf_.remote.family);
    if (error == 0 && (le32_to_cpu(params_.flags) & XIW_CONNF_TOS) != 0)
        error = socket_.set_type_of_service(params_.tos);
    if (error != 0)
        return fail(startup_status(error));
    socket_.set_segments(rnic_.port().mtu(), buf_.remote.family);
    if (buf_.local.family != 0 && !host::address_of(buf_.local).is_any())
        error = bind_initiator(buf_.local);
    if (error == 0) {
        error = socket_.connect(buf_.remote);
        socket_.watch(rnic_.poller(), *this);
    }
    if (error != 0 && error != -EINPROGRESS)
        return fail(startup_status(error));
    bound(le32_to_cpu(params_.startup_ms), startup_default);
    return State::connecting;
}

Connection::State Connection::step_connecting() {
    if (lost_ != XIW_OK)
        return fail(lost_);
    switch (socket_.state()) {
    case host::Socket::State::connecting:
        return expired() ? fail(XIW_ERR_TIMEOUT) : State::connecting;
    case host::Socket::State::established:
        return State::send_request;
    default:
        return fail(host::status_of(socket_.error()));
    }
}

// Send a Terminate after a good Reply, because there will be no stream: it has the reason.
Connection::State Connection::terminate(xiw_fault fault, enum xiw_status status) {
    build_terminate(fault);
    report(XIW_CONN_REPLY, status);
    bound(le32_to_cpu(params_.linger_ms), linger_default);
    return State::send_last;
}

Connection::State Connection::step_wait_reply() {
    xiw_fault fault = XIW_FAULT_NONE;

    if (lost_ != XIW_OK)
        return fail(lost_);
    const int error = read_frame(XIW_MPA_REPLY, reply_);
    if (error == -EAGAIN && !expired())
        return State::wait_reply;
    if (error != 0)
        return fail(error == -EAGAIN ? XIW_ERR_TIMEOUT : startup_status(error));
    tell_peer_frame(reply_);
    switch (xiw_mpa_conclude(&agreed_, &fault, &request_, &reply_, &wish_)) {
    case XIW_MPA_OPEN:
        if (opened(XIW_CONN_REPLY) == 0)
            return State::open;
        return terminate(XIW_FAULT_LLP_LOCAL, XIW_ERR_GONE);
    case XIW_MPA_REJECTED:
        report(XIW_CONN_REPLY, XIW_ERR_REJECTED);
        bound(le32_to_cpu(params_.linger_ms), linger_default);
        return State::closing;
    case XIW_MPA_TERMINATE:
        return terminate(fault, XIW_ERR_PROTOCOL);
    default:
        return fail(XIW_ERR_PROTOCOL);
    }
}

// ----------------------------------------------------------------------- responder

Connection::State Connection::step_wait_request() {
    const u8 listener_rev = listener_->params().mpa_rev;
    u8 rev = params_.mpa_rev != 0 ? params_.mpa_rev : listener_rev;
    const int error = read_frame(XIW_MPA_REQUEST, request_);

    if (rev == 0)
        rev = 2;
    if (error == -EAGAIN && !expired())
        return State::wait_request;
    if (error != 0)
        return next_peer(error == -EAGAIN ? XIW_ERR_TIMEOUT : startup_status(error));
    // A peer may fall back to our revision, RFC 6581 §10.
    if (request_.rev > rev || socket_.has_octets())
        return next_peer(XIW_ERR_PROTOCOL);
    listener_index_ = listener_->index();
    listener_->forget(*this);
    listener_ = nullptr;
    tell_peer_frame(request_);
    buf_.params.flags = params_.flags | cpu_to_le32(frame_flags(request_));
    bound(decide_limit, 0);
    report(XIW_CONN_REQUEST, XIW_OK);
    return State::decide;
}

// TCP may die in the meantime; this is reported after the driver's decision.
Connection::State Connection::step_decide() {
    if (!socket_)
        return State::decide;
    if (expired())
        lost_ = XIW_ERR_TIMEOUT;
    else if (socket_.has_octets())
        lost_ = XIW_ERR_PROTOCOL;
    else if (u8 octet = 0; lost_ == XIW_OK && socket_.receive({&octet, 1}) != -EAGAIN)
        lost_ = XIW_ERR_RESET;
    if (lost_ != XIW_OK) {
        bounded_ = false;
        deadline_.cancel();
        socket_.close(lost_ == XIW_ERR_TIMEOUT);
    }
    return State::decide;
}

bool Connection::private_data_fits() const {
    const u32 limit = request_.enhanced ? XIW_MPA_ENHANCED_PD_MAX : XIW_MPA_PD_MAX;

    return le16_to_cpu(buf_.private_length) <= limit;
}

u8 Connection::accept(u32 stream) {
    if (state_ != State::decide)
        return XIW_ERR_INVALID;
    load_buffer();
    Stream *wanted = rnic_.stream(stream);
    if (!private_data_fits() || wanted == nullptr)
        return XIW_ERR_INVALID;
    params_ = buf_.params;
    step_decide();
    connect(*wanted);
    state_ = State::send_reply;
    ready();
    if (lost_ != XIW_OK)
        return XIW_OK;
    wish_from_params();
    bound(le32_to_cpu(params_.startup_ms), startup_default);
    if (xiw_mpa_respond(&reply_, &agreed_, &request_, &wish_) != XIW_MPA_OPEN)
        lost_ = XIW_ERR_PROTOCOL;
    else if (!build_frame(reply_) || ((le32_to_cpu(params_.flags) & XIW_CONNF_TOS) != 0 &&
                                      socket_.set_type_of_service(params_.tos) != 0))
        lost_ = XIW_ERR_INVALID;
    return XIW_OK;
}

u8 Connection::reject() {
    if (state_ != State::decide)
        return XIW_ERR_INVALID;
    load_buffer();
    if (!private_data_fits())
        return XIW_ERR_INVALID;
    params_ = buf_.params;
    step_decide();
    if (lost_ == XIW_OK) {
        wish_from_params();
        xiw_mpa_reject(&reply_, &request_, &wish_);
        build_frame(reply_);
        bound(le32_to_cpu(params_.linger_ms), linger_default);
    }
    buffer_ = 0;
    state_ = State::send_last;
    ready();
    return XIW_OK;
}

// Connect a stream. If it is over or belongs to another connection, the outcome reports it.
void Connection::connect(Stream &stream) {
    stream_index_ = stream.index();
    if (stream.expect(*this))
        stream_ = &stream;
    else if (lost_ == XIW_OK)
        lost_ = XIW_ERR_GONE;
}

} // namespace xiw::rnic
