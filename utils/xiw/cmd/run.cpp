// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/command.hpp"
#include "version.hpp"

#include <exception>
#include <new>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

namespace xiw::cmd {

namespace {

void device(CLI::App &app, Options &options) {
    app.add_option("DEVICE", options.device, "only this device");
}

void device_and_qp(CLI::App &app, Options &options) {
    device(app, options);
    app.add_option("-q,--qp", options.qpn, "only the QP of this number");
}

void conn_options(CLI::App &app, Options &options) {
    device_and_qp(app, options);
    app.add_flag("-d,--detail", options.detail, "the MPA startup frames too");
}

void stat_options(CLI::App &app, Options &options) {
    device(app, options);
    app.add_flag("-a,--all", options.all, "counters that are zero too");
    app.add_flag("-p,--prometheus", options.prometheus, "as Prometheus reads them");
}

void term_options(CLI::App &app, Options &options) {
    device_and_qp(app, options);
    app.add_option("-n,--last", options.last, "only so many of each device, the latest");
}

void monitor_options(CLI::App &app, Options &options) {
    device_and_qp(app, options);
    app.add_option("-k,--kind", options.kinds, "only events of this kind, may be repeated")
        ->allow_extra_args(false);
    app.add_option("-c,--count", options.count, "end behind so many");
}

void config_set_options(CLI::App &app, Options &options) {
    app.add_option("DEVICE", options.device, "the device to change")->required();
    app.add_option("CHANGE", options.assignments, "what to change; all of it or nothing")
        ->required()
        ->type_name("KEY=VALUE");
}

void explain_options(CLI::App &app, Options &options) {
    app.add_option("CODE", options.codes, "0/2/0x07, 0x10002, ECONNREFUSED, 111, REM_ACCESS_ERR");
}

constexpr Command config_commands[] = {
    {"show", config_show, device, "show the configuration"},
    {"set", config_set, config_set_options, "change it: config set xiw0 crc=off park-time=2s"},
};

std::string no_words() {
    return {};
}

constexpr Command table[] = {
    {"show", show, device, "devices, features, traffic, trouble, connections (the default)"},
    {"conn", conn, conn_options, "connections: state, addresses, what was agreed"},
    {"stat", stat, stat_options, "counters, by operation and by event"},
    {"caps", caps, device_and_qp, "capabilities: local, offered, the peer's, agreed"},
    {"hist", hist, device, "how long work requests take, by operation"},
    {"term", term, term_options, "recent Terminates, rejects and lost connections, in words"},
    {"monitor", monitor, monitor_options, "tell what happens, until interrupted"},
    {"config", nullptr, nullptr, "configuration of devices", config_commands},
    {"explain",
     explain,
     explain_options,
     "codes in words; without CODE all of them",
     {},
     explain_words},
    {"decode", decode, decode_options, "what a capture of iWARP says", {}, nullptr, true},
    {"doctor", doctor, doctor_options, "is this machine ready, and what would help?", {}, no_words},
    {"completion",
     completion,
     completion_options,
     "print the completion script for bash or zsh",
     {},
     completion_words},
};

constexpr const char *footer =
    "Exit status: 0 done, 1 failed, 2 wrong usage, 3 kernel module not loaded,\n"
    "4 not permitted. See xiw(8).";

std::string names(std::span<const Command> rows) {
    std::string list;
    for (const Command &row : rows)
        list += fmt::format("{}{}", list.empty() ? "" : " or ", row.name);
    return list;
}

// A command is chosen by the parser's callback and run after it, so that the
// parser's exceptions and ours do not mix.
using Chosen = const Command *;

void add(CLI::App &app, std::span<const Command> rows, Options &options, Chosen &chosen) {
    for (const Command &row : rows) {
        CLI::App *sub = app.add_subcommand(row.name, row.help);
        // Options of the tool may stand behind the command.
        sub->fallthrough();
        if (row.options != nullptr)
            row.options(*sub, options);
        if (row.sub.empty()) {
            sub->callback([&chosen, &row] { chosen = &row; });
        } else {
            // Checked by hand: the parser would complain of the missing command
            // even where it got a wrong one.
            sub->require_subcommand(0, 1);
            sub->callback([sub, &row] {
                if (sub->get_subcommands().empty())
                    throw CLI::RequiredError(names(row.sub) + " after " + row.name);
            });
            add(*sub, row.sub, options, chosen);
        }
    }
}

Exit fail(Environment &env, Exit exit, std::string_view what, std::string_view hint = {}) {
    env.out.flush();
    fmt::print(env.err, "xiw: {}\n", what);
    if (!hint.empty())
        fmt::print(env.err, "xiw: {}\n", hint);
    env.err.flush();
    return exit;
}

Exit parse_and_run(Environment &env, int argc, const char *const *argv) {
    CLI::App app("control utility of the xiw iWARP driver", "xiw");
    Options options;
    Chosen chosen = nullptr;

    app.set_version_flag("-V,--version", std::string("xiw ") + version);
    app.footer(footer);
    app.require_subcommand(0, 1);
    auto *json = app.add_flag("-j,--json", options.json, "print JSON, see schema/xiw-1.json");
    app.add_flag("--tsv", options.tsv, "print tab-separated values")->excludes(json);
    add(app, commands(), options, chosen);

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success &request) {
        // --help and --version come as exceptions too.
        return app.exit(request, env.out, env.err) == 0 ? Exit::ok : Exit::usage;
    } catch (const CLI::ParseError &error) {
        return fail(env, Exit::usage, error.what(), "xiw --help tells more");
    }

    const auto run = chosen != nullptr ? chosen->run : show;
    run(env, options);
    env.out.flush();
    if (!env.out)
        return fail(env, Exit::failed, "cannot write the output");
    return env.status;
}

} // namespace

std::span<const Command> commands() {
    return table;
}

Exit run(Environment &env, int argc, const char *const *argv) {
    try {
        return parse_and_run(env, argc, argv);
    } catch (const Error &error) {
        return fail(env, error.exit(), error.what(), error.hint());
    } catch (const std::bad_alloc &) {
        return fail(env, Exit::failed, "out of memory");
    } catch (const std::exception &error) {
        return fail(env, Exit::failed, error.what());
    }
}

} // namespace xiw::cmd
