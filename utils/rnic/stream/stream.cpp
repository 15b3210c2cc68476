// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "stream/stream.hpp"

#include "conn/connection.hpp"
#include "rnic.hpp"

#include <algorithm>
#include <cerrno>

namespace xiw::rnic {

namespace {

// An order from the connection to abort TCP. All other orders come from the driver.
enum : u32 { order_lost = 1 };

constexpr u32 bit(u32 order) {
    return 1U << order;
}

} // namespace

Stream::Stream(Rnic &rnic, u32 index, const xiw_adm_stream &wanted)
    : rnic_(rnic), index_(index), owner_{le32_to_cpu(wanted.pd), index},
      vector_(le16_to_cpu(wanted.vector)), context_(le64_to_cpu(wanted.ctx)),
      retry_(rnic.timers(), [this] { rnic_.schedule(*this); }), wait_(rnic.timers(),
                                                                      [this] {
                                                                          rx_.wait_over();
                                                                          rnic_.schedule(*this);
                                                                      }),
      rx_(*this, wanted), tx_(*this, wanted) {}

Stream::~Stream() {
    if (connection_ != nullptr)
        connection_->forget_stream();
}

EventRing &Stream::events() const {
    return rnic_.events(vector_);
}
const host::Socket &Stream::socket() const {
    return connection_->socket();
}
u32 Stream::load(size_t word) const {
    return rnic_.memory().load(context_ + word);
}
void Stream::store(size_t word, u32 value) const {
    rnic_.memory().tell_word(context_ + word, value);
}
void Stream::store(size_t word, u64 value) const {
    rnic_.memory().tell(context_ + word, cpu_to_le64(value));
}

// Each event contains all state bits, so an event that waits for room also reports later bits.
void Stream::state_event() {
    xiw_event event{};

    event.type = XIW_EV_STATE;
    event.stream = cpu_to_le32(index_);
    event.state.bits = cpu_to_le32(state_);
    event.state.rx_taken = cpu_to_le32(rx_taken_);
    state_due_ = !events().reserve(1);
    if (state_due_)
        events().stall(*this, 1);
    else
        events().commit(event, offsetof(xiw_event, state) + sizeof(event.state));
}

void Stream::state(u32 bits) {
    if ((bits & ~state_) == 0)
        return;
    state_ |= bits;
    state_event();
}

// ------------------------------------------------------------------------ stopping

// Return the socket to the connection, which closes TCP.
void Stream::detach(bool reset) {
    if (!attached_)
        return;
    attached_ = false;
    tx_.drop();
    wait_.cancel();
    connection_->release(reset);
}

// Return rings, buffers and STags to the driver.
void Stream::stop(u32 bits) {
    if (!stopped_) {
        stopped_ = true;
        rx_.stop();
        rx_taken_ = rx_.taken();
        if (!rnic_.faults().strikes(Faults::stopped))
            bits |= XIW_ST_STOPPED;
    }
    state(bits);
}

void Stream::lost() {
    stop(XIW_ST_LOST);
    detach(true);
}

// Handle the peer's FIN after a complete FPDU.
void Stream::peer_closed() {
    peer_fin_ = true;
    if (stopped_)
        return;
    if (tx_.finished()) {
        stop(XIW_ST_PEER_CLOSED);
        detach(false);
    } else {
        state(XIW_ST_PEER_CLOSED);
    }
}

// Continue the close or the Terminate when TX has nothing left to send.
void Stream::tx_idle() {
    if (terminating_) {
        if (tx_.terminate_sent())
            state(XIW_ST_TERM_SENT);
        detach(false);
    } else if (closing_ && !tx_.finished()) {
        tx_.finish();
        connection_->finish();
        if (peer_fin_) {
            stop(0);
            detach(false);
        }
    }
}

void Stream::terminate() {
    if (terminating_ || !attached_)
        return;
    terminating_ = true;
    connection_->linger();
    tx_.terminate();
    stop(0);
    // After the FIN, TX has nothing left to send.
    if (tx_.finished())
        detach(false);
}

// ---------------------------------------------------------------------------- runs

// Execute the pending orders. Of the orders that end the stream, only the strongest is executed.
void Stream::obey() {
    const u32 orders = std::exchange(orders_, 0);

    if ((orders & bit(XIW_ORDER_RECEIVE)) != 0)
        receiving_ = true;
    if ((orders & order_lost) != 0) {
        lost();
    } else if ((orders & bit(XIW_ORDER_ABORT)) != 0) {
        stop(0);
        detach(true);
    } else if ((orders & bit(XIW_ORDER_TERMINATE)) != 0) {
        terminate();
    } else if ((orders & bit(XIW_ORDER_CLOSE)) != 0 && !stopped_) {
        closing_ = true;
        // Limit the time from now on, and not only after the FIN: a peer that reads slowly can
        // delay the FIN.
        if (attached_)
            connection_->linger();
    }
}

// Execute the orders to a stream that has no socket. An order that ends the stream takes effect
// immediately.
void Stream::obey_unbound() {
    const u32 orders = std::exchange(orders_, 0);

    if ((orders & ~bit(XIW_ORDER_RECEIVE)) == 0 || stopped_)
        return;
    stopped_ = true;
    if (connection_ != nullptr)
        connection_->unwanted();
    state(XIW_ST_STOPPED | XIW_ST_CLOSED);
}

void Stream::run() {
    bool more = false;

    if (state_due_)
        state_event();
    if (!opening_) {
        obey_unbound();
        return;
    }
    if (orders_ != 0)
        obey();
    // Read the state of TCP before rx_.run(). If TCP ends later, RX may not have read the last
    // octets or the FIN yet, so the stream is not lost yet.
    const bool gone = attached_ && socket().state() == host::Socket::State::closed;
    if (attached_ && receiving_)
        more = rx_.run();
    // Report the stream as lost if TCP has ended and RX can read no more. Exception: if TCP has
    // ended without an error, keep the stream while received octets wait for a receive or for room
    // in the event ring, or while a reported fault waits for an order of the driver.
    if (attached_ && !more && gone && (!rx_.blocked() || socket().broken()))
        lost();
    if (attached_ && !(gone && more))
        more = tx_.run() || more;
    if (more)
        rnic_.schedule(*this);
}

void Stream::order(u32 order) {
    orders_ |= bit(order);
    rnic_.schedule(*this);
}

void Stream::abort() {
    orders_ |= order_lost;
    rnic_.schedule(*this);
}

// End the stream. From now on, the stream accesses no memory of the driver and raises no event.
void Stream::destroy() {
    if (!stopped_)
        rx_.stop();
    stopped_ = true;
    state_ = ~0U;
    events().release();
    events().forget(*this);
    if (!opening_ && connection_ != nullptr)
        connection_->unwanted();
    detach(true);
}

// ---------------------------------------------------------------------- connection

bool Stream::expect(Connection &connection) {
    if (stopped_ || connection_ != nullptr)
        return false;
    connection_ = &connection;
    return true;
}

int Stream::open(Connection &connection, const xiw_conn_params &params) {
    const u32 flags = le32_to_cpu(params.flags);

    if (stopped_)
        return -ESHUTDOWN;
    if (opening_)
        return -EBUSY;
    opening_ = true;
    connection_ = &connection;
    attached_ = true;
    // A responder may receive at once. The driver of an initiator orders RECEIVE.
    receiving_ = (flags & XIW_CONNF_INITIATOR) == 0;
    mulpdu_max_ = le16_to_cpu(params.mulpdu_max);
    rx_.open(params);
    tx_.open(params);
    state(XIW_ST_OPEN);
    if (receiving_ && params.rtr_ms != 0)
        wait(le32_to_cpu(params.rtr_ms));
    rnic_.schedule(*this);
    return 0;
}

void Stream::closed() {
    state(XIW_ST_CLOSED);
}

} // namespace xiw::rnic
