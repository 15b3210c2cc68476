// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Sockets, time limits and events for the MPA negotiation of core/setup.h. A step that must wait
// returns the current state. Octets after a Reply stay in TCP for the stream. A peer that has sent
// a Request must not send more octets until it has the Reply.
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

// Linux's default range of local ports.
enum : u16 { drawn_first = 32768, drawn_last = 60999 };

enum xiw_status startup_status(int error) {
    return error == -EPROTO ? XIW_ERR_PROTOCOL : host::status_of(error);
}

} // namespace

// -------------------------------------------------------------------------- frames

void Connection::describe_peer(const xiw_mpa_frame &frame) {
    socket_.addresses(buf_.local, buf_.remote);
    buf_.local.scope = 0;
    buf_.remote.scope = 0;
    xiw_setup_describe(&setup_, &frame, &buf_);
}

// Receive the frame of the peer. Return: 0 with the next step, or a negative errno.
int Connection::receive(xiw_setup_step &step) {
    while ((step = xiw_setup_next(&setup_)) == XIW_SETUP_RECEIVE) {
        const auto room = std::span(setup_.rx).subspan(setup_.rx_len, setup_.rx_want);
        const int n = socket_.receive(room);
        if (n <= 0)
            return n != 0 ? n : -ECONNRESET;
        rnic_.captured(*this, false, room.first(static_cast<size_t>(n)));
        setup_.rx_len += static_cast<u32>(n);
    }
    return step == XIW_SETUP_BAD ? -EPROTO : 0;
}

Connection::State Connection::step_send() {
    if (lost_ != XIW_OK)
        return fail(lost_);
    xiw_setup_step step{};
    while ((step = xiw_setup_next(&setup_)) == XIW_SETUP_SEND) {
        const auto rest =
            std::span<const u8>(setup_.tx).subspan(setup_.tx_at, setup_.tx_len - setup_.tx_at);
        const int n = socket_.send(rest, false);
        if (n == -EAGAIN && !expired()) {
            retry_.arm(retry_after);
            return state_;
        }
        if (n <= 0)
            return fail(n == -EAGAIN ? XIW_ERR_TIMEOUT : startup_status(n));
        rnic_.captured(*this, true, rest.first(static_cast<size_t>(n)));
        setup_.tx_at += static_cast<u32>(n);
    }
    switch (step) {
    case XIW_SETUP_OPEN:
        if (opened(XIW_CONN_ACCEPTED) == 0)
            return State::open;
        report(XIW_CONN_FAILED, XIW_ERR_GONE);
        close(true);
        return State::closed;
    case XIW_SETUP_CLOSE:
        return State::closing;
    default:
        return State::wait_reply;
    }
}

// ----------------------------------------------------------------------- initiator

// Check whether TCP may replace the local port. The guest's connection manager chooses ports in
// Linux's default range, and does not know which ports TCP of the host uses. If such a port is in
// use, or if a connection from this port to the same destination exists, TCP chooses another port.
// TCP must not replace a port outside this range, because a user has probably requested the port.
bool Connection::may_choose(const xiw_addr &local) {
    const u16 port = ntohs(local.port);

    return port >= drawn_first && port <= drawn_last;
}

int Connection::bind_initiator(const xiw_addr &local) const {
    xiw_addr any = local;

    if (!rnic_.port().has(host::address_of(local)))
        return -EADDRNOTAVAIL;
    const int error = socket_.bind(local);
    if (error != -EADDRINUSE || !may_choose(local))
        return error;
    any.port = 0;
    return socket_.bind(any);
}

// Open, bind and connect a socket. Return: 0; -EINPROGRESS; or another negative errno.
int Connection::dial(const xiw_addr &local) {
    int error = socket_.open(buf_.remote.family);
    if (error == 0 && (le32_to_cpu(params_.flags) & XIW_CONNF_TOS) != 0)
        error = socket_.set_type_of_service(params_.tos);
    if (error != 0)
        return error;
    socket_.set_segments(rnic_.port().mtu(), buf_.remote.family);
    if (local.family != 0 && !host::address_of(local).is_any())
        error = bind_initiator(local);
    return error != 0 ? error : socket_.connect(buf_.remote);
}

Connection::State Connection::step_start() {
    if (lost_ != XIW_OK)
        return fail(lost_);
    if (!xiw_setup_initiate(&setup_, &params_, max_depth, buf_.private_data,
                            le16_to_cpu(buf_.private_length)))
        return fail(XIW_ERR_INVALID);
    rnic_.port().scope(buf_.local);
    rnic_.port().scope(buf_.remote);
    int error = dial(buf_.local);
    if (error == -EADDRNOTAVAIL && may_choose(buf_.local)) {
        // A bound socket keeps its port, so open a new socket.
        xiw_addr any = buf_.local;
        any.port = 0;
        socket_.close(false);
        error = dial(any);
    }
    if (error == 0 || error == -EINPROGRESS)
        error = socket_.watch(rnic_.poller(), *this);
    if (error != 0)
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

// The Reply is valid, but the stream cannot be opened. Report an error, and send a Terminate with
// the reason.
Connection::State Connection::send_reason(enum xiw_status status) {
    report(XIW_CONN_REPLY, status);
    bound(le32_to_cpu(params_.linger_ms), linger_default);
    return State::send_last;
}

Connection::State Connection::step_wait_reply() {
    xiw_setup_step step{};

    if (lost_ != XIW_OK)
        return fail(lost_);
    const int error = receive(step);
    if (error == -EAGAIN && !expired())
        return State::wait_reply;
    if (error != 0)
        return fail(error == -EAGAIN ? XIW_ERR_TIMEOUT : startup_status(error));
    describe_peer(setup_.reply);
    switch (step) {
    case XIW_SETUP_OPEN:
        if (opened(XIW_CONN_REPLY) == 0)
            return State::open;
        xiw_setup_refuse(&setup_, XIW_FAULT_LLP_LOCAL);
        return send_reason(XIW_ERR_GONE);
    case XIW_SETUP_REJECTED:
        report(XIW_CONN_REPLY, XIW_ERR_REJECTED);
        bound(le32_to_cpu(params_.linger_ms), linger_default);
        return State::closing;
    case XIW_SETUP_UNABLE:
        return send_reason(XIW_ERR_PROTOCOL);
    default:
        return fail(XIW_ERR_PROTOCOL);
    }
}

// ----------------------------------------------------------------------- responder

Connection::State Connection::step_wait_request() {
    xiw_setup_step step{};
    const int error = receive(step);

    if (error == -EAGAIN && !expired())
        return State::wait_request;
    if (error != 0)
        return next_peer(error == -EAGAIN ? XIW_ERR_TIMEOUT : startup_status(error));
    if (step != XIW_SETUP_DECIDE || socket_.has_octets())
        return next_peer(XIW_ERR_PROTOCOL);
    listener_index_ = listener_->index();
    listener_->forget(*this);
    listener_ = nullptr;
    describe_peer(setup_.request);
    buf_.params.flags = params_.flags | cpu_to_le32(xiw_setup_offer(&setup_.request));
    bound(decide_limit, 0);
    report(XIW_CONN_REQUEST, XIW_OK);
    return State::decide;
}

// Check the connection while the driver decides. If the connection fails, the RNIC reports the
// error only after the driver has accepted the connection.
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
    return xiw_setup_fits(&setup_, le16_to_cpu(buf_.private_length));
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
    bound(le32_to_cpu(params_.startup_ms), startup_default);
    if (!xiw_setup_accept(&setup_, &params_, buf_.private_data, le16_to_cpu(buf_.private_length)))
        lost_ = XIW_ERR_PROTOCOL;
    else if ((le32_to_cpu(params_.flags) & XIW_CONNF_TOS) != 0 &&
             socket_.set_type_of_service(params_.tos) != 0)
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
        xiw_setup_reject(&setup_, &params_, buf_.private_data, le16_to_cpu(buf_.private_length));
        bound(le32_to_cpu(params_.linger_ms), linger_default);
    }
    buffer_ = 0;
    state_ = State::send_last;
    ready();
    return XIW_OK;
}

// Assign the connection to a stream. If the stream has ended or belongs to another connection, the
// outcome is XIW_ERR_GONE. If the connection has already failed, its outcome does not change.
void Connection::connect(Stream &stream) {
    stream_index_ = stream.index();
    if (stream.expect(*this))
        stream_ = &stream;
    else if (lost_ == XIW_OK)
        lost_ = XIW_ERR_GONE;
}

} // namespace xiw::rnic
