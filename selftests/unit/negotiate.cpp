// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "vectors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw;

namespace {

xiw_mpa_config config(u16 ird, u16 ord, u16 max_ird = 128) {
    xiw_mpa_config c{};

    c.rev = 2;
    c.crc = true;
    c.rtr = XIW_RTR_WRITE | XIW_RTR_READ;
    c.ird = ird;
    c.ord = ord;
    c.max_ird = max_ird;
    return c;
}

// An MPA negotiation: the Request and the Reply, and the results at the initiator and the
// responder.
struct Startup {
    Startup(const xiw_mpa_config &i, const xiw_mpa_config &r) {
        xiw_mpa_frame sent;

        xiw_mpa_request(&sent, &i);
        request = wire(sent);
        accepted = xiw_mpa_respond(&sent, &responder, &request, &r);
        if (accepted == XIW_MPA_CLOSE)
            return;
        reply = wire(sent);
        concluded = xiw_mpa_conclude(&initiator, &fault, &request, &reply, &i);
    }
    static xiw_mpa_frame wire(const xiw_mpa_frame &frame) {
        u8 octets[XIW_MPA_FRAME_MAX];
        u32 total, length = xiw_mpa_build(octets, &frame, nullptr);
        xiw_mpa_frame back;

        REQUIRE(xiw_mpa_parse(&back, static_cast<xiw_mpa_kind>(frame.kind), octets, length,
                              &total) == XIW_MPA_FRAME);
        return back;
    }

    xiw_mpa_frame request, reply;
    xiw_mpa_agreed initiator{}, responder{};
    xiw_mpa_outcome accepted, concluded = XIW_MPA_CLOSE;
    xiw_fault fault = XIW_FAULT_NONE;
};

xiw_mpa_frame golden(const char *id, xiw_mpa_kind kind) {
    const Octets &o = wire_vector(id).octets;
    xiw_mpa_frame frame;
    u32 total;

    REQUIRE(xiw_mpa_parse(&frame, kind, o.data(), static_cast<u32>(o.size()), &total) ==
            XIW_MPA_FRAME);
    return frame;
}

std::string reply_to(const char *request, const xiw_mpa_config &cfg) {
    xiw_mpa_frame req = golden(request, XIW_MPA_REQUEST), rep;
    xiw_mpa_agreed agreed;
    Octets out(XIW_MPA_FRAME_MAX);

    xiw_mpa_respond(&rep, &agreed, &req, &cfg);
    out.resize(xiw_mpa_build(out.data(), &rep, nullptr));
    return hex_of(out);
}

} // namespace

TEST_CASE("negotiation builds the golden Replies",
          "[vectors][E-IRD-002][E-IRD-011][E-IRD-013]"
          "[E-P2P-004][E-P2P-010][E-INTER-001][E-INTER-002]") {
    xiw_mpa_config cfg = config(32, 32);

    cfg.rtr = XIW_RTR_WRITE;
    CHECK(reply_to("MPA-REQ1-01", cfg) == hex_of(wire_vector("MPA-REP1-01").octets));
    CHECK(reply_to("MPA-REQ2-01", cfg) == hex_of(wire_vector("MPA-REP2-01").octets));
    CHECK(reply_to("MPA-REQ2-02", cfg) == hex_of(wire_vector("MPA-REP2-02").octets));
    CHECK(reply_to("MPA-REQ2-03", cfg) == hex_of(wire_vector("MPA-REP2-04").octets));
    cfg.strict = true;
    cfg.ird = 4;
    CHECK(reply_to("MPA-REQ2-02", cfg) == hex_of(wire_vector("MPA-REP2-03").octets));
}

TEST_CASE("either endpoint turns CRCs on", "[M-CRC-005][M-CRC-006][M-DDP-008]") {
    for (bool i : {false, true})
        for (bool r : {false, true})
            for (u8 rev : {1, 2}) {
                xiw_mpa_config a = config(4, 4), b = a;

                a.crc = i;
                b.crc = r;
                a.rev = rev;
                Startup s(a, b);
                REQUIRE(s.concluded == XIW_MPA_OPEN);
                CHECK(s.initiator.crc == (i || r));
                CHECK(s.responder.crc == (i || r));
                CHECK(s.initiator.rev == rev);
                CHECK(s.responder.rev == rev);
            }
}

TEST_CASE("markers are sent to the side that requests them", "[M-MARK-004]") {
    for (bool i : {false, true})
        for (bool r : {false, true}) {
            xiw_mpa_config a = config(4, 4), b = a;

            a.markers = i;
            b.markers = r;
            Startup s(a, b);
            CHECK(s.initiator.rx_markers == i);
            CHECK(s.responder.tx_markers == i);
            CHECK(s.responder.rx_markers == r);
            CHECK(s.initiator.tx_markers == r);
        }
}

TEST_CASE("depths never exceed those of the other endpoint",
          "[E-IRD-002][E-IRD-007][E-IRD-008][E-INTER-006][I-MSG-003]") {
    const u16 depths[] = {0, 1, 4, 16, 128, 0x3ffe};

    for (u16 i_ird : depths)
        for (u16 i_ord : depths)
            for (u16 r_ird : depths)
                for (u16 r_ord : depths) {
                    Startup s(config(i_ird, i_ord), config(r_ird, r_ord));

                    CAPTURE(i_ird, i_ord, r_ird, r_ord);
                    REQUIRE(s.accepted == XIW_MPA_OPEN);
                    CHECK(s.responder.peer_ird == i_ird);
                    CHECK(s.responder.peer_ord == i_ord);
                    REQUIRE(s.concluded == XIW_MPA_OPEN);
                    CHECK(s.initiator.ord <= s.responder.ird);
                    CHECK(s.responder.ord <= s.initiator.ird);
                    CHECK(s.initiator.ord <= i_ord);
                    CHECK(s.responder.ord <= r_ord);
                    CHECK(s.responder.ird <= std::max<u16>(128, r_ird));
                    CHECK(s.initiator.peer_ird == s.responder.ird);
                    CHECK(s.initiator.peer_ord == s.responder.ord);
                }
}

TEST_CASE("a depth that is not negotiated stays unchanged",
          "[E-IRD-011][E-IRD-012][E-IRD-013][E-IRD-014]") {
    xiw_mpa_config a = config(XIW_MPA_DEPTH_NONE, XIW_MPA_DEPTH_NONE), b = config(7, 9);
    Startup s(a, b);

    CHECK(s.responder.ird == 7);
    CHECK(s.responder.ord == 9);
    CHECK(s.reply.ird == XIW_MPA_DEPTH_NONE);
    CHECK(s.reply.ord == XIW_MPA_DEPTH_NONE);
    CHECK(s.initiator.ird == a.ird);
    CHECK(s.initiator.ord == a.ord);

    // In no_ird, MPA negotiates only the initiator's ORD: the ULPs negotiate the IRD. In no_ord,
    // MPA negotiates only the initiator's IRD.
    Startup no_ird(config(XIW_MPA_DEPTH_NONE, 8), b);
    CHECK(no_ird.responder.ird == 8);
    CHECK(no_ird.responder.ord == 9);
    CHECK(no_ird.reply.ird == 8);
    CHECK(no_ird.reply.ord == XIW_MPA_DEPTH_NONE);
    CHECK(no_ird.initiator.ird == XIW_MPA_DEPTH_NONE);
    CHECK(no_ird.initiator.ord == 8);
    Startup no_ord(config(2, XIW_MPA_DEPTH_NONE), b);
    CHECK(no_ord.responder.ird == 7);
    CHECK(no_ord.responder.ord == 2);
    CHECK(no_ord.reply.ird == XIW_MPA_DEPTH_NONE);
    CHECK(no_ord.reply.ord == 2);
    CHECK(no_ord.initiator.ird == 2);
    CHECK(no_ord.initiator.ord == XIW_MPA_DEPTH_NONE);
}

TEST_CASE("a responder leaves one depth open", "[E-IRD-012][E-IRD-014]") {
    xiw_mpa_config cfg = config(8, 16);
    xiw_mpa_frame req, rep = golden("MPA-REP2-02", XIW_MPA_REPLY);
    xiw_mpa_agreed agreed;
    xiw_fault fault;

    xiw_mpa_request(&req, &cfg);
    rep.ird = XIW_MPA_DEPTH_NONE;
    rep.ord = 12;
    REQUIRE(xiw_mpa_conclude(&agreed, &fault, &req, &rep, &cfg) == XIW_MPA_OPEN);
    CHECK(agreed.ird == 12);
    CHECK(agreed.ord == 16);
    rep.ird = 4;
    rep.ord = XIW_MPA_DEPTH_NONE;
    REQUIRE(xiw_mpa_conclude(&agreed, &fault, &req, &rep, &cfg) == XIW_MPA_OPEN);
    CHECK(agreed.ird == 8);
    CHECK(agreed.ord == 4);
}

TEST_CASE("a strict responder rejects insufficient depths and names its own", "[E-IRD-005]") {
    xiw_mpa_config a = config(4, 4), b = config(6, 32);

    b.strict = true;
    Startup s(a, b);
    CHECK(s.accepted == XIW_MPA_REJECTED);
    CHECK(s.reply.reject);
    CHECK(s.concluded == XIW_MPA_REJECTED);
    CHECK(s.initiator.peer_ird == 6);
    CHECK(s.initiator.peer_ord == 32);
    CHECK_FALSE(s.reply.p2p);
    a.p2p = true;
    a.rtr = XIW_RTR_WRITE;
    Startup t(a, b);
    CHECK(t.accepted == XIW_MPA_REJECTED);
    CHECK(t.reply.p2p);
    CHECK(t.reply.rtr == XIW_RTR_WRITE);
    b.ord = 4;
    CHECK(Startup(a, b).concluded == XIW_MPA_OPEN);
}

TEST_CASE("both endpoints agree on a common RTR kind, or the initiator terminates",
          "[E-P2P-001][E-P2P-002][E-P2P-003][E-P2P-004][E-P2P-005][E-P2P-006]"
          "[E-P2P-008][E-P2P-009]") {
    for (u8 offered = 0; offered <= XIW_RTR_ALL; offered++)
        for (u8 supported = 1; supported <= XIW_RTR_ALL; supported++) {
            xiw_mpa_config a = config(4, 4), b = a;

            a.p2p = true;
            a.rtr = offered;
            b.rtr = supported;
            Startup s(a, b);
            CAPTURE(offered, supported);
            CHECK(s.request.p2p);
            CHECK(s.reply.p2p);
            CHECK(s.reply.rtr != 0);
            CHECK((s.reply.rtr & ~supported) == 0);
            if (!(offered & supported)) {
                CHECK(s.concluded == XIW_MPA_TERMINATE);
                CHECK(s.fault == XIW_FAULT_LLP_RTR);
                continue;
            }
            CHECK(s.reply.rtr == (offered & supported));
            CHECK(s.concluded == XIW_MPA_OPEN);
            // The initiator prefers a Write to a Read, and a Read to a Send.
            CHECK(s.initiator.rtr == (s.reply.rtr & XIW_RTR_WRITE  ? XIW_RTR_WRITE
                                      : s.reply.rtr & XIW_RTR_READ ? XIW_RTR_READ
                                                                   : XIW_RTR_SEND));
            CHECK((s.responder.rtr & s.initiator.rtr) != 0);
        }
}

TEST_CASE("a Read as RTR raises an IRD of zero to one", "[E-IRD-004]") {
    xiw_mpa_config a = config(0, 0), b = config(0, 0);

    a.p2p = true;
    a.rtr = b.rtr = XIW_RTR_READ;
    CHECK(Startup(a, b).responder.ird == 1);
    CHECK(Startup(a, b).reply.ird == 1);
    a.rtr = b.rtr = XIW_RTR_WRITE;
    CHECK(Startup(a, b).responder.ird == 0);
}

TEST_CASE("client-server mode has no RTR", "[E-P2P-010][E-P2P-011]") {
    Startup s(config(4, 4), config(4, 4));

    CHECK_FALSE(s.reply.p2p);
    CHECK(s.reply.rtr == 0);
    CHECK(s.initiator.rtr == 0);
    CHECK_FALSE(s.responder.p2p);

    xiw_mpa_config cfg = config(4, 4);
    xiw_mpa_frame sent;
    xiw_mpa_request(&sent, &cfg);
    CHECK_FALSE(sent.p2p);
    CHECK(sent.rtr == 0);
}

TEST_CASE("an initiator terminates if the responder's ORD exceeds its maximum IRD", "[E-IRD-009]") {
    xiw_mpa_config cfg = config(8, 4, 8);
    xiw_mpa_frame req, rep = golden("MPA-REP2-02", XIW_MPA_REPLY);
    xiw_mpa_agreed agreed;
    xiw_fault fault;

    xiw_mpa_request(&req, &cfg);
    rep.ord = 8;
    CHECK(xiw_mpa_conclude(&agreed, &fault, &req, &rep, &cfg) == XIW_MPA_OPEN);
    rep.ord = 9;
    CHECK(xiw_mpa_conclude(&agreed, &fault, &req, &rep, &cfg) == XIW_MPA_TERMINATE);
    CHECK(fault == XIW_FAULT_LLP_IRD);
    cfg.ird = 4;
    rep.ord = 6;
    CHECK(xiw_mpa_conclude(&agreed, &fault, &req, &rep, &cfg) == XIW_MPA_OPEN);
    CHECK(agreed.ird == 6);
    rep.ord = 2;
    CHECK(xiw_mpa_conclude(&agreed, &fault, &req, &rep, &cfg) == XIW_MPA_OPEN);
    CHECK(agreed.ird == 4);
}

TEST_CASE("revision 1 opens a connection, and an endpoint of revision 1 refuses 2",
          "[E-FRAME-004][E-FRAME-005][E-INTER-001][E-INTER-002][E-INTER-004]") {
    xiw_mpa_config one = config(4, 4), two = config(4, 4);

    one.rev = 1;
    CHECK(Startup(one, two).concluded == XIW_MPA_OPEN);
    CHECK_FALSE(Startup(one, two).initiator.enhanced);
    CHECK(Startup(two, two).initiator.enhanced);
    CHECK(Startup(two, one).accepted == XIW_MPA_CLOSE);

    xiw_mpa_frame req, rep = golden("MPA-REP2-02", XIW_MPA_REPLY);
    xiw_mpa_agreed agreed;
    xiw_fault fault;
    xiw_mpa_request(&req, &one);
    CHECK(xiw_mpa_conclude(&agreed, &fault, &req, &rep, &one) == XIW_MPA_CLOSE);
}

TEST_CASE("a rejecting Reply has the depths and RTR kinds of its sender",
          "[E-P2P-003][E-P2P-004][E-P2P-006]") {
    xiw_mpa_frame req = golden("MPA-REQ2-01", XIW_MPA_REQUEST), rep;
    xiw_mpa_config cfg = config(3, 5);

    xiw_mpa_reject(&rep, &req, &cfg);
    CHECK(rep.reject);
    CHECK(rep.enhanced);
    CHECK(rep.ird == 3);
    CHECK(rep.ord == 5);
    // The Reply has the flag A if the Request has A. The Reply names the RTR forms that the Request
    // offers and the responder supports. If the responder supports none of the offered forms, the
    // Reply names all forms that the responder supports.
    CHECK(rep.p2p);
    CHECK(rep.rtr == (XIW_RTR_WRITE | XIW_RTR_READ));
    req.rtr = XIW_RTR_READ;
    xiw_mpa_reject(&rep, &req, &cfg);
    CHECK(rep.rtr == XIW_RTR_READ);
    req.rtr = XIW_RTR_SEND;
    xiw_mpa_reject(&rep, &req, &cfg);
    CHECK(rep.rtr == (XIW_RTR_WRITE | XIW_RTR_READ));
    req = golden("MPA-REQ2-02", XIW_MPA_REQUEST);
    xiw_mpa_reject(&rep, &req, &cfg);
    CHECK_FALSE(rep.p2p);
    CHECK(rep.rtr == 0);
}

TEST_CASE("a Request never sets the reject and reserved bits", "[M-CONN-010][M-CONN-012]") {
    for (unsigned bits = 0; bits < 32; bits++) {
        xiw_mpa_config cfg = config(4, 4);
        xiw_mpa_frame sent;
        u8 out[XIW_MPA_FRAME_MAX];

        cfg.rev = bits & 1 ? 2 : 1;
        cfg.crc = bits & 2;
        cfg.markers = bits & 4;
        cfg.p2p = bits & 8;
        cfg.strict = bits & 16;
        std::fill_n(out, sizeof(out), u8{0xff});
        xiw_mpa_request(&sent, &cfg);
        REQUIRE(xiw_mpa_build(out, &sent, nullptr) >= XIW_MPA_HDR_LEN);
        // R and the reserved bits must be 0. In revision 1, S is also a reserved bit.
        CHECK((out[XIW_MPA_FLAGS_AT] & (cfg.rev == 2 ? 0x2f : 0x3f)) == 0);
        CHECK(bool(out[XIW_MPA_FLAGS_AT] & XIW_MPA_F_CRC) == cfg.crc);
        CHECK(bool(out[XIW_MPA_FLAGS_AT] & XIW_MPA_F_MARKERS) == cfg.markers);
    }
}
