// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CMD_COMMAND_HPP
#define XIW_CMD_COMMAND_HPP

#include "error.hpp"
#include "nl/transport.hpp"

#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

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

// The environment of the tool. Tests use a substitute.
struct Environment {
    std::ostream &out;
    std::ostream &err;
    bool colour;
    std::function<std::unique_ptr<nl::Transport>()> connect;
    std::function<std::string(uint64_t ifindex)> ifname;
    // Returns 0 if no interface has this name or alternative name.
    std::function<uint64_t(const std::string &name)> ifindex = {};
    std::function<doctor::Host()> host = {}; // empty: this machine
    std::istream *in = nullptr;              // standard input
    std::function<std::unique_ptr<console::Console>()> console = {};
    // User-space verbs; empty if they are not available.
    std::function<std::unique_ptr<traffic::Traffic>()> traffic = {};
    Exit status = Exit::ok; // exit status of the command that was executed
    bool batch = false;     // the command is a line of a batch
    std::string place = {}; // position of that line: "FILE:3: "
    size_t columns = 0;     // width of the terminal, to fold lines; 0 if there is none
    bool rewrite = false;   // err is a terminal: a line may be overwritten
};

// The format of the output, from the options --json and --tsv.
struct Format {
    bool json = false;
    bool tsv = false;

    bool text() const { return !json && !tsv; }
};

// A word that completion offers, and its description.
struct Word {
    std::string text;
    std::string help = {};
};
using Words = std::vector<Word>;

// Returns the candidates for a value that begins with `typed`. The candidate ":files" means that
// the shell completes the name of a file.
using Completer = std::function<Words(const Environment &env, std::string_view typed)>;
inline constexpr const char *file_names = ":files";

// The options and arguments of a command, each with the function that completes its value.
struct Syntax {
    CLI::App &app;
    std::map<const CLI::Option *, Completer> &completers;

    void complete(const CLI::Option *option, Completer completer) {
        completers[option] = std::move(completer);
    }
    void complete_files(const CLI::Option *option);
    void complete_words(const CLI::Option *option, const std::vector<std::string> &words);
    // Add DEVICE, or another option whose values are names of devices.
    CLI::Option *device(std::string &name, const char *help, const char *option = "DEVICE");
};

// Executes a command after its options have been parsed.
using Run = std::function<void(Environment &env, const Format &format)>;

// A command. If it has subcommands and `add`, it also works without a subcommand.
struct Command {
    const char *name;
    const char *help;
    Run (*add)(Syntax &syntax); // adds options; null if a subcommand is required
    std::span<const Command> sub = {};
};

template <typename Options>
using Adder = void (*)(Syntax &syntax, Options &options);

// Command::add for a command with a struct `Options`. The parameter `add` binds the options of the
// command to the members of the struct. `execute` executes the command.
template <typename Options, Adder<Options> add,
          void (*execute)(Environment &env, const Format &format, const Options &options)>
Run with_options(Syntax &syntax) {
    auto options = std::make_shared<Options>();
    add(syntax, *options);
    return [options](Environment &env, const Format &format) { execute(env, format, *options); };
}

extern const Command show_command, conn_command, stat_command, caps_command, hist_command,
    term_command, monitor_command, top_command, config_command, dump_command, inject_command,
    capture_command, batch_command, explain_command, decode_command, doctor_command, ping_command,
    selftest_command, completion_command;

// All commands, in the order in which the help lists them.
std::span<const Command *const> commands();

// The parser of the command line. The subcommands of app() are in the order of commands().
class Parser {
  public:
    Parser();
    Parser(const Parser &) = delete;
    Parser &operator=(const Parser &) = delete;
    Parser(Parser &&) = delete;
    Parser &operator=(Parser &&) = delete;
    ~Parser();

    CLI::App &app() { return *app_; }
    const std::map<const CLI::Option *, Completer> &completers() const { return completers_; }
    // The command that was parsed.
    const Run &chosen() const { return *chosen_; }
    Format format;

  private:
    void add(CLI::App &app, const Command &command);

    std::unique_ptr<CLI::App> app_;
    std::map<const CLI::Option *, Completer> completers_;
    std::vector<std::unique_ptr<Run>> runs_;
    const Run *chosen_ = nullptr;
};

// Run the tool. Never throws: on each failure, prints a message to env.err.
Exit run(Environment &env, int argc, const char *const *argv);
// Run a line of a batch. The command prints its output in the format of the batch.
Exit run(Environment &env, const std::vector<std::string> &words, const Format &format);
// Print the candidates for the last of these words, one on each line, with a tab before the
// description.
void complete(Environment &env, std::span<const char *const> words);
// Flush the output. Throws Error if it cannot be written. Endless commands call this function after
// each part of their output, because nothing else notifies them that the output is lost.
void flush(Environment &env);
// Print an error message.
Exit fail(Environment &env, const Error &error);
// Get standard input. Throws Error in a batch, whose commands have no standard input.
std::istream &standard_input(const Environment &env);

} // namespace xiw::cmd

#endif
