// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/explain.hpp"
#include "schema.hpp"
#include "tool.hpp"

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::Result;
using test::run_alone;
using xiw::Exit;
using xiw::explain;

TEST_CASE("a Terminate code is explained in every notation") {
    const auto text =
        GENERATE(as<std::string>(), "0/2/0x06", "0/2/6", "0x0/0x2/0x6", "0x206", "0x0206", "0X206");
    const auto list = explain(text);
    CAPTURE(text);
    REQUIRE_FALSE(list.empty());
    CHECK(list[0].subject == "0/2/0x06");
    CHECK(list[0].meaning == "RDMA, remote operation: unexpected opcode");
    CHECK(list[0].source == "RFC 5040 section 4.8");
    CHECK_THAT(list[0].effect, ContainsSubstring("REM_INV_REQ_ERR"));
    CHECK_THAT(list[0].advice, ContainsSubstring("RFC 7306"));
}

TEST_CASE("a layer 1 code is explained as a vendor error and in table notation") {
    for (const char *text : {"0x10202", "0x1202", "1/2/0x02", "1/2/2"}) {
        CAPTURE(text);
        REQUIRE(explain(text).size() == 1);
        CHECK(explain(text)[0].subject == "1/2/0x02");
    }
}

TEST_CASE("a code with swapped layer and type is explained, too") {
    const auto list = explain("2/0/0x06");
    REQUIRE(list.size() == 2);
    CHECK(list[0].subject == "2/0/0x06");
    CHECK_THAT(list[1].subject, StartsWith("2/0/0x06 sent by siw, meaning 0/2/0x06"));
    // No RFC defines 1/0/0x01, so only the meaning of 0/1/0x01 is explained.
    CHECK(explain("1/0/0x01").size() == 1);
}

TEST_CASE("a code that no RFC defines is explained as such") {
    const auto list = explain("3/3/0x33");
    REQUIRE(list.size() == 1);
    CHECK_THAT(list[0].meaning, ContainsSubstring("no RFC"));
}

TEST_CASE("statuses and errnos are explained by name and number") {
    for (const char *text :
         {"REM_ACCESS_ERR", "rem_access_err", "IB_WC_REM_ACCESS_ERR", "IBV_WC_REM_ACCESS_ERR"}) {
        CAPTURE(text);
        REQUIRE(explain(text).size() == 1);
        CHECK(explain(text)[0].subject == "REM_ACCESS_ERR");
        CHECK(explain(text)[0].kind == "work completion status 10");
    }
    for (const char *text : {"ECONNREFUSED", "econnrefused", "111", "-111", "-ECONNREFUSED"}) {
        CAPTURE(text);
        REQUIRE(explain(text).size() == 1);
        CHECK(explain(text)[0].subject == "ECONNREFUSED");
        CHECK(explain(text)[0].kind == "errno 111");
    }
    const auto both = explain("5");
    REQUIRE(both.size() == 2);
    CHECK(both[0].subject == "WR_FLUSH_ERR");
    CHECK(both[1].subject == "EIO");
}

TEST_CASE("an invalid code is refused") {
    const auto text =
        GENERATE(as<std::string>(), "", "-", "/", "//", "1/2", "1/2/3/4", "16/0/0", "0/16/0",
                 "0/0/256", "a/b/c", "0/2/", "/2/7", "0/2/0x", "0/2/-1", "0x", "0x100000",
                 "99999999999", "EFOO", "IB_WC_", "4096", "0x11234");
    CAPTURE(text);
    CHECK(explain(text).empty());
    const Result result = run_alone({"explain", text.c_str()});
    CHECK(result.exit == Exit::usage);
    CHECK(result.out.empty());
    CHECK_FALSE(result.err.empty());
}

TEST_CASE("all explanations are complete, and each is found by its subject") {
    std::set<std::string> seen;
    for (const xiw::Explanation &e : xiw::explain_all()) {
        CAPTURE(e.subject);
        CHECK(seen.insert(e.subject).second);
        CHECK_FALSE(e.kind.empty());
        CHECK_FALSE(e.meaning.empty());
        const auto found = explain(e.subject);
        REQUIRE_FALSE(found.empty());
        CHECK(found[0].subject == e.subject);
        CHECK(found[0].advice == e.advice);
    }
    CHECK(seen.size() > 60);
    CHECK(seen.contains("2/0/0x07"));
}

TEST_CASE("advice exists only for defined codes") {
    // The tool has advice for 17 codes. explain_all() omits codes that the core does not define, so
    // all 17 codes must be defined.
    const auto all = xiw::explain_all();
    const auto advised = std::ranges::count_if(all, [](const xiw::Explanation &e) {
        return e.kind == "Terminate code" && !e.advice.empty();
    });
    CHECK(advised == 17);
}

TEST_CASE("explain needs no kernel and supports every output format") {
    const Result text = run_alone({"explain", "0/2/0x07", "ETIMEDOUT"});
    CHECK(text.exit == Exit::ok);
    CHECK_THAT(text.out,
               StartsWith("0/2/0x07  Terminate code, RFC 5040 section 4.8\n  means     "));
    CHECK_THAT(text.out, ContainsSubstring("\n\nETIMEDOUT  errno 110\n"));

    const Result json = run_alone({"explain", "-j"});
    CHECK(json.exit == Exit::ok);
    const auto document = nlohmann::json::parse(json.out);
    CHECK(test::violations(test::tool_schema(), document).empty());
    CHECK(document["explanations"].size() == xiw::explain_all().size());

    const Result tsv = run_alone({"--tsv", "explain", "111"});
    CHECK(tsv.exit == Exit::ok);
    CHECK_THAT(tsv.out, StartsWith("subject\tkind\t"));
    CHECK_THAT(tsv.out, ContainsSubstring("ECONNREFUSED\terrno 111\t"));

    const Result wrong = run_alone({"explain", "0/2/0x07", "nonsense"});
    CHECK(wrong.exit == Exit::usage);
    CHECK(wrong.out.empty());
    CHECK_THAT(wrong.err, ContainsSubstring("\"nonsense\""));
}
