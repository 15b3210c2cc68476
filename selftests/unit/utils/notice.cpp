// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/notice.hpp"

#include "kernel.hpp"
#include "nl/decode.hpp"
#include "render/render.hpp"
#include "samples.hpp"
#include "schema.hpp"
#include "tool.hpp"

#include <cerrno>
#include <sstream>

#include <netinet/in.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/xiw.h>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::Attrs;
using xiw::Exit;

namespace {

xiw::Notice decoded(const Attrs &reply) {
    return xiw::nl::decode_notice(xiw::nl::Attributes(reply));
}

test::Result term(std::vector<Attrs> notices, std::vector<const char *> arguments = {}) {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_NOTICE_GET].objects = std::move(notices);
    arguments.insert(arguments.begin(), "term");
    return test::run_tool(&kernel, arguments);
}

} // namespace

TEST_CASE("a notice is decoded") {
    const xiw::Notice n = decoded(test::terminate_notice());

    CHECK(n.device.name == "xiw0");
    CHECK(n.kind == uint64_t{XIW_NL_NOTICE_TERMINATE});
    CHECK(n.number == 7U);
    CHECK(n.qpn == 17U);
    CHECK(n.terminate == 0x1100U);
    CHECK(n.segment_length == 114U);
    CHECK(n.ddp_header.size() == 14);
    CHECK(n.rdma_header.empty());
    CHECK_FALSE(n.hidden);
    CHECK(n.remote->port == 4420);
}

TEST_CASE("headers of segments are parsed, and short ones are refused") {
    const std::vector<uint8_t> tagged = {0xc1, 0x40, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0x10, 0x01};
    const auto write = xiw::parse_segment_header(tagged);
    REQUIRE(write);
    CHECK(write->tagged);
    CHECK(write->opcode == 0);
    CHECK(write->stag == 0x01020304);
    CHECK(write->to == 0x1001);

    const std::vector<uint8_t> untagged = {0x41, 0x44, 9, 8, 7, 6, 0, 0, 0,
                                           1,    0,    0, 0, 5, 0, 0, 2, 0};
    const auto send = xiw::parse_segment_header(untagged);
    REQUIRE(send);
    CHECK_FALSE(send->tagged);
    CHECK(send->opcode == 4);
    CHECK(send->stag == 0x09080706);
    CHECK(send->queue == 1);
    CHECK(send->msn == 5);
    CHECK(send->mo == 0x200);

    for (size_t length = 0; length < untagged.size(); length++)
        CHECK_FALSE(xiw::parse_segment_header(std::span(untagged).first(length)));
    for (size_t length = 0; length < tagged.size(); length++)
        CHECK_FALSE(xiw::parse_segment_header(std::span(tagged).first(length)));
    std::vector<uint8_t> read(28);
    read[15] = 9;
    CHECK(xiw::parse_read_header(read)->size == 9);
    CHECK_FALSE(xiw::parse_read_header(std::span(read).first(27)));
}

TEST_CASE("xiw term prints the event, the connection, the segment and what to check") {
    const test::Result result = term({test::terminate_notice(), test::reject_notice()});

    CHECK(result.exit == Exit::ok);
    CHECK_THAT(result.out, StartsWith("2026-11-22T08:30:00.123456Z  xiw0  QP 17  "
                                      "10.0.0.1:38000 > 10.0.0.2:4420\n"));
    CHECK_THAT(result.out, ContainsSubstring("sent Terminate 1/1/0x00 DDP, tagged buffer"));
    CHECK_THAT(result.out, ContainsSubstring("(RFC 5041 section"));
    CHECK_THAT(result.out, ContainsSubstring("segment of 114 octets, STag 0x77777700, TO 0x40"));
    CHECK_THAT(result.out, ContainsSubstring("check     a Write to a key"));
    CHECK_THAT(result.out, ContainsSubstring("the peer rejected the connect"));
}

TEST_CASE("a listener without its port is reported with the port and what to check") {
    sockaddr_in local{};
    local.sin_family = AF_INET;
    local.sin_port = htons(445);
    const test::Result result = term({Attrs()
                                          .u32(XIW_A_NOTICE_DEV_INDEX, 1)
                                          .text(XIW_A_NOTICE_DEV_NAME, "xiw0")
                                          .u8(XIW_A_NOTICE_KIND, XIW_NL_NOTICE_LISTEN_ERROR)
                                          .u64(XIW_A_NOTICE_NUMBER, 1)
                                          .u64(XIW_A_NOTICE_TIME, 1795336200000000000)
                                          .u8(XIW_A_NOTICE_ORIGIN, XIW_NL_ORIGIN_LOCAL)
                                          .u8(XIW_A_NOTICE_ROLE, XIW_NL_ROLE_LISTENER)
                                          .raw(XIW_A_NOTICE_LOCAL_ADDR, &local, sizeof(local))
                                          .u32(XIW_A_NOTICE_ERROR, EADDRINUSE)});

    CHECK_THAT(result.out, ContainsSubstring("0.0.0.0:445"));
    CHECK_THAT(result.out, ContainsSubstring("a listener waits: EADDRINUSE"));
    CHECK_THAT(result.out, ContainsSubstring("ss -ltn"));
}

TEST_CASE("hidden values are not shown as zero") {
    Attrs reply = test::terminate_notice();
    reply.flag(XIW_A_NOTICE_HIDDEN);
    const test::Result result = term({reply});

    CHECK_THAT(result.out, ContainsSubstring("for CAP_NET_ADMIN only"));
    CHECK_THAT(result.out, !ContainsSubstring("STag 0x"));
}

TEST_CASE("the last segments before the end are shown on request") {
    const xiw::Notice n = decoded(test::terminate_notice());
    REQUIRE(n.records.size() == 3);
    CHECK(n.records[0].age == 1'234'567U);
    CHECK(n.records[0].sent);
    CHECK(n.records[0].message);
    CHECK(n.records[0].length == 4096U);
    CHECK(n.records[0].ddp_header.size() == 18);
    CHECK_FALSE(n.records[1].sent);
    CHECK(n.records[1].ddp_header.empty());
    CHECK_FALSE(n.records[2].message);

    CHECK_THAT(term({test::terminate_notice()}).out, !ContainsSubstring("BEFORE"));
    const test::Result shown = term({test::terminate_notice()}, {"--recorder"});
    CAPTURE(shown.out);
    CHECK_THAT(shown.out, ContainsSubstring("\n      BEFORE  WAY       PASSED LAST\n"));
    CHECK_THAT(shown.out,
               ContainsSubstring("1,234 us  sent      Send, queue 0, 4096 octets, the message\n"));
    CHECK_THAT(shown.out, ContainsSubstring("       40 us  received  unreadable, 1400 octets\n"));
    CHECK_THAT(shown.out, ContainsSubstring("3 us  received  RDMA Write, STag 0x77777700, "
                                            "TO 0x40, 100 octets, the last of the message\n"));

    const auto document = nlohmann::json::parse(term({test::terminate_notice()}, {"--json"}).out);
    CHECK(test::violations(test::tool_schema(), document).empty());
    const auto &records = document.at("notices").at(0).at("records");
    CHECK(records.at(0).at("direction") == "sent");
    CHECK(records.at(0).at("opcode") == 3);
    CHECK(records.at(1).at("ddp_header").is_null());
    CHECK(records.at(1).at("operation").is_null());
    CHECK(records.at(2).at("age_ns") == 3'999);
}

TEST_CASE("an incomplete record is printed as far as it goes") {
    xiw::Record record;
    record.ddp_header = {0xc1, 0x40, 0x77, 0x77, 0x77, 0, 0, 0, 0, 0, 0, 0, 0, 0x40};
    CHECK(xiw::record_text(record) ==
          "RDMA Write, STag 0x77777700, TO 0x40, ?, the last of the message");
    record.hidden = true;
    CHECK(xiw::record_text(record) == "RDMA Write, ?, the last of the message");
    record.ddp_header[0] = 0x81;
    CHECK(xiw::record_text(record) == "RDMA Write, ?");
    record.ddp_header = {0x41, 0x44, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 1, 0};
    CHECK(xiw::record_text(record) == "Send with Invalidate, queue 0, MSN 7, MO 256, "
                                      "invalidates STag 0x00000009, ?, the last of the message");
    record.ddp_header.pop_back();
    CHECK(xiw::record_text(record) == "unreadable, ?");
}

TEST_CASE("a refused Read is shown with its source and its sink") {
    std::vector<uint8_t> ddp(18), read(28);
    ddp[0] = 0x41;
    ddp[1] = 0x41;
    ddp[9] = 1;
    ddp[13] = 3;
    read[3] = 0x11;
    read[14] = 0x10;
    read[19] = 0x22;
    Attrs reply = test::reject_notice();
    reply.u16(XIW_A_NOTICE_TERMINATE, 0x0101)
        .raw(XIW_A_NOTICE_DDP_HEADER, ddp.data(), ddp.size())
        .raw(XIW_A_NOTICE_RDMA_HEADER, read.data(), read.size());
    const std::string about = xiw::notice_header_text(decoded(reply));

    CHECK_THAT(about, ContainsSubstring("queue 1, MSN 3, MO 0, 4096 octets"));
    CHECK_THAT(about, ContainsSubstring("from STag 0x00000022, TO 0x0 to STag 0x00000011"));
}

TEST_CASE("every kind of notice has a description, with few or many attributes") {
    for (uint8_t kind = 0; kind <= XIW_NL_NOTICE_MAX + 1; kind++) {
        for (const bool more : {false, true}) {
            Attrs reply = Attrs()
                              .u32(XIW_A_NOTICE_DEV_INDEX, 1)
                              .text(XIW_A_NOTICE_DEV_NAME, "xiw0")
                              .u8(XIW_A_NOTICE_KIND, kind);
            if (more)
                reply.u8(XIW_A_NOTICE_ORIGIN, XIW_NL_ORIGIN_LOCAL)
                    .u32(XIW_A_NOTICE_ERROR, 110)
                    .u16(XIW_A_NOTICE_TERMINATE, 0xffff)
                    .text(XIW_A_NOTICE_TEXT, "a\033reason");
            CAPTURE(kind, more);
            const test::Result text = term({reply});
            CHECK(text.exit == Exit::ok);
            CHECK(text.out.size() > 10);
            CHECK(text.out.find('\033') == std::string::npos);
            const test::Result json = term({reply}, {"--json"});
            CHECK(test::violations(test::tool_schema(), nlohmann::json::parse(json.out)).empty());
        }
    }
    CHECK_THAT(term({}).out, ContainsSubstring("no errors"));
    CHECK(xiw::notice_text({}) == "unknown");
}

TEST_CASE("JSON of notices keeps numbers as numbers and follows the schema") {
    const auto document = nlohmann::json::parse(
        term({test::terminate_notice(), test::reject_notice()}, {"--json"}).out);

    CHECK(test::violations(test::tool_schema(), document).empty());
    const auto &first = document.at("notices").at(0);
    CHECK(first.at("time_ns") == 1795336200123456789U);
    CHECK(first.at("terminate").at("ddp_header") == "c140777777000000000000000040");
    CHECK(first.at("terminate").at("layer") == 1);
    CHECK(document.at("notices").at(1).at("terminate").is_null());
}

TEST_CASE("xiw term can be limited to a QP and to the latest notices") {
    const std::vector<Attrs> three = {test::terminate_notice(), test::reject_notice(),
                                      test::terminate_notice(9)};
    const auto numbers = [&three](std::vector<const char *> arguments) {
        arguments.emplace_back("--json");
        const auto document = nlohmann::json::parse(term(three, arguments).out);
        std::vector<int> list;
        for (const auto &n : document.at("notices"))
            list.push_back(n.at("number"));
        return list;
    };
    CHECK(numbers({}) == std::vector<int>{7, 8, 9});
    CHECK(numbers({"-n", "2"}) == std::vector<int>{8, 9});
    CHECK(numbers({"-n", "0"}).empty());
    CHECK(numbers({"-n", "5"}) == std::vector<int>{7, 8, 9});
    CHECK(numbers({"--qp", "17"}) == std::vector<int>{7, 9});
    CHECK(numbers({"--qp", "17", "--last", "1"}) == std::vector<int>{9});
    CHECK(numbers({"--qp", "5"}).empty());
    for (const char *bad : {"-1", "x", "4294967296"})
        CHECK(term(three, {"-n", bad}).exit == Exit::usage);
}
