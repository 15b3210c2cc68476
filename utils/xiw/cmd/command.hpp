// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CMD_COMMAND_HPP
#define XIW_CMD_COMMAND_HPP

#include "error.hpp"
#include "nl/transport.hpp"

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace xiw::doctor {
struct Host;
}

namespace xiw::cmd {

// What the tool has from its surroundings; the tests bring their own.
struct Environment {
    std::ostream &out;
    std::ostream &err;
    bool colour;
    std::function<std::unique_ptr<nl::Transport>()> connect;
    std::function<std::string(uint64_t ifindex)> ifname;
    std::function<doctor::Host()> host = {}; // this machine if empty
    Exit status = Exit::ok;                  // of a command that was carried out
};

struct Options {
    bool json = false;
    bool tsv = false;
    bool prometheus = false;
    bool all = false;
    bool detail = false;
    std::optional<uint32_t> qpn;
    std::optional<uint32_t> last;
    std::optional<uint32_t> count;
    std::vector<std::string> kinds;
    std::string device; // empty for all
    std::vector<std::string> assignments;
    std::vector<std::string> codes;
    std::string shell = "bash"; // to print the completion for
    std::string peer;           // of doctor, may be empty
    std::string file;           // of a capture, "-" for standard input
};

// One row for each subcommand: the order is that of the help.
struct Command {
    const char *name;
    void (*run)(Environment &env, const Options &options);
    void (*options)(CLI::App &app, Options &options); // what it adds, may be null
    const char *help;
    std::span<const Command> sub = {};
    std::string (*words)() = nullptr; // to complete; null for names of devices
    bool files = false;               // completes names of files
};

void show(Environment &env, const Options &options);
void conn(Environment &env, const Options &options);
void stat(Environment &env, const Options &options);
void caps(Environment &env, const Options &options);
void hist(Environment &env, const Options &options);
void term(Environment &env, const Options &options);
void monitor(Environment &env, const Options &options);
void config_show(Environment &env, const Options &options);
void config_set(Environment &env, const Options &options);
void explain(Environment &env, const Options &options);
std::string explain_words();
void decode(Environment &env, const Options &options);
void decode_options(CLI::App &app, Options &options);
void doctor(Environment &env, const Options &options);
void doctor_options(CLI::App &app, Options &options);
void completion(Environment &env, const Options &options);
void completion_options(CLI::App &app, Options &options);
std::string completion_words();

std::span<const Command> commands();

// The whole tool. Never throws: each failure has a message on env.err.
Exit run(Environment &env, int argc, const char *const *argv);

} // namespace xiw::cmd

#endif
