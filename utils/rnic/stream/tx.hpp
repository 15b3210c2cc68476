// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// TX of a stream: descriptors in, FPDUs into TCP. A pass builds a batch of octets that belong to
// the RNIC, copied and with their CRCs, and passes it to TCP; later changes of the source have
// no effect.
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
    // The passive side may send.
    void release() { held_ = false; }
    // Returns true if there is more to do at once. May release the socket.
    bool run();
    // RFC 5040 §5.4: finish the FPDU that is partly in TCP, and drop all others.
    void terminate();
    bool terminate_sent() const { return terminated_; }
    void finish() { finished_ = true; } // FIN: nothing may follow
    bool finished() const { return finished_; }
    // Drop everything that was not passed to TCP.
    void drop();

  private:
    enum : u32 { pass_events = 3 }; // TX_DONE of both queues, TX_ERROR

    struct Queue {
        u64 ring = 0;
        u32 head = 0;  // next to execute, in units
        u32 built = 0; // all before it is copied, possibly not in TCP yet
        u32 done = 0;  // as published
        u32 loud = 0;  // after the last executed descriptor that is not quiet
        u32 due = 0;   // loud, as of done
        u32 told = 0;  // due, as reported by an event
    };
    // A copied descriptor: the driver's memory is read only once.
    struct Copy {
        alignas(8) std::array<u8, size_t{XIW_TX_MAX_UNITS} * XIW_TX_UNIT> octets{};
        const xiw_tx_desc &head() const {
            return *reinterpret_cast<const xiw_tx_desc *>(octets.data());
        }
    };
    // The current message, and the position in its gather list.
    struct Message {
        bool there = false;
        u8 queue = 0;
        u32 header_at = 0; // in the descriptor
        u32 data_at = 0;   // of the gather list or the inline data
        u32 at = 0;        // octets gathered
        u32 sge_at = 0, sge_off = 0;
        xiw_ddp_seg seg{};
    };
    struct Error {
        bool due = false;
        u8 status = 0;
        u8 queue = 0;
        u32 index = 0;
        u32 done = 0;
    };

    // descriptor.cpp: sets message_; false: nothing to send now
    bool next();
    bool pending() const;
    u32 tail(u8 queue) const;
    bool read_descriptor(u8 queue);
    bool message_parts(const xiw_tx_sink **sink);
    bool solicit(const xiw_tx_sink &sink) const;
    u8 message_start(u8 queue);
    void message_done();
    void advance(u8 queue);
    u8 operation();
    // atomic.cpp: sets message_
    u8 atomic_start(u8 queue);
    u8 atomic_execute(const xiw_tx_atomic &a, u64 &original) const;

    // gather.cpp: fills out; returns XIW_OK or the error
    u8 gather(std::span<u8> out);
    u8 gather_sge(std::span<u8> &out);

    // tx.cpp
    void follow_mtu();
    u8 build_fpdu(u32 mulpdu);
    void build_terminate();
    bool build_batch();
    int flush();
    bool pump(int &result);
    void publish();
    void report();
    void fail(u8 queue, u8 status, u32 done);
    bool anything() const;

    Stream &stream_;
    std::array<Queue, XIW_TXQ_COUNT> queues_{};
    u32 mask_; // of a ring, in units
    std::array<u32, XIW_QN_COUNT> msn_{};
    u32 mss_ = 0, mulpdu_ = 0;
    u64 octets_ = 0; // payload so far
    u8 turn_ = 0;
    bool chained_ = false;
    bool held_ = false; // passive side before the first FPDU
    bool finished_ = false;
    bool failed_ = false; // a descriptor failed: no others are executed
    bool terminate_due_ = false, terminated_ = false;
    u32 terminate_length_ = 0;
    std::array<u8, XIW_TERM_SIZE> terminate_message_{};
    Error error_;
    xiw_framing framing_{};
    Copy copy_;
    Message message_;
    std::vector<u8> ulpdu_;
    std::vector<u8> batch_;
    std::vector<u32> ends_; // end of each FPDU in the batch
    u32 sent_ = 0;          // octets of the batch in TCP
};

} // namespace xiw::rnic

#endif
