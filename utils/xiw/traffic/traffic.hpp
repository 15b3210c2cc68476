// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The interface by which the commands ping and selftest use user-space verbs. Its implementation
// (traffic/verbs) is in a separate program, xiw-traffic. Only xiw-traffic needs libibverbs and
// librdmacm, so the other commands work on machines without these libraries.
#ifndef XIW_TRAFFIC_TRAFFIC_HPP
#define XIW_TRAFFIC_TRAFFIC_HPP

#include "model/model.hpp"
#include "model/traffic.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xiw::traffic {

using Duration = std::chrono::nanoseconds;

// Operations, in the order of execution in a round.
enum class Op : uint8_t { send, write, read, atomic, imm };
inline constexpr std::array all_ops = {Op::send, Op::write, Op::read, Op::atomic, Op::imm};
std::string_view op_word(Op op);
std::optional<Op> parse_op(std::string_view word);

constexpr uint16_t default_port = 7306;
constexpr uint32_t size_most = 1 << 20; // octets of a message
constexpr uint64_t default_rounds = 1000;

struct PingOrder {
    std::string host;
    uint16_t port = default_port;
    std::vector<Op> ops; // empty: all operations that both ends support
    uint32_t size = 64;  // octets; atomics always have eight
    uint64_t rounds = 0; // 0: until interrupted
    Duration interval{}; // interval between the starts of rounds
    Duration timeout{};  // time limit of each wait
};

struct ServeOrder {
    std::string address; // empty: all
    uint16_t port = default_port;
    bool once = false;    // end after the first client
    bool corrupt = false; // answer with wrong data
};

struct SelftestOrder {
    std::string device; // empty: the first xiw device or, without one, the first device
    Duration timeout{};
    // Recent events of the kernel; empty if they are not available.
    std::function<std::vector<Notice>()> notices;
};

// Latencies, in nanoseconds, of the operations of one round. The order is that of Ping::operations.
using Round = std::vector<uint64_t>;

class Traffic {
  public:
    Traffic() = default;
    Traffic(const Traffic &) = delete;
    Traffic(Traffic &&) = delete;
    Traffic &operator=(const Traffic &) = delete;
    Traffic &operator=(Traffic &&) = delete;
    virtual ~Traffic() = default;

    // Run a ping. Update the result after each operation, so that the result is valid even if an
    // Error is thrown. Call `round` after each round. Call `wrong` for the first wrong data of each
    // operation.
    virtual void ping(const PingOrder &order, Ping &result,
                      const std::function<void(const Round &)> &round,
                      const std::function<void(const std::string &)> &wrong) = 0;
    // Serve clients until interrupted or, if order.once is true, until one client has ended.
    virtual void serve(const ServeOrder &order,
                       const std::function<void(const std::string &)> &say) = 0;
    virtual void selftest(const SelftestOrder &order, Selftest &result,
                          const std::function<void(const TestCase &)> &done) = 0;
};

} // namespace xiw::traffic

#endif
