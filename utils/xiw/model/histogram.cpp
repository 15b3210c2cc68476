// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/histogram.hpp"

#include <fmt/format.h>

namespace xiw {

uint64_t total(const Histogram &histogram) {
    uint64_t sum = 0;
    for (const uint64_t count : histogram.counts)
        sum += count;
    return sum;
}

std::vector<Bucket> buckets(const Histogram &histogram) {
    std::vector<Bucket> list;
    for (size_t n = 0; n < histogram.counts.size(); n++)
        if (histogram.counts[n] != 0)
            list.push_back({uint64_t{1} << n, histogram.counts[n]});
    return list;
}

uint64_t below(const Histogram &histogram, unsigned percent) {
    const uint64_t all = total(histogram);
    const uint64_t wanted = all / 100 * percent + (all % 100 * percent + 99) / 100;
    uint64_t seen = 0;

    if (all == 0)
        return 0;
    for (size_t bucket = 0; bucket < histogram.counts.size(); bucket++) {
        seen += histogram.counts[bucket];
        if (seen >= wanted)
            return uint64_t{1} << bucket;
    }
    return 0;
}

std::string duration_word(uint64_t nanoseconds) {
    const auto value = static_cast<double>(nanoseconds);
    if (nanoseconds < 1000)
        return fmt::format("{} ns", nanoseconds);
    if (nanoseconds < 1'000'000)
        return fmt::format("{:.1f} us", value / 1e3);
    if (nanoseconds < 1'000'000'000)
        return fmt::format("{:.1f} ms", value / 1e6);
    return fmt::format("{:.1f} s", value / 1e9);
}

} // namespace xiw
