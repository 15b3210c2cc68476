// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The words that the tool offers as completions, and the completion scripts for bash and zsh.
#include "cmd/command.hpp"
#include "samples.hpp"
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
using test::run_alone;
using xiw::Exit;

namespace {

// Return the completions, separated by blanks, that the tool offers for the last of `words`.
std::string offered(std::vector<const char *> words) {
    words.insert(words.begin(), "__complete");
    test::Kernel kernel = test::busy_kernel();
    const Result result = test::run_tool(&kernel, std::move(words));
    CHECK(result.exit == Exit::ok);
    CHECK(result.err.empty());
    std::istringstream lines(result.out);
    std::string list;
    for (std::string line; std::getline(lines, line);)
        list += (list.empty() ? "" : " ") + line.substr(0, line.find('\t'));
    return list;
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

// Return the completions that bash offers for the last word of a line.
std::string bash(const std::string &line) {
    return output("bash -c 'compopt() { echo -n \"$2 \"; }; . " +
                  test::in_tree("/utils/completion/xiw.bash") + "; COMP_WORDS=(" + test::program() +
                  " " + line + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _xiw; " +
                  "echo ${COMPREPLY[*]}'");
}

// Return the completions that zsh offers for the word `prefix` after `line`. Substitutes replace
// the functions of zsh's completion system.
std::string zsh(const std::string &line, const std::string &prefix) {
    return output("zsh -f -c '_describe() { print -r -- ${offers%%:*} $# }; "
                  "_files() { print FILES }; words=(" +
                  test::program() + " " + line + " " + prefix + "\"\"); CURRENT=$#words; PREFIX=" +
                  prefix + "; . " + test::in_tree("/utils/completion/_xiw") + "'");
}

bool there(const char *program) {
    return std::system((std::string("command -v ") + program + " >/dev/null 2>&1").c_str()) == 0;
}

} // namespace

TEST_CASE("xiw completion prints the scripts of the source tree") {
    struct Row {
        const char *shell, *file;
    };
    const auto row = GENERATE(
        values<Row>({{"bash", "/utils/completion/xiw.bash"}, {"zsh", "/utils/completion/_xiw"}}));
    std::ifstream file(test::in_tree(row.file));
    std::stringstream script;
    script << file.rdbuf();
    const Result result = run_alone({"completion", row.shell});
    CHECK(result.exit == Exit::ok);
    CHECK(result.out == script.str());
}

TEST_CASE("completion for an unknown shell is refused") {
    CHECK(run_alone({"completion"}).out == run_alone({"completion", "bash"}).out);
    const Result result = run_alone({"completion", "csh"});
    CHECK(result.exit == Exit::usage);
    CHECK_THAT(result.err, ContainsSubstring("\"csh\"") && ContainsSubstring("bash zsh"));
}

TEST_CASE("the tool offers the words that it accepts") {
    for (const xiw::cmd::Command *command : xiw::cmd::commands())
        CHECK_THAT(offered({""}), ContainsSubstring(command->name));
    CHECK(offered({"co"}) == "conn config completion");
    CHECK(offered({"config", ""}) == "show set save restore");
    CHECK(offered({"conn", "--d"}) == "--detail");
    CHECK_THAT(offered({"stat", "-"}), ContainsSubstring("--prometheus") &&
                                           ContainsSubstring("--json") && ContainsSubstring("-a"));
    CHECK(offered({"conn", ""}) == "xiw0");
    CHECK(offered({"conn", "-q", ""}).empty());
    CHECK(offered({"conn", "-q", "7", ""}) == "xiw0");
    CHECK(offered({"conn", "-d", "--tsv", ""}) == "xiw0");
    CHECK(offered({"conn", "xiw0", ""}).empty());
    CHECK(offered({"--json", "config", "show", "x"}) == "xiw0");
    CHECK(offered({"config", "save", "--link", ""}) == "xiw0");
    CHECK(offered({"config", "save", ""}) == ":files");
    CHECK(offered({"config", "set", ""}) == "xiw0");
    CHECK(offered({"config", "set", "xiw0", "cr"}) == "crc=");
    CHECK(offered({"config", "set", "xiw0", "crc="}) == "crc=off crc=on");
    CHECK(offered({"config", "set", "xiw0", "crc=on", "mpa-"}) == "mpa-revision=");
    CHECK(offered({"inject", ""}) == "show set clear");
    CHECK(offered({"inject", "set", "xiw0", "d"}) == "drop duplicate delay");
    CHECK(offered({"inject", "set", "xiw0", "delay", "t"}) == "time=");
    CHECK(offered({"inject", "set", "xiw0", "delay", "time=1s", "a"}) == "at=");
    CHECK(offered({"inject", "set", "xiw0", "delay", "time=1s", "at="}).empty());
    CHECK(offered({"config", "set", "xiw0", "mpa-revision="}) == "mpa-revision=1 mpa-revision=2");
    CHECK(offered({"monitor", "--kind", "conn"}) == "connect-error connect");
    CHECK(offered({"top", "-s", ""}) == "rate sent received number");
    CHECK(offered({"ping", "--op", "w"}) == "write");
    CHECK(offered({"ping", ""}).empty());
    CHECK(offered({"decode", ""}) == ":files");
    CHECK(offered({"explain", "REM_ACC"}) == "REM_ACCESS_ERR");
    CHECK(offered({"explain", "EPERM", "EIO", "REM_ACC"}) == "REM_ACCESS_ERR");
    CHECK(offered({"completion", ""}) == "bash zsh");
    CHECK(offered({"nonsense", ""}).empty());
    CHECK(offered({"--nonsense", "co"}) == "conn config completion");
    CHECK_THAT(offered({}), ContainsSubstring("show"));
}

TEST_CASE("without a kernel, completion offers no devices and prints no message") {
    const Result result = run_alone({"__complete", "conn", ""});
    CHECK(result.exit == Exit::ok);
    CHECK((result.out + result.err).empty());
}

TEST_CASE("bash completes with the tool's words", "[host]") {
    if (!there("bash"))
        SKIP("bash");
    CHECK(bash("config \"\"") == "show set save restore\n");
    CHECK(bash("conn --d") == "--detail\n");
    CHECK(bash("config set xiw0 cr") == "nospace crc=\n");
    CHECK(bash("config set xiw0 crc =") == "off on\n");
    CHECK(bash("config set xiw0 crc = o") == "off on\n");
    CHECK(bash("inject set xiw0 delay time = 1s a") == "nospace at=\n");
    CHECK(bash("decode \"\"") == "default \n");
    CHECK(bash("ping \"\"") == "\n");
}

TEST_CASE("zsh completes with the tool's words", "[host]") {
    if (!there("zsh"))
        SKIP("zsh");
    CHECK(zsh("config", "") == "show set save restore 4\n");
    CHECK(zsh("conn", "--d") == "--detail 4\n");
    CHECK(zsh("config set xiw0", "cr") == "crc= 6\n");
    CHECK(zsh("config set xiw0", "crc=") == "crc=off crc=on 4\n");
    CHECK(zsh("decode", "") == "FILES\n");
}
