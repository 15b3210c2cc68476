// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/session.hpp"
#include "render/render.hpp"

namespace xiw::cmd {

void dump(Environment &env, const Options &options) {
    Session session(env, options);
    session.collect().rings();
    only_qp(session.collect().report().rings, options);
    session.print(render::rings);
}

} // namespace xiw::cmd
