// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_TRAFFIC_CHOOSE_HPP
#define XIW_TRAFFIC_CHOOSE_HPP

#include "traffic/traffic.hpp"

namespace xiw::traffic {

// What is to be done of what was asked for (all if it is empty), by the flags of the greeting
// that this end and the peer have. What was asked for by name has to be there, or Error is
// thrown; else what is not goes to the result's `missing`, which has the names of both ends.
std::vector<Op> choose(const std::vector<Op> &asked, uint32_t own, uint32_t peer, Ping &result);

} // namespace xiw::traffic

#endif
