// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "kernel.hpp"
#include "schema.hpp"
#include "tool.hpp"

#include <cerrno>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/xiw.h>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::Result;
using xiw::Exit;

namespace {

Result batch(test::Kernel &kernel, const std::string &input,
             std::vector<const char *> options = {}) {
    options.insert(options.begin(), {"batch", "-"});
    return test::run_tool(&kernel, std::move(options), input);
}

Result batch(const std::string &input, std::vector<const char *> options = {}) {
    test::Kernel kernel = test::busy_kernel();
    return batch(kernel, input, std::move(options));
}

} // namespace

TEST_CASE("a batch executes its lines in order") {
    test::Kernel kernel = test::busy_kernel();
    const test::Folder folder;
    const std::string file = folder.put("commands", "# comment\n"
                                                    "\n"
                                                    "  config set 'xiw0'\t\"crc=off\"  # why\r\n"
                                                    "explain 0/2/0x07\n"
                                                    "config set xiw0 crc=on");
    const Result result = test::run_tool(&kernel, {"batch", file.c_str()});

    CHECK(result.exit == Exit::ok);
    CHECK(result.err.empty());
    CHECK(result.out == test::run_tool(nullptr, {"explain", "0/2/0x07"}).out);
    CHECK(kernel.asked_for(XIW_CMD_CONFIG_SET).size() == 2);
}

TEST_CASE("a batch without a command does nothing") {
    const Result result = batch(GENERATE("", "\n\n", "# nothing\n", "   \t \r\n#"));
    CHECK(result.exit == Exit::ok);
    CHECK(result.out.empty());
    CHECK(result.err.empty());
}

TEST_CASE("a batch ends at the first command that fails and reports its line") {
    test::Kernel kernel = test::busy_kernel();
    const std::string input = "explain ECONNREFUSED\n\nshow xiw9\nconfig set xiw0 crc=off\n";
    const Result result = batch(kernel, input);

    CHECK(result.exit == Exit::failed);
    CHECK_THAT(result.err, StartsWith("xiw: standard input:3: no xiw device \"xiw9\""));
    CHECK_FALSE(result.out.empty());
    CHECK(kernel.asked_for(XIW_CMD_CONFIG_SET).empty());
}

TEST_CASE("a forced batch continues and has the exit status of the first failure") {
    test::Kernel kernel = test::busy_kernel();
    const Result result = batch(kernel,
                                "bogus\n"
                                "show xiw9\n"
                                "config set 'xiw0 crc=off\n"
                                "config set xiw0 crc=on\x01\n"
                                "config set xiw0 crc=off\n",
                                {"--force"});
    CHECK(result.exit == Exit::usage);
    CHECK_THAT(result.err, ContainsSubstring("standard input:1: ") &&
                               ContainsSubstring("standard input:2: no xiw device") &&
                               ContainsSubstring("standard input:3: missing closing quote") &&
                               ContainsSubstring("standard input:4: the line is not text") &&
                               ContainsSubstring("4 of 5 commands failed"));
    CHECK(kernel.asked_for(XIW_CMD_CONFIG_SET).size() == 1);
}

TEST_CASE("a batch has the exit status of its command") {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_CONFIG_SET].error = EPERM;
    CHECK(batch(kernel, "config set xiw0 crc=on\n").exit == Exit::denied);
    kernel.loaded = false;
    CHECK(batch(kernel, "conn\n").exit == Exit::absent);
}

TEST_CASE("a batch refuses commands that another program executes") {
    const auto [line, name] =
        GENERATE(std::pair{"ping server\n", "ping"}, std::pair{"selftest xiw0\n", "selftest"});
    const Result result = batch(std::string("explain 0/2/0x07\n") + line);
    CHECK(result.exit == Exit::usage);
    CHECK_THAT(result.err, StartsWith("xiw: standard input:2: " + std::string(name) +
                                      " cannot be used in a batch"));
}

TEST_CASE("a batch prints in the requested format") {
    const Result result = batch("explain 0/2/0x07\n", {"--json"});
    CHECK(result.exit == Exit::ok);
    CHECK(test::violations(test::tool_schema(), nlohmann::json::parse(result.out)).empty());
    CHECK_THAT(batch("explain 0/2/0x07\n", {"--tsv"}).out, StartsWith("subject\t"));
    CHECK(batch("explain 0/2/0x07 --json\n").out == result.out);
}

TEST_CASE("a batch reports lines that it cannot execute") {
    struct Row {
        std::string line;
        Exit exit;
        const char *message;
    };
    const auto row = GENERATE(values<Row>({
        {"batch -", Exit::usage, "batch cannot be used in a batch"},
        {"batch", Exit::usage, "FILE is required"},
        {"decode -", Exit::usage, "standard input is not available"},
        {"config restore -", Exit::usage, "standard input is not available"},
        {"config", Exit::usage, "after config is required"},
        {"--bogus", Exit::usage, "--bogus"},
        {std::string("sh\0ow", 5), Exit::usage, "the line is not text"},
        {"show \033[2J", Exit::usage, "the line is not text"},
        {"show \"xiw0", Exit::usage, "missing closing quote"},
        {std::string(70000, 'x'), Exit::usage, "the line has 70000 octets"},
        {"show " + std::string(60000, 'x'), Exit::failed, "no xiw device"},
        {"%s%n{}{0}", Exit::usage, "%s%n{}{0}"},
        {"''", Exit::usage, "standard input:1: "},
    }));
    CAPTURE(row.line.substr(0, 40));
    const Result result = batch(row.line + "\n");
    CHECK(result.exit == row.exit);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, StartsWith("xiw: standard input:1: ") && ContainsSubstring(row.message));
    CHECK(result.err.size() < 2000);
}

TEST_CASE("a batch that cannot be read is reported") {
    const test::Folder folder;
    for (const std::string &file : {folder.file("none"), folder.path()}) {
        const Result result = test::run_tool(nullptr, {"batch", file.c_str()});
        CHECK(result.exit == Exit::failed);
        CHECK_THAT(result.err, ContainsSubstring(file));
    }
}
