// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "render/render.hpp"
#include "render/tables.hpp"

#include <map>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

namespace xiw::render {

Table requirement_table(const std::vector<Requirement> &list, Reader reader) {
    if (reader == Reader::people) {
        Table table({"requirement", "level", "source", "tests"});
        for (const Requirement &r : list)
            table.row({r.id,
                       r.level,
                       r.source,
                       {r.tests.empty() ? r.reason.empty() ? "none" : "none: " + r.reason
                                        : fmt::format("{}", fmt::join(r.tests, ", ")),
                        r.tests.empty() ? Colour::warning : Colour::plain}});
        return table;
    }
    Table table({"id", "level", "source", "tests", "reason"});
    for (const Requirement &r : list)
        table.row({r.id, r.level, r.source, fmt::format("{}", fmt::join(r.tests, ", ")), r.reason});
    return table;
}

void requirements(std::ostream &out, const Report &report, bool colour) {
    std::map<std::string, std::pair<size_t, size_t>> levels; // with tests, total
    if (!report.requirements)
        return;
    requirement_table(*report.requirements, Reader::people).aligned(out, colour);
    for (const Requirement &r : *report.requirements) {
        auto &[named, all] = levels[r.level];
        named += r.tests.empty() ? 0 : 1;
        all++;
    }
    out << '\n';
    for (const auto &[level, sums] : levels)
        fmt::print(out, "{}: {} of {} named by a test\n", level, sums.first, sums.second);
}

} // namespace xiw::render
