// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "render/render.hpp"
#include "render/tables.hpp"

namespace xiw::render {

// Print one part of the report, because a table has only one set of columns. The report of the
// overview has several parts: print only the devices. The report of any other command has one part.
void tsv(std::ostream &out, const Report &report) {
    if (report.devices)
        device_table(*report.devices).tsv(out);
    else if (report.connections)
        connection_table(*report.connections, Reader::script).tsv(out);
    else if (report.counters)
        counter_table(*report.counters).tsv(out);
    else if (report.capabilities)
        capability_table(*report.capabilities).tsv(out);
    else if (report.config)
        config_table(*report.config).tsv(out);
    else if (report.latency)
        latency_table(*report.latency).tsv(out);
    else if (report.rings)
        ring_table(*report.rings).tsv(out);
    else if (report.injections)
        injection_table(*report.injections).tsv(out);
    else if (report.activity)
        rate_table(*report.activity).tsv(out);
    else if (report.notices)
        notice_table(*report.notices).tsv(out);
    else if (report.explanations)
        explanation_table(*report.explanations).tsv(out);
    else if (report.findings)
        finding_table(*report.findings).tsv(out);
    else if (report.ping)
        ping_table(*report.ping, Reader::script).tsv(out);
    else if (report.selftest)
        selftest_table(*report.selftest).tsv(out);
}

} // namespace xiw::render
