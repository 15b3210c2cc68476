// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "conn/connection.hpp"

#include "conn/commands.hpp"
#include "conn/listener.hpp"
#include "ring/event_ring.hpp"
#include "rnic.hpp"
#include "stream/stream.hpp"

#include <algorithm>
#include <cerrno>

namespace xiw::rnic {

namespace {

enum : u32 { discard_calls = 16 }; // calls of Socket::discard() per run

} // namespace

Connection::Connection(Rnic &rnic, u32 slot, u64 buffer, State state)
    : rnic_(rnic), slot_(slot), state_(state), buffer_(buffer),
      deadline_(rnic.timers(), [this] { ready(); }), retry_(rnic.timers(), [this] { ready(); }) {
    load_buffer();
    params_ = buf_.params;
}

Connection::~Connection() {
    if (stream_ != nullptr)
        stream_->forget_connection();
    socket_.close(true);
}

void Connection::ready() {
    rnic_.conns().kick(*this);
}

void Connection::load_buffer() {
    buf_ = rnic_.memory().get<xiw_conn_buf>(buffer_);
}

void Connection::store_buffer() const {
    if (buffer_ != 0)
        rnic_.memory().tell(buffer_, buf_);
}

// Set a time limit of `milliseconds` from now. If `milliseconds` is 0, the limit is `otherwise`.
void Connection::bound(u32 milliseconds, u32 otherwise) {
    bounded_ = true;
    deadline_.arm(milliseconds != 0 ? milliseconds : otherwise);
}

// Close the TCP connection. The slot may still be in use.
void Connection::close(bool reset) {
    if (state_ == State::closed)
        return;
    state_ = State::closed;
    bounded_ = false;
    deadline_.cancel();
    retry_.cancel();
    if (closing.joined())
        rnic_.conns().leave_closing(*this);
    socket_.close(reset);
    if (listener_ != nullptr)
        listener_->forget(*this);
    listener_ = nullptr;
    ready();
    Stream *stream = std::exchange(stream_, nullptr);
    if (stream == nullptr)
        return;
    stream->forget_connection();
    if (opened_)
        stream->closed();
}

// Return slot and buffer to the driver.
void Connection::leave_slot() {
    if (!slotted_)
        return;
    slotted_ = false;
    buffer_ = 0;
    rnic_.events(0).withdraw(slot_);
    rnic_.conns().slot_free(slot_);
    ready();
}

void Connection::count(enum xiw_status outcome) const {
    if (outcome == XIW_ERR_PROTOCOL)
        rnic_.stats().startup_errors++;
    else if (outcome == XIW_ERR_TIMEOUT)
        rnic_.stats().startup_timeouts++;
}

// Report an event, unless the connection has left its slot. All events except XIW_CONN_REQUEST
// return the buffer to the driver permanently.
void Connection::report(xiw_conn_event what, enum xiw_status status) {
    xiw_event event{};

    store_buffer();
    if (what != XIW_CONN_REQUEST)
        buffer_ = 0;
    count(status);
    // After an error event, the driver may use the stream for another connection. TCP may end
    // later, so detach this connection from the stream now.
    if (Stream *stream = status == XIW_OK ? nullptr : std::exchange(stream_, nullptr);
        stream != nullptr)
        stream->forget_connection();
    if (!slotted_)
        return;
    if (what != XIW_CONN_REQUEST && rnic_.faults().strikes(Faults::outcome))
        return;
    event.type = XIW_EV_CONN;
    event.status = static_cast<u8>(status);
    event.stream = cpu_to_le32(stream_index_);
    event.conn.conn = cpu_to_le32(slot_);
    event.conn.listener = cpu_to_le32(listener_index_);
    event.conn.stream = cpu_to_le32(stream_index_);
    event.conn.what = static_cast<u8>(what);
    rnic_.events(0).notify(slot_, event);
}

// Report an error and close TCP, without a frame to the peer. After a timeout, reset TCP, because a
// FIN may never reach the peer.
Connection::State Connection::fail(enum xiw_status status) {
    if (state_ == State::send_reply)
        report(XIW_CONN_FAILED, status);
    else if (state_ != State::send_last) // in send_last, the outcome is already reported
        report(XIW_CONN_REPLY, status);
    close(status == XIW_ERR_TIMEOUT);
    return State::closed;
}

// Wait for the next peer in the same slot. The driver gets no event about the current peer.
Connection::State Connection::next_peer(enum xiw_status why) {
    count(why);
    socket_.close(why == XIW_ERR_TIMEOUT);
    bounded_ = false;
    deadline_.cancel();
    state_ = State::posted;
    listener_->accept();
    return state_;
}

// Pass the socket to the stream after the negotiation. Return: 0 or a negative errno. On an error,
// this function reports no event, and the connection keeps the socket. The function may have
// canceled the time limit.
int Connection::opened(xiw_conn_event what) {
    const xiw_conn_params wanted = params_;

    if (stream_ == nullptr)
        return -ESHUTDOWN;
    xiw_setup_agree(&setup_, &params_);
    bounded_ = false;
    deadline_.cancel();
    socket_.set_peer_time(le32_to_cpu(params_.peer_ms));
    if (const int error = stream_->open(*this, params_); error != 0) {
        params_ = wanted;
        return error;
    }
    opened_ = true;
    u32 mulpdu = xiw_mulpdu(socket_.segment_size(), setup_.agreed.tx_markers);
    if (params_.mulpdu_max != 0)
        mulpdu = std::min(mulpdu, std::max<u32>(le16_to_cpu(params_.mulpdu_max), XIW_MULPDU_MIN));
    buf_.mulpdu = cpu_to_le32(mulpdu);
    buf_.params = params_;
    report(what, XIW_OK);
    return 0;
}

Connection::State Connection::step_open() {
    const u32 linger_ms = le32_to_cpu(params_.linger_ms);

    if (std::exchange(linger_wanted_, false) && !bounded_ && !aborted_)
        bound(linger_ms, linger_default);
    if (std::exchange(fin_wanted_, false) && !fin_sent_) {
        fin_sent_ = true;
        socket_.finish();
    }
    if (released_) {
        if (reset_) {
            close(true);
            return State::closed;
        }
        if (!bounded_)
            bound(linger_ms, linger_default);
        return State::closing;
    }
    if (!aborted_ && expired() && stream_ != nullptr) {
        aborted_ = true; // the stream then releases the socket
        bounded_ = false;
        stream_->abort();
    } else if (stream_ != nullptr) {
        rnic_.schedule(*stream_);
    }
    return State::open;
}

// Send a FIN and wait for the FIN of the peer. Reset TCP only at the time limit, because a reset
// could overtake data that the peer has not read, such as the Terminate (RFC 5040 §6.2.1).
Connection::State Connection::step_closing() {
    int n = 0;

    if (expired()) {
        close(true);
        return State::closed;
    }
    if (!fin_sent_) {
        fin_sent_ = true;
        socket_.finish();
    }
    for (u32 calls = 0; calls < discard_calls && (n = socket_.discard()) > 0; calls++) {
    }
    if (n > 0) {
        ready();
        return State::closing;
    }
    // The peer's FIN has arrived. Wait until the peer has acknowledged all data of this end.
    if (n == 0 && socket_.outstanding()) {
        retry_.arm(retry_after);
        return State::closing;
    }
    if (n != -EAGAIN) {
        close(false);
        return State::closed;
    }
    return State::closing;
}

Connection::State Connection::step() {
    switch (state_) {
    case State::wait_request:
        return step_wait_request();
    case State::decide:
        return step_decide();
    case State::start:
        return step_start();
    case State::connecting:
        return step_connecting();
    case State::send_reply:
    case State::send_request:
    case State::send_last:
        return step_send();
    case State::wait_reply:
        return step_wait_reply();
    case State::open:
        return step_open();
    case State::closing:
        return step_closing();
    default:
        return state_;
    }
}

bool Connection::closes_alone() const {
    return !slotted_ && (state_ == State::send_last || state_ == State::closing);
}

void Connection::run() {
    for (State before = state_; (state_ = step()) != before;)
        before = state_;
    if (closes_alone() && !closing.joined())
        rnic_.conns().join_closing(*this);
}

// ------------------------------------------------------------------ requests of the stream

void Connection::linger() {
    linger_wanted_ = true;
    ready();
}

void Connection::finish() {
    fin_wanted_ = true;
    ready();
}

void Connection::release(bool reset) {
    released_ = true;
    reset_ = reset_ || reset;
    ready();
}

void Connection::unwanted() {
    if (state_ >= State::start && state_ < State::open)
        lost_ = XIW_ERR_GONE;
    ready();
}

void Connection::forget_stream() {
    stream_ = nullptr;
}

bool Connection::waits_for_request() const {
    return state_ == State::posted || state_ == State::wait_request;
}

void Connection::drop() {
    leave_slot();
    close(true);
}

// Execute CONN_FREE. Abort the connection only if its outcome was not reported to the driver.
void Connection::free() {
    if (state_ < State::open)
        close(true);
    leave_slot();
}

void Connection::address_removed(const host::Address &address) {
    xiw_addr local{}, remote{};

    if (!socket_)
        return;
    socket_.addresses(local, remote);
    if (host::address_of(local) != address)
        return;
    if (state_ == State::open && stream_ != nullptr) {
        stream_->abort();
        stream_->run();
    } else if (state_ < State::open && !waits_for_request()) {
        lost_ = XIW_ERR_ADDRESS;
        ready();
    } else if (state_ >= State::send_last) {
        close(true);
    }
}

int Connection::adopt(host::Socket socket) {
    if (const int error = socket.watch(rnic_.poller(), *this); error != 0)
        return error;
    socket_ = std::move(socket);
    flow = {}; // of the previous peer
    established_ = host::Timers::Clock::now() - std::chrono::milliseconds(socket_.age());
    const u32 startup_ms =
        le32_to_cpu(params_.startup_ms != 0 ? params_.startup_ms : listener_->params().startup_ms);
    const u8 rev = params_.mpa_rev != 0 ? params_.mpa_rev : listener_->params().mpa_rev;
    bound(startup_ms, startup_default);
    xiw_setup_await(&setup_, rev, max_depth);
    state_ = State::wait_request;
    ready();
    return 0;
}

u32 Connection::peer_age() const {
    const auto age = host::Timers::Clock::now() - established_;

    return static_cast<u32>(std::chrono::duration_cast<std::chrono::milliseconds>(age).count());
}

// Let the time limit of the Request expire. Do not call next_peer() here, because it calls
// Listener::accept(), which may be the caller.
void Connection::oust() {
    deadline_.cancel();
    ready();
}

} // namespace xiw::rnic
