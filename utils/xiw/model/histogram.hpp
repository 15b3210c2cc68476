// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_HISTOGRAM_HPP
#define XIW_MODEL_HISTOGRAM_HPP

#include "model/model.hpp"

namespace xiw {

// Get an upper limit, in nanoseconds, for a percentile of the samples; 0 without samples. The limit
// is the end of a bucket. The end of a bucket is twice its start, so the limit is at most twice the
// percentile.
uint64_t below(const Histogram &histogram, unsigned percent);
// Format a time: "512 ns", "8.2 us", "1.0 ms", "4.3 s".
std::string duration_word(uint64_t nanoseconds);

} // namespace xiw

#endif
