// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The functions of xiw-traffic. provide.cpp implements class Traffic with them.
#ifndef XIW_TRAFFIC_VERBS_ENDS_HPP
#define XIW_TRAFFIC_VERBS_ENDS_HPP

#include "traffic/traffic.hpp"

namespace xiw::traffic {

// See class Traffic.
void ping(const PingOrder &order, Ping &result, const std::function<void(const Round &)> &round,
          const std::function<void(const std::string &)> &wrong);
void serve(const ServeOrder &order, const std::function<void(const std::string &)> &say);
void selftest(const SelftestOrder &order, Selftest &result,
              const std::function<void(const TestCase &)> &done);

} // namespace xiw::traffic

#endif
