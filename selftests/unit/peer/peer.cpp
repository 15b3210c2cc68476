// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "peer.hpp"

namespace xiw::peer {

const Vectors &golden() {
    static const Vectors vectors = Vectors::read(XIW_SELFTESTS "/vectors/wire.tsv");

    return vectors;
}

Deadline soon() {
    return Clock::now() + std::chrono::seconds(20);
}

Remote::Remote(std::function<void(Connection &)> act)
    : listener_({"127.0.0.1", "0"}, {}), thread_([this, act = std::move(act)] {
          Connection connection;

          try {
              connection.open(listener_.accept(soon()));
              act(connection);
          } catch (const std::exception &) {
              // Ignore the exception, because a failing scenario closes the connection early. The
              // test detects the failure by the scenario's result.
          }
      }) {}

} // namespace xiw::peer
