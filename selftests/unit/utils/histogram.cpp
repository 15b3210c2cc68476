// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/histogram.hpp"

#include "error.hpp"
#include "kernel.hpp"
#include "nl/decode.hpp"
#include "samples.hpp"
#include "schema.hpp"
#include "tool.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <linux/xiw.h>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::Attrs;
using xiw::Exit;
using xiw::Histogram;

namespace {

test::Result hist(const Attrs &reply, std::vector<const char *> arguments = {}) {
    test::Kernel kernel = test::busy_kernel();
    kernel.answers[XIW_CMD_LATENCY_GET].objects = {reply};
    arguments.insert(arguments.begin(), "hist");
    return test::run_tool(&kernel, arguments);
}

} // namespace

TEST_CASE("percentiles of a histogram are upper bounds of its buckets") {
    const Histogram h{.operation = 0, .sum = 0, .counts = {0, 1, 0, 98, 1}};
    CHECK(xiw::total(h) == 100);
    CHECK(xiw::below(h, 1) == 2);
    CHECK(xiw::below(h, 2) == 8);
    CHECK(xiw::below(h, 99) == 8);
    CHECK(xiw::below(h, 100) == 16);
    CHECK(xiw::below({}, 50) == 0);
    const Histogram large{.operation = 0, .sum = 0, .counts = {0, 1ULL << 62, 1ULL << 62}};
    CHECK(xiw::below(large, 50) == 2);
    CHECK(xiw::below(large, 99) == 4);
}

TEST_CASE("durations are printed in the unit that fits") {
    CHECK(xiw::duration_word(0) == "0 ns");
    CHECK(xiw::duration_word(512) == "512 ns");
    CHECK(xiw::duration_word(8192) == "8.2 us");
    CHECK(xiw::duration_word(1048576) == "1.0 ms");
    CHECK(xiw::duration_word(1ULL << 32) == "4.3 s");
}

TEST_CASE("xiw hist shows the measured histograms") {
    const test::Result result = hist(test::latency_reply());
    CHECK(result.exit == Exit::ok);
    CHECK_THAT(result.out, StartsWith("xiw0  measuring\n"));
    CHECK_THAT(result.out, ContainsSubstring("read: 100, mean 900 ns, half below 1.0 us, "
                                             "99 % below 2.0 us"));
    CHECK_THAT(result.out, ContainsSubstring("512 ns"));
    CHECK_THAT(result.out, ContainsSubstring(std::string(40, '#')));
    CHECK_THAT(result.out, !ContainsSubstring(std::string(41, '#')));

    const auto json = nlohmann::json::parse(hist(test::latency_reply(), {"--json"}).out);
    CHECK(test::violations(test::tool_schema(), json).empty());
    const auto &read = json.at("latency").at(0).at("operations").at(0);
    CHECK(read.at("count") == 100);
    CHECK(read.at("buckets").size() == 3);
    CHECK(read.at("buckets").at(0).at("below_ns") == 1024);
    CHECK_THAT(hist(test::latency_reply(), {"--tsv"}).out,
               ContainsSubstring("xiw0\tread\t1024\t90\n"));
}

TEST_CASE("xiw hist explains how to enable measuring") {
    const test::Result result =
        hist(Attrs().u32(XIW_A_LATENCY_DEV_INDEX, 1).text(XIW_A_LATENCY_DEV_NAME, "xiw0"));
    CHECK_THAT(result.out, ContainsSubstring("xiw config set xiw0 latency=on"));
    CHECK(hist(test::latency_reply(), {"xiw0", "xiw1"}).exit == Exit::usage);
}

TEST_CASE("histograms of a wrong size are malformed") {
    for (const size_t size : {7, 9, 65 * 8}) {
        const std::vector<uint8_t> octets(size);
        const Attrs reply = Attrs()
                                .u32(XIW_A_LATENCY_DEV_INDEX, 1)
                                .nest(XIW_A_LATENCY_ENTRY, Attrs()
                                                               .u8(XIW_A_LATENCY_ENTRY_OPERATION, 0)
                                                               .raw(XIW_A_LATENCY_ENTRY_COUNTS,
                                                                    octets.data(), octets.size()));
        CHECK_THROWS_AS(xiw::nl::decode_latency(xiw::nl::Attributes(reply)), xiw::Malformed);
    }
}
