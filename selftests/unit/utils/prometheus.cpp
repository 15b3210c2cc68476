// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "render/render.hpp"
#include "samples.hpp"
#include "tree.hpp"

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/xiw.h>

using Catch::Matchers::ContainsSubstring;

namespace {

std::string text(const xiw::Report &report) {
    std::ostringstream out;
    xiw::render::prometheus(out, report);
    return out.str();
}

// Rules of the text format: a metric's lines follow its HELP and TYPE, no sample occurs twice,
// names and labels are well-formed.
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

TEST_CASE("the example of Prometheus rules uses only exported metrics") {
    std::ifstream file(test::in_tree("/utils/prometheus/xiw.rules.yml"));
    std::stringstream rules;
    rules << file.rdbuf();
    xiw::Report report = test::full_report();
    report.counters->front().counters = test::driver_counters();
    const std::string exposition = text(report);
    const std::string all = rules.str();
    const std::regex metric(R"(\bxiw_[a-z_]+)");
    size_t asked = 0;

    for (auto it = std::sregex_iterator(all.begin(), all.end(), metric);
         it != std::sregex_iterator(); ++it, asked++) {
        const std::string name = it->str();
        CAPTURE(name);
        CHECK(exposition.find("# TYPE " + name + " ") != std::string::npos);
        // A rate needs a counter; a metric that is compared directly is a gauge.
        const bool grows = exposition.find("# TYPE " + name + " counter") != std::string::npos;
        const auto before = all.substr(static_cast<size_t>(it->position()) - 1, 1);
        CHECK(grows == (before == "("));
    }
    CHECK(asked > 15);
}
