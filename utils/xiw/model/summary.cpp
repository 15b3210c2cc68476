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

void Samples::add(uint64_t sample) {
    count_++;
    min_ = std::min(min_, sample);
    max_ = std::max(max_, sample);
    if (kept_.size() < most_kept) {
        kept_.push_back(sample);
        return;
    }
    // Each of the count_ samples is kept with the same probability.
    const uint64_t place = std::uniform_int_distribution<uint64_t>(0, count_ - 1)(random_);
    if (place < most_kept)
        kept_[place] = sample;
}

std::optional<Summary> Samples::summary() const {
    std::optional<Summary> sum = summarize(kept_);

    if (sum) {
        sum->min = min_;
        sum->max = max_;
    }
    return sum;
}

} // namespace xiw
