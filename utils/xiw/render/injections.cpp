// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/words.hpp"
#include "render/render.hpp"
#include "render/tables.hpp"

#include <ostream>

#include <fmt/format.h>

namespace xiw::render {

namespace {

std::string count_word(const Maybe &count) {
    return count == uint64_t{0} ? "no end" : number(count);
}

Cell hits(const Maybe &hits) {
    return {number(hits), hits.value_or(0) != 0 ? Colour::warning : Colour::plain};
}

Table armed_table(const std::vector<InjectionSet> &list) {
    Table table(
        {"device", "qpn", "kind", "at", "every", "count", "time", "octets", "seen", "hits"});
    for (const InjectionSet &set : list)
        for (const Injection &one : set.armed)
            table.row({printable(set.device.name), one.qpn ? number(one.qpn) : "all",
                       injection_word(one.kind), number(one.at), number(one.every),
                       count_word(one.count), one.time ? fmt::format("{}ms", *one.time) : "",
                       number(one.octets), number(one.seen), hits(one.hits)});
    return table;
}

} // namespace

void injections(std::ostream &out, const Report &report, bool colour) {
    if (!report.injections || report.injections->empty()) {
        out << "no devices\n";
        return;
    }
    const Table table = armed_table(*report.injections);
    if (table.empty())
        out << "no injections are armed\n";
    else
        table.aligned(out, colour);
}

} // namespace xiw::render
