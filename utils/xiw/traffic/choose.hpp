// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_TRAFFIC_CHOOSE_HPP
#define XIW_TRAFFIC_CHOOSE_HPP

#include "traffic/traffic.hpp"

namespace xiw::traffic {

// Select the operations that both ends support according to the flags of their greetings, `own` and
// `peer`. If `asked` is empty, select from all operations, and add the unsupported operations to
// result.missing. Otherwise, select from `asked`, and throw Error if one of them is not supported.
std::vector<Op> choose(const std::vector<Op> &asked, uint32_t own, uint32_t peer, Ping &result);

} // namespace xiw::traffic

#endif
