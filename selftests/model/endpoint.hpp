// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// One end of an RDMAP stream, built only from the core. It executes work requests, and produces and
// processes octets of the TCP stream. Its memory is in vectors, and it has no time limits.
#pragma once

#include <core.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace xiw {

using Octets = std::vector<u8>;

struct Region {
    xiw_stag_view view{};
    Octets memory;
};

enum class Verb { Send, SendInv, SendImm, Write, WriteImm, Read, ReadInv, FetchAdd, CmpSwap };

struct WorkRequest {
    Verb verb = Verb::Send;
    u64 id = 0;
    bool solicited = false;
    bool fence = false;
    Octets data;             // payload of a Send or Write
    u32 stag = 0;            // STag at the peer
    u64 to = 0;              // TO at the peer
    u32 sink_stag = 0;       // Read: local STag
    u64 sink_to = 0;         // Read: local TO
    u32 length = 0;          // Read
    u32 imm = 0;             // WriteImm, SendImm
    u32 invalidate = 0;      // SendInv
    xiw_atomic_req atomic{}; // FetchAdd, CmpSwap: data and masks
};

struct Completion {
    u64 id = 0;
    bool receive = false;
    bool with_imm = false;
    bool solicited = false;
    u32 length = 0;
    u32 imm = 0;
    u32 invalidated = 0;
    u64 original = 0; // original value of an atomic
    Octets data;      // payload of a received Send
};

class Endpoint {
  public:
    struct Config {
        bool crc = true;
        bool tx_markers = false;
        bool rx_markers = false;
        u16 ird = 4;
        u16 ord = 4;
        u32 conn_flags = XIW_CONNF_OPCODES;
        u32 mulpdu = 1454;
        u32 pd = 1;
        u32 stream = 1;
    };

    explicit Endpoint(const Config &config);
    ~Endpoint() = default;
    Endpoint(const Endpoint &) = delete;
    Endpoint &operator=(const Endpoint &) = delete;
    Endpoint(Endpoint &&) = delete;
    Endpoint &operator=(Endpoint &&) = delete;

    Region &region(u32 stag, u64 base, u64 length, u8 access, u32 flags = 0, u32 pd = 1);
    Region *find(u32 stag);
    u8 *at(u32 stag, u64 to); // checks only that the STag exists
    void post_receive(u64 id, u32 length) { receives_.push_back({id, length}); }
    void post(const WorkRequest &wr) { queue_.push_back({wr}); }

    // Return the octets of the next message for TCP, or of both messages of a WriteImm. Return
    // nothing if no message can be sent now.
    Octets transmit();
    // Process octets from TCP, in pieces of any size.
    void receive(std::span<const u8> octets);

    bool idle() const; // nothing to send, nothing outstanding
    std::deque<Completion> completions;
    xiw_fault fault = XIW_FAULT_NONE;
    std::optional<Octets> terminate; // the Terminate that `fault` causes
    std::optional<Octets> received_terminate;

    // State that tests set and check.
    xiw_receiver receiver{};
    xiw_ddp_rx &rx = receiver.ddp;
    xiw_solicited &solicited = receiver.fifo;
    xiw_deframer deframer;
    xiw_framing tx_framing;
    xiw_orq orq;
    xiw_irrq irrq;
    u32 tx_msn[XIW_QN_COUNT];
    std::deque<u32> atomic_ids; // outstanding Request Identifiers, oldest first

  private:
    struct Receive {
        u64 id;
        u32 length;
    };
    struct Work {
        WorkRequest wr;
        bool sent = false;
        bool done = false;
        Completion completion{};
    };
    struct Message {
        xiw_ddp_seg seg{};
        Octets data;
        bool fetch = false; // read the payload from (stag, to) during segmentation
        u32 stag = 0;
        u64 to = 0;
    };
    struct Inbound {
        bool atomic = false;
        xiw_read_req read{};
        xiw_atomic_req op{};
    };

    void ulpdu(const u8 *p, u32 length);
    void perform(xiw_rx_segment &seg, const u8 *payload);
    xiw_fault place_tagged(const xiw_rx_segment &seg, const u8 *payload);
    void invalidate(xiw_rx_segment &seg);
    xiw_fault take_request(const xiw_ddp_header &h, const u8 *payload);
    xiw_fault take_atomic_response(const u8 *payload);
    xiw_fault deliver(const xiw_rx_segment &seg, const u8 *payload);
    void complete(const xiw_rx_segment &seg, const u8 *payload);
    void fail(xiw_fault why, const u8 *header, u32 have, u32 length);
    xiw_stag_verdict verdict(const xiw_stag_use &use);
    void answered(u64 original);
    void retire();
    bool next_request(std::vector<Message> &out);
    bool next_response(std::vector<Message> &out);
    Message untagged(u8 opcode, u8 qn, u32 rsvdulp, Octets data);
    Message tagged(u8 opcode, u32 stag, u64 to, u32 length);
    void encode(Octets &out, Message &message);

    Config config_;
    std::map<u32, Region> regions_; // by STag index
    std::deque<Receive> receives_;
    Octets receive_buffer_;
    std::deque<Work> queue_;
    std::vector<xiw_match_row> match_;
    std::vector<xiw_solicited_entry> solicited_entries_;
    std::vector<Inbound> inbound_;
    Octets staging_;
    bool responses_turn_ = false;
};

} // namespace xiw
