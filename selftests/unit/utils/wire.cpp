// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "render/wire.hpp"
#include "capture.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using test::Bytes;
using test::golden;
using test::Recording;
using namespace xiw::wire;
namespace render = xiw::render;

namespace {

constexpr int raw_ip = 101;

struct Told {
    std::vector<std::string> lines; // for example, "> Send crc good: detail"
    std::vector<Fpdu> fpdus;
    std::vector<Connection> connections;
    uint64_t ignored = 0;
};

// `most` is the maximum number of connections that the decoder follows at the same time.
Told decode(const std::vector<Recording::Packet> &packets, int link = raw_ip, size_t most = 16384) {
    Told told;
    Decoder decoder(
        [&told](const Item &item) {
            std::string line = std::string(item.forward ? "> " : "< ") + render::item_word(item);
            if (!render::crc_word(item).empty())
                line += " crc " + render::crc_word(item);
            told.lines.push_back(line + ": " + render::item_detail(item));
            if (const auto *f = std::get_if<Fpdu>(&item.what))
                told.fpdus.push_back(*f);
        },
        most);
    for (const auto &packet : packets)
        decoder.packet(link, packet.time, packet.octets,
                       static_cast<uint32_t>(packet.octets.size()));
    decoder.finish();
    for (const auto &[number, connection] : decoder.connections())
        told.connections.push_back(connection);
    told.ignored = decoder.ignored();
    return told;
}

// Add the packets of `more`.
void add(std::vector<Recording::Packet> &packets, const Recording &more) {
    packets.insert(packets.end(), more.packets.begin(), more.packets.end());
}

// Return a connection that is recognised as iWARP and has not ended.
Recording live(uint16_t port) {
    Recording r;
    r.port = port;
    r.startup();
    return r;
}

// Return a connection with messages of several kinds in both directions.
Recording conversation(bool v6 = false) {
    Recording r(v6);
    r.startup();
    for (const char *id : {"S-01", "W-02a", "W-02b", "W-02c", "RR-01"})
        r.send(true, golden(id));
    r.send(false, golden("RS-01"));
    r.send(true, golden("AR-02"));
    r.send(false, golden("AA-01"));
    r.send(false, golden("T-0-1-02"));
    r.fin(false);
    r.fin(true);
    return r;
}

} // namespace

TEST_CASE("a conversation is decoded message by message") {
    const Told told = decode(conversation().packets);
    REQUIRE(told.lines.size() == 13);
    CHECK(told.lines[0] == "> MPA Request: rev 2 crc private 0 enhanced ird 8 ord 16 "
                           "peer-to-peer rtr-write rtr-read rtr-send");
    CHECK_THAT(told.lines[1], ContainsSubstring("< MPA Reply: rev 2 crc"));
    CHECK(told.lines[2] == "> Send crc good: qn 0 msn 1 mo 0, 16 octets");
    CHECK(told.lines[3] == "> RDMA Write crc good: 0x11223344+0x100000010, 114 octets, more");
    CHECK(told.lines[5] == "> RDMA Write crc good: 0x11223344+0x1000000f4, 72 octets");
    CHECK_THAT(told.lines[6], ContainsSubstring("> RDMA Read Request crc good: qn 1 msn 1"));
    CHECK_THAT(told.lines[7], ContainsSubstring("< RDMA Read Response"));
    CHECK_THAT(told.lines[8], ContainsSubstring("FetchAdd id"));
    CHECK_THAT(told.lines[9],
               ContainsSubstring("< Atomic Response") && ContainsSubstring("original 0x"));
    CHECK_THAT(told.lines[10], ContainsSubstring("access rights violation (RFC 5040") &&
                                   ContainsSubstring("; about RDMA Read Request qn 1"));
    CHECK(told.lines[11] == "< FIN: ");
    CHECK(told.lines[12] == "> FIN: ");
    REQUIRE(told.connections.size() == 1);
    CHECK(told.connections[0].started);
    CHECK(told.connections[0].sent.fpdus == 6);
    CHECK(told.connections[0].answered.fpdus == 3);
    for (const Fpdu &f : told.fpdus)
        CHECK_FALSE(f.fault);
}

TEST_CASE("golden FPDUs are decoded by their kind") {
    struct Row {
        const char *id, *line;
    };
    const auto row = GENERATE(values<Row>({
        {"S-05", "Send"},
        {"IM-01", "Immediate Data crc good: qn 0 msn 1 mo 0, 8 octets: 0x"},
        {"IM-02", "Immediate Data"},
        {"AR-08", "CmpSwap id"},
        {"MX-01", "RDMA Read Request"},
        {"T-2-0-02", "MPA: CRC mismatch (RFC 5044 section 8)"},
        {"T-0-0-00", "local catastrophic error"},
    }));
    Recording r;
    r.startup();
    r.send(true, golden(row.id));
    const Told told = decode(r.packets);
    CAPTURE(row.id);
    REQUIRE(told.lines.size() == 3);
    CHECK_THAT(told.lines[2], ContainsSubstring(row.line));
    CHECK(told.fpdus[0].crc == Crc::good);
}

TEST_CASE("segmentation, reordering and duplicates of TCP do not change the result") {
    const bool v6 = GENERATE(false, true);
    const auto wanted = decode(conversation(v6).packets).lines;
    const auto piece = GENERATE(size_t{1}, size_t{3}, size_t{17}, size_t{100});

    // Send the octets of the conversation in segments of `piece` octets.
    Recording cut(v6);
    cut.handshake();
    cut.send(true, golden("MPA-REQ2-01"), piece);
    cut.send(false, golden("MPA-REP2-01"), piece);
    for (const char *id : {"S-01", "W-02a", "W-02b", "W-02c", "RR-01"})
        cut.send(true, golden(id), piece);
    cut.send(false, golden("RS-01"), piece);
    cut.send(true, golden("AR-02"), piece);
    cut.send(false, golden("AA-01"), piece);
    cut.send(false, golden("T-0-1-02"), piece);
    cut.fin(false);
    cut.fin(true);
    CHECK(decode(cut.packets).lines == wanted);

    // Send each segment twice, and shuffle neighbouring segments. The decoded messages of each
    // direction stay the same.
    auto mixed = cut.packets;
    mixed.insert(mixed.end(), cut.packets.begin() + 3, cut.packets.end());
    std::mt19937 random(7306);
    for (auto at = mixed.begin() + 3; mixed.end() - at > 8; at += 8)
        std::shuffle(at, at + 8, random);
    for (const char way : {'>', '<'}) {
        const auto of = [way](std::vector<std::string> lines) {
            std::erase_if(lines, [way](const std::string &line) { return line[0] != way; });
            return lines;
        };
        CHECK(of(decode(mixed).lines) == of(wanted));
    }
}

TEST_CASE("markers are removed where their receiver requested them") {
    Recording r;
    r.handshake();
    r.send(true, golden("MPA-REQ1-03")); // no markers, no CRC
    r.send(false, {'M', 'P', 'A', ' ', 'I', 'D', ' ',  'R', 'e', 'p',
                   ' ', 'F', 'r', 'a', 'm', 'e', 0xc0, 1,   0,   0}); // markers and CRC
    unsigned pos = 0;
    for (uint32_t msn = 1; msn <= 20; msn++)
        r.send(true, test::marked_fpdu(test::untagged(3, 0, msn, Bytes(size_t{37} * msn)), pos),
               99);
    r.send(false, golden("S-01"));
    const Told told = decode(r.packets);

    REQUIRE(told.fpdus.size() == 21);
    unsigned markers = 0;
    for (const Fpdu &f : told.fpdus) {
        CHECK(f.crc == Crc::good);
        CHECK_FALSE(f.fault);
        markers += f.markers;
    }
    CHECK(markers > 15);
    CHECK(told.fpdus[20].markers == 0);
}

TEST_CASE("without CRCs there is no CRC verdict") {
    Recording r;
    r.handshake();
    r.send(true, golden("MPA-REQ1-03"));
    r.send(false, {'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e', 'p',
                   ' ', 'F', 'r', 'a', 'm', 'e', 0,   1,   0,   0});
    r.send(true, test::fpdu(test::untagged(3, 0, 1, Bytes(8)), false));
    const Told told = decode(r.packets);
    REQUIRE(told.fpdus.size() == 1);
    CHECK(told.fpdus[0].crc == Crc::off);
    CHECK_FALSE(told.fpdus[0].fault);
}

TEST_CASE("a bad CRC is reported, and later FPDUs are still decoded") {
    Recording r;
    r.startup();
    r.send(true, test::fpdu(test::untagged(3, 0, 1, Bytes(8)), false));
    r.send(true, test::fpdu(test::untagged(3, 0, 2, Bytes(8))));
    const Told told = decode(r.packets);
    REQUIRE(told.fpdus.size() == 2);
    CHECK(told.fpdus[0].crc == Crc::bad);
    CHECK(told.fpdus[0].fault == 0x2002);
    CHECK(told.fpdus[1].crc == Crc::good);
    CHECK(told.connections[0].sent.bad_crc == 1);
}

TEST_CASE("a Send with Immediate is decoded with its value") {
    Recording r;
    r.startup();
    r.send(true, test::fpdu(test::send_immediate(false, 0xa1b2c3d4, Bytes(2))));
    r.send(true, test::fpdu(test::send_immediate(true, 0, {}, 2)));
    Bytes reserved = test::send_immediate(false, 1, {}, 3);
    reserved[1] |= 0x20;
    r.send(true, test::fpdu(reserved));
    const Told told = decode(r.packets);
    REQUIRE(told.fpdus.size() == 3);
    CHECK(told.fpdus[0].header->immediate == 0xa1b2c3d4);
    CHECK_FALSE(told.fpdus[0].header->solicited);
    CHECK(told.fpdus[0].header->stag == 0);
    CHECK(told.fpdus[1].header->immediate == 0U);
    CHECK(told.fpdus[1].header->solicited);
    REQUIRE(told.lines.size() == 5);
    CHECK(told.lines[2] == "> Send with Immediate crc good: qn 0 msn 1 mo 0 immediate "
                           "0xa1b2c3d4, 2 octets");
    CHECK(told.lines[3] == "> Send with Immediate crc good: qn 0 msn 2 mo 0 immediate "
                           "0x00000000 solicited, 0 octets");
    CHECK_FALSE(told.fpdus[0].fault);
    CHECK_FALSE(told.fpdus[1].fault);
    CHECK(told.fpdus[2].fault == 0x0206);
}

TEST_CASE("errors that a receiver would detect are reported") {
    struct Row {
        Bytes ulpdu;
        uint16_t cause;
    };
    const auto row = GENERATE(values<Row>({
        {test::untagged(3, 0, 7, Bytes(8)), 0x1203},  // MSN
        {test::untagged(3, 9, 1, Bytes(8)), 0x1201},  // QN
        {test::untagged(12, 0, 1, Bytes(8)), 0x0206}, // opcode
        {test::untagged(8, 0, 1, Bytes(9)), 0x0207},  // length of an Immediate
        {Bytes(5), 0x1000},                           // no header
    }));
    Recording r;
    r.startup();
    r.send(true, test::fpdu(row.ulpdu));
    r.send(true, golden("S-01"));
    const Told told = decode(r.packets);
    REQUIRE(told.fpdus.size() == 2);
    CHECK(told.fpdus[0].fault == row.cause);
    CHECK_FALSE(told.fpdus[1].fault); // the decoder checks a direction up to its first fault
}

TEST_CASE("after a hole, decoding resumes at the next segment that begins with an FPDU") {
    Recording r;
    r.startup();
    const Bytes lost = test::fpdu(test::untagged(3, 0, 1, Bytes(1000)));
    r.send(true, Bytes(lost.begin(), lost.begin() + 100));
    r.lose(true, lost.size() - 100 - 50);
    r.send(true, Bytes(lost.end() - 50, lost.end()));
    r.send(true, test::fpdu(test::untagged(3, 0, 2, Bytes(8))));
    const Told told = decode(r.packets);

    REQUIRE(told.fpdus.size() == 1);
    CHECK(told.fpdus[0].header->msn == 2);
    CHECK(told.connections[0].sent.missing == lost.size() - 150);
    CHECK(told.connections[0].sent.unknown == 150);
}

TEST_CASE("a hole that the other endpoint has acknowledged is given up soon") {
    Recording r;
    r.startup();
    r.lose(true, 44);
    for (uint32_t msn = 2; msn < 40; msn++)
        r.send(true, test::fpdu(test::untagged(3, 0, msn, Bytes(8))));
    r.send(false, golden("S-01")); // acknowledges all octets
    for (uint32_t msn = 40; msn < 42; msn++)
        r.send(true, test::fpdu(test::untagged(3, 0, msn, Bytes(8))));
    Told told = decode(r.packets);
    const auto gap = std::ranges::find(told.lines, "> gap: 44 octets not in the capture");
    REQUIRE(gap != told.lines.end());
    CHECK(gap + 41 == told.lines.end()); // the 40 lines of the initiator's FPDUs follow the gap
    CHECK(told.fpdus.size() == 41);
}

TEST_CASE("packets truncated by the capture are holes") {
    Recording r;
    r.startup();
    r.send(true, test::fpdu(test::untagged(3, 0, 1, Bytes(1000))));
    r.packets.back().octets.resize(96);
    r.send(true, test::fpdu(test::untagged(3, 0, 2, Bytes(8))));
    const Told told = decode(r.packets);
    REQUIRE(told.fpdus.size() == 1);
    CHECK(told.fpdus[0].header->msn == 2);
    CHECK(told.connections[0].sent.missing > 900);
}

TEST_CASE("a capture may begin in the middle of a connection") {
    Recording r;
    r.send(false, Bytes(100, 0xee)); // the end of a message that began before the capture
    r.send(true, golden("S-01"));
    r.send(false, golden("RS-01"));
    const Told told = decode(r.packets);
    REQUIRE(told.connections.size() == 1);
    CHECK_FALSE(told.connections[0].started);
    CHECK(told.fpdus.size() == 2);
}

TEST_CASE("other TCP connections are ignored") {
    Recording r;
    r.handshake();
    r.send(true, Bytes(2000, 'x'));
    r.send(false, golden("S-01"));
    r.fin(true);
    CHECK(decode(r.packets).lines.empty());
}

TEST_CASE("a rejected connection has no FPDUs") {
    Recording r;
    r.handshake();
    r.send(true, golden("MPA-REQ2-01"));
    r.send(false, golden("MPA-REP2-03"));
    r.send(true, golden("S-01"));
    const Told told = decode(r.packets);
    REQUIRE(told.lines.size() == 2);
    CHECK_THAT(told.lines[1], ContainsSubstring("reject"));
}

TEST_CASE("an invalid startup frame ends the decoding") {
    Recording r;
    r.handshake();
    Bytes request = golden("MPA-REQ2-01");
    request[17] = 3;
    r.send(true, request);
    r.send(true, golden("S-01"));
    const Told told = decode(r.packets);
    REQUIRE(told.lines.size() == 1);
    CHECK_THAT(told.lines[0], ContainsSubstring("rev 3") && ContainsSubstring("breaks the rules"));
}

TEST_CASE("the end of a stream inside an FPDU, or by a reset, is reported") {
    Recording r;
    r.startup();
    r.send(true, Bytes{0, 100, 0x41});
    r.fin(true);
    r.rst(false);
    const Told told = decode(r.packets);
    REQUIRE(told.lines.size() == 4);
    CHECK(told.lines[2] == "> FIN: in the middle of an FPDU");
    CHECK(told.lines[3] == "< RST: ");
}

TEST_CASE("reused ports form another connection") {
    Recording r;
    r.startup();
    r.send(true, golden("S-01"));
    r.fin(true);
    r.next_[1] += 5000;
    r.next_[0] += 5000;
    r.startup();
    r.send(true, golden("S-01"));
    const Told told = decode(r.packets);
    CHECK(told.connections.size() == 2);
    CHECK(told.fpdus.size() == 2);
}

TEST_CASE("every supported link layer is decoded") {
    Recording r;
    r.startup();
    r.send(true, golden("S-01"));
    const auto in = [&r](const Bytes &header) {
        auto packets = r.packets;
        for (auto &packet : packets) {
            packet.octets.insert(packet.octets.begin(), header.begin(), header.end());
            packet.octets.resize(packet.octets.size() + 6); // Ethernet's padding
        }
        return packets;
    };
    CHECK(decode(in(Bytes(4)), 0).fpdus.size() == 1);
    CHECK(decode(in({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0}), 1).fpdus.size() == 1);
    CHECK(decode(in({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 8, 0}), 1)
              .fpdus.size() == 1);
    CHECK(decode(in({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0}), 113).fpdus.size() == 1);
    Bytes sll2(20);
    sll2[0] = 8;
    CHECK(decode(in(sll2), 276).fpdus.size() == 1);
    CHECK(decode(in({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 6}), 1).fpdus.empty()); // ARP
    CHECK(decode(r.packets, 147).fpdus.empty());
    CHECK_FALSE(link_known(147));
}

TEST_CASE("short and corrupt packets do no harm") {
    const Recording r = conversation(GENERATE(false, true));
    std::mt19937 random(5044);
    // Truncate each packet to each length.
    for (size_t i = 0; i < r.packets.size(); i++) {
        for (size_t length = 0; length <= r.packets[i].octets.size(); length++) {
            auto packets = r.packets;
            packets[i].octets.resize(length);
            packets[i].octets.shrink_to_fit();
            decode(packets);
        }
    }
    // Change octets at random.
    for (int round = 0; round < 3000; round++) {
        auto packets = r.packets;
        for (unsigned n = random() % 20 + 1; n > 0; n--) {
            Bytes &octets = packets[random() % packets.size()].octets;
            octets[random() % octets.size()] = static_cast<uint8_t>(random());
        }
        decode(packets);
    }
    SUCCEED();
}

TEST_CASE("the totals say how many old connections they do not list") {
    const std::map<uint64_t, Connection> last = {{7, {}}};
    std::ostringstream out;
    render::wire_text(out, false)->end({last, 7, 9, 0, 0});
    CHECK(out.str().starts_with("\n6 old connections are not listed\nconnection 7: "));
    CHECK(out.str().ends_with("9 packets, 7 iWARP connections\n"));
}

TEST_CASE("connections that are not iWARP give way to new connections") {
    std::vector<Recording::Packet> packets;
    Recording first = live(1000);
    add(packets, first);
    for (uint16_t port = 2000; port < 2100; port++) {
        Recording scan;
        scan.port = port;
        scan.handshake();
        packets.push_back(scan.packets.front());
    }
    Recording last = live(3000);
    last.send(true, golden("S-01"));
    add(packets, last);
    first.packets.clear();
    first.send(true, golden("S-01"));
    add(packets, first);

    const Told told = decode(packets, raw_ip, 4);
    CHECK(told.connections.size() == 2);
    CHECK(told.fpdus.size() == 2);
    CHECK(told.ignored == 0);
}

TEST_CASE("live iWARP connections do not give way") {
    std::vector<Recording::Packet> packets;
    Recording first = live(1000), second = live(1001);
    add(packets, first);
    add(packets, second);
    second.packets.clear();
    second.fin(true); // the other direction has not ended
    add(packets, second);
    add(packets, live(1002));
    const Told told = decode(packets, raw_ip, 2);
    CHECK(told.connections.size() == 2);
    CHECK(told.ignored == 4); // SYN, SYN with ACK, Request and Reply
}

TEST_CASE("iWARP connections that have ended give way to new connections") {
    std::vector<Recording::Packet> packets;
    Recording first = live(1000), second = live(1001);
    add(packets, first);
    add(packets, second);
    second.packets.clear();
    SECTION("both directions have ended") {
        second.fin(true);
        second.fin(false);
    }
    SECTION("one has been reset") {
        second.rst(false);
    }
    add(packets, second);
    add(packets, live(1002));
    first.packets.clear();
    first.send(true, golden("S-01"));
    add(packets, first);
    const Told told = decode(packets, raw_ip, 2);
    CHECK(told.connections.size() == 3);
    CHECK(told.fpdus.size() == 1);
    CHECK(told.ignored == 0);
}

TEST_CASE("a connection that cannot be iWARP gives way before one that is silent for longer") {
    std::vector<Recording::Packet> packets;
    Recording silent, other;
    silent.port = 1000;
    silent.handshake();
    add(packets, silent);
    other.port = 1001;
    other.handshake();
    other.send(true, Bytes(20, 'x'));
    other.send(false, Bytes(20, 'y'));
    add(packets, other);
    add(packets, live(1002));
    silent.packets.clear();
    silent.send(true, golden("MPA-REQ2-01"));
    silent.send(false, golden("MPA-REP2-01"));
    silent.send(true, test::fpdu(test::untagged(3, 0, 1, Bytes(8)), false));
    add(packets, silent);

    const Told told = decode(packets, raw_ip, 2);
    REQUIRE(told.connections.size() == 2);
    CHECK(told.connections[1].started);
    CHECK(told.fpdus.size() == 1); // an FPDU with a bad CRC is found only at a known position
}

TEST_CASE("the connection that has been silent longest gives way, and its data is decoded") {
    std::vector<Recording::Packet> packets;
    Recording silent, other;
    silent.port = 1000;
    silent.handshake();
    silent.lose(true, 1); // the later octets wait for the missing octet
    silent.send(true, golden("S-01"));
    add(packets, silent);
    other.port = 1001;
    other.handshake();
    add(packets, other);
    add(packets, live(1002));
    other.packets.clear();
    other.send(true, golden("MPA-REQ2-01"));
    other.send(false, golden("MPA-REP2-01"));
    add(packets, other);

    const Told told = decode(packets, raw_ip, 2);
    CHECK(told.connections.size() == 3);
    CHECK(told.fpdus.size() == 1);
    CHECK(told.ignored == 0);
}
