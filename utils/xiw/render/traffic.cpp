// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/histogram.hpp"
#include "model/summary.hpp"
#include "render/render.hpp"
#include "render/tables.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace xiw::render {

namespace {

Colour verdict_colour(TestCase::Verdict verdict) {
    constexpr Colour colours[] = {Colour::good, Colour::bad, Colour::warning};
    return colours[static_cast<size_t>(verdict)];
}

} // namespace

void ping_round(std::ostream &out, const Ping &ping, uint64_t number,
                const std::vector<uint64_t> &nanoseconds) {
    std::string line = fmt::format("round {}:", number);
    for (size_t i = 0; i < std::min(nanoseconds.size(), ping.operations.size()); i++)
        line += fmt::format("{} {} {}", i == 0 ? "" : ",", ping.operations[i].operation,
                            duration_word(nanoseconds[i]));
    fmt::print(out, "{}\n", line);
}

Table ping_table(const Ping &ping, Reader reader) {
    Table table(
        {"operation", "octets", "count", "wrong", reader == Reader::people ? "min" : "min_ns",
         reader == Reader::people ? "p50" : "p50_ns", reader == Reader::people ? "p99" : "p99_ns",
         reader == Reader::people ? "max" : "max_ns"});
    const auto word = [reader](uint64_t nanoseconds) {
        return reader == Reader::people ? duration_word(nanoseconds) : std::to_string(nanoseconds);
    };
    for (const RoundTrips &trips : ping.operations) {
        const Summary sum = trips.nanoseconds.summary().value_or(Summary{});
        const bool none = trips.nanoseconds.count() == 0;
        table.row({trips.operation,
                   std::to_string(trips.octets),
                   std::to_string(trips.nanoseconds.count()),
                   {std::to_string(trips.wrong), trips.wrong != 0 ? Colour::bad : Colour::plain},
                   none ? "" : word(sum.min),
                   none ? "" : word(sum.p50),
                   none ? "" : word(sum.p99),
                   none ? "" : word(sum.max)});
    }
    return table;
}

void ping(std::ostream &out, const Report &report, bool colour) {
    if (!report.ping)
        return;
    const Ping &p = *report.ping;
    fmt::print(out, "{} ({}) port {} by {}\n", printable(p.host), printable(p.address), p.port,
               paint(printable(p.device), Colour::bold, colour));
    ping_table(p, Reader::people).aligned(out, colour, 2);
    for (const Missing &missing : p.missing)
        fmt::print(out, "  {} is left out: {}\n", missing.operation, printable(missing.why));
}

void test_case(std::ostream &out, const TestCase &one, bool colour) {
    fmt::print(out, "{}  {:<21} {}\n",
               paint(verdict_word(one.verdict), verdict_colour(one.verdict), colour), one.name,
               printable(one.text));
}

void selftest_sum(std::ostream &out, const Report &report, bool) {
    if (!report.selftest)
        return;
    const auto of = [&report](TestCase::Verdict verdict) {
        return std::ranges::count(report.selftest->cases, verdict, &TestCase::verdict);
    };
    fmt::print(out, "{}: {} passed, {} failed, {} skipped\n", printable(report.selftest->device),
               of(TestCase::Verdict::pass), of(TestCase::Verdict::fail),
               of(TestCase::Verdict::skip));
}

Table selftest_table(const Selftest &selftest) {
    Table table({"device", "case", "verdict", "text"});
    for (const TestCase &one : selftest.cases)
        table.row(
            {printable(selftest.device), one.name, verdict_word(one.verdict), printable(one.text)});
    return table;
}

} // namespace xiw::render
