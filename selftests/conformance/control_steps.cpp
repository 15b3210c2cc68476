// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Steps that use the control of the tested endpoint, and steps about variables.
#include "session.hpp"
#include "verb.hpp"

#include <cerrno>
#include <ostream>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace xiw::peer {

namespace {

bool takes_anything(const std::vector<std::string> &, std::string_view) {
    return true;
}

std::string command(const Call &call) {
    return fmt::format("{}", fmt::join(call.words.begin() + 1, call.words.end(), " "));
}

void attempt(Session &s, const Call &call) {
    s.answer = s.control(call.words[0]).ask(command(call));
    std::erase_if(s.variables, [](const auto &v) { return v.first.starts_with("answer."); });
    for (const auto &[key, value] : s.answer.words)
        s.variables["answer." + key] = value;
    if (s.options().trace != nullptr)
        fmt::print(*s.options().trace, "  {}\n", s.answer.line);
}

void ask(Session &s, const Call &call) {
    attempt(s, call);
    if (!s.answer.ok())
        throw Mismatch("the answer: " + s.answer.line);
}

void loop(Session &s, const Call &call) {
    s.loop(call.words[0], command(call));
}

void unloop(Session &s, const Call &call) {
    s.loop_stop(call.words[0]);
}

void exec(Session &, const Call &call) {
    std::vector<std::string> words = call.words;
    std::vector<char *> argv;
    pid_t pid = 0;
    int status = 0;

    argv.reserve(words.size() + 1);
    for (std::string &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    int error = ::posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ);
    if (error != 0)
        throw std::system_error(error, std::generic_category(), words[0]);
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            throw std::system_error(errno, std::generic_category(), words[0]);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw Mismatch(fmt::format("{} failed, status {}", words[0], status));
}

void call_definition(Session &s, const Call &call) {
    s.run_definition(call.words[0], call.keys);
}

void set(Session &s, const Call &call) {
    for (const auto &[key, value] : call.keys)
        s.variables[key] = value;
}

void calc(Session &s, const Call &call) {
    for (const auto &[key, value] : call.keys)
        s.variables[key] = std::to_string(number(value));
}

void translate(Session &s, const Call &call) {
    if (call.words.size() != 2)
        throw std::invalid_argument("translate stag|to|id FROM->TO");
    std::string what = call.words[0];
    size_t arrow = call.words[1].find("->");
    if (arrow == std::string::npos)
        throw std::invalid_argument("translate stag|to|id FROM->TO");
    auto &map = what == "stag" ? s.translation.stag
                : what == "to" ? s.translation.to
                               : s.translation.id;
    map[number(call.words[1].substr(0, arrow))] = number(call.words[1].substr(arrow + 2));
}

constexpr Verb control_table[] = {
    {"ask", "ask CONTROL COMMAND...",
     "execute a command; the answer must have status=ok; its words become $answer.KEY", 2,
     ANY_NUMBER, true, nullptr, ask},
    {"try", "try CONTROL COMMAND...",
     "execute a command; any answer is accepted; its words become $answer.KEY", 2, ANY_NUMBER, true,
     nullptr, attempt},
    {"loop", "loop CONTROL COMMAND...",
     "repeat a command in the background until unloop or the end of the script", 2, ANY_NUMBER,
     true, nullptr, loop},
    {"unloop", "unloop CONTROL", "stop the loop; all its answers must have had status=ok", 1, 1,
     false, nullptr, unloop},
    {"exec", "exec PROGRAM WORD...", "run a program; its exit status must be 0", 1, ANY_NUMBER,
     true, nullptr, exec},
    {"do", "do NAME [VARIABLE=VALUE...]", "run the steps of a definition", 1, 1, false,
     takes_anything, call_definition, false},
    {"set", "set VARIABLE=VALUE...", "set variables", 0, 0, false, takes_anything, set, false},
    {"calc", "calc VARIABLE=NUMBER...", "set variables to the values of sums such as $a+4", 0, 0,
     false, takes_anything, calc, false},
    {"translate", "translate stag|to|id FROM->TO",
     "replace the value FROM of vectors by TO from here on", 2, 2, false, nullptr, translate,
     false},
};

} // namespace

std::span<const Verb> control_verbs() {
    return control_table;
}

} // namespace xiw::peer
