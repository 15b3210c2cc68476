// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "render/render.hpp"
#include "samples.hpp"
#include "tree.hpp"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/xiw.h>
#include <nlohmann/json.hpp>

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

std::string text(const xiw::Report &report) {
    std::ostringstream out;
    xiw::render::prometheus(out, report);
    return out.str();
}

// Check the rules of the text format. The samples of a metric follow its HELP and TYPE lines, no
// sample occurs twice, and names and labels are well-formed.
void check_format(const std::string &exposition) {
    const std::regex sample(
        R"re(([a-z_]+)\{([a-z_]+="([^"\\\n]|\\["\\n])*"(,|(?=\})))+\} [0-9]+)re");
    std::set<std::string> metrics, samples;
    std::string current;
    std::istringstream lines(exposition);

    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        if (line.starts_with("# HELP ")) {
            current = line.substr(7, line.find(' ', 7) - 7);
            CHECK(metrics.insert(current).second);
            REQUIRE(std::getline(lines, line));
            CHECK((line == "# TYPE " + current + " counter" ||
                   line == "# TYPE " + current + " gauge"));
            CHECK(line.ends_with("counter") == current.ends_with("_total"));
            continue;
        }
        std::smatch match;
        REQUIRE(std::regex_match(line, match, sample));
        CHECK(match[1] == current);
        CHECK(samples.insert(line.substr(0, line.rfind(' '))).second);
    }
}

std::string contents(const std::string &file) {
    std::ifstream stream(test::in_tree(file));
    std::stringstream all;
    all << stream.rdbuf();
    return all.str();
}

// Return a report on a device that has each counter of the driver.
xiw::Report driver_report() {
    xiw::Report report = test::full_report();
    report.counters->front().counters = test::driver_counters();
    return report;
}

// The sample of the tool's output that selftests/prometheus/load passes to Prometheus.
constexpr const char *sample_file = "/selftests/prometheus/xiw.prom";

// Check that the tool exports each metric in `expressions`, and that the sample file contains each
// of them. Return the names of these metrics.
std::set<std::string> check_metrics(const std::string &expressions) {
    const std::string exposition = text(driver_report());
    const std::string sample = contents(sample_file);
    const std::regex metric(R"(((?:rate|increase)\()?\b(xiw_[a-z_]+))");
    std::set<std::string> found;

    for (auto it = std::sregex_iterator(expressions.begin(), expressions.end(), metric);
         it != std::sregex_iterator(); ++it) {
        const std::string name = it->str(2);
        CAPTURE(name);
        CHECK(exposition.find("# TYPE " + name + " ") != std::string::npos);
        CHECK(sample.find("# TYPE " + name + " ") != std::string::npos);
        // Expressions must apply rate() or increase() to counters, and must not apply them to
        // gauges.
        const bool counter = exposition.find("# TYPE " + name + " counter") != std::string::npos;
        CHECK(counter == (*it)[1].matched);
        found.insert(name);
    }
    return found;
}

// Check that an expression of the dashboard limits each metric to the selected hosts and devices.
// Each other label must have a value that the tool prints.
void check_selectors(const std::string &expression, const std::string &exposition) {
    const std::regex selector(R"re(xiw_[a-z_]+(\{([^}]*)\})?)re");
    const std::regex label(R"re((\w+)=("[^"$]*"))re");

    for (auto it = std::sregex_iterator(expression.begin(), expression.end(), selector);
         it != std::sregex_iterator(); ++it) {
        const std::string labels = it->str(2);
        CHECK_THAT(labels, ContainsSubstring("instance=~\"$instance\", device=~\"$device\""));
        for (auto l = std::sregex_iterator(labels.begin(), labels.end(), label);
             l != std::sregex_iterator(); ++l)
            CHECK_THAT(exposition, ContainsSubstring(l->str()));
    }
}

} // namespace

TEST_CASE("Prometheus output contains the report and is well formed") {
    const std::string exposition = text(test::full_report());
    check_format(exposition);
    CHECK_THAT(exposition, ContainsSubstring("xiw_device_up{device=\"xiw0\"} 1\n"));
    CHECK_THAT(exposition, ContainsSubstring("xiw_objects{device=\"xiw0\",object=\"mr\"} 1200\n"));
    CHECK_THAT(exposition, ContainsSubstring("xiw_tx_bytes_total{device=\"xiw0\"} "));
    CHECK_THAT(exposition, ContainsSubstring(",direction=\"received\"} "));
}

TEST_CASE("Prometheus output has no sample without a device") {
    const std::string exposition = text(test::empty_report());
    check_format(exposition);
    CHECK(exposition.find('{') == std::string::npos);
}

TEST_CASE("Prometheus output contains new counters, but no malformed names") {
    xiw::Report report = test::full_report();
    report.counters->front().counters = {{"new", 7, "of a\nnewer driver", false},
                                         {"bad name", 1, "", false}};
    const std::string exposition = text(report);
    check_format(exposition);
    CHECK_THAT(exposition, ContainsSubstring("xiw_new_total{device=\"xiw0\"} 7\n"));
    CHECK(exposition.find("bad name") == std::string::npos);
}

TEST_CASE("Prometheus output quotes names and reports a failed device") {
    xiw::Report report;
    report.devices.emplace().push_back({});
    xiw::Device &device = report.devices->back();
    device.ref.name = "a\"b\\c\nd";
    device.state = XIW_NL_DEVICE_STATE_FAILED;
    const std::string exposition = text(report);
    check_format(exposition);
    CHECK_THAT(exposition, ContainsSubstring(R"(xiw_device_failed{device="a\"b\\c\nd"} 1)"));
    CHECK_THAT(exposition, ContainsSubstring(R"(xiw_device_up{device="a\"b\\c\nd"} 0)"));
}

TEST_CASE("Prometheus output replaces what is not UTF-8") {
    xiw::Report report;
    report.devices.emplace().push_back({});
    report.devices->back().ref.name = "xi\xc3\xbc";
    report.devices->back().ifname = "a\xff";
    const std::string exposition = text(report);
    check_format(exposition);
    CHECK_THAT(exposition, ContainsSubstring("{device=\"xi\xc3\xbc\",netdev=\"a\xef\xbf\xbd\","));
    CHECK(exposition.find('\xff') == std::string::npos);
}

TEST_CASE("the tool prints each line of the sample of selftests/prometheus") {
    const std::string exposition = "\n" + text(driver_report());
    std::istringstream sample(contents(sample_file));
    std::string line;

    std::getline(sample, line); // skip the licence
    while (std::getline(sample, line))
        CHECK_THAT(exposition, ContainsSubstring("\n" + line + "\n"));
}

TEST_CASE("the example of Prometheus rules uses only exported metrics") {
    const std::string rules = contents("/utils/prometheus/xiw.rules.yml");
    CHECK(check_metrics(rules).size() > 15);
}

TEST_CASE("the dashboard uses only exported metrics and labels, and shows every error counter") {
    const json dashboard = json::parse(contents("/utils/prometheus/xiw.dashboard.json"));
    const std::string exposition = text(driver_report());
    std::set<std::string> shown;

    for (const json &panel : dashboard.at("panels")) {
        CAPTURE(panel.at("title"));
        for (const json &target : panel.value("targets", json::array())) {
            const auto expression = target.at("expr").get<std::string>();
            CAPTURE(expression);
            shown.merge(check_metrics(expression));
            check_selectors(expression, exposition);
            CHECK(target.at("datasource").at("uid") == "${datasource}");
        }
    }
    for (const xiw::Counter &counter : test::driver_counters()) {
        CAPTURE(counter.name);
        CHECK((!counter.error || shown.contains("xiw_" + counter.name + "_total")));
    }
}

TEST_CASE("the panels of the dashboard have distinct ids and do not overlap") {
    const json dashboard = json::parse(contents("/utils/prometheus/xiw.dashboard.json"));
    std::set<int> ids;
    std::set<std::pair<int, int>> cells;

    for (const json &panel : dashboard.at("panels")) {
        CAPTURE(panel.at("title"));
        CHECK(ids.insert(panel.at("id").get<int>()).second);
        const json &at = panel.at("gridPos");
        CHECK(at.at("x").get<int>() + at.at("w").get<int>() <= 24);
        for (int x = at.at("x"); x < at.at("x").get<int>() + at.at("w").get<int>(); x++)
            for (int y = at.at("y"); y < at.at("y").get<int>() + at.at("h").get<int>(); y++)
                CHECK(cells.emplace(x, y).second);
    }
    CHECK(ids.size() > 20);
}
