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

// NaN is in no range.
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

traffic::PingOrder ping_order(const Options &options) {
    const TrafficOptions &t = options.traffic;
    if (options.peer.empty())
        throw Error(Exit::usage, "ping needs a HOST, or --serve", "see xiw ping --help");
    refuse(t.once, "--once", "requires --serve");
    refuse(t.corrupt, "--corrupt", "requires --serve");

    traffic::PingOrder order;
    order.host = options.peer;
    order.port = t.port.value_or(order.port);
    order.ops = ops(t.ops);
    order.size = t.size.value_or(order.size);
    order.rounds = options.count ? *options.count : t.interval ? 0 : traffic::default_rounds;
    order.interval = seconds("--interval", t.interval.value_or(0), 0);
    order.timeout = seconds("--timeout", t.timeout, timeout_least);
    return order;
}

traffic::ServeOrder serve_order(const Options &options) {
    const TrafficOptions &t = options.traffic;
    constexpr std::string_view why = "cannot be used with --serve";
    refuse(!t.ops.empty(), "--op", why);
    refuse(options.count.has_value(), "--count", why);
    refuse(t.size.has_value(), "--size", why);
    refuse(t.interval.has_value(), "--interval", why);
    refuse(t.timeout != TrafficOptions().timeout, "--timeout", why);
    refuse(options.json || options.tsv, "--serve", "prints only text");

    traffic::ServeOrder order;
    order.address = options.peer;
    order.port = t.port.value_or(order.port);
    order.once = t.once;
    order.corrupt = t.corrupt;
    return order;
}

std::unique_ptr<traffic::Traffic> traffic_of(Environment &env) {
    if (!env.traffic)
        throw Error(Exit::absent, "user-space verbs are not available");
    return env.traffic();
}

// Prints progress: each round if rounds are at least a second apart, else the number of rounds
// once a second.
class Progress {
  public:
    Progress(Environment &env, const Options &options, const Ping &result)
        : env_(env), result_(result), text_(!options.json && !options.tsv),
          each_(options.traffic.interval.value_or(0) > 0) {}

    void round(const traffic::Round &took) {
        rounds_++;
        const auto now = std::chrono::steady_clock::now();
        if (!text_)
            return;
        if (each_) {
            render::ping_round(env_.out, result_, rounds_, took);
            env_.out.flush();
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

void run_ping(Environment &env, const Options &options, const traffic::PingOrder &order) {
    const auto traffic = traffic_of(env);
    Report report;
    Ping &result = report.ping.emplace();
    Progress progress(env, options, result);
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
        // Show the results before the error.
        failed = error;
    }
    progress.clear();
    const auto answered = [](const RoundTrips &t) { return !t.nanoseconds.empty(); };
    if (std::ranges::any_of(result.operations, answered) || !failed)
        print_report(env, options, report, render::ping);
    if (failed)
        throw *failed;
    if (std::ranges::any_of(result.operations, [](const RoundTrips &t) { return t.wrong != 0; }))
        env.status = Exit::differs;
}

void timeout_option(CLI::App &app, Options &options) {
    app.add_option("-W,--timeout", options.traffic.timeout, "time limit of each wait in seconds");
}

} // namespace

void ping_options(CLI::App &app, Options &options) {
    TrafficOptions &t = options.traffic;
    app.add_option("HOST", options.peer,
                   "host that runs xiw ping --serve; with --serve: local address");
    app.add_option("--op", t.ops, "operations: send,write,read,atomic,imm")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("-c,--count", options.count, "rounds")->check(CLI::PositiveNumber);
    app.add_option("-s,--size", t.size, "message size in octets")
        ->check(CLI::Range(uint32_t{1}, traffic::size_most));
    app.add_option("-i,--interval", t.interval, "seconds between rounds");
    app.add_option("-p,--port", t.port, "TCP port")
        ->check(CLI::Range(uint16_t{1}, uint16_t{65535}));
    timeout_option(app, options);
    app.add_flag("--serve", t.serve, "run a server until interrupted");
    app.add_flag("--once", t.once, "with --serve: exit after the first client");
    app.add_flag("--corrupt", t.corrupt, "with --serve: answer with wrong data, for tests");
}

void ping(Environment &env, const Options &options) {
    if (!options.traffic.serve) {
        run_ping(env, options, ping_order(options));
        return;
    }
    const traffic::ServeOrder order = serve_order(options);
    traffic_of(env)->serve(order, [&env](const std::string &what) {
        fmt::print(env.out, "{}\n", render::printable(what));
        env.out.flush();
    });
}

void selftest_options(CLI::App &app, Options &options) {
    app.add_option("DEVICE", options.device, "device; by default the first one of xiw");
    timeout_option(app, options);
}

void selftest(Environment &env, const Options &options) {
    traffic::SelftestOrder order;
    order.device = options.device;
    order.timeout = seconds("--timeout", options.traffic.timeout, timeout_least);
    order.notices = [&env] {
        Session session(env, {});
        session.collect().notices();
        return session.collect().report().notices.value_or(std::vector<Notice>());
    };
    const bool text = !options.json && !options.tsv;
    Report report;
    Selftest &result = report.selftest.emplace();
    traffic_of(env)->selftest(order, result, [&](const TestCase &one) {
        if (!text)
            return;
        print_folded(env, [&](std::ostream &out) { render::test_case(out, one, env.colour); });
        env.out.flush();
    });
    print_report(env, options, report, render::selftest_sum);
    if (std::ranges::count(result.cases, TestCase::Verdict::fail, &TestCase::verdict) != 0)
        env.status = Exit::failed;
}

} // namespace xiw::cmd
