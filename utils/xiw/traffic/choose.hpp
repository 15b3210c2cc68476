// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_TRAFFIC_CHOOSE_HPP
#define XIW_TRAFFIC_CHOOSE_HPP

#include "traffic/traffic.hpp"

namespace xiw::traffic {

// Select from the requested operations (all if empty) those that the flags of both greetings
// support. An operation that was requested by name must be supported, or Error is thrown. Others
// are added to the result's `missing`, which has the names of both ends.
std::vector<Op> choose(const std::vector<Op> &asked, uint32_t own, uint32_t peer, Ping &result);

} // namespace xiw::traffic

#endif
