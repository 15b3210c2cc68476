// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "doctor/doctor.hpp"
#include "cmd/session.hpp"
#include "render/render.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace xiw::cmd {

void doctor_options(CLI::App &app, Options &options) {
    app.add_option("--peer", options.peer, "also check the path to this host")->type_name("HOST");
}

// Changes nothing and needs no privilege. Without permission to read something, it cannot check
// it.
void doctor(Environment &env, const Options &options) {
    const doctor::Host host = env.host ? env.host() : doctor::this_host();
    Report report;
    auto &findings = report.findings.emplace(doctor::examine(host, options.peer));

    print_report(env, options, report, render::findings);
    // The worst verdict determines the exit status.
    const auto worst = std::ranges::max_element(findings, {}, &doctor::Finding::verdict);
    if (worst != findings.end())
        env.status = static_cast<Exit>(worst->verdict);
}

} // namespace xiw::cmd
