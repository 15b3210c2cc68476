// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/command.hpp"
#include "console/console.hpp"
#include "kernel.hpp"
#include "render/table.hpp"
#include "samples.hpp"
#include "schema.hpp"
#include "tool.hpp"

#include <cerrno>
#include <functional>
#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/xiw.h>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::Attrs;
using xiw::Exit;
using xiw::console::Event;
using xiw::console::Time;
using namespace std::chrono_literals;

namespace {

// The result of a wait. `early` is a time span. An event of kind `time` arrives this span before
// the end of the wait. Any other event arrives this span after the start of the wait.
struct Step {
    Event event;
    std::function<void()> before = {};
    Time early = {};
};

struct Script {
    bool live = true;
    xiw::console::Size size = {24, 200};
    std::deque<Step> steps; // after the last step, the terminal hangs up
    Time now = 100s;
    std::vector<Time> waits;
    std::vector<std::vector<std::string>> drawn;
    int opened = 0;
    int closed = 0;

    std::string screen(size_t number) const {
        std::string text;
        for (const std::string &line : drawn.at(number))
            text += line + "\n";
        return text;
    }
};

class FakeConsole final : public xiw::console::Console {
  public:
    explicit FakeConsole(Script &script) : script_(script) {}
    bool live() const override { return script_.live; }
    void open() override { script_.opened++; }
    void close() override { script_.closed++; }
    xiw::console::Size size() const override { return script_.size; }
    void draw(const std::vector<std::string> &lines) override { script_.drawn.push_back(lines); }
    Time now() const override { return script_.now; }
    Event wait(Time most) override {
        script_.waits.push_back(most);
        if (script_.steps.empty()) {
            script_.now += most;
            return {script_.live ? Event::Kind::end : Event::Kind::time};
        }
        const Step step = script_.steps.front();
        script_.steps.pop_front();
        script_.now += step.event.kind == Event::Kind::time ? most - step.early : step.early;
        if (step.before)
            step.before();
        return step.event;
    }

  private:
    Script &script_;
};

Step key(char c) {
    return {{Event::Kind::key, c}};
}

Step passed(std::function<void()> before = {}) {
    return {{Event::Kind::time}, std::move(before)};
}

test::Result top(test::Kernel &kernel, Script &script, std::vector<const char *> arguments = {},
                 bool colour = false) {
    std::ostringstream out;
    std::ostringstream err;
    xiw::cmd::Environment env{
        .out = out,
        .err = err,
        .colour = colour,
        .connect = [&kernel] { return kernel.connect(); },
        .ifname = [](uint64_t) { return "eth0"; },
        .console = [&script] { return std::make_unique<FakeConsole>(script); }};
    arguments.insert(arguments.begin(), {"xiw", "top"});
    const Exit exit = xiw::cmd::run(env, static_cast<int>(arguments.size()), arguments.data());
    return {exit, out.str(), err.str()};
}

// Build the reply for a connection with the given QP number and counters.
Attrs numbered(uint32_t qpn, uint64_t tx, uint64_t rx) {
    return Attrs()
        .u32(XIW_A_CONNECTION_DEV_INDEX, 1)
        .text(XIW_A_CONNECTION_DEV_NAME, "xiw0")
        .u32(XIW_A_CONNECTION_QPN, qpn)
        .u8(XIW_A_CONNECTION_ROLE, XIW_NL_ROLE_INITIATOR)
        .u64(XIW_A_CONNECTION_TX_BYTES, tx)
        .u64(XIW_A_CONNECTION_RX_BYTES, rx);
}

// Return the numbers of the QPs on a screen, from top to bottom.
std::vector<std::string> queue_pairs(const std::vector<std::string> &lines) {
    std::vector<std::string> list;
    bool below = false;
    for (const std::string &line : lines) {
        if (below && line.find("xiw0") != std::string::npos)
            list.push_back(std::to_string(std::stoul(line)));
        below = below || line.find("QP ") < 3;
    }
    return list;
}

} // namespace

TEST_CASE("top refreshes after each interval, until q") {
    test::Kernel kernel = test::busy_kernel();
    auto &connections = kernel.answers[XIW_CMD_CONNECTION_GET].objects;
    connections = {numbered(17, 1000, 0)};
    Script script;
    script.steps = {passed([&] { connections = {numbered(17, 1000 + 2048, 0)}; }), key('q')};
    const test::Result result = top(kernel, script, {"--interval", "2"});

    CHECK(result.exit == Exit::ok);
    CHECK((result.out + result.err).empty());
    CHECK(script.opened == 1);
    CHECK(script.closed == 1);
    REQUIRE(script.drawn.size() == 2);
    CHECK(script.waits[0] == 2s);
    CHECK_THAT(script.screen(0), StartsWith("xiw top  every 2 s, by rate, 1 connections\n"));
    CHECK_THAT(script.screen(1), ContainsSubstring("1.0 KiB"));
    CHECK_THAT(script.screen(0), !ContainsSubstring("1.0 KiB"));
    CHECK_THAT(script.drawn[1].back(), StartsWith("q quit"));
    CHECK(script.drawn[1].size() == 24);
}

TEST_CASE("s switches to the next sort order at once") {
    test::Kernel kernel = test::busy_kernel();
    auto &connections = kernel.answers[XIW_CMD_CONNECTION_GET].objects;
    connections = {numbered(1, 0, 0), numbered(2, 0, 0), numbered(3, 0, 0)};
    Script script;
    script.steps = {passed([&] {
                        connections = {numbered(1, 10, 10), numbered(2, 30, 0), numbered(3, 0, 25)};
                    }),
                    key('s'),
                    key('s'),
                    key('s'),
                    key('s'),
                    key('q')};
    REQUIRE(top(kernel, script).exit == Exit::ok);

    using List = std::vector<std::string>;
    REQUIRE(script.drawn.size() == 6);
    CHECK(queue_pairs(script.drawn[1]) == List{"2", "3", "1"});
    CHECK(queue_pairs(script.drawn[2]) == List{"2", "1", "3"});
    CHECK(queue_pairs(script.drawn[3]) == List{"3", "1", "2"});
    CHECK(queue_pairs(script.drawn[4]) == List{"1", "2", "3"});
    CHECK_THAT(script.drawn[4][0], ContainsSubstring("by number"));
    CHECK(queue_pairs(script.drawn[5]) == List{"2", "3", "1"});
    // Keys cause no requests to the kernel.
    CHECK(kernel.asked_for(XIW_CMD_CONNECTION_GET).size() == 2);
}

TEST_CASE("continuous keys do not keep top from refreshing") {
    test::Kernel kernel = test::busy_kernel();
    Script script;
    for (int i = 0; i < 10; i++)
        script.steps.push_back({{Event::Kind::key, 'x'}, {}, 300ms});
    REQUIRE(top(kernel, script).exit == Exit::ok);
    CHECK(kernel.asked_for(XIW_CMD_CONNECTION_GET).size() == 3); // requests after 0, 1.2 and 2.4 s
}

TEST_CASE("a pause keeps the screen, and keys change the interval") {
    test::Kernel kernel = test::busy_kernel();
    Script script;
    script.steps = {
        key(' '), {{Event::Kind::resize}, {}, 1000s}, key(' '), key('+'), key('+'), key('-'),
        key('q')};
    REQUIRE(top(kernel, script).exit == Exit::ok);
    CHECK_THAT(script.drawn[1][0], ContainsSubstring("PAUSED"));
    CHECK(script.waits[1] > 1000000s);
    CHECK_THAT(script.drawn[3][0], !ContainsSubstring("PAUSED"));
    CHECK(kernel.asked_for(XIW_CMD_CONNECTION_GET).size() == 2);
    CHECK_THAT(script.drawn[4][0], ContainsSubstring("every 2 s"));
    CHECK_THAT(script.drawn[5][0], ContainsSubstring("every 4 s"));
    CHECK_THAT(script.drawn[6][0], ContainsSubstring("every 2 s"));
}

TEST_CASE("the interval stays within its bounds when keys change it") {
    test::Kernel kernel = test::busy_kernel();
    Script script;
    script.steps = {key('-'), key('-'), key('-'), key('-'), key('-')};
    REQUIRE(top(kernel, script, {"-i", "0.2"}).exit == Exit::ok);
    CHECK_THAT(script.drawn.back()[0], ContainsSubstring("every 0.1 s"));
    script.steps = {key('+'), key('+')};
    REQUIRE(top(kernel, script, {"-i", "3000"}).exit == Exit::ok);
    CHECK_THAT(script.drawn.back()[0], ContainsSubstring("every 3600 s"));
}

TEST_CASE("top fits its output to the terminal") {
    test::Kernel kernel = test::busy_kernel();
    auto &connections = kernel.answers[XIW_CMD_CONNECTION_GET].objects;
    connections.clear();
    for (uint32_t qpn = 1; qpn <= 100; qpn++)
        connections.push_back(numbered(qpn, 0, 0));
    const auto rows = GENERATE(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 12U, 24U, 200U);
    CAPTURE(rows);
    Script script;
    script.size = {rows, 80};
    REQUIRE(top(kernel, script).exit == Exit::ok);
    const auto &lines = script.drawn.at(0);

    CHECK(lines.size() <= rows);
    CHECK_THAT(lines[0], StartsWith("xiw top"));
    if (rows > 4)
        CHECK_THAT(lines.back(), StartsWith("q quit"));
    if (rows == 24)
        CHECK(queue_pairs(lines).size() == 17);
    if (rows == 200)
        CHECK(queue_pairs(lines).size() == 100);
    if (rows >= 3)
        CHECK_THAT(script.screen(0), ContainsSubstring("xiw0"));
}

TEST_CASE("top has colour only on request") {
    test::Kernel kernel = test::busy_kernel();
    Script script;
    REQUIRE(top(kernel, script, {}, false).exit == Exit::ok);
    CHECK(script.screen(0).find('\033') == std::string::npos);
    REQUIRE(top(kernel, script, {}, true).exit == Exit::ok);
    CHECK(script.screen(1).find('\033') != std::string::npos);
}

TEST_CASE("top restores the terminal when an operation fails") {
    test::Kernel kernel = test::busy_kernel();
    Script script;
    script.steps = {passed([&] { kernel.raw = {test::Octets(3)}; })};
    const test::Result result = top(kernel, script);
    CHECK(result.exit == Exit::failed);
    CHECK_THAT(result.err, ContainsSubstring("malformed"));
    CHECK(script.opened == 1);
    CHECK(script.closed == 1);
}

TEST_CASE("top reports objects that come and go while they do") {
    test::Kernel kernel = test::busy_kernel();
    Script script;
    kernel.answers[XIW_CMD_CONNECTION_GET].interruptions = 5;
    script.steps = {passed()};
    REQUIRE(top(kernel, script).exit == Exit::ok);
    CHECK_THAT(script.drawn[0][0], ContainsSubstring("added or removed"));
    CHECK_THAT(script.drawn[1][0], !ContainsSubstring("added or removed"));
}

TEST_CASE("top prints the rates of one interval without a terminal or with --once") {
    test::Kernel kernel = test::busy_kernel();
    Script script;
    const bool live = GENERATE(false, true);
    script.live = live;
    std::vector<const char *> arguments{"-i", "0.5"};
    if (live) {
        arguments.push_back("--once");
        script.steps = {passed()};
    }
    const test::Result result = top(kernel, script, arguments);
    CHECK(result.exit == Exit::ok);
    CHECK(result.err.empty());
    CHECK(script.opened == 0);
    CHECK(script.waits == std::vector<Time>{500ms});
    CHECK_THAT(result.out, StartsWith("DEVICE") && ContainsSubstring("\nQP") &&
                               ContainsSubstring("10.0.0.1:38000") && ContainsSubstring("0 B"));
}

TEST_CASE("top prints JSON and TSV") {
    test::Kernel kernel = test::busy_kernel();
    auto &connections = kernel.answers[XIW_CMD_CONNECTION_GET].objects;
    Script script;
    connections = {numbered(17, 0, 0)};
    script.steps = {passed([&] { connections = {numbered(17, 100, 7), numbered(18, 5, 5)}; })};
    const test::Result result = top(kernel, script, {"--json"});
    const auto document = nlohmann::json::parse(result.out);
    CHECK(test::violations(test::tool_schema(), document).empty());
    CHECK(document["rates"]["interval_ns"] == 1000000000);
    CHECK(document["rates"]["devices"][0]["tx_bytes_per_s"] == 0);
    CHECK(document["rates"]["connections"][0]["tx_bytes_per_s"] == 100);
    CHECK(document["rates"]["connections"][1]["tx_bytes_per_s"].is_null());
    CHECK_FALSE(document.contains("connections"));

    script.steps = {passed()};
    CHECK_THAT(top(kernel, script, {"--tsv"}).out,
               StartsWith("device\tqpn\trole\tlocal\tremote\ttx_bytes_per_s\trx_bytes_per_s\n"
                          "xiw0\t17\tinitiator\t-\t-\t0\t0\n"));
}

TEST_CASE("top reports a machine without devices") {
    test::Kernel kernel;
    Script script;
    REQUIRE(top(kernel, script).exit == Exit::ok);
    CHECK_THAT(script.screen(0), ContainsSubstring("no xiw device"));
    script.steps = {passed()};
    CHECK_THAT(top(kernel, script, {"--json"}).out, ContainsSubstring("\"devices\": []"));
}

TEST_CASE("invalid arguments of top are refused before the terminal is touched") {
    test::Kernel kernel = test::busy_kernel();
    Script script;
    const auto arguments = GENERATE(values<std::vector<const char *>>({
        {"-i", "0"},
        {"-i", "0.09"},
        {"-i", "-1"},
        {"-i", "3601"},
        {"-i", "nan"},
        {"-i", "inf"},
        {"-i", "1e999"},
        {"-i", "x"},
        {"-i"},
        {"--sort", "speed"},
        {"--sort", ""},
        {"xiw0", "xiw1"},
    }));
    CHECK(top(kernel, script, arguments).exit == Exit::usage);
    CHECK(top(kernel, script, {"xiw9"}).exit == Exit::failed);
    CHECK(script.opened == 0);
}
