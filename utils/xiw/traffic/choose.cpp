// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "traffic/choose.hpp"
#include "error.hpp"
#include "traffic/greeting.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace xiw::traffic {

namespace {

struct Need {
    Op op;
    uint32_t flag;
    const char *what;
};
constexpr Need needs[] = {{Op::atomic, has_atomics, "atomics"},
                          {Op::imm, has_imm, "Write with Immediate"}};

std::string lacks(Op op, uint32_t own, uint32_t peer, const Ping &ping) {
    for (const Need &need : needs) {
        if (need.op != op)
            continue;
        if ((own & need.flag) == 0)
            return fmt::format("{} has no {}", ping.device, need.what);
        if ((peer & need.flag) == 0)
            return fmt::format("the device of {} has no {}", ping.host, need.what);
    }
    return {};
}

} // namespace

std::vector<Op> choose(const std::vector<Op> &asked, uint32_t own, uint32_t peer, Ping &result) {
    std::vector<Op> ops;
    for (const Op op : all_ops) {
        if (!asked.empty() && std::ranges::count(asked, op) == 0)
            continue;
        const std::string why = lacks(op, own, peer, result);
        if (why.empty())
            ops.push_back(op);
        else if (asked.empty())
            result.missing.push_back({std::string(op_word(op)), why});
        else
            throw Error(Exit::unsupported, fmt::format("{}: {}", op_word(op), why),
                        "omit --op to use all operations that both ends support");
    }
    return ops;
}

} // namespace xiw::traffic
