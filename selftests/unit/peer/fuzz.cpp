// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "fuzz.hpp"
#include "peer.hpp"
#include "runner.hpp"

#include <chrono>
#include <future>
#include <set>
#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace xiw::peer;
using Catch::Matchers::ContainsSubstring;

namespace {

Target target() {
    Target made;

    made.stag = 0x1234;
    made.to = 0x100000000;
    made.size = 4096;
    made.receives = 8;
    made.receive = 256;
    made.read_stag = 7;
    made.read_size = 512;
    made.atomic_id = 9;
    return made;
}

Octets octets(const Fuzzed &fuzzed) {
    Octets all;

    for (const Fuzzed::Piece &piece : fuzzed.pieces)
        append(all, piece.octets);
    return all;
}

} // namespace

TEST_CASE("peer: a seed repeats its session, and another seed gives another one") {
    std::set<Octets> seen;

    for (uint64_t seed = 1; seed <= 200; seed++) {
        Fuzzed first = fuzz_stream(seed, target());

        CHECK(octets(first) == octets(fuzz_stream(seed, target())));
        seen.insert(octets(first));
        CHECK(octets(fuzz_startup(seed, "request")) == octets(fuzz_startup(seed, "request")));
    }
    // A few sessions are equal, because their mistakes have removed all octets.
    CHECK(seen.size() > 190);
}

TEST_CASE("peer: a session without mistakes contains only valid frames") {
    size_t right = 0, spoilt = 0;

    for (uint64_t seed = 1; seed <= 500; seed++) {
        Fuzzed fuzzed = fuzz_stream(seed, target());
        std::array<uint32_t, 4> msn{1, 1, 1, 1};
        size_t requests = 0, receives = 0;

        if (!fuzzed.mistakes.empty()) {
            spoilt++;
            continue;
        }
        right++;
        for (const Fuzzed::Piece &piece : fuzzed.pieces) {
            Frame frame = decode(piece.octets);

            REQUIRE(piece.fpdu);
            REQUIRE(crc_good(piece.octets));
            REQUIRE(frame.kind != "unknown");
            REQUIRE(frame.kind != "terminate");
            if (auto qn = frame.value("qn")) {
                REQUIRE(frame.value("msn") == msn.at(*qn));
                msn.at(*qn)++;
                requests += *qn == 1 ? 1 : 0;
                receives += *qn == 0 ? 1 : 0;
            }
            if (frame.kind == "write" && !frame.part("data")->empty()) {
                CHECK(*frame.value("to") >= target().to);
                CHECK(*frame.value("to") + frame.part("data")->size() <=
                      target().to + target().size);
            }
        }
        CHECK(requests == fuzzed.answers);
        CHECK(requests <= target().requests);
        CHECK(receives <= target().receives);
    }
    CHECK(right > 20);
    CHECK(spoilt > 300);
}

// If the fuzzer never generated a kind of mistake or message, no test would send that kind to the
// kernel.
TEST_CASE("peer: all kinds of mistakes and messages occur") {
    std::string all;

    for (uint64_t seed = 1; seed <= 2000; seed++) {
        Fuzzed fuzzed = fuzz_stream(seed, target());

        all += fuzzed.summary() + '\n';
        for (const Fuzzed::Piece &piece : fuzzed.pieces)
            all += decode(piece.octets).kind + '\n';
    }
    for (std::string_view what :
         {"ulpdu_len=", "msn=", "mo=", "stag=", "to=", "qn=", "opcode=", "dv=", "rv=", "l=",
          "a bit of octet", "the last octet", "only", "again", "for", "without", "of anything",
          "octets instead of", "of zeros"})
        CHECK(all.find(what) != std::string::npos);
    for (const Kind &kind : kinds())
        CHECK(all.find(std::string(kind.name) + '\n') != std::string::npos);
}

namespace {

std::string ran_against(const Octets &octets, bool closes, uint64_t seed) {
    std::promise<void> over;
    Remote remote([&](Connection &c) {
        c.startup_seen(c.receive_startup(soon()), false);
        Octets reply = build_startup("reply", {});

        append(reply, octets);
        c.transmit(reply, soon());
        if (closes)
            c.shut();
        c.drain(soon());
        // The connection closes when this lambda returns.
        if (!closes)
            over.get_future().wait_for(std::chrono::seconds(20));
    });
    std::ostringstream out;
    Options options;

    options.connect = remote.text();
    run(Script::parse("scenario s\nopen\nrequest\nexpect reply\nwithin " +
                          std::string(closes ? "20s" : "300ms") + "\nfuzz stream seed=" +
                          std::to_string(seed) + " stag=1 size=64 requests=0\nend",
                      "f.scn"),
        options, "", out);
    over.set_value();
    return out.str();
}

// Return the seed of a session that ends with a FIN and is not cut into additional TCP segments.
// If `right` is true, the session has no mistakes. Otherwise, it has at least one mistake.
uint64_t seed_of(bool right) {
    Target small;

    small.stag = 1;
    small.size = 64;
    small.requests = 0;
    for (uint64_t seed = 1;; seed++) {
        Fuzzed fuzzed = fuzz_stream(seed, small);

        if (fuzzed.mistakes.empty() == right && !fuzzed.reset && fuzzed.cuts == 0)
            return seed;
    }
}

} // namespace

TEST_CASE("peer: forbidden behaviour of an endpoint is detected whatever it was sent") {
    const uint64_t spoilt = seed_of(false), right = seed_of(true);
    const Octets terminate = golden().at("T-1-1-00").octets;
    const Octets write = build("write", {{"data", "count:8"}}, 0);
    auto joined = [](Octets one, const Octets &other) {
        append(one, other);
        return one;
    };

    CHECK(ran_against(terminate, true, spoilt) == "pass s\n");
    CHECK(ran_against(joined(write, terminate), true, spoilt) == "pass s\n");
    CHECK(ran_against({}, true, right) == "pass s\n");
    CHECK_THAT(ran_against({}, false, spoilt), ContainsSubstring("nothing more came in time"));
    CHECK_THAT(ran_against(terminate, true, right),
               ContainsSubstring("the session has no mistakes"));
    CHECK_THAT(ran_against(joined(terminate, write), true, spoilt),
               ContainsSubstring("behind a Terminate"));
    CHECK_THAT(ran_against(build("write", {{"data", "01"}, {"crc", "bad"}}, 0), true, spoilt),
               ContainsSubstring("the CRC is wrong"));
    CHECK_THAT(ran_against(build("send", {{"opcode", "14"}}, 1), true, spoilt),
               ContainsSubstring("no message"));
    CHECK_THAT(ran_against(Octets(terminate.begin(), terminate.end() - 1), true, spoilt),
               ContainsSubstring("the peer closed instead of"));
    // The message contains the seed, so that a user can repeat the session.
    CHECK_THAT(ran_against({}, false, spoilt),
               ContainsSubstring("seed " + std::to_string(spoilt) + ": "));
}
