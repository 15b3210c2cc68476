// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "traffic/traffic.hpp"

#include <algorithm>

namespace xiw {

const char *verdict_word(TestCase::Verdict verdict) {
    constexpr const char *words[] = {"pass", "fail", "skip"};
    return words[static_cast<size_t>(verdict)];
}

namespace traffic {

namespace {
constexpr std::array<std::string_view, all_ops.size()> words = {"send", "write", "read", "atomic",
                                                                "imm"};
}

std::string_view op_word(Op op) {
    return words[static_cast<size_t>(op)];
}

std::optional<Op> parse_op(std::string_view word) {
    const auto *it = std::ranges::find(words, word);
    if (it == words.end())
        return std::nullopt;
    return static_cast<Op>(it - words.begin());
}

} // namespace traffic

} // namespace xiw
