// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/words.hpp"
#include "render/render.hpp"
#include "render/tables.hpp"

#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace xiw::render {

namespace {

std::string name(const Ring &ring) {
    const std::string word = ring_word(ring.kind);
    return ring.vector ? fmt::format("{} {}", word, *ring.vector) : word;
}

std::vector<Cell> cells(const Ring &ring) {
    return {name(ring),        number(ring.size),  number(in_use(ring)), number(not_taken(ring)),
            number(ring.done), number(ring.given), number(ring.posted)};
}

void one(std::ostream &out, const RingSet &set, bool colour) {
    const std::string device = printable(set.device.name);
    fmt::print(out, "{}", paint(device, Colour::bold, colour));
    if (set.qpn)
        fmt::print(out, " QP {}", *set.qpn);
    if (set.vector)
        fmt::print(out, ", vector {}", *set.vector);
    if (set.stream)
        fmt::print(out, ", stream {}", stream_word(*set.stream));
    out << '\n';
    Table rings({"ring", "size", "in use", "not consumed", "done", "given", "posted"});
    for (const Ring &ring : set.rings)
        rings.row(cells(ring));
    if (!rings.empty())
        rings.aligned(out, colour, 2);
    Table registers({"register", "value"});
    for (const Register &one : set.registers)
        registers.row({printable(one.name), fmt::format("{:#018x}", one.value)});
    if (!registers.empty())
        registers.aligned(out, colour, 2);
}

} // namespace

void rings(std::ostream &out, const Report &report, bool colour) {
    if (!report.rings || report.rings->empty()) {
        out << "no devices\n";
        return;
    }
    for (const RingSet &set : *report.rings)
        one(out, set, colour);
}

} // namespace xiw::render

namespace xiw {

Maybe in_use(const Ring &ring) {
    if (!ring.posted || !ring.done)
        return {};
    return static_cast<uint32_t>(*ring.posted - *ring.done);
}

Maybe not_taken(const Ring &ring) {
    if (!ring.posted || !ring.given)
        return {};
    return static_cast<uint32_t>(*ring.posted - *ring.given);
}

} // namespace xiw
