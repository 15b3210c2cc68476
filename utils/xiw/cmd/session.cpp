// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/session.hpp"

#include "render/render.hpp"

#include <ostream>

namespace xiw::cmd {

Session::Session(Environment &env, const Options &options)
    : env_(env), options_(options), transport_(env.connect()), client_(*transport_),
      collector_(client_, env.ifname) {
    if (!options.device.empty())
        device_ = collector_.only(options.device);
}

void Session::print(const Text &text) {
    const Report &report = collector_.report();

    if (options_.json)
        render::json(env_.out, report);
    else if (options_.tsv)
        render::tsv(env_.out, report);
    else
        text(env_.out, report, env_.colour);

    if (!report.consistent)
        env_.err << "xiw: objects came and went while they were read: "
                    "some may be missing or shown twice\n";
}

} // namespace xiw::cmd
