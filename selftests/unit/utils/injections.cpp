// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/injections.hpp"
#include "kernel.hpp"
#include "model/words.hpp"
#include "samples.hpp"
#include "schema.hpp"
#include "tool.hpp"

#include <cerrno>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/xiw.h>

using Catch::Matchers::ContainsSubstring;
using test::Attrs;
using xiw::Exit;

namespace {

test::Result inject(test::Kernel &kernel, std::vector<const char *> arguments) {
    arguments.insert(arguments.begin(), "inject");
    return test::run_tool(&kernel, arguments);
}

test::Result inject(std::vector<const char *> arguments) {
    test::Kernel kernel = test::busy_kernel();
    return inject(kernel, std::move(arguments));
}

} // namespace

TEST_CASE("xiw inject shows the armed injections") {
    const test::Result result = inject({});
    CHECK(result.exit == Exit::ok);
    CHECK(result.out ==
          "DEVICE  QPN  KIND           AT  EVERY  COUNT   TIME   OCTETS  SEEN  HITS\n"
          "xiw0    3    reset           5      1  1       -          10     7     1\n"
          "xiw0    all  delay           1      2  no end  250ms       -     4     2\n"
          "xiw0    all  unknown(0x63)   -      -  -       -           -     -     -\n");
    CHECK(inject({"show"}).out == result.out);
    CHECK(inject({"show", "xiw0"}).out == result.out);
    CHECK(inject({"show", "xiw9"}).exit == Exit::failed);
}

TEST_CASE("xiw inject prints JSON and TSV") {
    const auto json = nlohmann::json::parse(inject({"--json"}).out);
    CHECK(test::violations(test::tool_schema(), json).empty());
    const auto &armed = json.at("injections").at(0).at("armed");
    CHECK(armed.at(0) == nlohmann::json{{"kind", "reset"},
                                        {"qpn", 3},
                                        {"at", 5},
                                        {"every", 1},
                                        {"count", 1},
                                        {"time_ms", nullptr},
                                        {"octets", 10},
                                        {"seen", 7},
                                        {"hits", 1}});
    CHECK(armed.at(1).at("qpn").is_null());
    CHECK(armed.at(2).at("seen").is_null());
    CHECK(inject({"--tsv"}).out ==
          "device\tqpn\tkind\tat\tevery\tcount\ttime_ms\toctets\tseen\thits\n"
          "xiw0\t3\treset\t5\t1\t1\t-\t10\t7\t1\n"
          "xiw0\t-\tdelay\t1\t2\t0\t250\t-\t4\t2\n"
          "xiw0\t-\tunknown(0x63)\t-\t-\t-\t-\t-\t-\t-\n");
}

TEST_CASE("xiw inject reports that no injections are armed, or that no devices exist") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_INJECT_GET].objects = {
        Attrs().u32(XIW_A_INJECT_DEV_INDEX, 1).text(XIW_A_INJECT_DEV_NAME, "xiw0")};
    CHECK(inject(kernel, {}).out == "no injections are armed\n");
    kernel.answers[XIW_CMD_INJECT_GET].objects.clear();
    CHECK(inject(kernel, {}).out == "no devices\n");
}

TEST_CASE("inject set sends only the given arguments") {
    test::Kernel kernel = test::busy_kernel();
    const test::Result result = inject(kernel, {"set", "xiw0", "delay", "at=4294967295", "every=2",
                                                "count=0", "time=2s", "-q", "17"});
    CHECK(result.exit == Exit::ok);
    CHECK(result.out.empty());
    CHECK(result.err.empty());
    REQUIRE(inject(kernel, {"set", "xiw0", "reset", "octets=0"}).exit == Exit::ok);
    REQUIRE(inject(kernel, {"set", "xiw0", "drop"}).exit == Exit::ok);

    const auto asked = kernel.asked_for(XIW_CMD_INJECT_SET);
    REQUIRE(asked.size() == 3);
    CHECK(asked[0].attributes == Attrs()
                                     .u32(XIW_A_INJECT_DEV_INDEX, 1)
                                     .u8(XIW_A_INJECT_KIND, XIW_NL_INJECT_DELAY)
                                     .u32(XIW_A_INJECT_QPN, 17)
                                     .u32(XIW_A_INJECT_AT, 4294967295)
                                     .u32(XIW_A_INJECT_EVERY, 2)
                                     .u32(XIW_A_INJECT_COUNT, 0)
                                     .u32(XIW_A_INJECT_TIME, 2000)
                                     .octets());
    CHECK(asked[1].attributes == Attrs()
                                     .u32(XIW_A_INJECT_DEV_INDEX, 1)
                                     .u8(XIW_A_INJECT_KIND, XIW_NL_INJECT_RESET)
                                     .u32(XIW_A_INJECT_OCTETS, 0)
                                     .octets());
    CHECK(
        asked[2].attributes ==
        Attrs().u32(XIW_A_INJECT_DEV_INDEX, 1).u8(XIW_A_INJECT_KIND, XIW_NL_INJECT_DROP).octets());
}

TEST_CASE("each kind of injection can be armed by its name") {
    for (const xiw::InjectionKind &kind : xiw::injection_kinds()) {
        CAPTURE(kind.name);
        test::Kernel kernel = test::busy_kernel();
        const std::string name(kind.name);
        std::vector<const char *> words{"set", "xiw0", name.c_str()};
        if (kind.needs != 0)
            words.push_back("time=30000ms");
        REQUIRE(inject(kernel, words).exit == Exit::ok);
        const auto asked = kernel.asked_for(XIW_CMD_INJECT_SET);
        REQUIRE(asked.size() == 1);
        CHECK(xiw::nl::Attributes(asked[0].attributes).number(XIW_A_INJECT_KIND) == kind.id);
        CHECK(xiw::injection_word(kind.id) == kind.name);
    }
}

TEST_CASE("inject clear applies to a device or to a QP") {
    test::Kernel kernel = test::busy_kernel();
    REQUIRE(inject(kernel, {"clear", "xiw0"}).exit == Exit::ok);
    REQUIRE(inject(kernel, {"clear", "xiw0", "--qp", "17"}).exit == Exit::ok);

    const auto asked = kernel.asked_for(XIW_CMD_INJECT_CLEAR);
    REQUIRE(asked.size() == 2);
    CHECK(asked[0].attributes == Attrs().u32(XIW_A_INJECT_DEV_INDEX, 1).octets());
    CHECK(asked[1].attributes ==
          Attrs().u32(XIW_A_INJECT_DEV_INDEX, 1).u32(XIW_A_INJECT_QPN, 17).octets());
}

TEST_CASE("invalid injections are refused before the kernel is asked") {
    struct Row {
        std::vector<const char *> arguments;
        const char *message;
    };
    const auto row = GENERATE(values<Row>({
        {{"bogus"}, "bogus"},
        {{"set"}, "DEVICE"},
        {{"set", "xiw0"}, "KIND is required"},
        {{"set", "xiw0", ""}, "no injection \"\""},
        {{"set", "xiw0", "explode"}, "valid: drop, duplicate, crc, reset, delay, stall, "},
        {{"set", "xiw0", "drop", "5"}, "\"5\" does not have the form KEY=VALUE"},
        {{"set", "xiw0", "drop", "bit=5"}, "no argument \"bit\""},
        {{"set", "xiw0", "drop", "at="}, "at must be 1 to 4294967295, not \"\""},
        {{"set", "xiw0", "drop", "at=0"}, "at must be 1 to 4294967295, not \"0\""},
        {{"set", "xiw0", "drop", "at=-1"}, "not \"-1\""},
        {{"set", "xiw0", "drop", "at=4294967296"}, "not \"4294967296\""},
        {{"set", "xiw0", "drop", "every=0"}, "every must be 1 to"},
        {{"set", "xiw0", "drop", "count=all"}, "count must be 0 to"},
        {{"set", "xiw0", "drop", "at=1", "at=2"}, "at is given twice"},
        {{"set", "xiw0", "drop", "time=5"}, "drop has no argument time"},
        {{"set", "xiw0", "stall", "time=1s", "octets=5"}, "stall has no argument octets"},
        {{"set", "xiw0", "delay"}, "delay needs time=, a time of 1 to 30000ms"},
        {{"set", "xiw0", "delay", "time=31s"}, "time must be a time of 1 to 30000ms"},
        {{"set", "xiw0", "delay", "time=0"}, "not \"0\""},
        {{"set", "xiw0", "drop", "-q", "x"}, "x"},
        {{"set", "xiw0", "drop", "-q", "4294967296"}, "4294967296"},
        {{"clear"}, "DEVICE is required"},
        {{"clear", "xiw0", "drop"}, "drop"},
        {{"show", "xiw0", "xiw1"}, "xiw1"},
    }));
    test::Kernel kernel = test::busy_kernel();
    const test::Result result = inject(kernel, row.arguments);
    CAPTURE(row.arguments, result.out, result.err);
    CHECK(result.exit == Exit::usage);
    CHECK_THAT(result.err, ContainsSubstring(row.message));
    CHECK(result.out.empty());
    CHECK(kernel.asked.empty());
}

TEST_CASE("a refused injection reports the kernel's message and the argument") {
    test::Kernel kernel = test::busy_kernel();
    auto &answer = kernel.answers[XIW_CMD_INJECT_SET];
    answer.error = EINVAL;
    // The offset points to the attribute of `time`, which follows the headers, the device and the
    // kind.
    answer.extended = Attrs()
                          .text(NLMSGERR_ATTR_MSG, "too long for me")
                          .u32(NLMSGERR_ATTR_OFFS, NLMSG_HDRLEN + GENL_HDRLEN + 8 + 8);
    const test::Result result = inject(kernel, {"set", "xiw0", "stall", "time=3s"});
    CHECK(result.exit == Exit::failed);
    CHECK_THAT(result.err, ContainsSubstring("time: too long for me"));
}

TEST_CASE("a module without injections is reported, and so is an older one") {
    test::Kernel kernel = test::busy_kernel();
    auto &answer = kernel.answers[XIW_CMD_INJECT_GET];
    answer.error = EOPNOTSUPP;
    CHECK_THAT(inject(kernel, {}).err, ContainsSubstring("does not support this request"));
    answer.extended = Attrs().text(NLMSGERR_ATTR_MSG, "built without");
    const test::Result result = inject(kernel, {});
    CHECK(result.exit == Exit::failed);
    CHECK_THAT(result.err, ContainsSubstring("built without"));
}

TEST_CASE("injections require privilege") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_INJECT_SET].error = EPERM;
    kernel.answers[XIW_CMD_INJECT_CLEAR].error = EPERM;
    CHECK(inject(kernel, {"set", "xiw0", "drop"}).exit == Exit::denied);
    CHECK_THAT(inject(kernel, {"clear", "xiw0"}).err, ContainsSubstring("CAP_NET_ADMIN"));
}

TEST_CASE("the help lists every kind of injection and every argument") {
    test::Kernel kernel;
    const test::Result result = inject(kernel, {"set", "--help"});
    CHECK(result.exit == Exit::ok);
    for (const xiw::InjectionKind &kind : xiw::injection_kinds())
        CHECK_THAT(result.out, ContainsSubstring("  " + std::string(kind.name) + " ") &&
                                   ContainsSubstring(std::string(kind.help)));
    for (const xiw::Setting &argument : xiw::injection_arguments())
        CHECK_THAT(result.out, ContainsSubstring("  " + std::string(argument.key) + " "));
}
