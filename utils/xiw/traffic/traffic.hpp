// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Traffic of user-space verbs, as the commands order it. Who carries it out (traffic/verbs)
// is another program, xiw-traffic: only that one needs libibverbs and librdmacm, and what
// the tool shows of the kernel can be had on machines without them.
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

// In this order they are carried out in a round.
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
    std::vector<Op> ops; // empty: all that both ends have
    uint32_t size = 64;  // octets; an atomic has its eight
    uint64_t rounds = 0; // 0: until interrupted
    Duration interval{}; // between the beginnings of rounds
    Duration timeout{};  // of each wait
};

struct ServeOrder {
    std::string address; // empty: all
    uint16_t port = default_port;
    bool once = false;    // end behind the first client
    bool corrupt = false; // answer wrongly
};

struct SelftestOrder {
    std::string device; // empty: the first of xiw's, or the first there is
    Duration timeout{};
    // What the kernel noted of late; empty if it is not to be had.
    std::function<std::vector<Notice>()> notices;
};

// Of each operation how long it took, in the order of the result; tells a round as it ends.
using Round = std::vector<uint64_t>;

class Traffic {
  public:
    Traffic() = default;
    Traffic(const Traffic &) = delete;
    Traffic(Traffic &&) = delete;
    Traffic &operator=(const Traffic &) = delete;
    Traffic &operator=(Traffic &&) = delete;
    virtual ~Traffic() = default;

    // Fills the result as it goes, so that it is there when an Error ends it. What is
    // wrong with data is said, the first time for each operation.
    virtual void ping(const PingOrder &order, Ping &result,
                      const std::function<void(const Round &)> &round,
                      const std::function<void(const std::string &)> &wrong) = 0;
    // Until interrupted.
    virtual void serve(const ServeOrder &order,
                       const std::function<void(const std::string &)> &say) = 0;
    virtual void selftest(const SelftestOrder &order, Selftest &result,
                          const std::function<void(const TestCase &)> &done) = 0;
};

} // namespace xiw::traffic

#endif
