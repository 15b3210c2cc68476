// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// TX descriptors, built like those of the driver.
#include "driver.hpp"

namespace xiw::test {

namespace {

class Builder {
  public:
    Builder() { append(xiw_tx_desc{}); }

    xiw_tx_desc &head() { return *reinterpret_cast<xiw_tx_desc *>(octets_.data()); }
    template <typename T>
    void append(const T &part) {
        const auto *at = reinterpret_cast<const u8 *>(&part);
        octets_.insert(octets_.end(), at, at + sizeof(part));
    }
    void append(const u8 *data, size_t size, size_t padded) {
        octets_.insert(octets_.end(), data, data + size);
        octets_.resize(octets_.size() + padded - size);
    }
    void gather(const std::vector<xiw_sge> &sges) {
        head().sges = static_cast<u8>(sges.size());
        for (const xiw_sge &part : sges) {
            head().length += part.length;
            append(part);
        }
    }
    std::vector<u8> done() {
        octets_.resize((octets_.size() + XIW_TX_UNIT - 1) / XIW_TX_UNIT * XIW_TX_UNIT);
        head().units = static_cast<u8>(octets_.size() / XIW_TX_UNIT);
        return octets_;
    }

  private:
    std::vector<u8> octets_;
};

// Build the common part of a Read Request and an Atomic Request, the messages of queue 1.
Builder queue1_request(u8 opcode, u8 flags, u8 header_length, u32 cookie) {
    Builder b;

    b.head().op = XIW_TX_UNTAGGED;
    b.head().queue = XIW_QN_REQUEST;
    b.head().rdmap_ctrl = xiw_rdmap_ctrl(opcode);
    b.head().flags = flags;
    b.head().header_length = header_length;
    b.head().cookie = cookie;
    return b;
}

} // namespace

xiw_sge sge(u64 bus, u32 length, u32 stag) {
    return {bus, length, stag};
}

std::vector<u8> untagged(u8 opcode, u8 queue, const std::vector<xiw_sge> &sges, u32 stag) {
    Builder b;

    b.head().op = XIW_TX_UNTAGGED;
    b.head().queue = queue;
    b.head().rdmap_ctrl = xiw_rdmap_ctrl(opcode);
    b.head().stag = stag;
    b.gather(sges);
    return b.done();
}

std::vector<u8> inline_send(const std::string &text) {
    Builder b;

    b.head().op = XIW_TX_UNTAGGED;
    b.head().rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_SEND);
    b.head().flags = XIW_TXF_INLINE;
    b.head().length = static_cast<u32>(text.size());
    b.append(reinterpret_cast<const u8 *>(text.data()), text.size(), text.size());
    return b.done();
}

std::vector<u8> tagged(u8 opcode, u32 stag, u64 to, const std::vector<xiw_sge> &sges, u8 flags) {
    Builder b;

    b.head().op = XIW_TX_TAGGED;
    b.head().rdmap_ctrl = xiw_rdmap_ctrl(opcode);
    b.head().flags = flags;
    b.head().stag = stag;
    b.head().to = to;
    b.gather(sges);
    return b.done();
}

std::vector<u8> read_request(u32 sink_stag, u64 sink_to, u32 length, u32 stag, u64 to, u32 cookie) {
    const xiw_read_req request{sink_stag, length, sink_to, to, stag};
    std::array<u8, XIW_READ_REQ_LEN> header{};
    Builder b =
        queue1_request(XIW_OP_READ_REQUEST, XIW_TXF_SOLICIT_TAGGED, XIW_READ_REQ_LEN, cookie);

    b.append(xiw_tx_sink{sink_to, sink_stag, length});
    xiw_read_req_put(header.data(), &request);
    b.append(header.data(), header.size(), 32);
    return b.done();
}

std::vector<u8> atomic_request(const xiw_atomic_req &request, u32 sink_stag, u64 sink_to,
                               u32 cookie) {
    std::array<u8, XIW_ATOMIC_REQ_LEN> header{};
    Builder b =
        queue1_request(XIW_OP_ATOMIC_REQUEST, XIW_TXF_SOLICIT_QUEUE3, XIW_ATOMIC_REQ_LEN, cookie);

    b.append(xiw_tx_sink{sink_to, sink_stag, sizeof(u64)});
    xiw_atomic_req_put(header.data(), &request);
    b.append(header.data(), header.size(), 64);
    return b.done();
}

std::vector<u8> atomic(const xiw_atomic_req &request) {
    xiw_tx_atomic a{};
    std::vector<u8> out(sizeof(a));

    a.head.op = XIW_TX_ATOMIC;
    a.head.units = 2;
    a.head.rdmap_ctrl = xiw_rdmap_ctrl(XIW_OP_ATOMIC_RESPONSE);
    a.head.queue = XIW_QN_RESPONSE;
    a.head.header_length = XIW_TX_ANSWER_LEN;
    a.head.stag = request.stag;
    a.head.to = request.to;
    a.aop = request.aop;
    put_unaligned_be32(request.req_id, a.answer);
    a.data = request.data;
    a.mask = request.mask;
    a.compare = request.compare;
    a.compare_mask = request.compare_mask;
    std::memcpy(out.data(), &a, sizeof(a));
    return out;
}

std::vector<u8> stag_set(u32 stag, const xiw_stag_entry &entry) {
    Builder b;

    b.head().op = XIW_TX_STAG_SET;
    b.head().stag = stag;
    b.append(entry);
    return b.done();
}

std::vector<u8> stag_invalidate(u32 stag) {
    Builder b;

    b.head().op = XIW_TX_STAG_INVALIDATE;
    b.head().stag = stag;
    return b.done();
}

} // namespace xiw::test
