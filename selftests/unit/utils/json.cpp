// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/settings.hpp"
#include "render/render.hpp"
#include "samples.hpp"
#include "schema.hpp"

#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <linux/xiw.h>

using nlohmann::json;

namespace {

json rendered(const xiw::Report &report) {
    std::ostringstream out;
    xiw::render::json(out, report);
    return json::parse(out.str());
}

void check_schema(const json &document) {
    for (const std::string &violation : test::violations(test::tool_schema(), document))
        FAIL_CHECK(violation);
}

} // namespace

TEST_CASE("JSON of a full report follows the schema") {
    check_schema(rendered(test::full_report()));
}

TEST_CASE("JSON of an empty report follows the schema and contains empty lists") {
    const json document = rendered(test::empty_report());

    check_schema(document);
    for (const char *part : {"devices", "capabilities", "connections", "counters", "config",
                             "notices", "latency", "rings", "injections"}) {
        CAPTURE(part);
        CHECK(document.at(part) == json::array());
    }
}

TEST_CASE("JSON of objects of which only the name is known follows the schema") {
    xiw::Report report;
    report.devices = {xiw::Device{}};
    report.capabilities = {xiw::CapabilitySet{.device = {}, .qpn = {}, .entries = {{}}}};
    report.connections = {xiw::Connection{}};
    report.counters = {xiw::CounterSet{.device = {}, .counters = {{}}, .operations = {{}}}};
    report.config = {xiw::ConfigSet{}};
    report.notices = {xiw::Notice{}};
    check_schema(rendered(report));
}

TEST_CASE("JSON has each setting of a device") {
    xiw::ConfigSet set;
    for (const xiw::Setting &setting : xiw::settings()) {
        const bool named = setting.shape == xiw::Setting::Shape::name;
        const xiw::SettingValue least = uint64_t{setting.least}, name = "cubic";
        set.settings.push_back({.id = setting.attribute, .value = named ? name : least});
    }
    xiw::Report report;
    report.config = {set};
    const json document = rendered(report);

    check_schema(document);
    const json &values = document["config"][0]["settings"];
    CHECK(values.size() == xiw::settings().size());
    CHECK(values["tls"] == "off");
    CHECK(values["congestion"] == "cubic");
}

TEST_CASE("JSON of unknown values follows the schema") {
    xiw::Report report = test::full_report();
    report.devices->front().kind = 77;
    report.devices->front().limits = {{99, 1}};
    report.connections->front().role = 77;
    report.connections->front().terminate = 0xffff;
    report.capabilities->front().entries = {
        {.id = XIW_NL_CAPABILITY_CRC,
         .local = 2,
         .offered = {},
         .peer = {},
         .agreed = {},
         .known = 9},
        {.id = 999, .local = 5, .offered = {}, .peer = {}, .agreed = {}, .known = {}}};
    report.counters->front().counters = {{"new", 1, "", false}};
    report.counters->front().operations = {{0xff, 1, 1}};

    const json document = rendered(report);
    check_schema(document);
    CHECK(document["devices"][0]["kind"] == "unknown(0x4d)");
    CHECK(document["capabilities"][0]["entries"][0]["local"] == "unknown(0x2)");
    CHECK(document["capabilities"][0]["entries"][1]["local"] == 5);
    CHECK(document["counters"][0]["counters"]["new"] == 1);
}

TEST_CASE("JSON has no key for a missing part") {
    xiw::Report report;
    report.connections.emplace();
    const json document = rendered(report);

    check_schema(document);
    CHECK(document.contains("connections"));
    CHECK_FALSE(document.contains("devices"));
}

TEST_CASE("JSON keeps numbers as numbers and flags as flags") {
    xiw::Report report = test::full_report();
    report.counters->front().counters[0].value = UINT64_MAX;
    const json document = rendered(report);
    const json &connection = document["connections"][1];

    CHECK(document["schema"] == 1);
    CHECK(document["consistent"] == true);
    CHECK(document["counters"][0]["counters"]["tx_bytes"] == UINT64_MAX);
    CHECK(connection["crc"] == true);
    CHECK(connection["local"]["address"] == "10.0.0.1");
    CHECK(connection["local"]["port"] == 38000);
    CHECK(connection["tx_bytes"] == 0x1'0000'0001);
    CHECK(connection["frame_sent"]["rtr_read"] == true);
    CHECK(connection["frame_sent"]["markers"] == false);
    CHECK(connection["rq_used"] == 60);
    CHECK(connection["operations"][0]["operation"] == "Send");
    CHECK(connection["operations"][0]["sent_bytes"] == 0x1'0000'0001);
    CHECK(connection["operations"][1]["sent_bytes"].is_null());
    CHECK(connection["tcp"]["rtt_us"] == 1200);
    CHECK(document["connections"][2]["tcp"].is_null());
    CHECK(connection["terminate"].is_null());
    CHECK(document["connections"][0]["qpn"].is_null());
    CHECK(document["connections"][2]["terminate"]["layer"] == 2);
    CHECK(document["connections"][2]["terminate"]["code"] == 2);
    const json &of_device = document["capabilities"][0]["entries"];
    CHECK(of_device[0]["local"] == 2);
    CHECK(of_device[1]["local"] == true);
    CHECK(of_device[2]["offered"] == false);
    CHECK(of_device[3]["local"] == "global");
    CHECK(document["capabilities"][1]["entries"][0]["offered"] == "write+read");
    CHECK(document["config"][0]["settings"]["crc"] == true);
    CHECK(document["config"][0]["settings"]["mpa_revision"] == 2);
    CHECK(document["config"][0]["settings"]["rtr"] == "write+read");
    CHECK(document["config"][0]["settings"]["park_time_ms"] == 5000);
}

TEST_CASE("JSON survives names that are not UTF-8") {
    xiw::Report report = test::full_report();
    report.devices->front().ref.name = "xiw\xff";
    CHECK_NOTHROW(rendered(report));
}
