// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Commands that print a report.
#include "cmd/session.hpp"
#include "doctor/doctor.hpp"
#include "model/explain.hpp"
#include "render/render.hpp"

#include <algorithm>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace xiw::cmd {

namespace {

void show(Environment &env, const Format &format, const Selection &selection) {
    Session session(env, format, selection.device);
    session.collect().devices();
    session.collect().capabilities(false);
    session.collect().connections();
    session.collect().counters();
    session.print(render::screen);
}

struct Conn : Selection {
    bool detail = false;
};

void add_conn(Syntax &syntax, Conn &options) {
    add_device_and_qp(syntax, options);
    syntax.app.add_flag("-d,--detail", options.detail,
                        "also MPA frames, queues, TCP and messages by operation");
}

void conn(Environment &env, const Format &format, const Conn &options) {
    Session session(env, format, options.device);
    session.collect().connections();
    only_qp(session.collect().report().connections, options);
    session.print([&options](std::ostream &out, const Report &report, bool colour) {
        render::connections(out, report, colour, options.detail);
    });
}

struct Stat : Selection {
    bool all = false;
    bool prometheus = false;
};

void add_stat(Syntax &syntax, Stat &options) {
    add_device(syntax, options);
    syntax.app.add_flag("-a,--all", options.all, "also counters that are zero");
    syntax.app.add_flag("-p,--prometheus", options.prometheus, "in the format of Prometheus");
}

void stat(Environment &env, const Format &format, const Stat &options) {
    if (options.prometheus && !format.text())
        throw Error(Exit::usage, "--prometheus cannot be used with --json or --tsv");
    Session session(env, format, options.device);
    if (options.prometheus)
        session.collect().devices();
    session.collect().counters();
    if (options.prometheus) {
        session.print(
            [](std::ostream &out, const Report &report, bool) { render::prometheus(out, report); });
        return;
    }
    session.print([&options](std::ostream &out, const Report &report, bool colour) {
        render::counters(out, report, colour, options.all);
    });
}

void caps(Environment &env, const Format &format, const Selection &selection) {
    Session session(env, format, selection.device);
    session.collect().capabilities(true);
    only_qp(session.collect().report().capabilities, selection);
    session.print(render::capabilities);
}

void hist(Environment &env, const Format &format, const Selection &selection) {
    Session session(env, format, selection.device);
    session.collect().latency();
    session.print(render::latency);
}

struct Term : Selection {
    std::optional<uint32_t> last;
    bool recorder = false;
};

void add_term(Syntax &syntax, Term &options) {
    add_device_and_qp(syntax, options);
    syntax.app.add_option("-n,--last", options.last, "only the last N events of each device");
    syntax.app.add_flag("-r,--recorder", options.recorder,
                        "also the flight recorder's snapshot of each end");
}

// Keep the last `last` events of each device. The events of a device are in order.
void only_last(std::vector<Notice> &list, uint32_t last) {
    std::map<uint64_t, size_t> left;
    for (const Notice &notice : list)
        left[notice.device.index]++;
    std::erase_if(
        list, [&left, last](const Notice &notice) { return left[notice.device.index]-- > last; });
}

void term(Environment &env, const Format &format, const Term &options) {
    Session session(env, format, options.device);
    session.collect().notices();
    auto &list = session.collect().report().notices;
    if (list && options.qpn)
        std::erase_if(*list, [&](const Notice &notice) { return notice.qpn != *options.qpn; });
    if (list && options.last)
        only_last(*list, *options.last);
    session.print([&options](std::ostream &out, const Report &report, bool colour) {
        render::notices(out, report, colour, options.recorder);
    });
}

void dump(Environment &env, const Format &format, const Selection &selection) {
    Session session(env, format, selection.device);
    session.collect().rings();
    only_qp(session.collect().report().rings, selection);
    session.print(render::rings);
}

struct Explain {
    std::vector<std::string> codes;
};

void add_explain(Syntax &syntax, Explain &options) {
    syntax.complete(syntax.app.add_option("CODE", options.codes,
                                          "0/2/0x07, 0x10002, ECONNREFUSED, 111, REM_ACCESS_ERR"),
                    [](const Environment &, std::string_view) {
                        Words words;
                        for (const Explanation &e : explain_all())
                            words.push_back({e.subject, e.meaning});
                        return words;
                    });
}

// The command does not use the kernel. It only explains the given codes.
void explain(Environment &env, const Format &format, const Explain &options) {
    Report report;
    auto &list = report.explanations.emplace();

    if (options.codes.empty())
        list = explain_all();
    for (const std::string &code : options.codes) {
        auto found = xiw::explain(code);
        if (found.empty())
            throw Error(Exit::usage, fmt::format("\"{}\" is not a code that xiw supports", code),
                        "a Terminate code is written 0/2/0x07, an errno ECONNREFUSED or 111, "
                        "a completion status REM_ACCESS_ERR");
        list.insert(list.end(), found.begin(), found.end());
    }
    print_report(env, format, report, render::explanations);
}

struct Doctor {
    std::string peer; // may be empty
};

void add_doctor(Syntax &syntax, Doctor &options) {
    syntax.app.add_option("--peer", options.peer, "also check the path to this host")
        ->type_name("HOST");
}

// The command changes nothing and needs no privilege. It skips a check whose data it may not read.
void doctor(Environment &env, const Format &format, const Doctor &options) {
    const doctor::Host host = env.host ? env.host() : doctor::this_host();
    Report report;
    auto &findings = report.findings.emplace(doctor::examine(host, options.peer));

    print_report(env, format, report, render::findings);
    // The worst verdict determines the exit status.
    const auto worst = std::ranges::max_element(findings, {}, &doctor::Finding::verdict);
    if (worst != findings.end())
        env.status = static_cast<Exit>(worst->verdict);
}

} // namespace

constinit const Command show_command = {
    "show", "devices, features, traffic, errors, connections (the default)",
    with_options<Selection, add_device, show>};
constinit const Command conn_command = {"conn", "connections: state, addresses, negotiated values",
                                        with_options<Conn, add_conn, conn>};
constinit const Command stat_command = {"stat", "counters, by operation and by event",
                                        with_options<Stat, add_stat, stat>};
constinit const Command caps_command = {"caps", "capabilities: local, offered, peer's, agreed",
                                        with_options<Selection, add_device_and_qp, caps>};
constinit const Command hist_command = {"hist", "latency of work requests, by operation",
                                        with_options<Selection, add_device, hist>};
constinit const Command term_command = {"term",
                                        "recent Terminates, rejects and lost connections, in words",
                                        with_options<Term, add_term, term>};
constinit const Command dump_command = {"dump", "show ring indexes and device registers",
                                        with_options<Selection, add_device_and_qp, dump>};
constinit const Command explain_command = {"explain", "explain codes; without CODE all of them",
                                           with_options<Explain, add_explain, explain>};
constinit const Command doctor_command = {"doctor", "check whether this machine is ready",
                                          with_options<Doctor, add_doctor, doctor>};

} // namespace xiw::cmd
