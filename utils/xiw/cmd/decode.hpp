// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_CMD_DECODE_HPP
#define XIW_CMD_DECODE_HPP

#include "cmd/command.hpp"
#include "render/wire.hpp"

#include <memory>

namespace xiw::cmd {

// Create the renderer for the output format.
std::unique_ptr<render::WireRenderer> wire_renderer(Environment &env, const Format &format);

} // namespace xiw::cmd

#endif
