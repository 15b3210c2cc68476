// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/command.hpp"
#include "kernel.hpp"
#include "model/settings.hpp"
#include "nl/attributes.hpp"
#include "render/table.hpp"
#include "samples.hpp"
#include "schema.hpp"
#include "tool.hpp"
#include "tree.hpp"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>

#include <CLI/CLI.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/xiw.h>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::Attrs;
using test::Result;
using xiw::Exit;

namespace {

Result run(test::Kernel &kernel, std::vector<const char *> arguments) {
    return test::run_tool(&kernel, std::move(arguments));
}

Result run(std::vector<const char *> arguments) {
    test::Kernel kernel = test::busy_kernel();
    return run(kernel, std::move(arguments));
}

} // namespace

TEST_CASE("xiw without a command shows the screen") {
    const Result result = run({});
    CHECK(result.exit == Exit::ok);
    CHECK(result.err.empty());
    CHECK_THAT(result.out, StartsWith("xiw0  soft RNIC on eth0"));
    CHECK(run({"show"}).out == result.out);
    CHECK(run({"show", "xiw0"}).out == result.out);
}

TEST_CASE("each command works with each output format") {
    const auto command = GENERATE(values<std::vector<const char *>>({
        {},
        {"show"},
        {"conn"},
        {"conn", "--detail"},
        {"conn", "-q", "17"},
        {"stat"},
        {"stat", "-a"},
        {"caps"},
        {"caps", "--qp", "17"},
        {"term"},
        {"hist"},
        {"top"},
        {"top", "xiw0", "--once", "-s", "sent"},
        {"inject"},
        {"inject", "show", "xiw0"},
        {"config", "show"},
        {"config", "show", "xiw0"},
    }));
    auto json = command;
    json.push_back("--json");
    const Result as_json = run(json);
    CHECK(as_json.exit == Exit::ok);
    const auto wrong = test::violations(test::tool_schema(), nlohmann::json::parse(as_json.out));
    CHECK(wrong.empty());

    auto tsv = command;
    tsv.insert(tsv.begin(), "--tsv");
    const Result as_tsv = run(tsv);
    CHECK(as_tsv.exit == Exit::ok);
    CHECK_THAT(as_tsv.out, StartsWith("device\t"));

    const Result as_text = run(command);
    CHECK(as_text.exit == Exit::ok);
    CHECK_THAT(as_text.out, ContainsSubstring("xiw0"));
}

TEST_CASE("on a terminal, no line exceeds the width and no word is lost") {
    const auto command = GENERATE(values<std::vector<const char *>>(
        {{}, {"conn", "--detail"}, {"stat"}, {"caps"}, {"term"}, {"config", "show"}}));
    const size_t columns = GENERATE(50, 110);
    const auto words = [](const std::string &text) {
        std::istringstream in(text);
        return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
    };
    test::Kernel kernel = test::busy_kernel();
    const Result narrow = test::run_narrow(kernel, columns, command);
    CHECK(narrow.exit == Exit::ok);
    CHECK(words(narrow.out) == words(run(command).out));
    std::istringstream lines(narrow.out);
    for (std::string line; std::getline(lines, line);)
        CHECK(xiw::render::columns(line) <= columns);
}

TEST_CASE("counters for Prometheus include the devices") {
    const Result result = run({"stat", "--prometheus"});
    CHECK(result.exit == Exit::ok);
    CHECK_THAT(result.out, StartsWith("# HELP xiw_device_info") &&
                               ContainsSubstring("xiw_messages_total{device=\"xiw0\""));
}

TEST_CASE("a machine without devices is not an error") {
    test::Kernel kernel;
    CHECK_THAT(run(kernel, {}).out, ContainsSubstring("no xiw device"));
    CHECK(run(kernel, {"conn"}).out == "no connections\n");
    CHECK(run(kernel, {"conn", "--json"}).exit == Exit::ok);
}

TEST_CASE("wrong usage prints a message and has its own exit status") {
    struct Row {
        std::vector<const char *> arguments;
        const char *message;
    };
    const auto row = GENERATE(values<Row>({
        {{"bogus"}, "bogus"},
        {{"--bogus"}, "--bogus"},
        {{"show", "xiw0", "xiw1"}, "xiw1"},
        {{"conn", "-q"}, "--qp"},
        {{"conn", "-q", "x"}, "x"},
        {{"conn", "-q", "-1"}, "-1"},
        {{"conn", "-q", "4294967296"}, "4294967296"},
        {{"stat", "--detail"}, "--detail"},
        {{"--json", "--tsv"}, "--tsv"},
        {{"stat", "-p", "--json"}, "--prometheus"},
        {{"stat", "--tsv", "--prometheus"}, "--prometheus"},
        {{"config"}, "show or set or save or restore after config is required"},
        {{"config", "bogus"}, "bogus"},
        {{"config", "set"}, "DEVICE"},
        {{"config", "set", "xiw0"}, "CHANGE is required"},
        {{"config", "set", "xiw0", "crc"}, "\"crc\" does not have the form KEY=VALUE"},
        {{"config", "set", "xiw0", "=on"}, "no setting \"\""},
        {{"config", "set", "xiw0", "speed=9"}, "no setting \"speed\""},
        {{"config", "set", "xiw0", "crc="}, "crc must be off or on, not \"\""},
        {{"config", "set", "xiw0", "crc=maybe"}, "crc must be off or on, not \"maybe\""},
        {{"config", "set", "xiw0", "mpa-revision=3"}, "1 or 2"},
        {{"config", "set", "xiw0", "rtr=none"}, "write+read+send"},
        {{"config", "set", "xiw0", "park-time=1h"}, "0 to 30000ms"},
        {{"config", "set", "xiw0", "peer-time=10"}, "0 or a time of 1000 to 3600000ms"},
        {{"config", "set", "xiw0", "mulpdu-max=5"}, "128 to 64768"},
        {{"config", "set", "xiw0", "crc=on", "crc=off"}, "crc is given twice"},
    }));
    test::Kernel kernel = test::busy_kernel();
    const Result result = run(kernel, row.arguments);
    CAPTURE(row.arguments, result.out, result.err);
    CHECK(result.exit == Exit::usage);
    CHECK_THAT(result.err, StartsWith("xiw: ") && ContainsSubstring(row.message));
    CHECK(result.out.empty());
    CHECK(kernel.asked_for(XIW_CMD_CONFIG_SET).empty());
}

TEST_CASE("huge and hostile arguments are refused") {
    const std::string huge(100000, 'x');
    CHECK(run({huge.c_str()}).exit == Exit::usage);
    CHECK(run({"show", huge.c_str()}).exit == Exit::failed);
    CHECK(run({"config", "set", "xiw0", huge.c_str()}).exit == Exit::usage);
    CHECK(run({"config", "set", "xiw0", ("crc=" + huge).c_str()}).exit == Exit::usage);
    CHECK(run({"show", "%s%n{}{0}"}).exit == Exit::failed);
}

TEST_CASE("help and version need no kernel") {
    test::Kernel kernel;
    kernel.loaded = false;

    const Result help = run(kernel, {"--help"});
    CHECK(help.exit == Exit::ok);
    CHECK(help.err.empty());
    for (const xiw::cmd::Command *command : xiw::cmd::commands()) {
        CHECK_THAT(help.out, ContainsSubstring(command->name));
        CHECK(run(kernel, {command->name, "--help"}).exit == Exit::ok);
    }
    const Result version = run(kernel, {"--version"});
    std::ifstream file(test::in_tree("/VERSION"));
    std::string expected;
    std::getline(file, expected);
    CHECK(version.exit == Exit::ok);
    CHECK(version.out == "xiw " + expected + "\n");
}

TEST_CASE("without the module, the message explains how to load it") {
    test::Kernel kernel;
    kernel.loaded = false;
    const auto command = GENERATE(values<std::vector<const char *>>(
        {{}, {"conn"}, {"stat", "--json"}, {"config", "set", "xiw0", "crc=on"}}));
    const Result result = run(kernel, command);

    CHECK(result.exit == Exit::absent);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, ContainsSubstring("not loaded") && ContainsSubstring("modprobe xiw"));
}

TEST_CASE("an unknown device is reported with the valid ones") {
    const Result result = run({"stat", "xiw9"});
    CHECK(result.exit == Exit::failed);
    CHECK_THAT(result.err, ContainsSubstring("\"xiw9\"") && ContainsSubstring("valid: xiw0"));
    CHECK(run({"config", "set", "xiw9", "crc=on"}).exit == Exit::failed);
}

TEST_CASE("an unknown QP is reported") {
    CHECK_THAT(run({"conn", "-q", "99"}).err, ContainsSubstring("no QP 99"));
    CHECK(run({"caps", "-q", "99"}).exit == Exit::failed);
}

TEST_CASE("a command for one device asks the kernel for that device only") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_DEVICE_GET].objects = {test::device_reply(1, "xiw0"),
                                                  test::device_reply(5, "xiw5")};
    REQUIRE(run(kernel, {"conn", "xiw5"}).exit == Exit::ok);

    const auto asked = kernel.asked_for(XIW_CMD_CONNECTION_GET);
    REQUIRE(asked.size() == 1);
    CHECK((asked[0].flags & NLM_F_DUMP) == NLM_F_DUMP);
    CHECK(xiw::nl::Attributes(asked[0].attributes).number(XIW_A_CONNECTION_DEV_INDEX) == 5U);
}

TEST_CASE("config set sends all changes in one request, with the widths of the policy") {
    test::Kernel kernel = test::busy_kernel();
    const Result result = run(kernel, {"config", "set", "xiw0", "crc=off", "rtr=read+send",
                                       "park-time=2s", "mulpdu-max=1442", "peer-time=90s"});
    CHECK(result.exit == Exit::ok);
    CHECK(result.out.empty());
    CHECK(result.err.empty());

    const auto asked = kernel.asked_for(XIW_CMD_CONFIG_SET);
    REQUIRE(asked.size() == 1);
    const Attrs expected = Attrs()
                               .u32(XIW_A_CONFIG_DEV_INDEX, 1)
                               .u8(XIW_A_CONFIG_CRC, 0)
                               .u8(XIW_A_CONFIG_RTR, XIW_NL_RTR_READ | XIW_NL_RTR_SEND)
                               .u32(XIW_A_CONFIG_PARK_TIME, 2000)
                               .u32(XIW_A_CONFIG_MULPDU_MAX, 1442)
                               .u32(XIW_A_CONFIG_PEER_TIME, 90000);
    CHECK(asked[0].attributes == expected.octets());
}

TEST_CASE("a refused change reports the kernel's message and the setting") {
    test::Kernel kernel = test::busy_kernel();
    auto &answer = kernel.answers[XIW_CMD_CONFIG_SET];
    answer.error = EINVAL;
    // The offset points to the second setting, which follows the headers, the device index and the
    // first setting.
    answer.extended = Attrs()
                          .text(NLMSGERR_ATTR_MSG, "needs MPA revision 2")
                          .u32(NLMSGERR_ATTR_OFFS, NLMSG_HDRLEN + GENL_HDRLEN + 8 + 8);
    const Result result =
        run(kernel, {"config", "set", "xiw0", "mpa-revision=1", "peer-to-peer=on"});

    CHECK(result.exit == Exit::failed);
    CHECK_THAT(result.err, ContainsSubstring("peer-to-peer: needs MPA revision 2"));
}

TEST_CASE("a change without privilege is explained") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_CONFIG_SET].error = EPERM;
    const Result result = run(kernel, {"config", "set", "xiw0", "crc=on"});

    CHECK(result.exit == Exit::denied);
    CHECK_THAT(result.err, ContainsSubstring("CAP_NET_ADMIN"));
}

TEST_CASE("a command that the module lacks is explained") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_CONFIG_GET].error = EOPNOTSUPP;
    const Result result = run(kernel, {"config", "show"});

    CHECK(result.exit == Exit::failed);
    CHECK_THAT(result.err, ContainsSubstring("does not support"));
}

TEST_CASE("an interrupted dump is repeated, and the result is complete") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_CONNECTION_GET].interruptions = 2;
    const Result result = run(kernel, {"conn", "--json"});
    const auto document = nlohmann::json::parse(result.out);

    CHECK(kernel.asked_for(XIW_CMD_CONNECTION_GET).size() == 3);
    CHECK(document["connections"].size() == 3);
    CHECK(document["consistent"] == true);
    CHECK(result.err.empty());
}

TEST_CASE("a dump that is always interrupted ends with a warning") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_CONNECTION_GET].interruptions = 1000;
    const Result result = run(kernel, {"conn", "--json"});
    const auto document = nlohmann::json::parse(result.out);

    CHECK(result.exit == Exit::ok);
    CHECK(document["connections"].size() == 3);
    CHECK(document["consistent"] == false);
    CHECK_THAT(result.err, ContainsSubstring("were added or removed"));
}

TEST_CASE("the screen survives a device that disappears while it is built") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_CAPABILITY_GET].error = ENODEV;
    const Result result = run(kernel, {});

    CHECK(result.exit == Exit::ok);
    CHECK_THAT(result.out, ContainsSubstring("10.0.0.1:38000"));
    CHECK_THAT(result.err, ContainsSubstring("were added or removed"));
}

TEST_CASE("a malformed answer ends the command with a message") {
    const auto command = GENERATE(
        values<std::vector<const char *>>({{}, {"conn"}, {"stat"}, {"caps"}, {"config", "show"}}));
    const auto datagram = GENERATE(values<test::Octets>({
        test::Octets(3),
        test::Octets(64),
        test::Octets(64, std::byte{0xff}),
    }));
    test::Kernel kernel;
    kernel.raw = {datagram};
    const Result result = run(kernel, command);

    CHECK(result.exit == Exit::failed);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, StartsWith("xiw: ") && ContainsSubstring("malformed"));
}

TEST_CASE("a kernel that does not answer is an error") {
    test::Kernel kernel;
    kernel.raw = {test::Octets()};
    CHECK(run(kernel, {"conn"}).exit == Exit::failed);
}

TEST_CASE("output that cannot be written is an error") {
    test::Kernel kernel = test::busy_kernel();
    std::ostringstream err;
    std::ostream out(nullptr);
    xiw::cmd::Environment env{.out = out,
                              .err = err,
                              .colour = false,
                              .connect = [&kernel] { return kernel.connect(); },
                              .ifname = [](uint64_t) { return std::string(); }};
    const char *arguments[] = {"xiw"};
    CHECK(xiw::cmd::run(env, 1, arguments) == Exit::failed);
    CHECK_THAT(err.str(), ContainsSubstring("cannot write"));
}

namespace {

// Return two parts of the manual page: the section OPTIONS, which describes the options of all
// commands, and the section of `command`, which begins with a line such as "*config set* _DEVICE_".
std::string manual_of(const std::string &page, const std::string &command) {
    std::istringstream lines(page);
    std::string text;
    bool common = false, wanted = false;

    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("# "))
            common = line == "# OPTIONS";
        if (line.starts_with("*") || line.starts_with("# "))
            wanted = line.starts_with("*" + command + "*") ||
                     line.find(", *" + command + "*") != std::string::npos;
        if (common || wanted)
            text += line + "\n";
    }
    return text;
}

void check_manual(const std::string &page, const CLI::App &app, const std::string &path) {
    CAPTURE(path);
    const std::string text = manual_of(page, path);
    for (const CLI::Option *option : app.get_options())
        for (const std::string &name : option->get_lnames())
            CHECK_THAT(text, ContainsSubstring("*--" + name + "*"));
    for (const CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; })) {
        const std::string inner = path + (path.empty() ? "" : " ") + sub->get_name();
        CHECK_THAT(page, ContainsSubstring("*" + inner));
        check_manual(page, *sub, inner);
    }
}

} // namespace

TEST_CASE("the manual page lists every command, option and setting") {
    std::ifstream file(test::in_tree("/utils/man/xiw.8.scd"));
    std::stringstream page;
    page << file.rdbuf();

    xiw::cmd::Parser parser;
    check_manual(page.str(), parser.app(), "");
    for (const xiw::Setting &setting : xiw::settings())
        CHECK_THAT(page.str(), ContainsSubstring("*" + std::string(setting.key) + "*="));
}

TEST_CASE("the examples in the manual page are valid commands") {
    std::ifstream file(test::in_tree("/utils/man/xiw.8.scd"));
    size_t count = 0;
    bool examples = false;

    for (std::string line; std::getline(file, line);) {
        examples = examples ? !line.starts_with("# SEE") : line == "# EXAMPLES";
        // In a line that runs xiw, xiw is the last command. The words before xiw are for the shell.
        const size_t at = (line + " ").rfind("xiw ", line.find('>'));
        if (!examples || line.starts_with('#') || at == std::string::npos)
            continue;
        std::istringstream words(line.substr(at + 3, line.find('>', at) - at - 3));
        std::vector<std::string> arguments;
        for (std::string word; words >> word;)
            arguments.push_back(word == "-" ? "/nonexistent/file" : word);
        std::vector<const char *> pointers;
        pointers.reserve(arguments.size());
        for (const std::string &argument : arguments)
            pointers.push_back(argument.c_str());
        CAPTURE(line);
        // xiw doctor also returns Exit::usage if one of its checks fails, but then prints no error
        // message.
        const Result result = run(pointers);
        CHECK((result.exit != Exit::usage || result.err.empty()));
        count++;
    }
    CHECK(count >= 7);
}
