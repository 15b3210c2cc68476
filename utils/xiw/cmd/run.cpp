// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/command.hpp"
#include "render/render.hpp"
#include "render/table.hpp"
#include "util.hpp"

#include <exception>
#include <new>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

namespace xiw {

const char *const version = XIW_VERSION;

} // namespace xiw

namespace xiw::cmd {

namespace {

constexpr const Command *table[] = {
    &show_command,   &conn_command,    &stat_command,     &caps_command,       &hist_command,
    &term_command,   &monitor_command, &top_command,      &config_command,     &dump_command,
    &inject_command, &capture_command, &batch_command,    &explain_command,    &decode_command,
    &doctor_command, &ping_command,    &selftest_command, &completion_command,
};

constexpr const char *footer =
    "Exit status: 0 done, 1 failed, 2 wrong usage, 3 kernel module not loaded,\n"
    "4 not permitted; ping also: 5 wrong data, 6 operation not supported. See xiw(8).";

std::string names(std::span<const Command> rows) {
    std::string list;
    for (const Command &row : rows)
        list += fmt::format("{}{}", list.empty() ? "" : " or ", row.name);
    return list;
}

// Check that all output was written.
Exit finish(Environment &env) {
    flush(env);
    return env.status;
}

Exit parse_and_run(Environment &env, int argc, const char *const *argv, const Format &format) {
    Parser parser;
    parser.format = format;
    try {
        parser.app().parse(argc, argv);
    } catch (const CLI::Success &request) {
        // CLI11 also throws an exception for --help and --version.
        return parser.app().exit(request, env.out, env.err) == 0 ? Exit::ok : Exit::usage;
    } catch (const CLI::ParseError &error) {
        return fail(env, Error(Exit::usage, error.what(), "see xiw --help"));
    }

    parser.chosen()(env, parser.format);
    return finish(env);
}

// Run `body`. If `body` throws an exception, print the error and return its exit status.
Exit guarded(Environment &env, const std::function<Exit()> &body) {
    try {
        return body();
    } catch (const Error &error) {
        return fail(env, error);
    } catch (const std::bad_alloc &) {
        return fail(env, Error(Exit::failed, "out of memory"));
    } catch (const std::exception &error) {
        return fail(env, Error(Exit::failed, error.what()));
    }
}

// Shorten the text of a message, and replace control characters, because the text may contain a
// user's input.
std::string tame(std::string_view text) {
    constexpr size_t most = 600;
    const bool cut = text.size() > most;
    return render::printable(text.substr(0, most)) + (cut ? " ..." : "");
}

} // namespace

std::span<const Command *const> commands() {
    return table;
}

Parser::Parser()
    : app_(std::make_unique<CLI::App>("control utility of the xiw iWARP driver", "xiw")) {
    app_->set_version_flag("-V,--version", std::string("xiw ") + version);
    app_->footer(footer);
    app_->require_subcommand(0, 1);
    auto *json = app_->add_flag("-j,--json", format.json, "print JSON, see schema/xiw-1.json");
    app_->add_flag("--tsv", format.tsv, "print tab-separated values")->excludes(json);
    for (const Command *command : commands())
        add(*app_, *command);
    chosen_ = runs_.front().get(); // the first command is the default
}

Parser::~Parser() = default;

// The parser's callback only selects the command, which runs later. So exceptions of the parser and
// of the command do not mix.
void Parser::add(CLI::App &app, const Command &command) {
    CLI::App *sub = app.add_subcommand(command.name, command.help);
    const Run *run = nullptr;
    // Options of the tool are also allowed after the command.
    sub->fallthrough();
    if (command.add != nullptr) {
        Syntax syntax{*sub, completers_};
        run = runs_.emplace_back(std::make_unique<Run>(command.add(syntax))).get();
    }
    // Let the callback, not the parser, refuse a missing subcommand. The parser would also report
    // an unknown subcommand as a missing one.
    if (!command.sub.empty())
        sub->require_subcommand(0, 1);
    sub->callback([this, sub, run, &command] {
        if (!sub->get_subcommands().empty())
            return;
        if (run == nullptr)
            throw CLI::RequiredError(names(command.sub) + " after " + command.name);
        chosen_ = run;
    });
    for (const Command &inner : command.sub)
        add(*sub, inner);
}

void flush(Environment &env) {
    env.out.flush();
    if (!env.out)
        throw Error(Exit::failed, "cannot write the output");
}

Exit fail(Environment &env, const Error &error) {
    env.out.flush();
    fmt::print(env.err, "xiw: {}{}\n", tame(env.place), tame(error.what()));
    if (!error.hint().empty())
        fmt::print(env.err, "xiw: {}\n", tame(error.hint()));
    env.err.flush();
    return error.exit();
}

std::istream &standard_input(const Environment &env) {
    if (env.batch || env.in == nullptr)
        throw Error(Exit::usage, "standard input is not available in batch mode");
    return *env.in;
}

Exit run(Environment &env, int argc, const char *const *argv) {
    const std::span words(argv, static_cast<size_t>(argc));
    return guarded(env, [&] {
        const std::string_view first = words.size() > 1 ? words[1] : "";
        if (first == "__complete") {
            complete(env, words.subspan(2));
            return finish(env);
        }
        if (first == "__schema") { // used when the tool is built
            render::schema(env.out);
            return finish(env);
        }
        return parse_and_run(env, argc, argv, {});
    });
}

Exit run(Environment &env, const std::vector<std::string> &words, const Format &format) {
    std::vector<const char *> argv{"xiw"};

    for (const std::string &word : words)
        argv.push_back(word.c_str());
    return guarded(env, [&] {
        return parse_and_run(env, static_cast<int>(argv.size()), argv.data(), format);
    });
}

} // namespace xiw::cmd
