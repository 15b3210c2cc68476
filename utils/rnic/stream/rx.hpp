// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// RX of a stream: it reads octets from TCP, places data and raises events. If it cannot process the
// octets that it has read, it reads no more. So the window of TCP closes, and the peer waits.
#ifndef XIW_RNIC_STREAM_RX_HPP
#define XIW_RNIC_STREAM_RX_HPP

#include "core.hpp"
#include "ring/receive.hpp"
#include "ring/stag_table.hpp"

#include <memory>
#include <span>
#include <vector>

namespace xiw::rnic {

class Stream;

class Rx {
  public:
    Rx(Stream &stream, const xiw_adm_stream &wanted);

    void open(const xiw_conn_params &params);
    // Run a pass. Returns true if there is more to do at once. May release the socket.
    bool run();
    // Handle the end of the time limit rtr_ms or park_ms.
    void wait_over();
    // Stop accesses to buffers, rings and STags. From now on, only drain TCP.
    void stop();
    u32 taken() const { return receive_.taken ? receive_.cookie : u32{XIW_RX_NONE}; }

    // The receiver of driver/core. If a request of this end expects a response, Tx adds the request
    // to `fifo`. When Tx has copied the last octet of a response, Tx returns the IRD credit of this
    // response.
    xiw_receiver &core() { return core_; }
    bool arrived() const { return arrived_; }
    // Returns true if RX cannot continue: received octets wait for a receive or for room in the
    // event ring, or a fault was reported.
    bool blocked() const { return blocked_; }

  private:
    struct Segment {
        explicit Segment(std::span<const u8> octets)
            : ulpdu(octets), whole{octets.data(), static_cast<u32>(octets.size())} {
            core.spans = &whole;
            core.count = 1;
        }
        Segment(const Segment &) = delete;
        Segment &operator=(const Segment &) = delete;
        Segment(Segment &&) = delete;
        Segment &operator=(Segment &&) = delete;
        ~Segment() = default;
        std::span<const u8> payload() const { return ulpdu.subspan(core.h.header_len); }

        xiw_rx_segment core{};
        std::span<const u8> ulpdu;
        xiw_span whole;
    };
    enum class Step { done, keep };

    // segment.cpp
    Step examine(std::span<const u8> ulpdu);
    Step process(Segment &segment);
    bool take(xiw_rx_segment &core);
    Step deliver(const Segment &segment);
    Step fault_found(const Segment &segment, xiw_fault fault);
    Step park();
    bool first_fpdu(const xiw_ddp_header &header);
    void commit(const xiw_event &event, size_t size);

    // place.cpp
    xiw_fault place_tagged(std::span<const u8> from, const Owner &by, u32 stag, u64 to,
                           u8 access) const;
    xiw_fault place_receive(std::span<const u8> from);
    u8 place_value(std::span<const u8> from, const xiw_solicited_entry &sink) const;
    bool place_spans(std::span<const u8> from, u32 stag, u64 to) const;
    bool place_bus(std::span<const u8> from, u64 bus) const;

    // rx.cpp
    bool still_blocked();
    bool take_receive();
    void leave_receive(); // give up the claim on a receive of the shared ring, if any
    ReceiveRing::Words words() const;
    bool room();
    bool take(std::span<const u8> ulpdu);
    void unstage();
    void feed(std::span<const u8> octets);
    void broken(xiw_fault fault);
    void pass();
    void account();

    Stream &stream_;
    ReceiveRing ring_;
    std::shared_ptr<SharedReceive> shared_; // stays valid if the driver destroys the shared ring
    Receive receive_;
    Owner receiver_; // owner for the STag checks of receives

    xiw_deframer deframer_{};
    std::unique_ptr<u8[]> staging_; // kept after a pass only while it holds octets of an FPDU
    std::vector<u8> kept_;          // octets that are read but not processed yet
    std::span<const u8> waiting_;   // a ULPDU in staging_ that could not be processed
    bool has_waiting_ = false;
    xiw_fault broken_ = XIW_FAULT_NONE; // a fault whose event waits for room

    xiw_receiver core_{};
    std::vector<xiw_solicited_entry> entries_;
    u32 park_ms_ = 0;
    bool dead_ = false;       // drop all received octets
    bool faulted_ = false;    // a fault was reported; read nothing until an order ends the stream
    bool arrived_ = false;    // an FPDU has arrived, valid or not
    bool first_seen_ = false; // a valid FPDU has arrived, or this end is the initiator
    bool blocked_ = false;    // this pass cannot continue
    bool parked_ = false;
    bool park_over_ = false;
    bool slot_ = false; // room for one event is reserved
    u32 pass_ = 0, pass_fpdus_ = 0;
    u64 octets_ = 0; // payload received so far
};

} // namespace xiw::rnic

#endif
