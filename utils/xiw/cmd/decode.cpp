// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/decode.hpp"

#include "console/ending.hpp"
#include "wire/decoder.hpp"
#include "wire/file.hpp"

#include <ostream>

#include <CLI/CLI.hpp>

namespace xiw::cmd {

std::unique_ptr<render::WireRenderer> wire_renderer(Environment &env, const Format &format) {
    if (format.json)
        return render::wire_json(env.out);
    if (format.tsv)
        return render::wire_tsv(env.out);
    return render::wire_text(env.out, env.colour, env.columns);
}

namespace {

struct DecodeOptions {
    std::string file;
};

void add(Syntax &syntax, DecodeOptions &options) {
    syntax.complete_files(
        syntax.app.add_option("FILE", options.file, "pcap or pcapng, - for standard input")
            ->required());
}

// The command does not use the kernel. If the file is invalid, the command prints all items before
// the invalid part, and then the error.
void execute(Environment &env, const Format &format, const DecodeOptions &options) {
    if (env.batch && options.file == "-")
        standard_input(env); // throws in a batch
    std::optional<console::FirstInterrupt> interrupt;
    if (options.file == "-")
        interrupt.emplace();
    wire::CaptureFile file(options.file);
    const auto renderer = wire_renderer(env, format);
    wire::Decoder decoder([&renderer](const wire::Item &item) { renderer->item(item); });
    std::optional<Error> failed;

    try {
        while (const auto packet = file.next()) {
            decoder.packet(file.link(), packet->time, packet->octets, packet->length);
            // Show the items immediately, because tcpdump may still write to standard input.
            if (options.file == "-")
                env.out.flush();
            if (!env.out)
                break;
        }
    } catch (const Error &error) {
        failed = error;
    }
    decoder.finish();
    renderer->end({decoder.connections(), decoder.recognised(), decoder.packets(), decoder.other(),
                   decoder.ignored()});
    if (failed)
        throw *failed;
}

} // namespace

constinit const Command decode_command = {"decode", "decode a capture of iWARP",
                                          with_options<DecodeOptions, add, execute>};

} // namespace xiw::cmd
