// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The encoder builds a message from the fields of each row of a table. The message must equal the
// octets of the golden vector that the row names.
#include "message.hpp"
#include "peer.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw::peer;

namespace {

struct Row {
    std::string_view id, kind;
    Keys keys;
};

const Row rows[] = {
    {"S-01", "send", {{"data", "count:16"}}},
    {"S-02", "send", {{"data", "count:17"}}},
    {"S-03", "send", {{"data", "count:18"}}},
    {"S-04", "send", {{"data", "count:19"}}},
    {"S-05", "send", {}},
    {"S-06", "send-inv", {{"data", "count:16"}, {"inv", "0x11223344"}}},
    {"S-07", "send-se", {{"data", "count:16"}}},
    {"S-08", "send-se-inv", {{"data", "count:16"}, {"inv", "0x11223344"}}},
    {"S-13",
     "send",
     {{"data", "count:4"}, {"inv", "0xffffffff"}, {"ddp_rsvd", "15"}, {"rdmap_rsvd", "3"}}},
    {"W-01", "write", {{"stag", "0x11223344"}, {"to", "0x100000000"}, {"data", "count:16"}}},
    {"W-03", "write", {}},
    {"RR-01",
     "read-request",
     {{"sink_stag", "0xcafe0010"},
      {"sink_to", "0x2000"},
      {"size", "4096"},
      {"src_stag", "0x11223344"},
      {"src_to", "0x100000000"}}},
    {"RS-01", "read-response", {{"stag", "0xcafe0010"}, {"to", "0x3000"}, {"data", "count:32:32"}}},
    {"IM-01", "immediate", {{"imm", "0xa1b2c3d400000000"}}},
    {"IM-02", "immediate-se", {{"imm", "0xa1b2c3d400000000"}}},
    {"AR-01",
     "fetchadd",
     {{"id", "0x10"},
      {"target_stag", "0x11223344"},
      {"target_to", "0x100000040"},
      {"operand", "5"}}},
    {"AR-08",
     "cmpswap",
     {{"id", "0x17"},
      {"msn", "8"},
      {"target_stag", "0x11223344"},
      {"target_to", "0x100000040"},
      {"operand", "0x1111111111111111"},
      {"compare", "0x2222222222222222"}}},
    {"AA-01", "atomic-response", {{"id", "0x10"}, {"original", "0x00000000fffffffe"}}},
    {"T-2-0-02", "terminate", {{"layer", "2"}, {"code", "2"}}},
    {"T-1-1-00",
     "terminate",
     {{"layer", "1"},
      {"etype", "1"},
      {"m", "1"},
      {"d", "1"},
      {"seg_len", "30"},
      {"header", "c140112233440000000100000000"}}},
};

} // namespace

TEST_CASE("peer: golden messages are built") {
    for (const Row &row : rows) {
        CAPTURE(row.id);
        CHECK(hex(build(row.kind, row.keys, 1)) == hex(golden().at(row.id).octets));
    }
}

TEST_CASE("peer: every golden FPDU is decoded and rebuilt") {
    unsigned known = 0;

    for (const Vector &v : golden().all()) {
        if (v.startup || v.marked)
            continue;
        Frame frame = decode(v.octets);
        CAPTURE(v.id, frame.describe());
        if (frame.kind == "unknown")
            continue;
        known++;
        Keys keys;
        for (const Field &f : frame.fields)
            if (f.name != "ulpdu_len")
                keys[std::string(f.name)] = *frame.text(f.name);
        for (const Part &p : frame.parts)
            if (p.size != 0 || p.name == "pad")
                keys[std::string(p.name)] = *frame.text(p.name);
        CHECK(hex(build(frame.kind, keys, 0)) == hex(v.octets));
        CHECK(crc_good(v.octets) == !v.id.starts_with("N-CRC"));
    }
    CHECK(known > 150);
}

TEST_CASE("peer: a segment can be built with chosen defects") {
    Octets right = build("send", {{"data", "count:17"}}, 1);

    Octets bad = build("send", {{"data", "count:17"}, {"crc", "bad"}}, 1);
    CHECK(bad.size() == right.size());
    CHECK_FALSE(crc_good(bad));
    crc_renew(bad);
    CHECK(bad == right);
    CHECK(load(build("send", {{"len", "99"}}, 1), 0, 2) == 99);
    CHECK(hex(build("send", {{"data", "00"}, {"pad", "010203"}}, 1)).substr(42, 6) == "010203");
    CHECK(hex(build("send", {{"crc", "none"}}, 1)).ends_with("00000000"));
    CHECK(hex(build("send", {{"crc", "12345678"}}, 1)).ends_with("12345678"));
}

TEST_CASE("peer: a message that cannot be encoded is refused") {
    CHECK_THROWS_AS(build("rubbish", {}, 1), std::invalid_argument);
    CHECK_THROWS_AS(build("write", {{"msn", "1"}}, 1), std::invalid_argument);
    CHECK_THROWS_AS(build("write", {{"stag", "0x100000000"}}, 1), std::invalid_argument);
    CHECK_THROWS_AS(build("write", {{"dv", "4"}}, 1), std::invalid_argument);
    CHECK_THROWS_AS(build("write", {{"stag", "x"}}, 1), std::invalid_argument);
}

TEST_CASE("peer: any octets can be decoded") {
    Octets octets = golden().at("AR-01").octets;

    for (size_t n = 0; n <= octets.size(); n++) {
        Octets cut(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(n));

        CHECK((decode(cut).kind == "unknown") == (n < octets.size()));
        CHECK_FALSE(decode(cut).describe().empty());
    }
    for (unsigned op = 0; op < 256; op++) {
        Octets other = octets;

        other[3] = static_cast<uint8_t>(op);
        crc_renew(other);
        CHECK_FALSE(decode(other).summary().empty());
    }
}
