// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "runner.hpp"
#include "verb.hpp"

#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

namespace {

using namespace xiw::peer;

enum Status { DONE = 0, FAILED = 1, USAGE = 2 };

struct Arguments {
    std::vector<std::string> files, sets, controls;
    std::string octets, only;
    Options options;
    unsigned at_most = 0;
    bool trace = false, startup = false;
};

void assign(Keys &to, const std::vector<std::string> &words) {
    for (const std::string &word : words) {
        std::string key, value;

        if (!is_assignment(word, key, value))
            throw std::invalid_argument(fmt::format("'{}' is no NAME=VALUE", word));
        to[key] = value;
    }
}

int run_files(Arguments &arguments) {
    Outcome sum;

    assign(arguments.options.variables, arguments.sets);
    assign(arguments.options.controls, arguments.controls);
    arguments.options.at_most = std::chrono::seconds(arguments.at_most);
    if (arguments.trace)
        arguments.options.trace = &std::cout;
    for (const std::string &file : arguments.files) {
        Outcome outcome = run(Script::read(file), arguments.options, arguments.only, std::cout);

        sum.passed += outcome.passed;
        sum.failed += outcome.failed;
    }
    fmt::print("total xiw-peer: {} passed, {} failed, 0 skipped\n", sum.passed, sum.failed);
    return sum.failed == 0 && sum.passed > 0 ? DONE : FAILED;
}

int check_files(const Arguments &arguments) {
    for (const std::string &file : arguments.files)
        Script::read(file);
    return DONE;
}

int decode_octets(const Arguments &arguments) {
    Octets octets = octets_of(arguments.octets);

    fmt::print("{}",
               arguments.startup ? decode_startup(octets).describe() : decode(octets).describe());
    if (!arguments.startup)
        fmt::print("    the CRC is {}\n", crc_good(octets) ? "right" : "wrong");
    return DONE;
}

int list_steps() {
    for (const Verb &verb : verbs())
        fmt::print("{}\n    {}\n", verb.usage, verb.help);
    for (const Kind &kind : kinds()) {
        fmt::print("MESSAGE {}:", kind.name);
        for (const Field &f : decode(build(kind.name, {}, 1)).fields)
            fmt::print(" {}", f.name);
        fmt::print("\n");
    }
    return DONE;
}

void run_options(CLI::App &app, Arguments &a) {
    app.add_option("FILE", a.files, "scenarios")->required();
    app.add_option("--connect", a.options.connect, "peer address of 'connect' and 'open'")
        ->type_name("ADDR:PORT");
    app.add_option("--from", a.options.from, "local address of 'connect' and 'open'")
        ->type_name("ADDR");
    app.add_option("--listen", a.options.listen, "local address of 'listen' and 'open'")
        ->type_name("ADDR:PORT");
    app.add_option("--set", a.sets, "a variable")->type_name("NAME=VALUE");
    app.add_option("--control", a.controls, "file that controls the tested endpoint")
        ->type_name("NAME=PATH");
    app.add_option("--vectors", a.options.vectors, "golden frames")->type_name("FILE");
    app.add_option("--wire", a.options.wire, "interfaces whose packets 'hold' delays")
        ->type_name("NAME");
    app.add_flag("--bursts", a.options.bursts,
                 "all that is sent before a wait leaves the wire at once");
    app.add_option("--only", a.only, "scenarios with this in their names")->type_name("TEXT");
    app.add_option("--patience", a.options.patience, "stretch all limits")->type_name("N");
    app.add_option("--at-most", a.at_most, "begin no scenario after so many seconds")
        ->type_name("SECONDS");
    app.add_flag("--times", a.options.times, "print the duration of each scenario");
    app.add_flag("--trace", a.trace, "print each step and frame");
}

int command(int argc, char **argv) {
    CLI::App app{"xiw-peer: an iWARP peer that says what a file says, and checks every answer"};
    Arguments a;

    app.require_subcommand(1);
    CLI::App *run = app.add_subcommand("run", "run the scenarios of files");
    run_options(*run, a);
    CLI::App *check = app.add_subcommand("check", "only read files");
    check->add_option("FILE", a.files, "scenarios")->required();
    CLI::App *decode = app.add_subcommand("decode", "explain an FPDU without markers");
    decode->add_option("OCTETS", a.octets, "in hex")->required();
    decode->add_flag("--startup", a.startup, "an MPA Request or Reply Frame instead");
    app.add_subcommand("steps", "list steps and messages");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? DONE : USAGE; // --help is no error
    }
    if (run->parsed())
        return run_files(a);
    if (check->parsed())
        return check_files(a);
    return decode->parsed() ? decode_octets(a) : list_steps();
}

} // namespace

int main(int argc, char **argv) {
    try {
        return command(argc, argv);
    } catch (const std::exception &error) {
        fmt::print(std::cerr, "xiw-peer: {}\n", error.what());
        return USAGE;
    }
}
