// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/session.hpp"
#include "render/render.hpp"

namespace xiw::cmd {

void show(Environment &env, const Options &options) {
    Session session(env, options);
    session.collect().devices();
    session.collect().capabilities(false);
    session.collect().connections();
    session.collect().counters();
    session.print(render::screen);
}

void conn(Environment &env, const Options &options) {
    Session session(env, options);
    session.collect().connections();
    only_qp(session.collect().report().connections, options);
    session.print([&options](std::ostream &out, const Report &report, bool colour) {
        render::connections(out, report, colour, options.detail);
    });
}

void stat(Environment &env, const Options &options) {
    if (options.prometheus && (options.json || options.tsv))
        throw Error(Exit::usage, "--prometheus cannot be used with --json or --tsv");
    Session session(env, options);
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

void caps(Environment &env, const Options &options) {
    Session session(env, options);
    session.collect().capabilities(true);
    only_qp(session.collect().report().capabilities, options);
    session.print(render::capabilities);
}

} // namespace xiw::cmd
