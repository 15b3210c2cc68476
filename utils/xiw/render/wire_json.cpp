// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/words.hpp"
#include "render/render.hpp"
#include "render/table.hpp"
#include "render/wire.hpp"
#include "util.hpp"

#include <ostream>

#include <nlohmann/json.hpp>

namespace xiw::render {

namespace {

using namespace wire;
// A JSON type that keeps the order of keys.
using Json = nlohmann::ordered_json;

template <typename T>
Json maybe(const std::optional<T> &value) {
    return value ? Json(*value) : Json();
}

Json endpoint(const Endpoint &e) {
    return {{"address", host_word(e)}, {"port", e.port}};
}

Json startup(const Startup &s) {
    return {
        {"revision", s.revision}, {"markers", s.markers},
        {"crc", s.crc},           {"reject", s.reject},
        {"enhanced", s.enhanced}, {"peer_to_peer", s.peer_to_peer},
        {"rtr_send", s.rtr_send}, {"rtr_write", s.rtr_write},
        {"rtr_read", s.rtr_read}, {"ird", maybe(s.ird)},
        {"ord", maybe(s.ord)},    {"private_data", hex_word(s.private_data)},
        {"good", s.good},
    };
}

// Fields that a header does not have are null.
Json header(const DdpHeader &h) {
    const auto tagged = [&h](uint64_t value) { return h.tagged ? Json(value) : Json(); };
    const auto untagged = [&h](uint64_t value) { return h.tagged ? Json() : Json(value); };
    return {
        {"opcode", h.opcode},
        {"operation", opcode_word(h.opcode)},
        {"tagged", h.tagged},
        {"last", h.last},
        {"ddp_version", h.ddp_version},
        {"rdmap_version", h.rdmap_version},
        {"stag", tagged(h.stag)},
        {"to", tagged(h.to)},
        {"invalidate", h.tagged || h.stag == 0 ? Json() : Json(h.stag)},
        {"immediate", maybe(h.immediate)},
        {"solicited", h.solicited},
        {"qn", untagged(h.queue)},
        {"msn", untagged(h.msn)},
        {"mo", untagged(h.mo)},
        {"payload", h.payload},
    };
}

Json read_request(const ReadRequest &r) {
    return {
        {"sink_stag", r.sink_stag},     {"sink_to", r.sink_to},     {"size", r.size},
        {"source_stag", r.source_stag}, {"source_to", r.source_to},
    };
}

Json cause(uint16_t cause) {
    return {
        {"layer", cause >> 12 & 0xf},
        {"type", cause >> 8 & 0xf},
        {"code", cause & 0xff},
        {"text", terminate_word(cause)},
    };
}

struct BodyJson {
    Json &fpdu;

    void operator()(std::monostate) const {}
    void operator()(const ReadRequest &r) const { fpdu["read_request"] = read_request(r); }
    void operator()(const AtomicRequest &a) const {
        fpdu["atomic_request"] = {
            {"operation", atomic_word(a.operation)},
            {"id", a.id},
            {"stag", a.stag},
            {"to", a.to},
            {"data", a.data},
            {"mask", a.mask},
            {"compare", a.compare},
            {"compare_mask", a.compare_mask},
        };
    }
    void operator()(const AtomicResponse &a) const {
        fpdu["atomic_response"] = {{"id", a.id}, {"original", a.value}};
    }
    void operator()(const Immediate &i) const { fpdu["immediate"] = i.value; }
    void operator()(const Terminate &t) const {
        Json object = cause(t.cause);
        object["segment_length"] = maybe(t.segment_length);
        object["header"] = t.header ? header(*t.header) : Json();
        object["read_request"] = t.read ? read_request(*t.read) : Json();
        fpdu["terminate"] = object;
    }
};

struct WhatJson {
    Json &item;

    void operator()(const Startup &s) const {
        item["kind"] = "startup";
        item[s.reply ? "reply" : "request"] = startup(s);
    }
    void operator()(const Fpdu &f) const {
        item["kind"] = "fpdu";
        Json object = {
            {"ulpdu_length", f.length},
            {"markers", f.markers},
            {"crc", f.crc == Crc::off    ? "off"
                    : f.crc == Crc::good ? "good"
                    : f.crc == Crc::bad  ? "bad"
                                         : "unseen"},
            {"wrong", f.fault ? cause(*f.fault) : Json()},
            {"header", f.header ? header(*f.header) : Json()},
        };
        std::visit(BodyJson{object}, f.body);
        item["fpdu"] = object;
    }
    void operator()(const Gap &g) const {
        item["kind"] = "gap";
        item["why"] = g.why == Gap::Why::missing ? "missing" : "unknown";
        item["octets"] = g.octets;
    }
    void operator()(const End &e) const {
        item["kind"] = "end";
        item["why"] = e.how == End::How::rst ? "rst" : "fin";
        item["complete"] = e.how == End::How::fin;
    }
};

Json totals(const Totals &t) {
    return {
        {"fpdus", t.fpdus},     {"octets", t.octets},   {"bad_crc", t.bad_crc},
        {"missing", t.missing}, {"unknown", t.unknown},
    };
}

Json connection(const wire::Connection &c) {
    return {
        {"connection", c.number},
        {"initiator", endpoint(c.initiator)},
        {"responder", endpoint(c.responder)},
        {"startup", c.started},
        {"sent", totals(c.sent)},
        {"answered", totals(c.answered)},
    };
}

// Print each item immediately, because memory may not suffice for all items. Each item is one line.
class JsonLines : public WireRenderer {
  public:
    explicit JsonLines(std::ostream &out) : out_(out) {
        out_ << "{\n  \"schema\": " << json_schema << ",\n  \"version\": " << Json(version)
             << ",\n  \"consistent\": true,\n  \"capture\": {\n    \"items\": [";
    }

    void item(const Item &item) override {
        Json object = {
            {"time_ns", item.time},
            {"connection", item.connection->number},
            {"from", item.forward ? "initiator" : "responder"},
        };
        std::visit(WhatJson{object}, item.what);
        out_ << std::exchange(gap_, ",") << "\n      " << object;
    }

    void end(const WireSum &sum) override {
        out_ << "\n    ],\n    \"connections\": [";
        gap_ = "";
        for (const auto &[number, c] : sum.connections)
            out_ << std::exchange(gap_, ",") << "\n      " << connection(c);
        out_ << "\n    ],\n    \"connections_recognised\": " << sum.recognised
             << ",\n    \"packets\": " << sum.packets << ",\n    \"packets_other\": " << sum.other
             << ",\n    \"packets_ignored\": " << sum.ignored << "\n  }\n}\n";
    }

  private:
    std::ostream &out_;
    const char *gap_ = "";
};

} // namespace

std::unique_ptr<WireRenderer> wire_json(std::ostream &out) {
    return std::make_unique<JsonLines>(out);
}

} // namespace xiw::render
