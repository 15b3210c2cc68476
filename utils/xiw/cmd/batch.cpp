// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/lines.hpp"

#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

namespace xiw::cmd {

namespace {

struct BatchOptions {
    std::string file;
    bool force = false;
};

void add(Syntax &syntax, BatchOptions &options) {
    syntax.complete_files(
        syntax.app
            .add_option("FILE", options.file, "commands, one on each line; - for standard input")
            ->required());
    syntax.app.add_flag("-f,--force", options.force, "continue after a command that failed");
}

// Execute each line before the next line is read, because the program that writes the lines may
// wait for the result.
void execute(Environment &env, const Format &format, const BatchOptions &options) {
    if (env.batch)
        throw Error(Exit::usage, "batch cannot be used in a batch");
    Lines lines(env, options.file);
    Environment inner = env;
    inner.batch = true;
    size_t carried_out = 0;
    size_t failed = 0;

    for (bool more = true; more;) {
        Exit exit = Exit::ok;
        inner.status = Exit::ok;
        inner.place.clear();
        try {
            const auto line = lines.next();
            if (!line)
                break;
            inner.place = line->place;
            exit = run(inner, line->words, format);
        } catch (const Error &error) {
            exit = fail(inner, error);
            more = error.exit() == Exit::usage;
        }
        carried_out++;
        if (exit == Exit::ok)
            continue;
        failed++;
        if (env.status == Exit::ok)
            env.status = exit;
        more = more && options.force;
    }
    if (failed != 0 && options.force)
        fmt::print(env.err, "xiw: {}: {} of {} commands failed\n", lines.name(), failed,
                   carried_out);
}

} // namespace

constinit const Command batch_command = {"batch", "execute the commands of a file",
                                         with_options<BatchOptions, add, execute>};

} // namespace xiw::cmd
