// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// TX of a stream: it executes descriptors and passes FPDUs to TCP. A pass copies octets from the
// driver's memory into a batch, adds CRCs, and passes the batch to TCP. Later changes of this
// memory have no effect.
#ifndef XIW_RNIC_STREAM_TX_HPP
#define XIW_RNIC_STREAM_TX_HPP

#include "core.hpp"

#include <array>
#include <span>
#include <vector>

namespace xiw::rnic {

class Stream;

class Tx {
  public:
    Tx(Stream &stream, const xiw_adm_stream &wanted);

    void open(const xiw_conn_params &params);
    // Allow the passive side to send.
    void release() { held_ = false; }
    // Run a pass. Returns true if there is more to do at once. May release the socket.
    bool run();
    // Prepare the Terminate (RFC 5040 §5.4): keep the FPDU that is partly in TCP, and drop all
    // other FPDUs.
    void terminate();
    bool terminate_sent() const { return terminated_; }
    void finish() { finished_ = true; } // called when a FIN is sent; nothing may follow
    bool finished() const { return finished_; }
    // Drop all data that TCP does not have.
    void drop();

  private:
    enum : u32 { pass_events = 3 }; // max events of a pass: TX_DONE of both queues, and TX_ERROR

    // A copied descriptor: the driver's memory is read only once.
    struct Copy {
        alignas(8) std::array<u8, size_t{XIW_TX_MAX_UNITS} * XIW_TX_UNIT> octets{};
        const xiw_tx_desc &head() const {
            return *reinterpret_cast<const xiw_tx_desc *>(octets.data());
        }
    };
    // descriptor.cpp: sets core_.msg; returns false if there is nothing to send now
    bool next();
    bool pending() const;
    u32 tail(u8 queue) const;
    bool idle(u8 queue) const { return tail(queue) == core_.ring[queue].head; }
    u8 next_ring() const;
    bool read_descriptor(u8 queue);
    void message_done();
    u8 execute(xiw_send_step step, u8 queue);
    u8 set_stag();
    // atomic.cpp
    u8 atomic_start(u8 queue);
    u8 atomic_execute(const xiw_tx_atomic &a, u64 &original) const;

    // gather.cpp: fills `out`; returns XIW_OK or the error
    u8 gather(std::span<u8> out);
    u8 gather_sge(std::span<u8> &out);

    // tx.cpp
    void follow_mtu();
    u8 build_fpdu(u32 mulpdu);
    void build_terminate();
    bool build_batch();
    int flush();
    // swap_buffers() takes the empty buffers that the streams share. give_back() returns these
    // buffers, unless octets are left in the batch.
    void swap_buffers();
    void give_back();
    bool pump(int &result);
    void publish();
    void report();
    bool anything() const;

    Stream &stream_;
    xiw_sender core_{};
    std::array<u64, XIW_TXQ_COUNT> rings_{};
    u32 mss_ = 0, mulpdu_ = 0;
    u64 octets_ = 0;    // payload sent so far
    bool held_ = false; // passive side: TX waits for the first FPDU
    bool finished_ = false;
    bool terminate_due_ = false, terminated_ = false;
    u32 terminate_length_ = 0;
    std::array<u8, XIW_TERM_SIZE> terminate_message_{};
    xiw_framing framing_{};
    Copy copy_; // copy of the current message's descriptor
    std::vector<u8> ulpdu_;
    std::vector<u8> batch_;
    std::vector<u32> ends_; // end of each FPDU in the batch
    u32 sent_ = 0;          // octets of the batch in TCP
};

} // namespace xiw::rnic

#endif
