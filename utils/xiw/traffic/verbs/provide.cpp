// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Implement class Traffic for xiw-traffic, the program that xiw executes for ping and selftest.
#include "cmd/elsewhere.hpp"
#include "traffic/verbs/ends.hpp"

#include <memory>

namespace xiw::cmd {

namespace {

class Verbs : public traffic::Traffic {
  public:
    void ping(const traffic::PingOrder &order, Ping &result,
              const std::function<void(const traffic::Round &)> &round,
              const std::function<void(const std::string &)> &wrong) override {
        traffic::ping(order, result, round, wrong);
    }
    void serve(const traffic::ServeOrder &order,
               const std::function<void(const std::string &)> &say) override {
        traffic::serve(order, say);
    }
    void selftest(const traffic::SelftestOrder &order, Selftest &result,
                  const std::function<void(const TestCase &)> &done) override {
        traffic::selftest(order, result, done);
    }
};

} // namespace

std::function<std::unique_ptr<traffic::Traffic>()> traffic_of(char **) {
    return [] { return std::make_unique<Verbs>(); };
}

} // namespace xiw::cmd
