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

namespace xiw::console {
class Console;
}

namespace xiw::doctor {
struct Host;
}

namespace xiw::traffic {
class Traffic;
}

namespace xiw::cmd {

// The environment of the tool; tests have their own.
struct Environment {
    std::ostream &out;
    std::ostream &err;
    bool colour;
    std::function<std::unique_ptr<nl::Transport>()> connect;
    std::function<std::string(uint64_t ifindex)> ifname;
    std::function<doctor::Host()> host = {}; // empty: this machine
    std::istream *in = nullptr;              // standard input
    std::function<std::unique_ptr<console::Console>()> console = {};
    // User-space verbs; empty if not available.
    std::function<std::unique_ptr<traffic::Traffic>()> traffic = {};
    Exit status = Exit::ok; // result of a command that was executed
    bool batch = false;     // the command is a line of a batch
    std::string place = {}; // position of that line: "FILE:3: "
    size_t columns = 0;     // width of the terminal, to fold lines; 0 if there is none
    bool rewrite = false;   // err is a terminal: a line may be overwritten
};

// Options of ping and selftest.
struct TrafficOptions {
    std::vector<std::string> ops;
    std::optional<uint32_t> size;
    std::optional<uint16_t> port;
    std::optional<double> interval; // seconds, like timeout
    double timeout = 5;
    bool serve = false;
    bool once = false;
    bool corrupt = false;
};

struct CaptureOptions {
    std::optional<uint32_t> snap; // octets
    uint32_t buffer = 4096;       // KiB
    std::optional<uint32_t> seconds;
};

struct Options {
    bool json = false;
    bool tsv = false;
    bool prometheus = false;
    bool all = false;
    bool detail = false;
    bool recorder = false;
    bool force = false;
    bool once = false;
    double interval = 1;       // seconds
    std::string sort = "rate"; // sort key
    std::optional<uint32_t> qpn;
    std::optional<uint32_t> last;
    std::optional<uint32_t> count;
    std::vector<std::string> kinds;
    std::string device; // empty: all devices
    std::vector<std::string> assignments;
    std::vector<std::string> codes;
    std::string fault;          // kind of the fault
    std::string shell = "bash"; // shell for which to print the completion
    std::string peer;           // of doctor and ping, may be empty
    TrafficOptions traffic;
    CaptureOptions capture;
    std::string file; // file to read or write, "-" for standard input or output
};

// One row for each subcommand, in the order of the help. A row with subcommands and a function
// also works without a subcommand.
struct Command {
    const char *name;
    void (*run)(Environment &env, const Options &options);
    void (*options)(CLI::App &app, Options &options); // adds its options, may be null
    const char *help;
    std::span<const Command> sub = {};
    std::string (*words)() = nullptr; // words for completion; null: names of devices
    bool files = false;               // completes file names
};

void show(Environment &env, const Options &options);
void conn(Environment &env, const Options &options);
void stat(Environment &env, const Options &options);
void caps(Environment &env, const Options &options);
void hist(Environment &env, const Options &options);
void dump(Environment &env, const Options &options);
void term(Environment &env, const Options &options);
void monitor(Environment &env, const Options &options);
void config_show(Environment &env, const Options &options);
void config_set(Environment &env, const Options &options);
void config_save(Environment &env, const Options &options);
void config_save_options(CLI::App &app, Options &options);
void config_restore(Environment &env, const Options &options);
void config_restore_options(CLI::App &app, Options &options);
void fault_show(Environment &env, const Options &options);
void fault_set(Environment &env, const Options &options);
void fault_set_options(CLI::App &app, Options &options);
void fault_clear(Environment &env, const Options &options);
void fault_clear_options(CLI::App &app, Options &options);
void top(Environment &env, const Options &options);
void top_options(CLI::App &app, Options &options);
void batch(Environment &env, const Options &options);
void batch_options(CLI::App &app, Options &options);
void explain(Environment &env, const Options &options);
std::string explain_words();
void capture(Environment &env, const Options &options);
void capture_options(CLI::App &app, Options &options);
void decode(Environment &env, const Options &options);
void decode_options(CLI::App &app, Options &options);
void doctor(Environment &env, const Options &options);
void doctor_options(CLI::App &app, Options &options);
void ping(Environment &env, const Options &options);
void ping_options(CLI::App &app, Options &options);
void selftest(Environment &env, const Options &options);
void selftest_options(CLI::App &app, Options &options);
void completion(Environment &env, const Options &options);
void completion_options(CLI::App &app, Options &options);
std::string completion_words();

std::span<const Command> commands();

// Run the tool. Never throws: each failure has a message on env.err.
Exit run(Environment &env, int argc, const char *const *argv);
// Run a line of a batch; it prints in the format of the batch's options.
Exit run(Environment &env, const std::vector<std::string> &words, const Options &batch);
// Print an error message.
Exit fail(Environment &env, const Error &error);
// Throws Error in a batch, where commands have no standard input.
std::istream &standard_input(const Environment &env);

} // namespace xiw::cmd

#endif
