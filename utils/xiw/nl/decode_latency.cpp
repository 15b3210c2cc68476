// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "nl/decode.hpp"

#include "error.hpp"

#include <cstring>

#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw::nl {

namespace {

Histogram histogram(const Attributes &entry) {
    Histogram result;

    result.operation = entry.required(XIW_A_LATENCY_ENTRY_OPERATION);
    result.sum = entry.number(XIW_A_LATENCY_ENTRY_SUM).value_or(0);
    const auto counts = entry.bytes(XIW_A_LATENCY_ENTRY_COUNTS);
    if (!counts)
        return result;
    if (counts->size() % sizeof(uint64_t) != 0 || counts->size() > 64 * sizeof(uint64_t))
        throw Malformed(fmt::format("histogram of {} octets", counts->size()));
    result.counts.resize(counts->size() / sizeof(uint64_t));
    if (!result.counts.empty())
        std::memcpy(result.counts.data(), counts->data(), counts->size());
    return result;
}

} // namespace

LatencySet decode_latency(const Attributes &reply) {
    LatencySet set{
        .device = device_ref(reply, XIW_A_LATENCY_DEV_INDEX, XIW_A_LATENCY_DEV_NAME),
        .on = reply.number(XIW_A_LATENCY_ON),
        .histograms = {},
    };
    for (const Attributes &entry : reply.nests(XIW_A_LATENCY_ENTRY))
        set.histograms.push_back(histogram(entry));
    return set;
}

} // namespace xiw::nl
