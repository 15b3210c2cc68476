// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/spec.hpp"
#include "cmd/session.hpp"
#include "render/render.hpp"

#include <CLI/CLI.hpp>

namespace xiw::cmd {

void spec_options(CLI::App &app, Options &options) {
    app.add_option("ID", options.codes, "only requirements with this id or prefix: X-ATOM");
    app.add_option("-r,--rfc", options.rfc, "only requirements of this RFC");
    app.add_option("-s,--section", options.section,
                   "only requirements of this section and its subsections");
    app.add_option("-l,--level", options.level, "only MUST, SHOULD or MAY");
    app.add_flag("-u,--untested", options.untested, "only requirements that no test names");
}

// Needs no kernel and no sources: the rows are compiled in.
void spec(Environment &env, const Options &options) {
    Report report;
    const auto &rows = report.requirements.emplace(requirements({.ids = options.codes,
                                                                 .document = options.rfc,
                                                                 .section = options.section,
                                                                 .level = options.level,
                                                                 .untested = options.untested}));
    if (rows.empty())
        throw Error(Exit::failed, "no matching requirement");
    print_report(env, options, report, render::requirements);
}

} // namespace xiw::cmd
