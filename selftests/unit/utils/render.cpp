// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "render/render.hpp"
#include "render/table.hpp"
#include "samples.hpp"

#include <algorithm>
#include <functional>
#include <sstream>
#include <string_view>
#include <type_traits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/xiw.h>

using Catch::Matchers::ContainsSubstring;
namespace render = xiw::render;

namespace {

std::string text(const std::function<void(std::ostream &)> &print) {
    std::ostringstream out;
    print(out);
    return out.str();
}

std::string screen(const xiw::Report &report, bool colour = false) {
    return text([&](std::ostream &out) { render::screen(out, report, colour); });
}

std::string tsv(const xiw::Report &report) {
    return text([&](std::ostream &out) { render::tsv(out, report); });
}

// Check that each line of a table for scripts has as many columns as the first line of the table.
void check_columns(const std::string &table) {
    std::istringstream lines(table);
    std::string first;
    REQUIRE(std::getline(lines, first));
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        CHECK(std::ranges::count(line, '\t') == std::ranges::count(first, '\t'));
        CHECK(line.find("\t\t") == std::string::npos);
    }
}

} // namespace

TEST_CASE("the screen shows devices, features, traffic, trouble and connections") {
    const std::string shown = screen(test::full_report());
    CAPTURE(shown);

    CHECK_THAT(shown, ContainsSubstring("xiw0  soft RNIC on eth0, active, driver 0.1.0"));
    CHECK_THAT(shown, ContainsSubstring("offers    mpa revision 2, crc, atomic scope global"));
    CHECK_THAT(shown, ContainsSubstring("off       markers rx"));
    CHECK_THAT(shown, ContainsSubstring("3 qp, 4 cq, 1,200 mr, 2 connection, 1 listener"));
    CHECK_THAT(shown, ContainsSubstring("sent      1.2 GiB in 1,234,567 FPDUs: 12 "));
    CHECK_THAT(shown, ContainsSubstring("trouble   3 bad CRC"));
    CHECK_THAT(shown, ContainsSubstring("10.0.0.1:38000"));
    CHECK_THAT(shown, ContainsSubstring("listening"));
    CHECK_THAT(shown, ContainsSubstring("QP 18: sent 2/0/0x02"));
    CHECK(shown.find('\033') == std::string::npos);
}

TEST_CASE("a listener that waits for its port is not shown as listening") {
    xiw::Report report = test::full_report();
    report.connections->front().port_taken = true;
    const std::string shown = screen(report);
    CHECK_THAT(shown, ContainsSubstring("port taken") && !ContainsSubstring("listening"));
}

TEST_CASE("the layers that encrypt are shown if there are any") {
    xiw::Report report = test::full_report();
    CHECK_FALSE(report.connections->front().encryption);
    for (auto &connection : *report.connections)
        connection.encryption = 0;
    CHECK_THAT(screen(report), !ContainsSubstring("encryption", Catch::CaseSensitive::No));

    report.connections->back().encryption = XIW_NL_ENCRYPTION_ESP | XIW_NL_ENCRYPTION_WIREGUARD;
    CHECK_THAT(screen(report), ContainsSubstring("esp+wireguard"));
}

TEST_CASE("the directions with markers are shown if there are any") {
    xiw::Report report = test::full_report();
    report.connections->assign(4, (*report.connections)[1]);
    for (auto &connection : *report.connections)
        connection.markers_tx = connection.markers_rx = 0;
    const auto shown = [&report] {
        return text([&](auto &out) { render::connections(out, report, false, false); });
    };
    CHECK_THAT(shown(), !ContainsSubstring("MARKERS"));

    (*report.connections)[1].markers_rx = 1;
    (*report.connections)[2].markers_tx = 1;
    (*report.connections)[3].markers_tx.reset();
    CHECK_THAT(shown(), ContainsSubstring("MARKERS") && ContainsSubstring("  off ") &&
                            ContainsSubstring("  received ") && ContainsSubstring("  sent "));
}

// A cell that depended on all connections made the time of a table grow with the square of their
// number.
TEST_CASE("a cell of the table of connections depends only on its own connection") {
    STATIC_CHECK(
        std::is_same_v<decltype(xiw::markers_cell), render::Cell(const xiw::Connection &)>);
    STATIC_CHECK(
        std::is_same_v<decltype(xiw::encryption_cell), render::Cell(const xiw::Connection &)>);
}

TEST_CASE("the screen has colour only on request") {
    CHECK(screen(test::full_report(), true).find("\033[32m") != std::string::npos);
}

TEST_CASE("the screen reports whether all is well") {
    xiw::Report report = test::full_report();
    report.counters->front().counters.clear();
    CHECK_THAT(screen(report), ContainsSubstring("trouble   none"));

    report.devices->front().state = XIW_NL_DEVICE_STATE_FAILED;
    CHECK_THAT(screen(report), ContainsSubstring("the RNIC has failed"));
    report.devices->front().state = XIW_NL_DEVICE_STATE_DOWN;
    CHECK_THAT(screen(report), ContainsSubstring("interface is down"));
    report.devices->front().objects = {{XIW_A_OBJECTS_PARKED, 2}};
    CHECK_THAT(screen(report), ContainsSubstring("2 parked now"));
}

TEST_CASE("the screen shortens a long list of connections but keeps those in trouble") {
    xiw::Report report = test::full_report();
    const xiw::Connection good = (*report.connections)[1];
    report.connections->insert(report.connections->begin(), 1000, good);
    const std::string shown = screen(report);

    CHECK(std::ranges::count(shown, '\n') < 40);
    CHECK_THAT(shown, ContainsSubstring("QP 18: sent 2/0/0x02"));
    CHECK_THAT(shown, ContainsSubstring("and 983 more: xiw conn xiw0"));
}

TEST_CASE("the screen shows a device without known properties") {
    xiw::Report report;
    report.devices = {xiw::Device{}};
    CHECK_THAT(screen(report), ContainsSubstring("no interface, state unknown"));
}

TEST_CASE("text of an empty report is a sentence") {
    const xiw::Report empty = test::empty_report();
    const xiw::Report nothing;

    for (const xiw::Report *report : {&empty, &nothing}) {
        CHECK_THAT(screen(*report),
                   ContainsSubstring("no xiw device") && ContainsSubstring("rdma link add"));
        CHECK(text([&](auto &out) { render::connections(out, *report, false, true); }) ==
              "no connections\n");
        CHECK(text([&](auto &out) { render::counters(out, *report, false, true); }) ==
              "no devices\n");
        CHECK(text([&](auto &out) { render::capabilities(out, *report, false); }) ==
              "no devices\n");
        CHECK(text([&](auto &out) { render::config(out, *report, false); }) == "no devices\n");
    }
}

TEST_CASE("detailed connections show queues, TCP and messages by opcode") {
    xiw::Report report = test::full_report();
    const auto shown = [&report] {
        return text([&](auto &out) { render::connections(out, report, false, true); });
    };
    const std::string all = shown();
    CAPTURE(all);
    CHECK_THAT(all, ContainsSubstring("queues        send 3 of 128, receive 60 of 64"));
    CHECK_THAT(all, ContainsSubstring(
                        "TCP           cubic, round trip 1,200 us (+- 75), mss 1,448, cwnd 10, "
                        "peer's receive window 64.0 KiB, unacknowledged 2.8 KiB, "
                        "not read by the RNIC 0 B, retransmitted segments 2"));
    CHECK_THAT(all, ContainsSubstring("TLS           aes-gcm-256\n"));
    CHECK_THAT(all, ContainsSubstring("OPERATION     SENT    OCTETS SENT  RECEIVED"));
    CHECK_THAT(all,
               ContainsSubstring("Send            12  4,294,967,297        10            4,096"));
    CHECK_THAT(all, ContainsSubstring("unknown(0xe)     1              -"));

    // Test a shared receive queue without TCP values, and then a connection without any queue.
    auto &connection = (*report.connections)[1];
    connection.rq_depth.reset();
    connection.tcp.reset();
    CHECK_THAT(shown(), ContainsSubstring("send 3 of 128, receive shared"));
    CHECK(shown().find("TCP") == std::string::npos);
    connection.sq_depth.reset();
    connection.operations.clear();
    CHECK(shown().find("queues") == std::string::npos);
    CHECK(shown().find("OPERATION") == std::string::npos);
}

TEST_CASE("detailed connections show the startup frames") {
    const auto shown =
        text([](auto &out) { render::connections(out, test::full_report(), false, true); });
    CHECK_THAT(shown, ContainsSubstring("received  rev 2 crc private 36 enhanced ird 32 ord 1 "
                                        "peer-to-peer rtr-read"));
    CHECK_THAT(shown, ContainsSubstring("QP 18: sent 2/0/0x02"));
}

TEST_CASE("zero counters are shown on request") {
    const auto shown = [](bool all) {
        return text([all](auto &out) { render::counters(out, test::full_report(), false, all); });
    };
    CHECK(shown(false).find("rx_pkts") == std::string::npos);
    CHECK_THAT(shown(true), ContainsSubstring("rx_pkts"));
    CHECK_THAT(shown(false), ContainsSubstring("rx_crc_errors              3"));

    xiw::Report report = test::full_report();
    report.counters->front() = {};
    CHECK_THAT(text([&](auto &out) { render::counters(out, report, false, false); }),
               ContainsSubstring("all counters are zero"));

    report.counters->front().counters = {{"new", 7, "of a newer driver", true}};
    CHECK_THAT(text([&](auto &out) { render::counters(out, report, false, false); }),
               ContainsSubstring("new          7  of a newer driver"));
}

TEST_CASE("capabilities show all four views and their source") {
    const auto shown =
        text([](auto &out) { render::capabilities(out, test::full_report(), false); });
    CAPTURE(shown);
    CHECK_THAT(shown, ContainsSubstring("xiw0 QP 17"));
    CHECK_THAT(shown, ContainsSubstring("write+read+send  write+read  read+send  read"));
    CHECK_THAT(shown, ContainsSubstring("negotiated"));
    CHECK_THAT(shown, ContainsSubstring("refused"));
}

TEST_CASE("tables for scripts have equal columns and a heading, even when empty") {
    const xiw::Report full = test::full_report();
    const auto only = [](auto part, const xiw::Report &from) {
        xiw::Report report;
        report.*part = from.*part;
        return tsv(report);
    };
    for (const xiw::Report &report : {full, test::empty_report()}) {
        check_columns(only(&xiw::Report::devices, report));
        check_columns(only(&xiw::Report::connections, report));
        check_columns(only(&xiw::Report::counters, report));
        check_columns(only(&xiw::Report::capabilities, report));
        check_columns(only(&xiw::Report::config, report));
    }
    CHECK_THAT(only(&xiw::Report::connections, full), ContainsSubstring("\t0x2002\t"));
    CHECK_THAT(only(&xiw::Report::counters, full), ContainsSubstring("\t1288490189\n"));
    CHECK_THAT(only(&xiw::Report::capabilities, full),
               ContainsSubstring("xiw0\t17\trtr\twrite+read+send\twrite+read\t"));
    CHECK_THAT(only(&xiw::Report::config, full), ContainsSubstring("xiw0\trtr\twrite+read\n"));
}

TEST_CASE("names cannot control the terminal or break a table") {
    xiw::Report report = test::full_report();
    report.devices->front().ref.name = "a\033[2J\tb\n";
    CHECK(screen(report).find('\033') == std::string::npos);
    check_columns(tsv(report));
    CHECK(render::printable("a\tb\x7f") == "a\\x09b\\x7f");
}

TEST_CASE("printable() escapes C1 control characters and everything that is not UTF-8") {
    struct Row {
        std::string_view text, shown;
    };
    const auto row = GENERATE(values<Row>({
        {"e\302\2332J", "e\\xc2\\x9b2J"},
        {"e\2332J", "e\\x9b2J"},
        {"\xc2\x80\xc2\x9f", "\\xc2\\x80\\xc2\\x9f"},
        {"\xc2\xa0", "\xc2\xa0"},
        {"a\xff", "a\\xff"},
        // Valid characters: the first and the last of each length, and those around surrogates
        {"\xc3\xbc", "\xc3\xbc"},
        {"\xdf\xbf", "\xdf\xbf"},
        {"\xe0\xa0\x80", "\xe0\xa0\x80"},
        {"\xe2\x82\xac", "\xe2\x82\xac"},
        {"\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80"},
        {"\xef\xbf\xbf", "\xef\xbf\xbf"},
        {"\xf0\x90\x80\x80", "\xf0\x90\x80\x80"},
        {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
        // Overlong forms, surrogates, and code points above the last one, U+10FFFF
        {"\xc0\x80", "\\xc0\\x80"},
        {"\xc1\xbf", "\\xc1\\xbf"},
        {"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"},
        {"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
        {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
        // Characters that are cut off
        {"\xc3", "\\xc3"},
        {"\xc3(", "\\xc3("},
        {"\xe2\x82", "\\xe2\\x82"},
        {"\xe2\x82(", "\\xe2\\x82("},
        {"\xf0\x90\x80(", "\\xf0\\x90\\x80("},
    }));
    CAPTURE(row.shown);
    CHECK(render::printable(row.text) == row.shown);
}

TEST_CASE("numbers are printed with units and separators") {
    CHECK(render::size_word(0) == "0 B");
    CHECK(render::size_word(1023) == "1023 B");
    CHECK(render::size_word(1024) == "1.0 KiB");
    CHECK(render::size_word(1048575) == "1.0 MiB");
    CHECK(render::size_word(UINT64_MAX) == "16384.0 PiB");
    CHECK(render::grouped(0) == "0");
    CHECK(render::grouped(999) == "999");
    CHECK(render::grouped(1000) == "1,000");
    CHECK(render::grouped(1234567) == "1,234,567");
}

TEST_CASE("a table omits columns without values") {
    render::Table table({"a", "b", "c"});
    table.row({"1", "", "3"});
    table.row({"", "", "4"});
    CHECK(text([&](auto &out) { table.aligned(out, false, 1); }) == " A  C\n 1  3\n -  4\n");
}

TEST_CASE("a table aligns numbers to the right") {
    render::Table table({"qp", "sent", "time", "peer", "used", "left"});
    table.row({"1", "1,234", "9.50 us", "10.10.0.1", "1/16", "1"});
    table.row({"17", "5", "100 ns", "10.10.0.22", "12/16", "x"});
    table.row({"", "70", "1.2 MiB/s", "", "0/1", "3"});
    CHECK(text([&](auto &out) { table.aligned(out, false); }) ==
          "QP   SENT       TIME  PEER        USED   LEFT\n"
          " 1  1,234    9.50 us  10.10.0.1   1/16   1\n"
          "17      5     100 ns  10.10.0.22  12/16  x\n"
          " -     70  1.2 MiB/s  -           0/1    3\n");
}

TEST_CASE("long lines are folded below their last column") {
    CHECK(render::folded("short\n\n", 10) == "short\n\n");
    CHECK(render::folded("  off       one, two, three, four\n", 24) == "  off       one, two,\n"
                                                                       "            three, four\n");
    // If a column begins in the right half of the terminal, the line is folded between columns.
    CHECK(render::folded(" a b c  d e f g h  i j k  l m\n", 24) ==
          " a b c  d e f g h  i j k\n   l m\n");
    CHECK(render::folded("a b c d e f g  h i j k l m n o\n", 18) ==
          "a b c d e f g\n  h i j k l m n o\n");
    CHECK(render::folded("  1234567890 1234567890", 10) == "  1234567890\n"
                                                           "    1234567890");
    CHECK(render::folded("12345678901234567890", 10) == "12345678901234567890");
    CHECK(render::folded("x  aaa bbb    \n", 8) == "x  aaa\n   bbb    \n");
    // Colours occupy no columns.
    CHECK(render::folded("\033[31m12345\033[0m 7890", 10) == "\033[31m12345\033[0m 7890");
    CHECK(render::folded("\033[31m12345 \033[0m78901", 10) == "\033[31m12345\n  \033[0m78901");
}
