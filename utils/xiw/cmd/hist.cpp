// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/session.hpp"
#include "render/render.hpp"

namespace xiw::cmd {

void hist(Environment &env, const Options &options) {
    Session session(env, options);
    session.collect().latency();
    session.print(render::latency);
}

} // namespace xiw::cmd
