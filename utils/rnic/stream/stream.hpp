// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A stream. A command creates the stream, and its connection opens the stream on a socket. An
// order, the peer or a loss of the connection stops the stream. XIW_ST_STOPPED reports that the
// RNIC no longer accesses any ring, buffer or STag of the stream. After the order TERMINATE, the
// stream still sends the rest of an FPDU that is partly in TCP, and the Terminate, within the
// connection's linger time. At the end, the stream returns the socket to the connection.
#ifndef XIW_RNIC_STREAM_STREAM_HPP
#define XIW_RNIC_STREAM_STREAM_HPP

#include "host/socket.hpp"
#include "host/timers.hpp"
#include "ring/stag_table.hpp"
#include "stream/rx.hpp"
#include "stream/tx.hpp"

namespace xiw::rnic {

class Connection;
class EventRing;
class Rnic;

class Stream {
  public:
    Stream(Rnic &rnic, u32 index, const xiw_adm_stream &wanted);
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    Stream(Stream &&) = delete;
    Stream &operator=(Stream &&) = delete;
    ~Stream();

    u32 index() const { return index_; }
    const Owner &owner() const { return owner_; }
    Rnic &rnic() const { return rnic_; }
    EventRing &events() const;

    // Do the work that is possible now.
    void run();
    bool queued = false; // set by Rnic if the stream is scheduled

    // Schedule an order of the driver. The caller has checked the order.
    void order(u32 order);
    void destroy();

    // Called by the connection. expect() announces that the connection will open the stream.
    // expect() returns false if the stream has ended or has another connection.
    bool expect(Connection &connection);
    int open(Connection &connection, const xiw_conn_params &params);
    void abort();
    void closed();
    void forget_connection() { connection_ = nullptr; }

    // For Rx and Tx.
    bool attached() const { return attached_; }
    bool stopped() const { return stopped_; }
    bool ending() const { return terminating_ || closing_; }
    bool peer_fin() const { return peer_fin_; }
    const host::Socket &socket() const;
    Connection &connection() const { return *connection_; }
    u32 load(size_t word) const;
    void store(size_t word, u32 value) const;
    void store(size_t word, u64 value) const;
    u64 word(size_t offset) const { return context_ + offset; }
    void state(u32 bits);
    void lost();
    void peer_closed();
    void tx_idle();
    void retry_in(u32 milliseconds) { retry_.arm_earlier(milliseconds); }
    void wait(u32 milliseconds) { wait_.arm(milliseconds); }
    void wait_no_more() { wait_.cancel(); }
    u32 mulpdu_max() const { return mulpdu_max_; }
    Rx &rx() { return rx_; }
    Tx &tx() { return tx_; }

  private:
    void state_event();
    void stop(u32 bits);
    void detach(bool reset);
    void obey();
    void obey_unbound();
    void terminate();

    Rnic &rnic_;
    u32 index_;
    Owner owner_;
    u32 vector_;
    u64 context_;

    u32 orders_ = 0; // bits 1 << enum xiw_stream_order, or order_lost
    u32 state_ = 0;
    u32 rx_taken_ = XIW_RX_NONE; // cookie of the receive that RX has taken; set at STOPPED
    bool state_due_ = false;     // an XIW_EV_STATE waits for room
    bool opening_ = false;
    bool attached_ = false; // the stream has the socket
    bool stopped_ = false;
    bool terminating_ = false;
    bool closing_ = false;
    bool peer_fin_ = false;
    bool receiving_ = false; // RX may begin
    u32 mulpdu_max_ = 0;
    Connection *connection_ = nullptr;
    host::Timers::Timer retry_;
    host::Timers::Timer wait_; // limits the wait for the first FPDU, later each wait for a receive
    Rx rx_;
    Tx tx_;
};

} // namespace xiw::rnic

#endif
