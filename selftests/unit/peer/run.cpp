// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Scenarios run against a remote end whose behaviour the test determines. A scenario passes if the
// remote end behaves as the scenario expects. Otherwise, the scenario fails and prints the reason.
#include "peer.hpp"
#include "runner.hpp"

#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace xiw::peer;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Ran {
    Outcome outcome;
    std::string text;
};

Ran ran(const std::string &text, const std::string &to = {}) {
    std::ostringstream out;
    Script script = Script::parse(text, "f.scn");
    Options options;

    options.connect = to;
    options.vectors = XIW_SELFTESTS "/vectors/wire.tsv";
    Outcome outcome = run(script, options, "", out);
    return {outcome, out.str()};
}

// Act as a remote end that answers the Request and then sends `octets`.
void answers(Connection &c, const Octets &octets) {
    c.startup_seen(c.receive_startup(soon()), false);
    Octets reply = build_startup("reply", {{"ird", "4"}, {"ord", "4"}});

    append(reply, octets);
    c.transmit(reply, soon());
    c.receive_fpdu(soon());
    c.shut();
    c.receive_end(soon());
}

const std::string asks = "scenario s\n"
                         "open\n"
                         "request ird=4 ord=4\n"
                         "expect reply rev=2 ird=4 ord=4 crc=on\n";

Ran ran_with(const Octets &octets, const std::string &steps) {
    Remote remote([&](Connection &c) { answers(c, octets); });

    return ran(asks + steps + "\nsend send\nexpect close fin\nend", remote.text());
}

} // namespace

TEST_CASE("peer: holding packets requires a named wire") {
    Ran r = ran("scenario s\nhold\nend");

    CHECK(r.outcome.failed == 1);
    CHECK_THAT(r.text, ContainsSubstring("--wire"));
    CHECK(ran("scenario s\nrelease\nend").outcome.passed == 1);
}

TEST_CASE("peer: a scenario with the expected frame passes") {
    Octets response = build("read-response", {{"stag", "5"}, {"to", "9"}, {"data", "count:8"}}, 0);
    Ran r = ran_with(response, "expect read-response stag=5 to=9 data=count:8\n"
                               "expect equal $got.stag 0x5");
    CHECK(r.text == "pass s\n");
    CHECK(r.outcome.passed == 1);
}

TEST_CASE("peer: a difference in any octet of an expected frame fails the scenario") {
    const Octets right = golden().at("T-1-1-00").octets;
    const std::string step =
        "expect terminate layer=1 etype=1 code=0 about=" + hex(golden().at("W-01").octets);

    CHECK(ran_with(right, step).text == "pass s\n");
    for (size_t i = 2; i < right.size() - 4; i++) {
        Octets wrong = right;

        wrong[i] ^= 1;
        crc_renew(wrong);
        CAPTURE(i);
        CHECK(ran_with(wrong, step).outcome.failed == 1);
    }
    for (size_t i = right.size() - 4; i < right.size(); i++) {
        Octets wrong = right;

        wrong[i] ^= 1;
        CHECK_THAT(ran_with(wrong, step).text, ContainsSubstring("the CRC is wrong"));
    }
}

TEST_CASE("peer: a failure reports the place, the difference and the expectation") {
    Octets send = build("send", {{"data", "01"}}, 1);
    struct {
        const char *step, *told;
    } const rows[] = {
        {"expect write", "fail s: f.scn:5: expect write\n  send instead of write"},
        {"expect send data=02", "data is not as expected"},
        {"expect send msn=7", "msn is 0x00000001 instead of 7"},
        {"expect vector S-01", "these octets instead of send msn=0x00000001 data=0001020304"},
        {"expect close", "28 octets instead of the end of the stream"},
        {"expect silence 1s", "instead of silence"},
        {"expect equal 1 2", "1 instead of 2"},
        {"expect equal $nothing 2", "$nothing is not set"},
        {"set n=nothing\ndo $n", "nothing is not defined"},
        {"ask k x", "needs --control k=PATH"},
        {"exec false", "false failed"},
        {"send vector nothing", "no vector nothing"},
    };

    for (const auto &row : rows) {
        CAPTURE(row.step);
        Ran r = ran_with(send, row.step);
        CHECK(r.outcome.failed == 1);
        CHECK_THAT(r.text, ContainsSubstring(row.told));
    }
    CHECK_THAT(ran_with({}, "within 1ms\nexpect send").text,
               ContainsSubstring("nothing more came in time instead of an FPDU"));
}

TEST_CASE("peer: gather accepts a message of several segments and checks its limits") {
    Octets both =
        build("read-response", {{"stag", "5"}, {"to", "8"}, {"data", "0102"}, {"l", "0"}}, 0);
    Octets last = build("read-response", {{"stag", "5"}, {"to", "10"}, {"data", "03"}}, 0);
    Octets astray = build("read-response", {{"stag", "5"}, {"to", "11"}, {"data", "03"}}, 0);
    Octets gap = both;

    append(both, last);
    append(gap, astray);
    const char *step = "gather read-response stag=5 to=8 data=010203";
    CHECK(ran_with(both, step).text == "pass s\n");
    CHECK_THAT(ran_with(gap, step).text, ContainsSubstring("to is 0x000000000000000b instead of"));
    CHECK(ran_with(both, std::string(step) + " least=16 most=16").text == "pass s\n");
    CHECK_THAT(ran_with(both, std::string(step) + " least=17").text,
               ContainsSubstring("a ULPDU of 16 octets, less than 17"));
    CHECK_THAT(ran_with(both, std::string(step) + " most=15").text,
               ContainsSubstring("a ULPDU of 16 octets, more than 15"));
    CHECK(ran_with(both, "discard write\nexpect read-response l=0\nexpect read-response\n").text ==
          "pass s\n");
}

TEST_CASE("peer: definitions and tables expand, and a cleanup always runs") {
    Ran r = ran("define same\nexpect equal $x $y\nend\n"
                "scenario $x-$y\n| x y\n| 1 1\n| 1 2\n| 3 0x3\ndo same\nend\n"
                "scenario z for n in 1..2\ncalc m=$n+1\nexpect equal $m 2\nend\n"
                "cleanup\nset seen=1\nend\n");
    CHECK_THAT(
        r.text,
        ContainsSubstring("pass 1-1\nfail 1-2: f.scn:9: do same\n  f.scn:2: expect equal $x $y\n"));
    CHECK(r.outcome.passed == 3);
    CHECK(r.outcome.failed == 2);
    // If a step outside a scenario fails, the rest of the file does not run.
    CHECK(ran("expect equal 1 2\nscenario a\nend\n").outcome.passed == 0);
    // If the cleanup fails, the scenario fails.
    CHECK(ran("cleanup\nexpect equal 1 2\nend\nscenario a\nend\n").outcome.failed == 1);
}
