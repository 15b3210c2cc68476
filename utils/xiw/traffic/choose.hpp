// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_TRAFFIC_CHOOSE_HPP
#define XIW_TRAFFIC_CHOOSE_HPP

#include "traffic/traffic.hpp"

namespace xiw::traffic {

// Select from the requested operations (all if empty) those that the flags of both greetings
// support. Throws Error if an operation was requested by name and is not supported. Other
// unsupported operations are added to the result's `missing`, with the names of the ends.
std::vector<Op> choose(const std::vector<Op> &asked, uint32_t own, uint32_t peer, Ping &result);

} // namespace xiw::traffic

#endif
