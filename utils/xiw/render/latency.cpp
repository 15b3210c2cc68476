// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/histogram.hpp"
#include "model/words.hpp"
#include "render/render.hpp"
#include "render/tables.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace xiw::render {

namespace {

constexpr uint64_t bar_width = 40;

std::string bar(uint64_t count, uint64_t most) {
    // Print at least one mark for a nonzero count.
    const uint64_t length =
        std::max<uint64_t>(1, count / most * bar_width + count % most * bar_width / most);
    return std::string(length, '#');
}

void one(std::ostream &out, const Histogram &histogram, bool colour) {
    const uint64_t all = total(histogram);
    if (all == 0)
        return;
    fmt::print(out, "  {}: {}, mean {}, half below {}, 99 % below {}\n",
               paint(latency_word(histogram.operation), Colour::bold, colour), grouped(all),
               duration_word(histogram.sum / all), duration_word(below(histogram, 50)),
               duration_word(below(histogram, 99)));
    Table table({"from", "below", "count", "share"});
    const uint64_t most = *std::ranges::max_element(histogram.counts);
    for (size_t bucket = 0; bucket < histogram.counts.size(); bucket++) {
        const uint64_t count = histogram.counts[bucket];
        if (count != 0)
            table.row({bucket == 0 ? "0 ns" : duration_word(uint64_t{1} << (bucket - 1)),
                       duration_word(uint64_t{1} << bucket), grouped(count), bar(count, most)});
    }
    table.aligned(out, colour, 4);
}

} // namespace

void latency(std::ostream &out, const Report &report, bool colour) {
    if (!report.latency || report.latency->empty()) {
        out << "no devices\n";
        return;
    }
    for (const LatencySet &set : *report.latency) {
        const std::string name = printable(set.device.name);
        fmt::print(out, "{}  {}\n", paint(name, Colour::bold, colour),
                   set.on && *set.on != 0
                       ? std::string("measuring")
                       : fmt::format("not measuring: xiw config set {} latency=on", name));
        for (const Histogram &histogram : set.histograms)
            one(out, histogram, colour);
    }
}

Table latency_table(const std::vector<LatencySet> &list) {
    Table table({"device", "operation", "below_ns", "count"});
    for (const LatencySet &set : list)
        for (const Histogram &histogram : set.histograms)
            for (size_t bucket = 0; bucket < histogram.counts.size(); bucket++)
                if (histogram.counts[bucket] != 0)
                    table.row({printable(set.device.name), latency_word(histogram.operation),
                               std::to_string(uint64_t{1} << bucket),
                               std::to_string(histogram.counts[bucket])});
    return table;
}

} // namespace xiw::render
