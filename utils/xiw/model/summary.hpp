// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_SUMMARY_HPP
#define XIW_MODEL_SUMMARY_HPP

#include <cstdint>
#include <optional>
#include <vector>

namespace xiw {

// What is told of many measurements.
struct Summary {
    uint64_t min = 0;
    uint64_t p50 = 0;
    uint64_t p99 = 0;
    uint64_t max = 0;
};

// The value that so many percent of the sorted samples do not exceed (nearest rank): one
// that was measured, never one between. 0 of no samples.
uint64_t percentile(const std::vector<uint64_t> &sorted, unsigned percent);

// Nothing if there are no samples.
std::optional<Summary> summarize(std::vector<uint64_t> samples);

} // namespace xiw

#endif
