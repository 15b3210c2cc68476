// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "scenario.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace xiw::peer;

namespace {

std::string complaint(const std::string &text) {
    try {
        Script::parse(text, "f.scn");
    } catch (const Malformed &error) {
        return error.what();
    }
    return "none";
}

} // namespace

TEST_CASE("peer: a line is split into words") {
    CHECK(words_of("").empty());
    CHECK(words_of("  # all of it").empty());
    CHECK(words_of("a  b=\"c d\" e#f # g") == std::vector<std::string>{"a", "b=c d", "e#f"});
    CHECK(words_of("\"\" \"a\"") == std::vector<std::string>{"", "a"});
}

TEST_CASE("peer: variables are substituted") {
    Keys v{{"a", "1"}, {"got.stag", "0x5"}};

    CHECK(substitute("$a", v) == "1");
    CHECK(substitute("x$a-${a}2$got.stag.", v) == "x1-120x5.");
    CHECK_THROWS_AS(substitute("$b", v), std::invalid_argument);
    CHECK_THROWS_AS(substitute("${a", v), std::invalid_argument);
    CHECK_THROWS_AS(substitute("$", v), std::invalid_argument);
}

TEST_CASE("peer: mistakes in a scenario are reported with file and line") {
    struct {
        const char *text, *complaint;
    } const rows[] = {
        {"jump", "f.scn:1: no step is called jump"},
        {"\nsend write colour=red", "f.scn:2: send write does not take colour="},
        {"send write msn=1", "f.scn:1: send write does not take msn="},
        {"send", "f.scn:1: send needs more words"},
        {"expect write about=sent", "f.scn:1: expect write does not take about="},
        {"request colour=red", "f.scn:1: request  does not take colour="},
        {"split", "f.scn:1: split needs more words"},
        {"accept now", "f.scn:1: 'now' is too much"},
        {"scenario", "f.scn:1: scenario has a name, and cleanup has none"},
        {"cleanup x", "f.scn:1: cleanup has a name, and cleanup has none"},
        {"scenario a\nscenario b", "f.scn:2: scenario inside of a scenario"},
        {"scenario a", "f.scn:1: no end of this scenario"},
        {"end", "f.scn:1: nothing ends here"},
        {"scenario a for x", "f.scn:1: scenario NAME for VARIABLE in VALUE..."},
        {"scenario a for x in 1..z", "f.scn:1: 'z' is no number"},
        {"scenario a\n| x y\n| 1\nend", "f.scn:3: 1 values for 2 names"},
        {"| x", "f.scn:1: a table stands at the beginning of a scenario"},
        {"define a\nend\ndefine a\nend", "f.scn:3: a is defined twice"},
        {"define a\ndo b\nend", "f.scn:2: b is not defined"},
        {"scenario a\n| from nothing.tsv\nend", "f.scn:2: nothing.tsv cannot be read"},
        {"include", "f.scn:1: include FILE, beside this one and not by itself"},
        {"include nowhere.scn", "nowhere.scn:0: cannot be read"},
    };

    for (const auto &row : rows) {
        CAPTURE(row.text);
        CHECK(complaint(row.text).starts_with(row.complaint));
    }
}

TEST_CASE("peer: a scenario expands into its cases") {
    Script script = Script::parse("scenario s for n in 1..3 x\nclose\nend\n"
                                  "scenario t\n| a b\n| 1 2\n| 3 \"\"\nclose\nend\n"
                                  "scenario u\nend\nclose\n",
                                  "f.scn");
    REQUIRE(script.items.size() == 4);
    auto cases = [&](size_t i) { return std::get<Scenario>(script.items[i]).cases; };
    CHECK(cases(0) == std::vector<Keys>{{{"n", "1"}}, {{"n", "2"}}, {{"n", "3"}}, {{"n", "x"}}});
    CHECK(cases(1) == std::vector<Keys>{{{"a", "1"}, {"b", "2"}}, {{"a", "3"}, {"b", ""}}});
    CHECK(cases(2) == std::vector<Keys>{{}});
    CHECK(std::get<Step>(script.items[3]).place.line == 12);
}
