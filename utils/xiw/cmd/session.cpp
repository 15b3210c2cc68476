// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/session.hpp"

#include "render/render.hpp"
#include "render/table.hpp"

#include <ostream>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace xiw::cmd {

void add_device(Syntax &syntax, Selection &selection) {
    syntax.device(selection.device, "only this device");
}

void add_device_and_qp(Syntax &syntax, Selection &selection) {
    add_device(syntax, selection);
    syntax.app.add_option("-q,--qp", selection.qpn, "only the QP with this number");
}

Session::Session(Environment &env, const Format &format, const std::string &device)
    : env_(env), format_(format), transport_(env.connect()), client_(*transport_),
      collector_(client_, env.ifname) {
    if (!device.empty())
        device_ = collector_.only(device);
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

void print_report(Environment &env, const Format &format, const Report &report, const Text &text) {
    if (format.json)
        render::json(env.out, report);
    else if (format.tsv)
        render::tsv(env.out, report);
    else
        print_folded(env, [&](std::ostream &out) { text(out, report, env.colour); });

    if (!report.consistent)
        env.err << "xiw: objects were added or removed while they were read: "
                   "some may be missing or shown twice\n";
}

} // namespace xiw::cmd
