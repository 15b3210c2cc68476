// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Steps that send octets.
#include "session.hpp"
#include "verb.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace xiw::peer {

namespace {

constexpr std::string_view framing[] = {"len", "pad", "crc", "skew"};

bool takes_startup(const std::vector<std::string> &, std::string_view key) {
    return startup_has(key) || key == "private" || key == "key";
}

bool takes_message(const std::vector<std::string> &words, std::string_view key) {
    const std::string &what = words[0];
    bool is_framing = std::ranges::find(framing, key) != std::end(framing);

    if (what == "fpdu")
        return is_framing;
    if (what.starts_with('$')) // the value is known only at run time
        return true;
    const Kind *kind = kind_named(what);
    return kind != nullptr && (is_framing || key == "data" || kind_has(*kind, key));
}

void startup(Session &s, const Call &call, std::string_view kind) {
    Octets octets = build_startup(kind, call.keys);
    Frame frame = decode_startup(octets);

    s.connection.transmit(octets, s.deadline());
    s.connection.startup_seen(frame, true);
    s.saw("sent", frame);
}

void request(Session &s, const Call &call) {
    startup(s, call, "request");
}

void reply(Session &s, const Call &call) {
    startup(s, call, "reply");
}

void raw(Session &s, const Octets &octets) {
    s.connection.transmit(octets, s.deadline());
    s.connection.tx.passed(octets.size());
}

// The next MSN is the sent MSN plus 1, even if the sent MSN is incorrect.
void number_sent(Session &s, const Frame &frame) {
    auto &next = s.connection.next_msn;
    auto qn = frame.value("qn"), msn = frame.value("msn");

    if (qn && msn && *qn < next.size() && frame.value("l") == 1)
        next.at(*qn) = static_cast<uint32_t>(*msn + 1);
}

void fpdu(Session &s, const Octets &octets, const Call &call) {
    Frame frame = decode(octets);
    auto skew = static_cast<unsigned>(number(call.key("skew", "0")));

    s.connection.transmit(s.connection.tx.frame(octets, skew), s.deadline());
    number_sent(s, frame);
    s.sent = frame;
    s.saw("sent", frame);
}

void send_vector(Session &s, const Call &call) {
    const Vector &v = s.vector(call.word(1));

    if (v.startup) {
        Frame frame = decode_startup(v.octets);

        s.connection.transmit(v.octets, s.deadline());
        if (frame.kind != "unknown")
            s.connection.startup_seen(frame, true);
        s.saw("sent", frame);
    } else if (v.marked) {
        raw(s, v.octets);
    } else {
        fpdu(s, s.translation.apply(v.octets), call);
    }
}

void send_message(Session &s, const Call &call) {
    const Kind *kind = kind_named(call.words[0]);
    auto &next = s.connection.next_msn;

    if (kind == nullptr)
        throw std::invalid_argument("no message is called " + call.words[0]);
    if (call.words.size() > 1)
        throw std::invalid_argument(fmt::format("'{}' is too much", call.words[1]));
    uint64_t qn = call.has("qn") ? number(call.key("qn")) : kind->queue;
    Keys keys = call.keys;
    keys.erase("skew");
    fpdu(s, build(call.words[0], keys, qn < next.size() ? next.at(qn) : 1), call);
}

void send(Session &s, const Call &call) {
    const std::string &what = call.words[0];

    if (what == "raw")
        raw(s, octets_of(call.word(1)));
    else if (what == "fpdu")
        fpdu(s, frame_ulpdu(octets_of(call.word(1)), call.keys), call);
    else if (what == "vector")
        send_vector(s, call);
    else
        send_message(s, call);
}

constexpr Verb send_table[] = {
    {"request",
     "request [rev=2] [crc=on] [markers=off] [s=] [a=] [b=] [c=] [d=] [ird=] [ord=] [private=DATA]"
     " [res=] [reject=] [pd_len=] [key=DATA]",
     "an MPA Request Frame", 0, 0, false, takes_startup, request, false},
    {"reply", "reply, with the keys of request", "an MPA Reply Frame", 0, 0, false, takes_startup,
     reply, false},
    {"send",
     "send MESSAGE [FIELD=N...] [data=DATA] [len=N] [pad=DATA] [crc=bad|none|HEX] [skew=N] |"
     " send fpdu DATA [len=] [pad=] [crc=] | send raw DATA | send vector ID",
     "a message segment; an FPDU around a ULPDU; octets; a row of --vectors", 1, 2, false,
     takes_message, send, false},
};

} // namespace

std::span<const Verb> send_verbs() {
    return send_table;
}

} // namespace xiw::peer
