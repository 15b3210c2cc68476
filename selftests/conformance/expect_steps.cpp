// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Steps that check received data.
#include "session.hpp"
#include "verb.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace xiw::peer {

namespace {

// Values that fields of a received frame must have, unless the step gives other values.
struct Rule {
    std::string_view field;
    uint64_t value;
};

constexpr Rule rules[] = {{"ddp_rsvd", 0},   {"dv", 1},        {"rv", 1},
                          {"rdmap_rsvd", 0}, {"l", 1},         {"mo", 0},
                          {"aop_rsvd", 0},   {"term_rsvd", 0}, {"res", 0}};

bool takes_frame(const std::vector<std::string> &words, std::string_view key) {
    const std::string &what = words[0];

    if (what == "request" || what == "reply")
        return startup_has(key) || key == "private";
    if (what == "answer")
        return true;
    if (what == "vector")
        return key == "ignore";
    const Kind *kind = kind_named(what);
    return kind != nullptr && (key == "data" || kind_has(*kind, key) ||
                               (what == "terminate" && (key == "about" || key == "done")));
}

bool takes_gathered(const std::vector<std::string> &words, std::string_view key) {
    const Kind *kind = kind_named(words[0]);

    return kind != nullptr &&
           (key == "data" || key == "least" || key == "most" || kind_has(*kind, key));
}

void compare_key(const Frame &frame, const std::string &key, const std::string &wanted) {
    if (auto value = frame.value(key)) {
        if (*value != flag_or_number(wanted))
            wrong(frame, fmt::format("{} is {} instead of {}", key, *frame.text(key), wanted));
    } else if (auto octets = frame.part(key)) {
        Octets want = octets_of(wanted);

        if (*octets != want)
            wrong(frame, fmt::format("{} is not as expected:\n{}    instead of\n{}", key,
                                     dump_differences(*octets, want), dump(want)));
    } else {
        wrong(frame, fmt::format("there is no {}", key));
    }
}

// Checks that no octets follow the headers of a message without payload. A Terminate may contain
// headers of the offending message only if the step expects these headers.
void nothing_behind(const Frame &frame, const Keys &keys) {
    constexpr std::string_view fixed[] = {"read-request",   "immediate",       "immediate-se",
                                          "atomic-request", "atomic-response", "terminate"};
    std::string key = frame.kind == "terminate" ? "header" : "data";

    if (std::ranges::find(fixed, frame.kind) == std::end(fixed) || keys.contains(key))
        return;
    if (frame.field("seg_len") != nullptr && !keys.contains("seg_len"))
        wrong(frame, "a segment length, although none is expected");
    if (!frame.part(key).value_or(Octets{}).empty())
        wrong(frame, "octets after the headers of the message");
}

void compare(const Frame &frame, std::string_view kind, const Keys &keys) {
    if (frame.kind != kind)
        wrong(frame, fmt::format("{} instead of {}", frame.kind, kind));
    for (const auto &[key, wanted] : keys)
        compare_key(frame, key, wanted);
    for (const Rule &rule : rules) {
        auto value = frame.value(rule.field);

        if (value && *value != rule.value && keys.find(rule.field) == keys.end())
            wrong(frame, fmt::format("{} is {}", rule.field, *value));
    }
    nothing_behind(frame, keys);
}

// Receives an FPDU, whose framing must be correct.
Frame receive(Session &s) {
    Received received = s.connection.receive_fpdu(s.deadline());
    Frame frame = decode(received.fpdu);

    s.saw("got", frame);
    if (!received.trouble.empty())
        wrong(frame, received.trouble);
    if (s.connection.crc && !received.crc_good)
        wrong(frame, "the CRC is wrong");
    Octets pad = frame.part("pad").value_or(Octets{});
    if (std::ranges::any_of(pad, [](uint8_t octet) { return octet != 0; }))
        wrong(frame, "the pad is not zero");
    return frame;
}

// If the step gives no MSN, checks that the frame has the next MSN of its queue. The messages of a
// queue are numbered from 1 without gaps.
void check_number(Session &s, const Frame &frame, const Keys &keys) {
    auto &next = s.connection.next_peer_msn;
    auto qn = frame.value("qn"), msn = frame.value("msn");

    if (!qn || !msn || *qn >= next.size())
        return;
    uint32_t &counter = next.at(*qn);
    if (keys.find("msn") == keys.end() && *msn != counter)
        wrong(frame, fmt::format("msn is {} instead of {}", *msn, counter));
    if (frame.value("l") == 1)
        counter = static_cast<uint32_t>(*msn + 1);
}

void startup(Session &s, const Call &call) {
    Frame frame = s.connection.receive_startup(s.deadline());

    s.saw("got", frame);
    compare(frame, call.words[0], call.keys);
    s.connection.startup_seen(frame, false);
}

// Changes a Read Request as if its first `done` octets were not requested (RFC 5040 section 4.8).
void advance(Frame &read, uint64_t done) {
    for (std::string_view name : {"sink_to", "size", "src_to"}) {
        const Field *field = read.field(name);

        if (field == nullptr)
            throw std::invalid_argument("done= is for Read Requests");
        uint64_t value = *read.value(name);
        field->set(read.octets, name == "size" ? value - done : value + done);
    }
}

// Adds to `keys` the part of the FPDU that a Terminate must return: the DDP header, and with r=1
// also the header of the Read Request.
void add_about(const Octets &given, Keys &keys) {
    Frame about = decode(given);
    if (auto done = keys.extract("done"); !done.empty())
        advance(about, number(done.mapped()));
    const Octets &fpdu = about.octets;
    bool whole = keys.find("r") != keys.end() && number(keys.at("r")) != 0;
    size_t size = (about.value("t") == 1 ? 14 : 18) + (whole ? 28 : 0);

    keys["m"] = keys["d"] = "1";
    keys.try_emplace("r", "0");
    keys["seg_len"] = std::to_string(about.value("ulpdu_len").value_or(0));
    keys["header"] = hex(OctetView(fpdu).subspan(2, size));
}

// Adds the expected values of an untagged message: its queue number, and 0 as Invalidate STag. A
// send-inv, send-se-inv or send-imm has another value in the place of this STag.
void add_untagged(const Kind &kind, Keys &keys) {
    if (kind.tagged)
        return;
    keys.try_emplace("qn", std::to_string(kind.queue));
    if (kind.name != "send-inv" && kind.name != "send-se-inv" && kind.name != "send-imm")
        keys.try_emplace("inv", "0");
}

void expect_message(Session &s, const Call &call) {
    const Kind *kind = kind_named(call.words[0]);
    Keys keys = call.keys;

    if (kind == nullptr)
        throw std::invalid_argument("no message is called " + call.words[0]);
    if (call.words.size() > 1)
        throw std::invalid_argument(fmt::format("'{}' is too much", call.words[1]));
    if (auto about = keys.extract("about"); !about.empty()) {
        if (about.mapped() == "sent" && !s.sent)
            throw std::invalid_argument("nothing was sent");
        add_about(about.mapped() == "sent" ? s.sent->octets : octets_of_hex(about.mapped()), keys);
    } else if (kind->name == "terminate") {
        for (std::string_view flag : {"m", "d", "r"})
            keys.try_emplace(std::string(flag), "0");
        keys.try_emplace("code", "0");
    }
    add_untagged(*kind, keys);
    Frame frame = receive(s);
    compare(frame, kind->name, keys);
    check_number(s, frame, keys);
}

void exactly(const Frame &frame, const Octets &wanted) {
    if (frame.octets != wanted)
        wrong(frame,
              fmt::format("these octets instead of {}\n{}    came\n{}", decode(wanted).summary(),
                          dump(wanted), dump_differences(frame.octets, wanted)));
}

void expect_vector(Session &s, const Call &call) {
    const Vector &v = s.vector(call.word(1));

    if (v.startup) {
        Frame frame = s.connection.receive_startup(s.deadline());

        s.saw("got", frame);
        exactly(frame, v.octets);
        s.connection.startup_seen(frame, false);
        return;
    }
    Frame frame = receive(s);
    Frame wanted = decode(s.translation.apply(v.octets));
    std::string names = call.key("ignore") + ',';
    for (size_t at = 0; at < names.size();) {
        size_t end = names.find(',', at);
        std::string name = names.substr(at, end - at);

        at = end + 1;
        const Field *field = wanted.field(name);
        if (field != nullptr && frame.field(name) != nullptr)
            field->set(wanted.octets, *frame.value(name));
        else if (!name.empty())
            throw std::invalid_argument(fmt::format("the vector has no {}", name));
    }
    crc_renew(wanted.octets);
    exactly(frame, wanted.octets);
    check_number(s, frame, {{"msn", ""}});
}

void closed(Session &s, const std::string &how) {
    Tcp::End end = s.connection.receive_end(s.deadline());

    if (how == "any" || how == (end == Tcp::End::fin ? "fin" : "rst"))
        return;
    throw Mismatch(fmt::format("{} instead of {}", end == Tcp::End::fin ? "fin" : "rst", how));
}

// Expects the Terminate of the vector, octet by octet, and then FIN. If the vector has no
// Terminate, expects any end of the stream.
void verdict(Session &s, const Call &call) {
    const Vector &v = s.vector(call.word(1));

    if (v.expect == "accept")
        throw std::invalid_argument(fmt::format("{} is accepted, which cannot be seen here", v.id));
    if (!v.terminate.empty())
        exactly(receive(s), s.translation.apply(v.terminate));
    closed(s, v.terminate.empty() ? "any" : "fin");
}

bool same(const std::string &a, const std::string &b) {
    if (a == b)
        return true;
    try {
        return number(a) == number(b);
    } catch (const std::invalid_argument &) {
        return false;
    }
}

void answer(Session &s, const Call &call) {
    for (const auto &[key, wanted] : call.keys) {
        auto found = s.answer.words.find(key);

        if (found == s.answer.words.end())
            throw Mismatch(fmt::format("no {}= in the answer: {}", key, s.answer.line));
        if (!same(found->second, wanted))
            throw Mismatch(fmt::format("{}={} instead of {} in the answer: {}", key, found->second,
                                       wanted, s.answer.line));
    }
}

void equal(const Call &call) {
    if (call.words.size() != 3)
        throw std::invalid_argument("expect equal A B");
    if (!same(call.words[1], call.words[2]))
        throw Mismatch(fmt::format("{} instead of {}", call.words[1], call.words[2]));
}

void expect(Session &s, const Call &call) {
    const std::string &what = call.words[0];

    if (what == "request" || what == "reply")
        startup(s, call);
    else if (what == "vector")
        expect_vector(s, call);
    else if (what == "verdict")
        verdict(s, call);
    else if (what == "fpdu")
        exactly(receive(s), octets_of(call.word(1)));
    else if (what == "close")
        closed(s, call.word(1, "fin"));
    else if (what == "silence")
        s.connection.receive_nothing(Clock::now() + duration(call.word(1)));
    else if (what == "answer")
        answer(s, call);
    else if (what == "equal")
        equal(call);
    else if (what == "round")
        s.loop(call.word(1)).full_round(s.deadline());
    else
        expect_message(s, call);
}

// Checks the length of the ULPDU. The maximum is most=. The minimum is least=, which does not apply
// to the last ULPDU of the message.
void check_length(const Frame &frame, bool last, const std::string &least,
                  const std::string &most) {
    uint64_t length = *frame.value("ulpdu_len");

    if (!most.empty() && length > number(most))
        wrong(frame, fmt::format("a ULPDU of {} octets, more than {}", length, most));
    if (!least.empty() && !last && length < number(least))
        wrong(frame, fmt::format("a ULPDU of {} octets, less than {}", length, least));
}

/*
 * Expects a whole message: tagged segments are adjacent, and untagged segments have the same MSN
 * and an increasing MO. Afterwards, $got.data is the whole payload.
 */
void gather(Session &s, const Call &call) {
    const Kind *kind = kind_named(call.words[0]);
    Octets data;
    Keys keys = call.keys;
    bool last = false;

    if (kind == nullptr)
        throw std::invalid_argument("no message is called " + call.words[0]);
    auto wanted = keys.extract("data");
    auto bound = [&keys](std::string_view name) {
        auto found = keys.extract(std::string(name));
        return found.empty() ? std::string() : found.mapped();
    };
    const std::string least = bound("least"), most = bound("most");
    add_untagged(*kind, keys);
    while (!last) {
        Frame frame = receive(s);
        std::string_view offset = kind->tagged ? "to" : "mo";

        last = frame.value("l") == 1;
        keys["l"] = last ? "1" : "0";
        if (!kind->tagged)
            keys.try_emplace("mo", "0");
        compare(frame, kind->name, keys);
        check_length(frame, last, least, most);
        check_number(s, frame, keys);
        append(data, frame.part("data").value_or(Octets{}));
        keys[std::string(offset)] = fmt::format(
            "0x{:x}", *frame.value(offset) + frame.part("data").value_or(Octets{}).size());
    }
    s.variables["got.data"] = hex(data);
    if (wanted.empty())
        return;
    Octets want = octets_of(wanted.mapped());
    if (data != want)
        throw Mismatch(fmt::format("{} octets of payload are not as expected:\n{}", data.size(),
                                   dump_differences(data, want)));
}

void discard(Session &s, const Call &call) {
    for (uint64_t octets = 0;;) {
        s.variables["discarded"] = std::to_string(octets);
        auto received = s.connection.receive_fpdu_or_end(s.deadline());

        if (!received)
            return;
        Frame frame = decode(received->fpdu);
        if (frame.kind != call.words[0]) {
            s.connection.put_back(*received);
            return;
        }
        octets += frame.part("data").value_or(Octets{}).size();
    }
}

constexpr Verb expect_table[] = {
    {"expect",
     "expect request|reply|MESSAGE [FIELD=N...] [data=DATA] |"
     " expect terminate layer=N etype=N code=N [about=sent|HEX [r=1 [done=N]]] |"
     " expect vector ID [ignore=FIELD,...] | expect verdict ID | expect fpdu HEX |"
     " expect close [fin|rst|any] | expect silence TIME | expect answer KEY=VALUE... |"
     " expect equal A B | expect round LOOP",
     "one frame, or something else; what comes must be this and nothing else", 1, 3, false,
     takes_frame, expect},
    {"gather", "gather MESSAGE [FIELD=N...] [least=N] [most=N] [data=DATA]",
     "all segments of one message; least= (not for the last ULPDU) and most= limit its ULPDUs", 1,
     1, false, takes_gathered, gather},
    {"discard", "discard MESSAGE",
     "segments until one of another kind or the end; $discarded: octets of their payload", 1, 1,
     false, nullptr, discard},
};

} // namespace

std::span<const Verb> expect_verbs() {
    return expect_table;
}

} // namespace xiw::peer
