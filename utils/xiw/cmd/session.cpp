// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/session.hpp"

#include "render/render.hpp"
#include "render/table.hpp"

#include <ostream>
#include <sstream>

#include <fmt/format.h>

namespace xiw::cmd {

Session::Session(Environment &env, const Options &options)
    : env_(env), options_(options), transport_(env.connect()), client_(*transport_),
      collector_(client_, env.ifname) {
    if (!options.device.empty())
        device_ = collector_.only(options.device);
}

void no_qp(uint32_t qpn) {
    throw Error(Exit::failed, fmt::format("the kernel lists no QP {}", qpn));
}

void print_folded(Environment &env, const std::function<void(std::ostream &out)> &text) {
    if (env.columns == 0) {
        text(env.out);
        return;
    }
    std::ostringstream lines;
    text(lines);
    env.out << render::folded(lines.str(), env.columns);
}

void print_report(Environment &env, const Options &options, const Report &report,
                  const Text &text) {
    if (options.json)
        render::json(env.out, report);
    else if (options.tsv)
        render::tsv(env.out, report);
    else
        print_folded(env, [&](std::ostream &out) { text(out, report, env.colour); });

    if (!report.consistent)
        env.err << "xiw: objects were added or removed while they were read: "
                   "some may be missing or shown twice\n";
}

} // namespace xiw::cmd
