// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The completion scripts: those in the tree equal the printed ones, and in their shells they
// offer what the tool accepts.
#include "cmd/command.hpp"
#include "tool.hpp"
#include "tree.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using test::Result;
using xiw::Exit;

namespace {

Result run(std::vector<const char *> arguments) {
    return test::run_tool(nullptr, std::move(arguments));
}

struct Close {
    void operator()(std::FILE *pipe) const { pclose(pipe); }
};

std::string output(const std::string &command) {
    std::string said;
    std::array<char, 512> buffer{};
    const std::unique_ptr<std::FILE, Close> pipe(popen((command + " 2>&1").c_str(), "r"));
    while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
        said += buffer.data();
    return said;
}

// The words that bash offers for a line; the last one is being typed.
std::string bash(const std::string &line) {
    return output("bash -c 'compopt() { :; }; . " + test::in_tree("/utils/completion/xiw.bash") +
                  "; COMP_WORDS=(" + line +
                  "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _xiw; echo ${COMPREPLY[*]}'");
}

// In zsh with stand-ins for the functions of its completion system.
std::string zsh(const std::string &line, const std::string &prefix) {
    return output("zsh -f -c '_describe() { local n; for n; do :; done; "
                  "[[ $n == \"\" ]] && n=keys; print -r -- ${(P)n%%:*} }; "
                  "compset() { PREFIX=${PREFIX#*=} }; _files() { print FILES }; "
                  "words=(" +
                  line + " " + prefix + "\"\"); CURRENT=$#words; PREFIX=" + prefix + "; . " +
                  test::in_tree("/utils/completion/_xiw") + "'");
}

bool there(const char *program) {
    return std::system((std::string("command -v ") + program + " >/dev/null 2>&1").c_str()) == 0;
}

} // namespace

TEST_CASE("the completion scripts in the tree are those the tool prints") {
    struct Row {
        const char *shell, *file;
    };
    const auto row = GENERATE(
        values<Row>({{"bash", "/utils/completion/xiw.bash"}, {"zsh", "/utils/completion/_xiw"}}));
    std::ifstream file(test::in_tree(row.file));
    std::stringstream script;
    script << file.rdbuf();
    const Result result = run({"completion", row.shell});
    CHECK(result.exit == Exit::ok);
    CHECK(result.out == script.str());
}

TEST_CASE("completion for a shell that nobody knows is refused") {
    CHECK(run({"completion"}).out == run({"completion", "bash"}).out);
    const Result result = run({"completion", "csh"});
    CHECK(result.exit == Exit::usage);
    CHECK_THAT(result.err, ContainsSubstring("\"csh\"") && ContainsSubstring("bash zsh"));
}

TEST_CASE("bash offers what may come next") {
    if (!there("bash"))
        SKIP("bash");
    for (const xiw::cmd::Command &command : xiw::cmd::commands())
        CHECK_THAT(bash("xiw \"\""), ContainsSubstring(command.name));
    CHECK(bash("xiw config \"\"").starts_with("show set"));
    CHECK(bash("xiw conn --d") == "--detail\n");
    CHECK_THAT(bash("xiw stat -"), ContainsSubstring("--prometheus") &&
                                       ContainsSubstring("--json") && ContainsSubstring("-a"));
    CHECK(bash("xiw config set xiw0 cr") == "crc=\n");
    CHECK(bash("xiw config set xiw0 crc = o") == "off on\n");
    CHECK(bash("xiw fault \"\"") == "show set clear\n");
    CHECK(bash("xiw fault set xiw0 d") == "drop duplicate delay\n");
    CHECK(bash("xiw fault set xiw0 delay t") == "time=\n");
    CHECK(bash("xiw fault set xiw0 delay time = 1s a") == "at=\n");
    CHECK_THAT(bash("xiw explain REM_ACC"), ContainsSubstring("REM_ACCESS_ERR"));
    CHECK(bash("xiw completion \"\"") == "bash zsh\n");
}

TEST_CASE("zsh offers what may come next") {
    if (!there("zsh"))
        SKIP("zsh");
    for (const xiw::cmd::Command &command : xiw::cmd::commands())
        CHECK_THAT(zsh("xiw", ""), ContainsSubstring(command.name));
    CHECK(zsh("xiw config", "").starts_with("show set"));
    CHECK_THAT(zsh("xiw conn", "-"), ContainsSubstring("--detail") && ContainsSubstring("--json"));
    CHECK_THAT(zsh("xiw config set xiw0", "cr"), ContainsSubstring("crc="));
    CHECK(zsh("xiw config set xiw0", "crc=") == "off on\n");
    CHECK(zsh("xiw fault", "") == "show set clear\n");
    CHECK_THAT(zsh("xiw fault set xiw0", "d"),
               ContainsSubstring("drop") && ContainsSubstring("delay"));
    CHECK_THAT(zsh("xiw fault set xiw0 delay", "t"), ContainsSubstring("time="));
    CHECK(zsh("xiw decode", "") == "FILES\n");
    CHECK(zsh("xiw completion", "") == "bash zsh\n");
}
