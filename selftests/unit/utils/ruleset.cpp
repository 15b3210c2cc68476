// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Rulesets as nft prints them, and their effect on a connection to port 4420.
#include "doctor/ruleset.hpp"

#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using xiw::doctor::gates;
using xiw::doctor::Passage;

namespace {

constexpr uint16_t port = 4420;

// A chain "input" with rules; "more" are other objects of the table.
std::string ruleset(const std::string &policy, const std::string &rules,
                    const std::string &more = "") {
    std::string text = R"({"nftables":[{"metainfo":{"json_schema_version":1}},
        {"table":{"family":"inet","name":"filter","handle":1}},
        {"chain":{"family":"inet","table":"filter","name":"input","handle":1,
                  "type":"filter","hook":"input","prio":0,"policy":")" +
                       policy + "\"}}" + more;
    // One expression list for each rule, with a semicolon between them.
    for (size_t at = 0; at < rules.size();) {
        const size_t end = std::min(rules.find(';', at), rules.size());
        text += R"(,{"rule":{"family":"inet","table":"filter","chain":"input","handle":2,"expr":)" +
                rules.substr(at, end - at) + "}}";
        at = end + 1;
    }
    return text + "]}";
}

Passage passage(const std::string &text) {
    const auto found = gates(text, port);
    REQUIRE(found.size() == 1);
    CHECK(found[0].chain == "inet filter input");
    return found[0].passage;
}

std::string match(const std::string &left, const std::string &right, const char *op = "==") {
    return R"({"match":{"op":")" + std::string(op) + R"(","left":)" + left + R"(,"right":)" +
           right + "}}";
}

const std::string dport = R"({"payload":{"protocol":"tcp","field":"dport"}})";
const std::string state = R"({"ct":{"key":"state"}})";
const std::string source = R"({"payload":{"protocol":"ip","field":"saddr"}})";
const std::string accept_it = R"({"accept":null})";
const std::string drop_it = R"({"drop":null})";

std::string rule(const std::string &condition, const std::string &verdict) {
    return "[" + condition + "," + verdict + "]";
}

} // namespace

TEST_CASE("a policy holds where no rule says otherwise") {
    CHECK(passage(ruleset("accept", "")) == Passage::open);
    CHECK(passage(ruleset("drop", "")) == Passage::closed);
    CHECK(passage(ruleset("accept", "[" + drop_it + "]")) == Passage::closed);
    CHECK(
        passage(ruleset("accept", R"([{"reject":{"type":"icmpx","expr":"port-unreachable"}}])")) ==
        Passage::closed);
    CHECK(passage(ruleset("drop", R"([{"counter":{"packets":1,"bytes":2}},{"log":null},)" +
                                      accept_it + "]")) == Passage::open);
}

TEST_CASE("a rule of the port opens it, however the port is written") {
    for (const char *yes : {"4420", R"({"set":[22,4420]})", R"({"range":[4000,5000]})",
                            R"({"set":[22,{"range":[4420,4421]}]})", R"("@rdma")",
                            R"({"set":[{"elem":{"val":4420}}]})"})
        CHECK(
            passage(ruleset(
                "drop", rule(match(dport, yes), accept_it),
                R"(,{"set":{"family":"inet","table":"filter","name":"rdma","elem":[4420,5445]}})")) ==
            Passage::open);
    for (const char *no : {"22", R"({"set":[22,80]})", R"({"range":[4421,5000]})",
                           R"({"range":[1,4419]})", R"("@empty")"})
        CHECK(passage(ruleset("drop", rule(match(dport, no), accept_it),
                              R"(,{"set":{"family":"inet","table":"filter","name":"empty"}})")) ==
              Passage::closed);
    CHECK(passage(ruleset("drop", rule(match(dport, "22", "!="), accept_it))) == Passage::open);
    CHECK(passage(ruleset("drop", rule(match(dport, R"("@other")"), accept_it))) ==
          Passage::conditional);
}

TEST_CASE("what is no new TCP connection from outside opens nothing") {
    for (const std::string &condition :
         {match(state, R"(["established","related"])", "in"),
          match(state, R"("established")", "in"),
          match(R"({"meta":{"key":"l4proto"}})", R"({"set":["icmp","ipv6-icmp"]})"),
          match(R"({"meta":{"key":"iifname"}})", R"("lo")"),
          match(R"({"meta":{"key":"iif"}})", R"("lo")"),
          match(R"({"payload":{"protocol":"udp","field":"dport"}})", "4420"),
          match(R"({"payload":{"protocol":"udp","field":"dport"}})", "53", "!="),
          match(R"({"payload":{"protocol":"icmp","field":"type"}})", R"("echo-request")")}) {
        CAPTURE(condition);
        CHECK(passage(ruleset("drop", rule(condition, accept_it))) == Passage::closed);
        CHECK(passage(ruleset("accept", rule(condition, drop_it))) == Passage::open);
    }
    CHECK(passage(ruleset("drop", rule(match(state, R"("new")", "in"), accept_it))) ==
          Passage::open);
    CHECK(passage(ruleset("drop", rule(match(R"({"meta":{"key":"l4proto"}})", R"("tcp")"),
                                       accept_it))) == Passage::open);
}

TEST_CASE("what depends on the peer is said to depend") {
    const std::string network = match(source, R"({"prefix":{"addr":"10.0.0.0","len":8}})");
    CHECK(passage(ruleset("drop", rule(network + "," + match(dport, "4420"), accept_it))) ==
          Passage::conditional);
    CHECK(passage(ruleset("drop", rule(network + "," + match(dport, "22"), accept_it))) ==
          Passage::closed);
    CHECK(passage(ruleset("accept", rule(network, drop_it))) == Passage::open);
    CHECK(passage(ruleset("drop", rule(R"({"limit":{"rate":5,"per":"second"}})", accept_it))) ==
          Passage::conditional);
    CHECK(passage(ruleset("drop", rule(R"({"xt":{"type":"match","name":"recent"}})", accept_it))) ==
          Passage::conditional);
    CHECK(passage(ruleset("drop", R"([{"queue":{"num":1}}])")) == Passage::conditional);
    CHECK(passage(ruleset("drop", R"([{"vmap":{"key":)" + dport + R"(,"data":"@ports"}}])")) ==
          Passage::conditional);
}

TEST_CASE("chains are followed where rules jump, and back") {
    const auto other = [](const std::string &rules) {
        return R"(,{"chain":{"family":"inet","table":"filter","name":"other","handle":9}},
            {"rule":{"family":"inet","table":"filter","chain":"other","handle":9,"expr":)" +
               rules + "}}";
    };
    const std::string jump = R"([{"jump":{"target":"other"}}])";
    const std::string leap = R"([{"goto":{"target":"other"}}])";
    const std::string open_rule = rule(match(dport, "4420"), accept_it);
    const std::string other_rule = rule(match(dport, "22"), accept_it);

    CHECK(passage(ruleset("drop", jump, other(open_rule))) == Passage::open);
    CHECK(passage(ruleset("drop", jump, other(other_rule))) == Passage::closed);
    CHECK(passage(ruleset("drop", jump + ";" + open_rule, other(R"([{"return":null}])"))) ==
          Passage::open);
    CHECK(passage(ruleset("drop", leap + ";" + open_rule, other(other_rule))) == Passage::closed);
    CHECK(passage(ruleset("accept", jump, other("[" + drop_it + "]"))) == Passage::closed);
    // The condition is unknown, so the result is unknown, too.
    CHECK(passage(ruleset("drop",
                          rule(match(source, R"("10.0.0.1")"), R"({"jump":{"target":"other"}})"),
                          other(open_rule))) == Passage::conditional);
    // A loop, which nft would refuse, ends.
    CHECK(passage(ruleset("drop", jump, other(jump))) == Passage::closed);

    const auto map = [](const char *pairs) {
        return R"([{"vmap":{"key":)" + dport + R"(,"data":{"set":[)" + pairs + "]}}}]";
    };
    CHECK(passage(ruleset("drop", map(R"([22,{"drop":null}],[4420,{"accept":null}])"))) ==
          Passage::open);
    CHECK(passage(ruleset("accept", map(R"([4420,{"drop":null}])"))) == Passage::closed);
    CHECK(passage(ruleset("drop", map(R"([22,{"accept":null}])"))) == Passage::closed);
    CHECK(passage(ruleset("drop", map(R"([4420,{"jump":{"target":"other"}}])"),
                          other(open_rule))) == Passage::open);
}

TEST_CASE("only chains that filter what comes in are gates") {
    CHECK(gates(R"({"nftables":[]})", port).empty());
    CHECK(gates(R"({"nftables":[{"chain":{"family":"inet","table":"f","name":"out","type":"filter",
                    "hook":"output","prio":0,"policy":"drop"}},
                    {"chain":{"family":"ip","table":"n","name":"in","type":"nat","hook":"input",
                    "prio":0,"policy":"drop"}},
                    {"chain":{"family":"bridge","table":"b","name":"in","type":"filter",
                    "hook":"input","prio":0,"policy":"drop"}}]})",
                port)
              .empty());
}

TEST_CASE("what is no ruleset is refused") {
    for (const char *text :
         {"", "nft", "[]", "{}", R"({"nftables":[{"chain":{"hook":"input","type":"filter"}}]})",
          R"({"nftables":[{"chain":{"hook":"input","type":"filter","family":7}}]})"})
        CHECK_THROWS_AS(gates(text, port), nlohmann::json::exception);
    // Unknown statements of any form change nothing.
    for (const char *strange : {R"(["x"])", "[7]", "[null]", "[{}]", R"([{"a":1,"b":2}])"})
        CHECK(passage(ruleset("drop", strange)) == Passage::closed);
}
