// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_RENDER_RENDER_HPP
#define XIW_RENDER_RENDER_HPP

#include "model/model.hpp"

#include <iosfwd>

namespace xiw::render {

// The overview: each device with its features, traffic, errors and connections.
void screen(std::ostream &out, const Report &report, bool colour);

// Print one part of the report, for people.
void connections(std::ostream &out, const Report &report, bool colour, bool detail);
void counters(std::ostream &out, const Report &report, bool colour, bool all);
void capabilities(std::ostream &out, const Report &report, bool colour);
void config(std::ostream &out, const Report &report, bool colour);
void latency(std::ostream &out, const Report &report, bool colour);
void injections(std::ostream &out, const Report &report, bool colour);
void rings(std::ostream &out, const Report &report, bool colour);
// recorder: whether to include the snapshot of the flight recorder
void notices(std::ostream &out, const Report &report, bool colour, bool recorder = false);
void activity(std::ostream &out, const Report &report, bool colour);
void explanations(std::ostream &out, const Report &report, bool colour);
void findings(std::ostream &out, const Report &report, bool colour);
void ping(std::ostream &out, const Report &report, bool colour);
// Print the progress: a round of a ping, or a case of a self-test. selftest_sum() prints the totals
// of a self-test.
void ping_round(std::ostream &out, const Ping &ping, uint64_t number,
                const std::vector<uint64_t> &nanoseconds);
void test_case(std::ostream &out, const TestCase &one, bool colour);
void selftest_sum(std::ostream &out, const Report &report, bool colour);

// Print a report for scripts, as one table. If the report has several parts, print only one.
void tsv(std::ostream &out, const Report &report);

// Devices and counters for Prometheus.
void prometheus(std::ostream &out, const Report &report);

// Version of the schema, xiw-1.json; it changes with any incompatible change.
inline constexpr int json_schema = 1;
void schema(std::ostream &out);
void json(std::ostream &out, const Report &report);
// Like json(), but on one line.
void json_line(std::ostream &out, const Report &report);

} // namespace xiw::render

#endif
