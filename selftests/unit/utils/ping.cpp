// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The commands xiw ping and xiw selftest, with a stand-in for user-space verbs.
#include "cmd/elsewhere.hpp"
#include "render/render.hpp"
#include "samples.hpp"
#include "schema.hpp"
#include "tool.hpp"
#include "traffic/traffic.hpp"

#include <optional>
#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using test::Result;
using xiw::Exit;
using namespace std::chrono_literals;
using namespace xiw::traffic;

namespace {

struct Asked {
    std::optional<PingOrder> ping;
    std::optional<ServeOrder> serve;
    std::optional<SelftestOrder> selftest;
    // The results that the stand-in for user-space verbs returns.
    xiw::Ping result = *test::full_report().ping;
    std::vector<xiw::TestCase> cases = test::full_report().selftest->cases;
    std::optional<xiw::Error> fails;
    int rounds = 1;
    int done = 0; // number of rounds that were begun
};

class Pretender : public Traffic {
  public:
    explicit Pretender(Asked &asked) : asked_(asked) {}

    void ping(const PingOrder &order, xiw::Ping &result,
              const std::function<void(const Round &)> &round,
              const std::function<void(const std::string &)> &wrong) override {
        asked_.ping = order;
        result = asked_.result;
        while (asked_.done < asked_.rounds) {
            asked_.done++;
            round({1500, 2500});
        }
        wrong("send, round 1: octet 0");
        if (asked_.fails)
            throw *asked_.fails;
    }
    void serve(const ServeOrder &order,
               const std::function<void(const std::string &)> &say) override {
        asked_.serve = order;
        say("listening");
    }
    void selftest(const SelftestOrder &order, xiw::Selftest &result,
                  const std::function<void(const xiw::TestCase &)> &done) override {
        asked_.selftest = order;
        result.device = "xiw0";
        for (const xiw::TestCase &one : asked_.cases) {
            result.cases.push_back(one);
            done(one);
        }
        if (asked_.fails)
            throw *asked_.fails;
    }

  private:
    Asked &asked_;
};

Result run_ping(Asked &asked, std::vector<const char *> arguments, size_t room = SIZE_MAX) {
    return test::run_with([&asked] { return std::make_unique<Pretender>(asked); },
                          std::move(arguments), room);
}

Result run_ping(std::vector<const char *> arguments) {
    Asked asked;
    return run_ping(asked, std::move(arguments));
}

} // namespace

TEST_CASE("ping requests a thousand rounds of all operations by default") {
    Asked asked;
    run_ping(asked, {"ping", "server"});
    REQUIRE(asked.ping);
    CHECK(asked.ping->host == "server");
    CHECK(asked.ping->port == 7306);
    CHECK(asked.ping->ops.empty());
    CHECK(asked.ping->size == 64);
    CHECK(asked.ping->rounds == 1000);
    CHECK(asked.ping->interval == 0ns);
    CHECK(asked.ping->timeout == 5s);
}

TEST_CASE("ping uses the values of its options") {
    Asked asked;
    run_ping(asked, {"ping", "::1", "--op", "imm,send", "--op", "atomic", "-c", "7", "-s",
                     "1048576", "-i", "0.5", "-p", "1", "-W", "0.25"});
    REQUIRE(asked.ping);
    CHECK(asked.ping->host == "::1");
    CHECK(asked.ping->port == 1);
    CHECK(asked.ping->ops == std::vector{Op::imm, Op::send, Op::atomic});
    CHECK(asked.ping->size == 1048576);
    CHECK(asked.ping->rounds == 7);
    CHECK(asked.ping->interval == 500ms);
    CHECK(asked.ping->timeout == 250ms);

    run_ping(asked, {"ping", "x", "--interval", "1"});
    CHECK(asked.ping->rounds == 0);
}

TEST_CASE("ping --serve takes an address and defaults to all") {
    Asked asked;
    const Result result = run_ping(asked, {"ping", "--serve", "--once", "--corrupt", "-p", "9"});
    CHECK(result.exit == Exit::ok);
    CHECK(result.out == "listening\n");
    REQUIRE(asked.serve);
    CHECK(asked.serve->address.empty());
    CHECK(asked.serve->port == 9);
    CHECK(asked.serve->once);
    CHECK(asked.serve->corrupt);
    run_ping(asked, {"ping", "--serve", "192.0.2.1"});
    CHECK(asked.serve->address == "192.0.2.1");
    CHECK_FALSE(asked.serve->corrupt);
    CHECK_FALSE(asked.ping);
}

TEST_CASE("invalid command lines of ping are refused with a message") {
    const auto line = GENERATE(values<std::vector<const char *>>({
        {"ping"},
        {"ping", "a", "b"},
        {"ping", "a", "--op", "sned"},
        {"ping", "a", "--op", ""},
        {"ping", "a", "--op"},
        {"ping", "a", "-c", "0"},
        {"ping", "a", "-c", "-1"},
        {"ping", "a", "-c", "4294967296"},
        {"ping", "a", "-s", "0"},
        {"ping", "a", "-s", "1048577"},
        {"ping", "a", "-s", "x"},
        {"ping", "a", "-p", "0"},
        {"ping", "a", "-p", "65536"},
        {"ping", "a", "-i", "-1"},
        {"ping", "a", "-i", "nan"},
        {"ping", "a", "-i", "1e9"},
        {"ping", "a", "-W", "0"},
        {"ping", "a", "-W", "inf"},
        {"ping", "a", "--once"},
        {"ping", "a", "--corrupt"},
        {"ping", "--serve", "--op", "send"},
        {"ping", "--serve", "-c", "1"},
        {"ping", "--serve", "-s", "1"},
        {"ping", "--serve", "-i", "1"},
        {"--json", "ping", "--serve"},
        {"--tsv", "ping", "--serve"},
        {"selftest", "a", "b"},
        {"selftest", "-W", "0"},
        {"selftest", "--op", "send"},
    }));
    Asked asked;
    CAPTURE(line);
    const Result result = run_ping(asked, line);
    CHECK(result.exit == Exit::usage);
    CHECK(result.out.empty());
    CHECK(result.err.starts_with("xiw: "));
    CHECK_FALSE(asked.ping);
    CHECK_FALSE(asked.serve);
    CHECK_FALSE(asked.selftest);
}

TEST_CASE("an unknown operation is refused with a list of the valid ones") {
    CHECK_THAT(run_ping({"ping", "a", "--op", "cas"}).err,
               ContainsSubstring("\"cas\"") && ContainsSubstring("send,write,read,atomic,imm"));
}

TEST_CASE("ping prints a table and errors, and its exit status reports them") {
    const Result result = run_ping({"ping", "server"});
    CHECK(result.exit == Exit::differs);
    CHECK_THAT(result.out, ContainsSubstring("server (192.0.2.2) port 7306 by xiw0"));
    CHECK_THAT(result.out, ContainsSubstring("OPERATION"));
    // The samples of the result are 1, 5 and 2000 us.
    CHECK_THAT(result.out, ContainsSubstring("1.0 us  5.0 us  2.0 ms  2.0 ms"));
    CHECK_THAT(result.out, ContainsSubstring("atomic is left out: siw0 has no atomics"));
    CHECK(result.out.find("round 1") == std::string::npos);
    CHECK(result.err == "xiw: send, round 1: octet 0\n");

    Asked good;
    good.result.operations.front().wrong = 0;
    CHECK(run_ping(good, {"ping", "server"}).exit == Exit::ok);
}

TEST_CASE("ping with an interval prints each round") {
    CHECK_THAT(run_ping({"ping", "server", "-i", "0.1"}).out,
               ContainsSubstring("round 1: send 1.5 us, read 2.5 us\n"));
    CHECK(run_ping({"--tsv", "ping", "server", "-i", "0.1"}).out.find("round") ==
          std::string::npos);
}

TEST_CASE("ping with an interval ends when its output cannot be written") {
    Asked asked;
    asked.rounds = 9;
    asked.result = {};
    const Result result = run_ping(asked, {"ping", "server", "-i", "0.1"}, 1);
    CHECK(result.exit == Exit::failed);
    CHECK(result.err == "xiw: cannot write the output\n");
    CHECK(asked.done == 2);
}

TEST_CASE("ping for scripts prints plain numbers, and no time without an answer") {
    const Result tsv = run_ping({"--tsv", "ping", "server"});
    CHECK(tsv.out == "operation\toctets\tcount\twrong\tmin_ns\tp50_ns\tp99_ns\tmax_ns\n"
                     "send\t64\t3\t1\t1000\t5000\t2000000\t2000000\n"
                     "read\t64\t0\t0\t-\t-\t-\t-\n");

    const auto document = nlohmann::json::parse(run_ping({"--json", "ping", "server"}).out);
    for (const std::string &violation : test::violations(test::tool_schema(), document))
        FAIL_CHECK(violation);
    const auto &operations = document["ping"]["operations"];
    CHECK(operations[0]["p50_ns"] == 5000);
    CHECK(operations[0]["wrong"] == 1);
    CHECK(operations[1]["max_ns"].is_null());
    CHECK(document["ping"]["missing"][0]["operation"] == "atomic");
}

TEST_CASE("results before an error are printed, followed by the error") {
    Asked asked;
    asked.result.operations.front().wrong = 0;
    asked.fails = xiw::Error(Exit::failed, "the peer is gone", "look there");
    const Result result = run_ping(asked, {"--json", "ping", "server"});
    CHECK(result.exit == Exit::failed);
    CHECK(nlohmann::json::parse(result.out)["ping"]["operations"].size() == 2);
    CHECK_THAT(result.err,
               ContainsSubstring("the peer is gone") && ContainsSubstring("look there"));

    asked.result.operations.front().wrong = 1;
    const Result wrong = run_ping(asked, {"ping", "server"});
    CHECK(wrong.exit == Exit::differs);
    CHECK_THAT(wrong.err, ContainsSubstring("the peer is gone"));

    asked.result = {};
    asked.fails = xiw::Error(Exit::unsupported, "no atomics");
    const Result nothing = run_ping(asked, {"ping", "server"});
    CHECK(nothing.exit == Exit::unsupported);
    CHECK(nothing.out.empty());
}

TEST_CASE("selftest prints each case and the sum, and fails if a case fails") {
    Asked asked;
    const Result result = run_ping(asked, {"selftest", "xiw0", "-W", "9"});
    REQUIRE(asked.selftest);
    CHECK(asked.selftest->device == "xiw0");
    CHECK(asked.selftest->timeout == 9s);
    CHECK(result.exit == Exit::failed);
    CHECK_THAT(result.out, ContainsSubstring("fail  read                  octet 3 of 8 is 0x00\n"));
    CHECK_THAT(result.out, ContainsSubstring("xiw0: 1 passed, 1 failed, 1 skipped\n"));

    const auto document = nlohmann::json::parse(run_ping({"--json", "selftest"}).out);
    for (const std::string &violation : test::violations(test::tool_schema(), document))
        FAIL_CHECK(violation);
    CHECK(document["selftest"]["cases"].size() == 3);
    CHECK(document["selftest"]["cases"][2]["verdict"] == "skip");
    CHECK_THAT(run_ping({"--tsv", "selftest"}).out,
               ContainsSubstring("device\tcase\tverdict\ttext\nxiw0\tsend\tpass\t100 messages\n"));

    asked.cases.erase(asked.cases.begin() + 1);
    CHECK(run_ping(asked, {"selftest"}).exit == Exit::ok);
    CHECK(asked.selftest->device.empty());
}

TEST_CASE("without user-space verbs, ping and selftest report what to install") {
    CHECK(test::run_tool(nullptr, {"ping", "server"}).exit == Exit::absent);
    CHECK(test::run_tool(nullptr, {"selftest"}).exit == Exit::absent);
    // The tool checks the command line before it needs user-space verbs.
    CHECK(test::run_tool(nullptr, {"ping"}).exit == Exit::usage);
    try {
        xiw::cmd::hand_over("/nowhere", nullptr);
        FAIL("handed over to nobody");
    } catch (const xiw::Error &error) {
        CHECK(error.exit() == Exit::absent);
        CHECK_THAT(error.what(), ContainsSubstring("xiw-traffic"));
        CHECK_THAT(error.hint(), ContainsSubstring("libibverbs-dev librdmacm-dev"));
    }
}
