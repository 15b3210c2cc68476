// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_SUMMARY_HPP
#define XIW_MODEL_SUMMARY_HPP

#include <cstdint>
#include <optional>
#include <vector>

namespace xiw {

// Summary of many samples.
struct Summary {
    uint64_t min = 0;
    uint64_t p50 = 0;
    uint64_t p99 = 0;
    uint64_t max = 0;
};

// Get a percentile of the sorted samples (nearest rank); 0 without samples.
uint64_t percentile(const std::vector<uint64_t> &sorted, unsigned percent);

// Summarise samples; empty without samples.
std::optional<Summary> summarize(std::vector<uint64_t> samples);

} // namespace xiw

#endif
