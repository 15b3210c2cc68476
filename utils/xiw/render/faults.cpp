// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/words.hpp"
#include "render/render.hpp"
#include "render/tables.hpp"

#include <ostream>

#include <fmt/format.h>

namespace xiw::render {

namespace {

std::string number(const Maybe &value) {
    return value ? std::to_string(*value) : "";
}

std::string count_word(const Maybe &count) {
    return count == uint64_t{0} ? "no end" : number(count);
}

Cell hits(const Maybe &hits) {
    return {number(hits), hits.value_or(0) != 0 ? Colour::warning : Colour::plain};
}

} // namespace

Table fault_table(const std::vector<FaultSet> &list, Reader reader) {
    const bool people = reader == Reader::people;
    Table table({"device", "qpn", "fault", "at", "every", "count", people ? "time" : "time_ms",
                 "octets", "seen", "hits"});
    for (const FaultSet &set : list)
        for (const Fault &one : set.armed)
            table.row({printable(set.device.name), one.qpn || !people ? number(one.qpn) : "all",
                       fault_word(one.kind), number(one.at), number(one.every),
                       people ? count_word(one.count) : number(one.count),
                       one.time && people ? fmt::format("{}ms", *one.time) : number(one.time),
                       number(one.octets), number(one.seen), hits(one.hits)});
    return table;
}

void faults(std::ostream &out, const Report &report, bool colour) {
    if (!report.faults || report.faults->empty()) {
        out << "no devices\n";
        return;
    }
    const Table table = fault_table(*report.faults, Reader::people);
    if (table.empty())
        out << "no faults are armed\n";
    else
        table.aligned(out, colour);
}

} // namespace xiw::render
