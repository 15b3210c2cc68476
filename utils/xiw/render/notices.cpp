// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/notice.hpp"
#include "model/words.hpp"
#include "render/render.hpp"
#include "render/tables.hpp"

#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <linux/xiw.h>

namespace xiw::render {

namespace {

// Format an event's endpoints, "QP 17 10.0.0.1:38000 > 10.0.0.2:4420", without unknown parts. For a
// listener, format only the local address.
std::string where(const Notice &notice) {
    std::string text;
    if (notice.qpn)
        text += fmt::format("  QP {}", *notice.qpn);
    if (notice.role == XIW_NL_ROLE_LISTENER)
        text += "  " + address_word(notice.local);
    else if (notice.local || notice.remote)
        text += fmt::format("  {} {} {}", address_word(notice.local),
                            notice.role == XIW_NL_ROLE_RESPONDER ? "<" : ">",
                            address_word(notice.remote));
    return text;
}

void records(std::ostream &out, const Notice &notice, bool colour) {
    Table table({"before", "way", "passed last"});
    for (const Record &record : notice.records)
        table.row({record.age ? grouped(*record.age / 1000) + " us" : "?",
                   record.sent ? "sent" : "received", record_text(record)});
    table.aligned(out, colour, 4);
}

Colour notice_colour(const Notice &notice) {
    if (is_trouble(notice))
        return Colour::bad;
    if (notice.kind == XIW_NL_NOTICE_CONNECT || notice.to == XIW_NL_STREAM_STATE_RTS)
        return Colour::good;
    return notice.to == XIW_NL_STREAM_STATE_TERMINATE ? Colour::warning : Colour::plain;
}

void one(std::ostream &out, const Notice &notice, bool colour) {
    fmt::print(out, "{}  {}{}\n", notice.time ? time_text(*notice.time) : "?",
               paint(printable(notice.device.name), Colour::bold, colour), where(notice));
    fmt::print(out, "  {}\n", paint(printable(notice_text(notice)), notice_colour(notice), colour));
    if (const std::string header = notice_header_text(notice); !header.empty())
        fmt::print(out, "  about     {}\n", header);
    if (const std::string advice = notice_advice(notice); !advice.empty())
        fmt::print(out, "  check     {}\n", advice);
}

} // namespace

void notices(std::ostream &out, const Report &report, bool colour, bool recorder) {
    if (!report.notices || report.notices->empty()) {
        out << "no errors\n";
        return;
    }
    for (const Notice &notice : *report.notices) {
        one(out, notice, colour);
        if (recorder)
            records(out, notice, colour);
    }
}

} // namespace xiw::render
