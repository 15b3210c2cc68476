// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/spec.hpp"
#include "schema.hpp"
#include "tool.hpp"
#include "tree.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::Result;
using xiw::Exit;

namespace {

Result spec(std::vector<const char *> arguments) {
    arguments.insert(arguments.begin(), "spec");
    return test::run_tool(nullptr, std::move(arguments));
}

nlohmann::json rows(std::vector<const char *> arguments) {
    arguments.push_back("--json");
    const Result result = spec(std::move(arguments));
    REQUIRE(result.exit == Exit::ok);
    CHECK(result.err.empty());
    const auto document = nlohmann::json::parse(result.out);
    CHECK(test::violations(test::tool_schema(), document).empty());
    return document["requirements"];
}

std::vector<std::string> fields(const std::string &line) {
    std::vector<std::string> list;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, '\t');)
        list.push_back(field);
    return list;
}

} // namespace

TEST_CASE("xiw spec has every requirement, as the tree has it") {
    const auto all = rows({});
    std::ifstream file(test::in_tree("/selftests/requirements.tsv"));
    std::string line;
    std::getline(file, line);
    size_t count = 0;
    for (; std::getline(file, line); count++) {
        const auto row = fields(line);
        REQUIRE(count < all.size());
        CHECK(all[count]["id"] == row.at(0));
        CHECK(all[count]["level"] == row.at(1));
        CHECK(all[count]["source"] == row.at(2));
    }
    CHECK(count == all.size());
    CHECK(count > 600);
}

TEST_CASE("what no test names has the reason of the tree") {
    std::map<std::string, std::string> words, reasons;
    std::ifstream file(test::in_tree("/selftests/untested.tsv"));
    for (std::string line; std::getline(file, line);) {
        const auto row = fields(line);
        if (row.size() > 2 && row[0] == "reason")
            words[row[1]] = row[2];
        else if (row.size() == 2 && words.contains(row[1]))
            reasons[row[0]] = words[row[1]];
    }
    REQUIRE_FALSE(reasons.empty());
    for (const auto &row : rows({})) {
        CAPTURE(row);
        const auto it = reasons.find(row["id"].get<std::string>());
        if (it == reasons.end())
            CHECK(row["reason"].is_null());
        else
            CHECK(row["reason"] == it->second);
        if (!row["tests"].empty())
            CHECK(row["reason"].is_null());
    }
}

TEST_CASE("a requirement has the tests that name it") {
    const auto found = rows({"X-HDR-006"});
    REQUIRE(found.size() == 1);
    const auto &tests = found[0]["tests"];
    CHECK(std::ranges::find(tests, "golden FPDUs are built octet by octet") != tests.end());
    CHECK(found[0]["document"] == "RFC7306");
    CHECK(found[0]["sections"] == nlohmann::json{"4.1"});

    // A scenario of the wire peer, and a script of the lab.
    const auto scenario = rows({"x-hdr-007"});
    REQUIRE(scenario.size() == 1);
    CHECK(scenario[0]["tests"][0] == "accepted.scn:IM-04");
    const auto script = rows({"s-rem-014"});
    REQUIRE(script.size() == 1);
    CHECK(script[0]["tests"][0] == "verbs-queues");
}

TEST_CASE("requirements are chosen by id, document, section, level and want of a test") {
    const size_t all = rows({}).size();
    const auto every = [](const nlohmann::json &list, auto good) {
        return !list.empty() && std::ranges::all_of(list, good);
    };

    CHECK(every(rows({"X-ATOM"}), [](const auto &r) {
        return r["id"].template get<std::string>().starts_with("X-ATOM");
    }));
    CHECK(rows({"X-ATOM", "X-HDR"}).size() == rows({"X-ATOM"}).size() + rows({"X-HDR"}).size());
    CHECK(every(rows({"--rfc", "7306"}), [](const auto &r) { return r["document"] == "RFC7306"; }));
    CHECK(rows({"-r", "rfc 7306"}) == rows({"-r", "RFC7306"}));
    CHECK(rows({"-r", "iba"}).size() > 10);
    CHECK(every(rows({"--level", "must"}), [](const auto &r) { return r["level"] == "MUST"; }));
    CHECK(rows({"-l", "MUST"}).size() + rows({"-l", "SHOULD"}).size() +
              rows({"-l", "MAY"}).size() ==
          all);
    CHECK(every(rows({"--untested"}), [](const auto &r) { return r["tests"].empty(); }));

    const auto section = rows({"-r", "5044", "--section", "4"});
    CHECK(every(section, [](const auto &r) {
        const auto s = r["sections"][0].template get<std::string>();
        return s == "4" || s.starts_with("4.") || s.starts_with("4(");
    }));
    const auto inner = rows({"-r", "5044", "--section", "\302\2474.1"});
    CHECK(inner.size() < section.size());
    CHECK(every(inner, [](const auto &r) {
        return !r["sections"][0].template get<std::string>().starts_with("4.1x");
    }));
    CHECK(rows({"-r", "6581", "-s", "9"}).size() < rows({"-r", "6581"}).size());
}

TEST_CASE("xiw spec tells people the sums, and scripts a table") {
    const Result text = spec({"X-HDR"});
    CHECK(text.exit == Exit::ok);
    CHECK_THAT(text.out, StartsWith("REQUIREMENT") &&
                             ContainsSubstring("\"golden FPDUs are built octet by octet\"") &&
                             ContainsSubstring("named by a test\n"));
    CHECK_THAT(spec({"--untested"}).out,
               ContainsSubstring("none: about a thing that") && ContainsSubstring("MUST: 0 of "));
    CHECK_THAT(spec({"--tsv"}).out, StartsWith("id\tlevel\tsource\ttests\treason\nX-HDR-001\t"));
}

TEST_CASE("what no requirement can be is refused, with what there is") {
    struct Row {
        std::vector<const char *> arguments;
        Exit exit;
        const char *message;
    };
    const auto row = GENERATE(values<Row>({
        {{"Q-NONE"}, Exit::failed, "no matching requirement"},
        {{"-r", "5044", "-s", "99"}, Exit::failed, "no matching requirement"},
        {{"-r", "5044", "-s", "4.1x"}, Exit::failed, "no matching requirement"},
        {{"--rfc", "793"}, Exit::usage, "valid: RFC7306"},
        {{"--rfc", "RFC"}, Exit::usage, "no requirement is from \"RFC\""},
        {{"--level", "MUSTN"}, Exit::usage, "valid: MUST"},
        {{"--level"}, Exit::usage, "--level"},
    }));
    const Result result = spec(row.arguments);
    CHECK(result.exit == row.exit);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, StartsWith("xiw: ") && ContainsSubstring(row.message));
}
