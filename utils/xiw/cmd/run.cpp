// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/command.hpp"
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

void device(CLI::App &app, Options &options) {
    app.add_option("DEVICE", options.device, "only this device");
}

void device_and_qp(CLI::App &app, Options &options) {
    device(app, options);
    app.add_option("-q,--qp", options.qpn, "only the QP with this number");
}

void conn_options(CLI::App &app, Options &options) {
    device_and_qp(app, options);
    app.add_flag("-d,--detail", options.detail,
                 "also MPA frames, queues, TCP and messages by operation");
}

void stat_options(CLI::App &app, Options &options) {
    device(app, options);
    app.add_flag("-a,--all", options.all, "also counters that are zero");
    app.add_flag("-p,--prometheus", options.prometheus, "in the format of Prometheus");
}

void term_options(CLI::App &app, Options &options) {
    device_and_qp(app, options);
    app.add_option("-n,--last", options.last, "show only the last N per device");
    app.add_flag("-r,--recorder", options.recorder,
                 "also the flight recorder's snapshot of each end");
}

void monitor_options(CLI::App &app, Options &options) {
    device_and_qp(app, options);
    app.add_option("-k,--kind", options.kinds, "only events of this kind; may be repeated")
        ->allow_extra_args(false);
    app.add_option("-c,--count", options.count, "exit after N");
}

void config_set_options(CLI::App &app, Options &options) {
    app.add_option("DEVICE", options.device, "the device to change")->required();
    app.add_option("CHANGE", options.assignments, "settings to change; all or none are applied")
        ->required()
        ->type_name("KEY=VALUE");
}

void explain_options(CLI::App &app, Options &options) {
    app.add_option("CODE", options.codes, "0/2/0x07, 0x10002, ECONNREFUSED, 111, REM_ACCESS_ERR");
}

constexpr Command config_commands[] = {
    {"show", config_show, device, "show the configuration"},
    {"set", config_set, config_set_options,
     "change settings: config set xiw0 crc=off park-time=2s"},
    {"save",
     config_save,
     config_save_options,
     "save it as commands for restore",
     {},
     nullptr,
     true},
    {"restore",
     config_restore,
     config_restore_options,
     "restore a saved configuration",
     {},
     nullptr,
     true},
};

constexpr Command fault_commands[] = {
    {"show", fault_show, device, "list armed faults and their hits (the default)"},
    {"set", fault_set, fault_set_options, "arm a fault: fault set xiw0 drop at=5"},
    {"clear", fault_clear, fault_clear_options, "disarm faults"},
};

std::string no_words() {
    return {};
}

constexpr Command table[] = {
    {"show", show, device, "devices, features, traffic, errors, connections (the default)"},
    {"conn", conn, conn_options, "connections: state, addresses, negotiated values"},
    {"stat", stat, stat_options, "counters, by operation and by event"},
    {"caps", caps, device_and_qp, "capabilities: local, offered, peer's, agreed"},
    {"hist", hist, device, "latency of work requests, by operation"},
    {"term", term, term_options, "recent Terminates, rejects and lost connections, in words"},
    {"monitor", monitor, monitor_options, "print events as they happen"},
    {"top", top, top_options, "rates of devices and connections, live"},
    {"config", nullptr, nullptr, "configuration of devices", config_commands},
    {"dump", dump, device_and_qp, "show ring indexes and device registers"},
    {"fault", fault_show, nullptr, "fault injection, if the module was built with it",
     fault_commands},
    {"capture", capture, capture_options, "capture segments into a file, or decode them"},
    {"batch", batch, batch_options, "execute the commands of a file", {}, nullptr, true},
    {"explain",
     explain,
     explain_options,
     "explain codes; without CODE all of them",
     {},
     explain_words},
    {"decode", decode, decode_options, "decode a capture of iWARP", {}, nullptr, true},
    {"doctor", doctor, doctor_options, "check whether this machine is ready", {}, no_words},
    {"ping", ping, ping_options, "send checked and timed traffic to another machine", {}, no_words},
    {"selftest", selftest, selftest_options, "test all operations on one device"},
    {"completion",
     completion,
     completion_options,
     "print the completion script for bash or zsh",
     {},
     completion_words},
};

constexpr const char *footer =
    "Exit status: 0 done, 1 failed, 2 wrong usage, 3 kernel module not loaded,\n"
    "4 not permitted; of ping also 5 wrong data, 6 an operation is not there. See xiw(8).";

std::string names(std::span<const Command> rows) {
    std::string list;
    for (const Command &row : rows)
        list += fmt::format("{}{}", list.empty() ? "" : " or ", row.name);
    return list;
}

// The parser's callback only selects the command, which runs later: so the parser's exceptions
// and ours do not mix.
using Chosen = const Command *;

void add(CLI::App &app, std::span<const Command> rows, Options &options, Chosen &chosen) {
    for (const Command &row : rows) {
        CLI::App *sub = app.add_subcommand(row.name, row.help);
        // Options of the tool are also allowed after the command.
        sub->fallthrough();
        if (row.options != nullptr)
            row.options(*sub, options);
        if (row.sub.empty()) {
            sub->callback([&chosen, &row] { chosen = &row; });
        } else {
            // Checked below: the parser would report a missing command even for an unknown one.
            sub->require_subcommand(0, 1);
            sub->callback([sub, &chosen, &row] {
                if (!sub->get_subcommands().empty())
                    return;
                chosen = &row;
                if (row.run == nullptr)
                    throw CLI::RequiredError(names(row.sub) + " after " + row.name);
            });
            add(*sub, row.sub, options, chosen);
        }
    }
}

Exit parse_and_run(Environment &env, int argc, const char *const *argv, Options options) {
    CLI::App app("control utility of the xiw iWARP driver", "xiw");
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
        // --help and --version are exceptions, too.
        return app.exit(request, env.out, env.err) == 0 ? Exit::ok : Exit::usage;
    } catch (const CLI::ParseError &error) {
        return fail(env, Error(Exit::usage, error.what(), "see xiw --help"));
    }

    const auto run = chosen != nullptr ? chosen->run : show;
    run(env, options);
    env.out.flush();
    if (!env.out)
        return fail(env, Error(Exit::failed, "cannot write the output"));
    return env.status;
}

Exit run(Environment &env, int argc, const char *const *argv, const Options &options) {
    try {
        return parse_and_run(env, argc, argv, options);
    } catch (const Error &error) {
        return fail(env, error);
    } catch (const std::bad_alloc &) {
        return fail(env, Error(Exit::failed, "out of memory"));
    } catch (const std::exception &error) {
        return fail(env, Error(Exit::failed, error.what()));
    }
}

// Shorten user input for a message, and remove control characters.
std::string tame(std::string_view text) {
    constexpr size_t most = 600;
    const bool cut = text.size() > most;
    return render::printable(text.substr(0, most)) + (cut ? " ..." : "");
}

} // namespace

std::span<const Command> commands() {
    return table;
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
    return run(env, argc, argv, {});
}

Exit run(Environment &env, const std::vector<std::string> &words, const Options &batch) {
    std::vector<const char *> argv{"xiw"};
    Options options;

    for (const std::string &word : words)
        argv.push_back(word.c_str());
    options.json = batch.json;
    options.tsv = batch.tsv;
    return run(env, static_cast<int>(argv.size()), argv.data(), options);
}

} // namespace xiw::cmd
