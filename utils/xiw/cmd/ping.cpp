// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/session.hpp"
#include "render/render.hpp"
#include "render/table.hpp"
#include "traffic/traffic.hpp"

#include <algorithm>
#include <chrono>
#include <ostream>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

namespace xiw::cmd {

namespace {

constexpr double seconds_most = 3600;
constexpr double timeout_least = 0.001;

struct PingOptions {
    std::string peer; // may be empty
    std::vector<std::string> ops;
    std::optional<uint32_t> size;
    std::optional<uint16_t> port;
    std::optional<uint32_t> count;
    std::optional<double> interval; // seconds, like timeout
    double timeout = 5;
    bool serve = false;
    bool once = false;
    bool corrupt = false;
};

// Convert the value of an option, in seconds. This form of the range check also refuses NaN.
traffic::Duration seconds(std::string_view option, double number, double least) {
    if (!(number >= least && number <= seconds_most))
        throw Error(Exit::usage, fmt::format("{}: {} to {} seconds, not {}", option, least,
                                             seconds_most, number));
    return std::chrono::duration_cast<traffic::Duration>(std::chrono::duration<double>(number));
}

std::vector<traffic::Op> ops(const std::vector<std::string> &words) {
    std::vector<traffic::Op> list;
    std::string all;
    for (const traffic::Op op : traffic::all_ops)
        all += fmt::format("{}{}", all.empty() ? "" : ",", traffic::op_word(op));
    for (const std::string &word : words) {
        const auto op = traffic::parse_op(word);
        if (!op)
            throw Error(Exit::usage, fmt::format("no operation \"{}\"", word), "valid: " + all);
        list.push_back(*op);
    }
    return list;
}

void refuse(bool given, std::string_view what, std::string_view why) {
    if (given)
        throw Error(Exit::usage, fmt::format("{} {}", what, why), "see xiw ping --help");
}

traffic::PingOrder ping_order(const PingOptions &options) {
    if (options.peer.empty())
        throw Error(Exit::usage, "ping needs a HOST, or --serve", "see xiw ping --help");
    refuse(options.once, "--once", "requires --serve");
    refuse(options.corrupt, "--corrupt", "requires --serve");

    traffic::PingOrder order;
    order.host = options.peer;
    order.port = options.port.value_or(order.port);
    order.ops = ops(options.ops);
    order.size = options.size.value_or(order.size);
    order.rounds = options.count ? *options.count : options.interval ? 0 : traffic::default_rounds;
    order.interval = seconds("--interval", options.interval.value_or(0), 0);
    order.timeout = seconds("--timeout", options.timeout, timeout_least);
    return order;
}

traffic::ServeOrder serve_order(const Format &format, const PingOptions &options) {
    constexpr std::string_view why = "cannot be used with --serve";
    refuse(!options.ops.empty(), "--op", why);
    refuse(options.count.has_value(), "--count", why);
    refuse(options.size.has_value(), "--size", why);
    refuse(options.interval.has_value(), "--interval", why);
    refuse(options.timeout != PingOptions().timeout, "--timeout", why);
    refuse(!format.text(), "--serve", "prints only text");

    traffic::ServeOrder order;
    order.address = options.peer;
    order.port = options.port.value_or(order.port);
    order.once = options.once;
    order.corrupt = options.corrupt;
    return order;
}

// Get the implementation of traffic for the command `name`.
std::unique_ptr<traffic::Traffic> traffic_of(Environment &env, std::string_view name) {
    // xiw-traffic executes the command line of this process, so it cannot execute one line of a
    // batch.
    if (env.batch)
        throw Error(Exit::usage, fmt::format("{} cannot be used in a batch", name));
    if (!env.traffic)
        throw Error(Exit::absent, "user-space verbs are not available");
    return env.traffic();
}

// Prints progress as text: each round if there is an interval between rounds, otherwise the number
// of rounds once per second.
class Progress {
  public:
    Progress(Environment &env, const Format &format, const PingOptions &options, const Ping &result)
        : env_(env), result_(result), text_(format.text()),
          each_(options.interval.value_or(0) > 0) {}

    void round(const traffic::Round &took) {
        rounds_++;
        const auto now = std::chrono::steady_clock::now();
        if (!text_)
            return;
        if (each_) {
            render::ping_round(env_.out, result_, rounds_, took);
            flush(env_);
        } else if (now - said_ >= std::chrono::seconds(1)) {
            fmt::print(env_.err, "xiw: {} rounds so far{}", render::grouped(rounds_),
                       env_.rewrite ? "\r" : "\n");
            env_.err.flush();
            said_ = now;
            shown_ = env_.rewrite;
        }
    }

    // Remove the progress line before other output.
    void clear() {
        if (std::exchange(shown_, false))
            env_.err << "\033[K" << std::flush;
    }

  private:
    Environment &env_;
    const Ping &result_;
    bool text_;
    bool each_;
    bool shown_ = false;
    uint64_t rounds_ = 0;
    std::chrono::steady_clock::time_point said_ = std::chrono::steady_clock::now();
};

void run_ping(Environment &env, const Format &format, const PingOptions &options,
              const traffic::PingOrder &order) {
    const auto traffic = traffic_of(env, "ping");
    Report report;
    Ping &result = report.ping.emplace();
    Progress progress(env, format, options, result);
    std::optional<Error> failed;

    try {
        traffic->ping(
            order, result, [&progress](const traffic::Round &took) { progress.round(took); },
            [&env, &progress](const std::string &what) {
                progress.clear();
                fmt::print(env.err, "xiw: {}\n", render::printable(what));
                env.err.flush();
            });
    } catch (const Error &error) {
        // Print the results before the error is thrown.
        failed = error;
    }
    progress.clear();
    const auto answered = [](const RoundTrips &t) { return t.nanoseconds.count() != 0; };
    if (std::ranges::any_of(result.operations, answered) || !failed)
        print_report(env, format, report, render::ping);
    const bool wrong =
        std::ranges::any_of(result.operations, [](const RoundTrips &t) { return t.wrong != 0; });
    // If an answer contained wrong data, the exit status reports the wrong data, not the error that
    // ended the rounds.
    if (failed && wrong)
        throw Error(Exit::differs, failed->what(), failed->hint());
    if (failed)
        throw *failed;
    if (wrong)
        env.status = Exit::differs;
}

void add_timeout(Syntax &syntax, double &timeout) {
    syntax.app.add_option("-W,--timeout", timeout, "time limit of each wait in seconds");
}

std::vector<std::string> op_words() {
    std::vector<std::string> words(std::size(traffic::all_ops));
    std::ranges::transform(traffic::all_ops, words.begin(), traffic::op_word);
    return words;
}

void add(Syntax &syntax, PingOptions &options) {
    CLI::App &app = syntax.app;
    app.add_option("HOST", options.peer,
                   "host that runs xiw ping --serve; with --serve: local address");
    syntax.complete_words(
        app.add_option("--op", options.ops, "operations: send,write,read,atomic,imm")
            ->delimiter(',')
            ->allow_extra_args(false),
        op_words());
    app.add_option("-c,--count", options.count, "rounds")->check(CLI::PositiveNumber);
    app.add_option("-s,--size", options.size, "message size in octets")
        ->check(CLI::Range(uint32_t{1}, traffic::size_most));
    app.add_option("-i,--interval", options.interval, "seconds between rounds");
    app.add_option("-p,--port", options.port, "TCP port")
        ->check(CLI::Range(uint16_t{1}, uint16_t{65535}));
    add_timeout(syntax, options.timeout);
    app.add_flag("--serve", options.serve, "run a server until interrupted");
    app.add_flag("--once", options.once, "with --serve: exit after the first client");
    app.add_flag("--corrupt", options.corrupt, "with --serve: answer with wrong data, for tests");
}

void execute(Environment &env, const Format &format, const PingOptions &options) {
    if (!options.serve) {
        run_ping(env, format, options, ping_order(options));
        return;
    }
    const traffic::ServeOrder order = serve_order(format, options);
    traffic_of(env, "ping")->serve(order, [&env](const std::string &what) {
        fmt::print(env.out, "{}\n", render::printable(what));
        env.out.flush();
    });
}

struct SelftestOptions {
    std::string device;
    double timeout = PingOptions().timeout;
};

void add_selftest(Syntax &syntax, SelftestOptions &options) {
    syntax.device(options.device, "device; by default the first one of xiw");
    add_timeout(syntax, options.timeout);
}

void selftest(Environment &env, const Format &format, const SelftestOptions &options) {
    traffic::SelftestOrder order;
    order.device = options.device;
    order.timeout = seconds("--timeout", options.timeout, timeout_least);
    order.notices = [&env] {
        Session session(env, {});
        session.collect().notices();
        return session.collect().report().notices.value_or(std::vector<Notice>());
    };
    Report report;
    Selftest &result = report.selftest.emplace();
    traffic_of(env, "selftest")->selftest(order, result, [&](const TestCase &one) {
        if (!format.text())
            return;
        print_folded(env, [&](std::ostream &out) { render::test_case(out, one, env.colour); });
        env.out.flush();
    });
    print_report(env, format, report, render::selftest_sum);
    if (std::ranges::count(result.cases, TestCase::Verdict::fail, &TestCase::verdict) != 0)
        env.status = Exit::failed;
}

} // namespace

constinit const Command ping_command = {"ping", "send checked and timed traffic to another machine",
                                        with_options<PingOptions, add, execute>};
constinit const Command selftest_command = {"selftest", "test all operations on one device",
                                            with_options<SelftestOptions, add_selftest, selftest>};

} // namespace xiw::cmd
