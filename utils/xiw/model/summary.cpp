// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/summary.hpp"

#include <algorithm>

namespace xiw {

uint64_t percentile(const std::vector<uint64_t> &sorted, unsigned percent) {
    const size_t all = sorted.size();
    if (all == 0)
        return 0;
    const size_t rank = all / 100 * percent + (all % 100 * percent + 99) / 100;
    return sorted[std::clamp<size_t>(rank, 1, all) - 1];
}

std::optional<Summary> summarize(std::vector<uint64_t> samples) {
    if (samples.empty())
        return std::nullopt;
    std::ranges::sort(samples);
    return Summary{samples.front(), percentile(samples, 50), percentile(samples, 99),
                   samples.back()};
}

} // namespace xiw
