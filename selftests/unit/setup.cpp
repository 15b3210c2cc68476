// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The MPA negotiation, with two correct ends and with a peer that breaks the rules.
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cstring>
#include <string_view>

using namespace xiw;

namespace {

constexpr u16 limit = 16; // the RNIC's limit for the IRD
constexpr u32 own =
    XIW_CONNF_ATOMICS | XIW_CONNF_IMMEDIATE | XIW_CONNF_SEND_IMM | XIW_CONNF_V6ONLY | XIW_CONNF_TOS;

xiw_conn_params params(u32 flags, u16 ird, u16 ord, u8 rev = 0) {
    xiw_conn_params p{};

    p.flags = cpu_to_le32(flags);
    p.mpa_rev = rev;
    p.ird = cpu_to_le16(ird);
    p.ord = cpu_to_le16(ord);
    return p;
}

const u8 *data(std::string_view text) {
    return reinterpret_cast<const u8 *>(text.data());
}

bool initiate(xiw_setup &s, const xiw_conn_params &p, std::string_view pd = "") {
    return xiw_setup_initiate(&s, &p, limit, data(pd), static_cast<u16>(pd.size()));
}

bool accept(xiw_setup &s, const xiw_conn_params &p, std::string_view pd = "") {
    return xiw_setup_accept(&s, &p, data(pd), static_cast<u16>(pd.size()));
}

// Transfer at most `most` octets from `sender` to `receiver`, as TCP does. Return false if `sender`
// has no octets to send or `receiver` does not wait for octets.
bool carry(xiw_setup &sender, xiw_setup &receiver, u32 most) {
    if (xiw_setup_next(&sender) != XIW_SETUP_SEND || xiw_setup_next(&receiver) != XIW_SETUP_RECEIVE)
        return false;
    const u32 n = std::min({sender.tx_len - sender.tx_at, receiver.rx_want, most});
    REQUIRE(n > 0);
    std::memcpy(receiver.rx + receiver.rx_len, sender.tx + sender.tx_at, n);
    sender.tx_at += n;
    receiver.rx_len += n;
    return true;
}

xiw_setup_step take(xiw_setup &s, const xiw_mpa_frame &frame, const char *pd = "") {
    u8 octets[XIW_MPA_FRAME_MAX];
    const u32 length = xiw_mpa_build(octets, &frame, data(pd));

    REQUIRE(xiw_setup_next(&s) == XIW_SETUP_RECEIVE);
    CHECK(s.rx_want == XIW_MPA_HDR_LEN);
    std::memcpy(s.rx, octets, length);
    s.rx_len = length;
    return xiw_setup_next(&s);
}

// Pretend that TCP has taken the whole frame, and return the next step.
xiw_setup_step sent(xiw_setup &s) {
    REQUIRE(xiw_setup_next(&s) == XIW_SETUP_SEND);
    s.tx_at = s.tx_len;
    return xiw_setup_next(&s);
}

std::string described(const xiw_setup &s, const xiw_mpa_frame &frame, xiw_conn_buf &buf) {
    xiw_setup_describe(&s, &frame, &buf);
    return {reinterpret_cast<const char *>(buf.private_data), le16_to_cpu(buf.private_length)};
}

// Return the code of the Terminate in s.tx.
xiw_term_code terminate_code(const xiw_setup &s) {
    std::vector<u8> staging(XIW_FPDU_WIRE_MAX);
    xiw_deframer d;
    xiw_span in{s.tx, s.tx_len}, ulpdu;
    xiw_term_info info;

    xiw_deframer_init(&d, s.wish.crc || s.reply.crc, s.reply.markers, staging.data(),
                      XIW_FPDU_WIRE_MAX);
    REQUIRE(xiw_deframe_feed(&d, &in, &ulpdu) == XIW_DEFRAME_ULPDU);
    CHECK(in.len == 0);
    xiw_ddp_header h;
    REQUIRE(xiw_ddp_parse(&h, ulpdu.p, ulpdu.len));
    CHECK(h.qn == XIW_QN_TERMINATE);
    CHECK(h.msn == XIW_DDP_FIRST_MSN);
    CHECK(xiw_ddp_is_last(&h));
    CHECK(xiw_ddp_opcode(&h) == XIW_OP_TERMINATE);
    REQUIRE(xiw_term_parse(&info, ulpdu.p + h.header_len, h.payload_len, true));
    return info.code;
}

struct Pair {
    xiw_setup i{}, r{};

    explicit Pair(const xiw_conn_params &wanted, u32 most = XIW_MPA_FRAME_MAX,
                  std::string_view pd = "") {
        REQUIRE(initiate(i, wanted, pd));
        xiw_setup_await(&r, 0, limit);
        while (carry(i, r, most)) {
        }
        CHECK(xiw_setup_next(&i) == XIW_SETUP_RECEIVE);
        REQUIRE(xiw_setup_next(&r) == XIW_SETUP_DECIDE);
        CHECK(xiw_setup_next(&r) == XIW_SETUP_DECIDE);
    }
    void reply(u32 most = XIW_MPA_FRAME_MAX) {
        while (carry(r, i, most)) {
        }
    }
};

xiw_mpa_frame reply_frame() {
    xiw_mpa_frame frame{};

    frame.kind = XIW_MPA_REPLY;
    frame.rev = 2;
    frame.enhanced = true;
    return frame;
}

} // namespace

TEST_CASE("setup: two endpoints agree, however the octets are split") {
    const u32 most = GENERATE(1U, 3U, 20U, 1024U);
    auto active = params(XIW_CONNF_CRC | XIW_CONNF_P2P | XIW_CONNF_RTR_WRITE | own, 4, 9);
    auto passive = params(
        XIW_CONNF_RX_MARKERS | XIW_CONNF_RTR_READ | XIW_CONNF_RTR_WRITE | XIW_CONNF_ATOMICS, 6, 8);
    Pair p(active, most, "who");
    xiw_conn_buf buf{};

    CHECK(described(p.r, p.r.request, buf) == "who");
    CHECK(le16_to_cpu(buf.peer_ird) == 4);
    CHECK(le16_to_cpu(buf.peer_ord) == 9);
    CHECK(buf.peer_rev == 2);
    CHECK(buf.peer_flags == p.i.tx[XIW_MPA_FLAGS_AT]);
    CHECK(le16_to_cpu(buf.peer_offer) ==
          (XIW_CONNF_ENHANCED | XIW_CONNF_P2P | XIW_CONNF_RTR_WRITE));
    REQUIRE(accept(p.r, passive, "me"));
    p.reply(most);
    REQUIRE(xiw_setup_next(&p.r) == XIW_SETUP_OPEN);
    REQUIRE(xiw_setup_next(&p.i) == XIW_SETUP_OPEN);
    CHECK(described(p.i, p.i.reply, buf) == "me");
    CHECK(le16_to_cpu(buf.peer_ird) == 9);
    CHECK(le16_to_cpu(buf.peer_ord) == 4);
    xiw_setup_agree(&p.i, &active);
    xiw_setup_agree(&p.r, &passive);
    CHECK(le32_to_cpu(active.flags) ==
          (own | XIW_CONNF_CRC | XIW_CONNF_TX_MARKERS | XIW_CONNF_ENHANCED | XIW_CONNF_P2P |
           XIW_CONNF_RTR_WRITE | XIW_CONNF_INITIATOR));
    CHECK(le32_to_cpu(passive.flags) == (XIW_CONNF_ATOMICS | XIW_CONNF_CRC | XIW_CONNF_RX_MARKERS |
                                         XIW_CONNF_ENHANCED | XIW_CONNF_P2P | XIW_CONNF_RTR_WRITE));
    CHECK(le16_to_cpu(active.ird) == 4);
    CHECK(le16_to_cpu(active.ord) == 9);
    CHECK(le16_to_cpu(passive.ird) == 9);
    CHECK(le16_to_cpu(passive.ord) == 4);
    CHECK(active.mpa_rev == 2);
    CHECK(passive.mpa_rev == 2);
}

TEST_CASE("setup: options that nobody requests are off") {
    auto active = params(0, 1, 1), passive = params(0, 1, 1);
    Pair p(active);
    xiw_conn_buf buf{};

    CHECK(xiw_setup_offer(&p.r.request) == XIW_CONNF_ENHANCED);
    REQUIRE(accept(p.r, passive));
    p.reply();
    REQUIRE(xiw_setup_next(&p.i) == XIW_SETUP_OPEN);
    xiw_setup_agree(&p.i, &active);
    xiw_setup_agree(&p.r, &passive);
    CHECK(le32_to_cpu(active.flags) == (XIW_CONNF_ENHANCED | XIW_CONNF_INITIATOR));
    CHECK(le32_to_cpu(passive.flags) == XIW_CONNF_ENHANCED);
    CHECK(described(p.r, p.r.request, buf).empty());
}

TEST_CASE("setup: RTR kinds come from the driver, or are Write and Read for a responder") {
    struct {
        u32 flags;
        u8 kinds;
    } rows[] = {
        {XIW_CONNF_RTR_SEND, XIW_RTR_SEND},
        {XIW_CONNF_RTR_WRITE, XIW_RTR_WRITE},
        {XIW_CONNF_RTR_READ, XIW_RTR_READ},
        {0, XIW_RTR_WRITE | XIW_RTR_READ},
    };

    for (const auto &row : rows) {
        Pair p(params(XIW_CONNF_P2P | XIW_CONNF_RTR_SEND | XIW_CONNF_RTR_WRITE | XIW_CONNF_RTR_READ,
                      1, 1));

        CHECK(p.i.wish.rtr == XIW_RTR_ALL);
        REQUIRE(accept(p.r, params(row.flags, 1, 1)));
        CHECK(p.r.wish.rtr == row.kinds);
        CHECK(p.r.reply.rtr == row.kinds);
        p.reply();
        CHECK(xiw_setup_next(&p.i) == XIW_SETUP_OPEN);
    }
    xiw_setup s{};
    REQUIRE(initiate(s, params(XIW_CONNF_P2P, 1, 1)));
    CHECK(s.wish.rtr == 0);
}

TEST_CASE("setup: depths above 14 bits are not negotiated") {
    xiw_setup s{};

    REQUIRE(initiate(s, params(0, 0xffff, 0x4000)));
    CHECK(s.request.ird == XIW_MPA_DEPTH_NONE);
    CHECK(s.request.ord == XIW_MPA_DEPTH_NONE);
    CHECK(s.wish.max_ird == limit);
}

TEST_CASE("setup: a rejecting Reply ends both roles and delivers its private data") {
    Pair p(params(XIW_CONNF_CRC, 1, 1));
    xiw_conn_buf buf{};
    const auto passive = params(0, 1, 1);

    xiw_setup_reject(&p.r, &passive, data("no"), 2);
    p.reply();
    CHECK(xiw_setup_next(&p.r) == XIW_SETUP_CLOSE);
    CHECK(xiw_setup_next(&p.i) == XIW_SETUP_REJECTED);
    CHECK(xiw_setup_next(&p.i) == XIW_SETUP_REJECTED);
    CHECK(described(p.i, p.i.reply, buf) == "no");
}

TEST_CASE("setup: an initiator that cannot agree sends a Terminate with the reason") {
    Pair p(params(XIW_CONNF_P2P | XIW_CONNF_RTR_WRITE | XIW_CONNF_CRC, 1, 1));

    REQUIRE(accept(p.r, params(XIW_CONNF_RTR_READ | XIW_CONNF_RX_MARKERS, 1, 1)));
    p.reply();
    REQUIRE(xiw_setup_next(&p.i) == XIW_SETUP_UNABLE);
    CHECK(terminate_code(p.i).code == xiw_fault_code(XIW_FAULT_LLP_RTR).code);
    CHECK(sent(p.i) == XIW_SETUP_CLOSE);

    // The Terminate has a CRC if the Request or the Reply requests CRCs, even if the Reply is
    // unacceptable.
    for (const u32 crc : {0U, 1U, 2U, 3U}) {
        Pair q(params(crc & 1 ? XIW_CONNF_CRC : 0, 1, 1));
        xiw_mpa_frame frame = reply_frame();
        frame.crc = crc & 2;
        frame.ord = limit + 1;
        frame.ird = 1;
        REQUIRE(take(q.i, frame) == XIW_SETUP_UNABLE);
        CHECK(terminate_code(q.i).code == xiw_fault_code(XIW_FAULT_LLP_IRD).code);
        const bool zero = get_unaligned_be32(q.i.tx + q.i.tx_len - XIW_CRC_LEN) == 0;
        CHECK(zero == (crc == 0));
    }
}

TEST_CASE("setup: a frame of revision 1 has no IRD and ORD fields of RFC 6581") {
    auto active = params(XIW_CONNF_P2P | XIW_CONNF_RTR_WRITE, 3, 4, 1), passive = params(0, 5, 6);
    Pair p(active);
    xiw_conn_buf buf{};

    described(p.r, p.r.request, buf);
    CHECK(buf.peer_rev == 1);
    CHECK(le16_to_cpu(buf.peer_ird) == XIW_MPA_DEPTH_NONE);
    CHECK(le16_to_cpu(buf.peer_ord) == XIW_MPA_DEPTH_NONE);
    CHECK(buf.peer_offer == 0);
    REQUIRE(accept(p.r, passive));
    p.reply();
    REQUIRE(xiw_setup_next(&p.i) == XIW_SETUP_OPEN);
    xiw_setup_agree(&p.i, &active);
    xiw_setup_agree(&p.r, &passive);
    CHECK(le32_to_cpu(active.flags) == XIW_CONNF_INITIATOR);
    CHECK(le32_to_cpu(passive.flags) == 0);
    CHECK(active.mpa_rev == 1);
    CHECK(le16_to_cpu(active.ird) == 3);
    CHECK(le16_to_cpu(active.ord) == 4);
    CHECK(le16_to_cpu(passive.ird) == 5);
    CHECK(le16_to_cpu(passive.ord) == 6);
}

TEST_CASE("setup: an initiator that cannot open after the Reply sends a Terminate") {
    Pair p(params(XIW_CONNF_CRC, 1, 1));

    REQUIRE(accept(p.r, params(0, 1, 1)));
    p.reply();
    REQUIRE(xiw_setup_next(&p.i) == XIW_SETUP_OPEN);
    xiw_setup_refuse(&p.i, XIW_FAULT_LLP_LOCAL);
    CHECK(terminate_code(p.i).code == xiw_fault_code(XIW_FAULT_LLP_LOCAL).code);
    CHECK(sent(p.i) == XIW_SETUP_CLOSE);
}

TEST_CASE("setup: frames of a higher revision are refused") {
    xiw_setup s{};
    xiw_mpa_frame frame{};

    frame.kind = XIW_MPA_REQUEST;
    frame.rev = 2;
    xiw_setup_await(&s, 1, limit);
    CHECK(take(s, frame) == XIW_SETUP_UNFIT);
    frame.rev = 1;
    xiw_setup_await(&s, 1, limit);
    CHECK(take(s, frame) == XIW_SETUP_DECIDE);
    frame.rev = 2;
    xiw_setup_await(&s, 0, limit);
    REQUIRE(take(s, frame) == XIW_SETUP_DECIDE);
    CHECK_FALSE(accept(s, params(0, 1, 1, 1)));

    REQUIRE(initiate(s, params(0, 1, 1, 1)));
    CHECK(s.request.rev == 1);
    REQUIRE(sent(s) == XIW_SETUP_RECEIVE);
    frame = reply_frame();
    CHECK(take(s, frame) == XIW_SETUP_UNFIT);
    REQUIRE(initiate(s, params(0, 1, 1)));
    CHECK(s.request.rev == 2);
}

TEST_CASE("setup: a frame of the wrong kind ends both roles") {
    xiw_setup s{};
    xiw_mpa_frame frame = reply_frame();

    xiw_setup_await(&s, 0, limit);
    CHECK(take(s, frame) == XIW_SETUP_BAD);
    REQUIRE(initiate(s, params(0, 1, 1)));
    REQUIRE(sent(s) == XIW_SETUP_RECEIVE);
    frame.kind = XIW_MPA_REQUEST;
    CHECK(take(s, frame) == XIW_SETUP_BAD);
}

TEST_CASE("setup: exactly the octets of a frame are requested") {
    xiw_setup s{};
    xiw_mpa_frame frame = reply_frame();
    u8 octets[XIW_MPA_FRAME_MAX];

    REQUIRE(initiate(s, params(0, 1, 1)));
    REQUIRE(sent(s) == XIW_SETUP_RECEIVE);
    CHECK(s.rx_want == XIW_MPA_HDR_LEN);
    frame.pd_len = 5;
    const u32 length = xiw_mpa_build(octets, &frame, data("hello"));
    std::memcpy(s.rx, octets, length);
    s.rx_len = XIW_MPA_HDR_LEN;
    REQUIRE(xiw_setup_next(&s) == XIW_SETUP_RECEIVE);
    CHECK(s.rx_want == length - XIW_MPA_HDR_LEN);
    s.rx_len = length - 1;
    REQUIRE(xiw_setup_next(&s) == XIW_SETUP_RECEIVE);
    CHECK(s.rx_want == 1);
    s.rx_len = length;
    CHECK(xiw_setup_next(&s) == XIW_SETUP_OPEN);
}

TEST_CASE("setup: private data that is too long is refused") {
    const std::string most(XIW_MPA_PD_MAX, 'x');
    const std::string_view enhanced(most.data(), XIW_MPA_ENHANCED_PD_MAX);
    xiw_setup s{};
    xiw_mpa_frame frame{};

    CHECK(initiate(s, params(0, 1, 1), enhanced));
    CHECK_FALSE(initiate(s, params(0, 1, 1), most));
    CHECK(initiate(s, params(0, 1, 1, 1), most));

    frame.kind = XIW_MPA_REQUEST;
    frame.rev = 1;
    xiw_setup_await(&s, 0, limit);
    REQUIRE(take(s, frame) == XIW_SETUP_DECIDE);
    CHECK(xiw_setup_fits(&s, XIW_MPA_PD_MAX));
    CHECK_FALSE(xiw_setup_fits(&s, XIW_MPA_PD_MAX + 1));
    CHECK(xiw_setup_offer(&s.request) == 0);
    frame.rev = 2;
    frame.enhanced = true;
    xiw_setup_await(&s, 0, limit);
    REQUIRE(take(s, frame) == XIW_SETUP_DECIDE);
    CHECK(xiw_setup_fits(&s, XIW_MPA_ENHANCED_PD_MAX));
    CHECK_FALSE(xiw_setup_fits(&s, XIW_MPA_ENHANCED_PD_MAX + 1));
    CHECK_FALSE(accept(s, params(0, 1, 1), most));
    CHECK(accept(s, params(0, 1, 1), enhanced));
}
