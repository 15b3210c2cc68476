// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_SUMMARY_HPP
#define XIW_MODEL_SUMMARY_HPP

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
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

// Samples of a measurement that may run without end. Count, minimum and maximum are exact. If there
// are more than `most_kept` samples, the percentiles are those of `most_kept` randomly selected
// samples.
class Samples {
  public:
    static constexpr size_t most_kept = 1 << 20;

    void add(uint64_t sample);
    uint64_t count() const { return count_; }
    std::optional<Summary> summary() const; // empty without samples

  private:
    std::vector<uint64_t> kept_;
    uint64_t count_ = 0;
    uint64_t min_ = std::numeric_limits<uint64_t>::max();
    uint64_t max_ = 0;
    std::minstd_rand random_;
};

} // namespace xiw

#endif
