// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A connection. It does TCP setup and MPA negotiation, passes the socket to the stream, and closes
// TCP when the stream returns the socket. run() does the steps of the setup and of the close. Most
// other functions only set members, schedule the connection, or close TCP.
//
// A connection is in its slot from the command that created it until CONN_FREE or, if the slot has
// had no event, UNLISTEN. A connection exists until it has left the slot and TCP is closed. The
// RNIC owns the buffer (struct xiw_conn_buf) from the command that passes the buffer until an event
// or the answer to a command returns the buffer.
#ifndef XIW_RNIC_CONN_CONNECTION_HPP
#define XIW_RNIC_CONN_CONNECTION_HPP

#include "conn/link.hpp"
#include "host/capture.hpp"
#include "host/socket.hpp"
#include "host/timers.hpp"

#include <array>
#include <list>
#include <memory>

namespace xiw::rnic {

class Listener;
class Rnic;
class Stream;

class Connection final : public host::Watcher {
  public:
    enum class State {
        posted, // passive: waits for a TCP connection
        wait_request,
        decide, // the driver has the Request; an error closes the socket
        send_reply,
        start, // active: TCP setup has not begun
        connecting,
        send_request,
        wait_reply,
        open,      // the stream has the socket
        send_last, // sends a rejecting Reply or a Terminate, then closes
        closing,   // the FIN is sent; waits for the peer's FIN
        closed,
    };

    Connection(Rnic &rnic, u32 slot, u64 buffer, State state);
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;
    Connection(Connection &&) = delete;
    Connection &operator=(Connection &&) = delete;
    ~Connection() override;

    u32 slot() const { return slot_; }
    State state() const { return state_; }
    // Return: true if TCP is closed and the connection is in no slot.
    bool over() const { return state_ == State::closed && !slotted_; }
    void run();
    void ready() override;
    std::list<std::unique_ptr<Connection>>::iterator place; // position in Connections::all_
    Link scheduled{*this};                                  // in the list of connections to run
    Link closing{*this}; // in the list of connections that close TCP without a slot
    host::Capture::Flow flow;

    // Commands of the driver. accept() and reject() return the status.
    const xiw_conn_buf &buffer() const { return buf_; }
    void connect(Stream &stream);
    u8 accept(u32 stream);
    u8 reject();
    void free();

    // Called by the listener.
    void post(Listener &listener) { listener_ = &listener; }
    int adopt(host::Socket socket); // takes the socket; returns 0 or a negative errno
    void drop();                    // called when the listener ends
    bool waits_for_request() const;
    // Get the time in milliseconds since the peer's TCP connection was established.
    u32 peer_age() const;
    // If the peer has not sent a complete Request, reset it soon, to make room for another peer.
    void oust();

    // Called by the stream.
    const host::Socket &socket() const { return socket_; }
    void linger();
    void finish();
    void release(bool reset);
    void unwanted();
    void forget_stream();

    // Called when too many connections close without a slot, and this one is the oldest.
    void crowd_out() { close(true); }

    // Called when an address was removed.
    void address_removed(const host::Address &address);

  private:
    enum : u32 { // milliseconds
        startup_default = 10000,
        linger_default = 5000,
        decide_limit = 120000, // longer than a slow ULP needs to decide
        retry_after = 20,      // time before a step is tried again
    };

    // startup.cpp: a function that returns a State does one step and returns the next state
    State step_start();
    State step_connecting();
    State step_send();
    State step_wait_reply();
    State step_wait_request();
    State step_decide();
    State send_reason(enum xiw_status status);
    static bool may_choose(const xiw_addr &local);
    int bind_initiator(const xiw_addr &local) const;
    int dial(const xiw_addr &local);
    bool private_data_fits() const;
    int receive(xiw_setup_step &step);
    void describe_peer(const xiw_mpa_frame &frame);

    // connection.cpp
    bool closes_alone() const;
    State step();
    State step_open();
    State step_closing();
    int opened(xiw_conn_event what);
    State fail(enum xiw_status status);
    State next_peer(enum xiw_status why);
    void report(xiw_conn_event what, enum xiw_status status);
    void count(enum xiw_status outcome) const;
    void bound(u32 milliseconds, u32 otherwise);
    bool expired() const { return bounded_ && !deadline_.armed(); }
    void close(bool reset);
    void leave_slot();
    void load_buffer();
    void store_buffer() const;

    Rnic &rnic_;
    u32 slot_;
    State state_;
    bool slotted_ = true;
    u64 buffer_; // bus address; 0 if the connection will not use the buffer again
    xiw_conn_buf buf_{};
    xiw_conn_params params_{}; // requested, then agreed parameters
    host::Socket socket_;
    Listener *listener_ = nullptr;
    u32 listener_index_ = 0;
    Stream *stream_ = nullptr;
    u32 stream_index_ = 0;
    bool opened_ = false;
    enum xiw_status lost_ = XIW_OK; // the reason why setup cannot continue

    bool fin_wanted_ = false, fin_sent_ = false;
    bool linger_wanted_ = false;
    bool released_ = false, reset_ = false;
    bool aborted_ = false;
    bool bounded_ = false;
    host::Timers::Timer deadline_;
    host::Timers::Timer retry_;
    host::Timers::Clock::time_point established_; // passive: valid unless posted

    xiw_setup setup_{}; // used until the stream is open
};

} // namespace xiw::rnic

#endif
