// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "kernel.hpp"
#include "samples.hpp"
#include "schema.hpp"
#include "tool.hpp"

#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/genetlink.h>
#include <linux/xiw.h>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::Attrs;
using test::Event;
using xiw::Exit;

namespace {

Attrs moved(uint64_t number, uint32_t qpn = 17, uint32_t device = 1, const char *name = "xiw0") {
    return Attrs()
        .u32(XIW_A_NOTICE_DEV_INDEX, device)
        .text(XIW_A_NOTICE_DEV_NAME, name)
        .u8(XIW_A_NOTICE_KIND, XIW_NL_NOTICE_QP_STATE)
        .u64(XIW_A_NOTICE_NUMBER, number)
        .u64(XIW_A_NOTICE_TIME, 1795336200000000000)
        .u32(XIW_A_NOTICE_QPN, qpn)
        .u8(XIW_A_NOTICE_FROM, XIW_NL_STREAM_STATE_RTS)
        .u8(XIW_A_NOTICE_TO, XIW_NL_STREAM_STATE_ERROR);
}

test::Result monitor(test::Kernel &kernel, std::vector<const char *> arguments) {
    arguments.insert(arguments.begin(), "monitor");
    return test::run_tool(&kernel, arguments);
}

// An event of nlctrl about a family.
Event control(uint8_t command, uint16_t family) {
    return {Attrs().u16(CTRL_ATTR_FAMILY_ID, family), command, GENL_ID_CTRL};
}

test::Result monitor(std::deque<Event> events, std::vector<const char *> arguments) {
    test::Kernel kernel = test::busy_kernel();
    kernel.events = std::move(events);
    return monitor(kernel, std::move(arguments));
}

std::vector<nlohmann::json> lines(const std::string &text) {
    std::vector<nlohmann::json> list;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        list.push_back(nlohmann::json::parse(line));
        CHECK(test::violations(test::tool_schema(), list.back()).empty());
    }
    return list;
}

} // namespace

TEST_CASE("xiw monitor joins the group and prints each event") {
    test::Kernel kernel = test::busy_kernel();
    kernel.events = {moved(6), test::terminate_notice(7)};
    const test::Result result = monitor(kernel, {"--count", "2"});

    CHECK(result.exit == Exit::ok);
    CHECK(kernel.joined == std::vector<uint32_t>{GENL_ID_CTRL, 9});
    CHECK_THAT(result.out, StartsWith("2026-11-22T08:30:00.000000Z  xiw0  QP 17\n"));
    CHECK_THAT(result.out, ContainsSubstring("rts -> error"));
    CHECK_THAT(result.out, ContainsSubstring("sent Terminate 1/1/0x00"));
    CHECK(result.err.empty());
}

TEST_CASE("xiw monitor prints one JSON document per line, an empty one first") {
    const auto list = lines(monitor({moved(6), moved(7)}, {"--json", "-c", "2"}).out);

    REQUIRE(list.size() == 3);
    CHECK(list[0].at("notices").empty());
    CHECK(list[1].at("notices").at(0).at("to") == "error");
    CHECK(list[2].at("notices").at(0).at("number") == 7);
}

TEST_CASE("xiw monitor reports how many notices were lost") {
    const std::deque<Event> events = {moved(6), Attrs(), moved(10), moved(11)};
    const auto list = lines(monitor(events, {"--json", "-c", "3"}).out);

    REQUIRE(list.size() == 5);
    CHECK(list[2].at("lost") == 3);
    CHECK(list[2].at("notices").empty());
    CHECK_FALSE(list[4].contains("lost"));

    const test::Result text = monitor(events, {"-c", "3"});
    CHECK_THAT(text.out, ContainsSubstring("3 events of xiw0 are lost"));
    CHECK_THAT(text.err, ContainsSubstring("some are lost"));
    CHECK(text.exit == Exit::ok);
}

TEST_CASE("filtered notices do not count as lost") {
    const auto list = lines(monitor({moved(6), moved(7, 18), test::terminate_notice(8), moved(9)},
                                    {"--json", "-c", "2", "-k", "qp-state", "-q", "17"})
                                .out);
    REQUIRE(list.size() == 3);
    CHECK(list[1].at("notices").at(0).at("number") == 6);
    CHECK(list[2].at("notices").at(0).at("number") == 9);
    const auto kinds = lines(monitor({moved(6), test::terminate_notice(7), moved(8)},
                                     {"-c", "1", "--json", "-k", "reject", "-k", "terminate"})
                                 .out);
    REQUIRE(kinds.size() == 2);
    CHECK(kinds[1].at("notices").at(0).at("kind") == "terminate");
}

TEST_CASE("xiw monitor prints a table for scripts") {
    const test::Result result = monitor({moved(6), moved(9)}, {"--tsv", "--count", "2"});
    CHECK(result.exit == Exit::ok);
    std::istringstream in(result.out);
    std::vector<std::string> table;
    for (std::string line; std::getline(in, line);)
        table.push_back(line);
    REQUIRE(table.size() == 3);
    CHECK_THAT(table[0], StartsWith("device\tnumber"));
    CHECK_THAT(table[2], StartsWith("xiw0\t9\t"));
    CHECK_THAT(result.err, ContainsSubstring("2 events of xiw0 are lost"));
}

TEST_CASE("xiw monitor refuses wrong arguments and reports a module without the group") {
    const auto arguments = GENERATE(values<std::vector<const char *>>({
        {"--kind", "bogus"},
        {"--kind"},
        {"--count", "x"},
        {"--count", "-1"},
        {"--detail"},
        {"xiw0", "xiw1"},
    }));
    CHECK(monitor({moved(1)}, arguments).exit == Exit::usage);

    test::Kernel kernel = test::busy_kernel();
    kernel.groups = false;
    const test::Result old = monitor(kernel, {"-c", "1"});
    CHECK(old.exit == Exit::failed);
    CHECK_THAT(old.err, ContainsSubstring("no group"));
    CHECK(monitor({}, {"-c", "0"}).exit == Exit::ok);
    CHECK(monitor({}, {"bogus", "-c", "0"}).exit == Exit::failed);
}

TEST_CASE("xiw monitor ends when its output cannot be written") {
    test::Kernel kernel = test::busy_kernel();
    kernel.events = {moved(6), moved(7), moved(8), moved(9)};
    // There is room for the first document, which contains no event, and for one event.
    const test::Result result = test::run_tool(&kernel, {"monitor", "--json"}, {}, 2);
    CHECK(result.exit == Exit::failed);
    CHECK(result.err == "xiw: cannot write the output\n");
    CHECK(kernel.events.size() == 2);
}

TEST_CASE("a malformed event ends xiw monitor with a message") {
    const test::Result result = monitor({Attrs().u8(XIW_A_NOTICE_KIND, 0)}, {"--count", "1"});
    CHECK(result.exit == Exit::failed);
    CHECK_FALSE(result.err.empty());
}

TEST_CASE("xiw monitor ends if the module is removed") {
    test::Kernel kernel = test::busy_kernel();
    const uint16_t other = test::family + 1;
    // The second event has the number of XIW_CMD_NOTICE_NTF, but is not an event of the driver.
    STATIC_REQUIRE(CTRL_CMD_DELMCAST_GRP == static_cast<int>(XIW_CMD_NOTICE_NTF));
    kernel.events = {
        control(CTRL_CMD_DELFAMILY, other),        control(CTRL_CMD_DELMCAST_GRP, test::family),
        control(CTRL_CMD_NEWFAMILY, test::family), moved(6),
        control(CTRL_CMD_DELFAMILY, test::family), moved(7)};
    const test::Result result = monitor(kernel, {"--json"});

    CHECK(result.exit == Exit::absent);
    CHECK(result.err == "xiw: the kernel module xiw was removed\n");
    const auto list = lines(result.out);
    REQUIRE(list.size() == 2);
    CHECK(list[1].at("notices").at(0).at("number") == 6);
    CHECK(kernel.events.size() == 1);
}

TEST_CASE("xiw monitor follows a device that is removed and added again") {
    const test::Result result =
        monitor({moved(6), moved(1, 18, 2, "xiw1"), moved(1, 19, 3), moved(3, 20, 3)},
                {"--tsv", "xiw0", "-c", "3"});

    CHECK(result.exit == Exit::ok);
    CHECK_THAT(result.out, ContainsSubstring("\t17\t"));
    CHECK_THAT(result.out, !ContainsSubstring("\t18\t"));
    CHECK_THAT(result.out, ContainsSubstring("\t19\t"));
    CHECK_THAT(result.out, ContainsSubstring("\t20\t"));
    CHECK_THAT(result.err, StartsWith("xiw: xiw0 is another device now\n"));
    CHECK_THAT(result.err, ContainsSubstring("1 events of xiw0 are lost\n"));
}
