// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "render/wire.hpp"

#include "model/words.hpp"
#include "render/table.hpp"
#include "render/tables.hpp"

#include <algorithm>
#include <ostream>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <linux/xiw.h>

namespace xiw::render {

namespace {

using namespace wire;

std::string place(uint32_t stag, uint64_t to) {
    return fmt::format("{:#010x}+{:#x}", stag, to);
}

std::string octets_word(uint64_t count) {
    return fmt::format("{} octet{}", grouped(count), count == 1 ? "" : "s");
}

std::string header_detail(const DdpHeader &h) {
    std::string text =
        h.tagged ? place(h.stag, h.to) : fmt::format("qn {} msn {} mo {}", h.queue, h.msn, h.mo);
    if (!h.tagged && h.stag != 0)
        text += fmt::format(" invalidate {:#010x}", h.stag);
    if (h.immediate)
        text += fmt::format(" immediate {:#010x}{}", *h.immediate, h.solicited ? " solicited" : "");
    return fmt::format("{}, {}{}", text, octets_word(h.payload), h.last ? "" : ", more");
}

std::string read_detail(const ReadRequest &r) {
    return fmt::format("{} from {} to {}", octets_word(r.size), place(r.source_stag, r.source_to),
                       place(r.sink_stag, r.sink_to));
}

struct BodyDetail {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(const ReadRequest &r) const { return read_detail(r); }
    std::string operator()(const AtomicRequest &a) const {
        std::string text =
            fmt::format("{} id {} at {}", atomic_word(a.operation), a.id, place(a.stag, a.to));
        if (a.operation == 0)
            return text + fmt::format(" add {:#x} mask {:#x}", a.data, a.mask);
        return text + fmt::format(" compare {:#x} mask {:#x} swap {:#x} mask {:#x}", a.compare,
                                  a.compare_mask, a.data, a.mask);
    }
    std::string operator()(const AtomicResponse &a) const {
        return fmt::format("id {} original {:#x}", a.id, a.value);
    }
    std::string operator()(const Immediate &i) const { return fmt::format("{:#018x}", i.value); }
    std::string operator()(const Terminate &t) const {
        std::string text = terminate_word(t.cause);
        if (t.header)
            text += fmt::format("; about {} {}", opcode_word(t.header->opcode),
                                header_detail(*t.header));
        if (t.read)
            text += "; " + read_detail(*t.read);
        return text;
    }
};

struct Detail {
    std::string operator()(const Startup &s) const {
        return frame_word(mpa_frame(s)) + (s.good ? "" : " (breaks the rules)");
    }
    std::string operator()(const Fpdu &f) const {
        if (!f.header)
            return fmt::format("ULPDU of {}", octets_word(f.length));
        std::string text = header_detail(*f.header);
        if (const std::string body = std::visit(BodyDetail{}, f.body); !body.empty())
            text += ": " + body;
        return text;
    }
    std::string operator()(const Gap &g) const {
        return fmt::format("{} {}", octets_word(g.octets),
                           g.why == Gap::Why::missing ? "not in the capture"
                                                      : "without a known beginning");
    }
    std::string operator()(const End &e) const {
        return e.how == End::How::fin_inside ? "in the middle of an FPDU" : "";
    }
};

} // namespace

std::string host_word(const Endpoint &endpoint) {
    char text[INET6_ADDRSTRLEN] = "";
    inet_ntop(endpoint.v6 ? AF_INET6 : AF_INET, endpoint.address.data(), text, sizeof(text));
    return text;
}

std::string item_word(const Item &item) {
    if (const auto *s = std::get_if<Startup>(&item.what))
        return s->reply ? "MPA Reply" : "MPA Request";
    if (const auto *f = std::get_if<Fpdu>(&item.what))
        return f->header ? opcode_word(f->header->opcode) : "FPDU";
    if (std::holds_alternative<Gap>(item.what))
        return "gap";
    return std::get<End>(item.what).how == End::How::rst ? "RST" : "FIN";
}

std::string item_detail(const Item &item) {
    return std::visit(Detail{}, item.what);
}

std::string crc_word(const Item &item) {
    const auto *f = std::get_if<Fpdu>(&item.what);
    if (f == nullptr)
        return {};
    switch (f->crc) {
    case Crc::off:
        return "off";
    case Crc::good:
        return "good";
    case Crc::bad:
        return "bad";
    default:
        return {};
    }
}

namespace {

std::string endpoint_word(const Endpoint &endpoint) {
    const std::string host = host_word(endpoint);
    return fmt::format("{}:{}", endpoint.v6 ? "[" + host + "]" : host, endpoint.port);
}

std::string fault_text(const Fpdu &fpdu) {
    return fpdu.fault ? terminate_word(*fpdu.fault) : "";
}

class Text : public WireRenderer {
  public:
    Text(std::ostream &out, bool colour, size_t columns)
        : out_(out), colour_(colour), columns_(columns) {}

    void item(const Item &item) override {
        const wire::Connection &c = *item.connection;
        if (introduced_ == 0)
            start_ = item.time;
        if (c.number > introduced_) {
            introduced_ = c.number;
            fmt::print(out_, "{}\n",
                       paint(fmt::format("connection {}: {} > {}", c.number,
                                         endpoint_word(c.initiator), endpoint_word(c.responder)),
                             Colour::bold, colour_));
        }
        const auto *fpdu = std::get_if<Fpdu>(&item.what);
        const auto *terminate = fpdu ? std::get_if<Terminate>(&fpdu->body) : nullptr;
        const auto *end = std::get_if<End>(&item.what);
        const bool bad = terminate != nullptr || std::holds_alternative<Gap>(item.what) ||
                         (end != nullptr && end->how != End::How::fin);
        std::string line =
            fmt::format("{:>12} {} {} ", since(item.time), c.number, item.forward ? '>' : '<');
        const std::string word = item_word(item);
        line += paint(word, bad ? Colour::warning : Colour::plain, colour_);
        line.append(20 - std::min<size_t>(word.size(), 20), ' ');
        if (const std::string detail = item_detail(item); !detail.empty())
            line += " " + detail;
        if (const std::string crc = crc_word(item); !crc.empty())
            line += paint(", crc " + crc, crc == "bad" ? Colour::bad : Colour::plain, colour_);
        while (line.ends_with(' '))
            line.pop_back();
        fmt::print(out_, "{}\n", columns_ == 0 ? line : folded(line, columns_));
        if (fpdu != nullptr && fpdu->fault)
            fmt::print(out_, "{:>12}      {}\n", "",
                       paint("wrong: " + fault_text(*fpdu), Colour::bad, colour_));
    }

    void end(const WireSum &sum) override {
        if (!sum.connections.empty())
            out_ << '\n';
        if (const uint64_t old = sum.recognised - sum.connections.size(); old != 0)
            fmt::print(out_, "{} old connection{} not listed\n", grouped(old),
                       old == 1 ? " is" : "s are");
        for (const auto &[number, c] : sum.connections) {
            fmt::print(out_, "connection {}: {} > {}{}\n", number, endpoint_word(c.initiator),
                       endpoint_word(c.responder), c.started ? "" : ", without its MPA frames");
            totals('>', c.sent);
            totals('<', c.answered);
        }
        fmt::print(out_, "{} packets, {} iWARP connection{}", grouped(sum.packets),
                   grouped(sum.recognised), sum.recognised == 1 ? "" : "s");
        if (sum.other != 0)
            fmt::print(out_, ", {} packets of other kinds", grouped(sum.other));
        if (sum.ignored != 0)
            fmt::print(out_, ", {} of connections beyond the limit", grouped(sum.ignored));
        out_ << '\n';
    }

  private:
    // Format the time since the first item. The time is negative if packets are out of order, for
    // instance in merged captures.
    std::string since(uint64_t time) const {
        const bool before = time < start_;
        const uint64_t ns = before ? start_ - time : time - start_;
        return fmt::format("{}{}.{:06}", before ? "-" : "", ns / 1'000'000'000,
                           ns % 1'000'000'000 / 1000);
    }

    void totals(char way, const Totals &t) {
        std::string line = fmt::format("  {} {} FPDUs, {} of ULPDUs", way, grouped(t.fpdus),
                                       octets_word(t.octets));
        if (t.bad_crc != 0)
            line += paint(fmt::format(", {} bad CRC", grouped(t.bad_crc)), Colour::bad, colour_);
        if (t.missing != 0)
            line += fmt::format(", {} not in the capture", octets_word(t.missing));
        if (t.unknown != 0)
            line += fmt::format(", {} without a known beginning", octets_word(t.unknown));
        fmt::print(out_, "{}\n", line);
    }

    std::ostream &out_;
    bool colour_;
    size_t columns_;
    uint64_t start_ = 0; // time of the first item
    uint64_t introduced_ = 0;
};

class Tsv : public WireRenderer {
  public:
    explicit Tsv(std::ostream &out) : out_(out) {
        out_ << "time\tconnection\tfrom\tto\tmessage\tcrc\tdetail\twrong\n";
    }

    void item(const Item &item) override {
        const wire::Connection &c = *item.connection;
        const auto *fpdu = std::get_if<Fpdu>(&item.what);
        const auto cell = [](const std::string &text) { return text.empty() ? "-" : text; };
        fmt::print(out_, "{}.{:09}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", item.time / 1'000'000'000,
                   item.time % 1'000'000'000, c.number,
                   endpoint_word(item.forward ? c.initiator : c.responder),
                   endpoint_word(item.forward ? c.responder : c.initiator), item_word(item),
                   cell(crc_word(item)), cell(item_detail(item)),
                   cell(fpdu != nullptr ? fault_text(*fpdu) : ""));
    }

    void end(const WireSum &) override {}

  private:
    std::ostream &out_;
};

} // namespace

std::unique_ptr<WireRenderer> wire_text(std::ostream &out, bool colour, size_t columns) {
    return std::make_unique<Text>(out, colour, columns);
}

std::unique_ptr<WireRenderer> wire_tsv(std::ostream &out) {
    return std::make_unique<Tsv>(out);
}

} // namespace xiw::render
