// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/settings.hpp"

#include <algorithm>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <linux/xiw.h>

using xiw::find_setting;

namespace {

const xiw::Setting *find_setting(std::string_view key) {
    const auto all = xiw::settings();
    const auto it = std::ranges::find(all, key, &xiw::Setting::key);
    return it == all.end() ? nullptr : &*it;
}

} // namespace

TEST_CASE("settings have one row for each attribute of the configuration") {
    std::set<uint16_t> attributes;
    for (const xiw::Setting &setting : xiw::settings())
        attributes.insert(setting.attribute);

    CHECK(attributes.size() == xiw::settings().size());
    CHECK(*attributes.begin() == XIW_A_CONFIG_DEV_NAME + 1);
    CHECK(*attributes.rbegin() == XIW_A_CONFIG_MAX);
    CHECK(find_setting(uint64_t{XIW_A_CONFIG_DEV_INDEX}) == nullptr);
}

TEST_CASE("settings parse their values and print them again") {
    struct Row {
        std::string_view key, text;
        xiw::SettingValue value;
        std::string_view word;
    };
    const auto row = GENERATE(values<Row>({
        {"crc", "on", uint64_t{1}, "on"},
        {"crc", "off", uint64_t{0}, "off"},
        {"require-encryption", "on", uint64_t{1}, "on"},
        {"mpa-revision", "1", uint64_t{1}, "1"},
        {"mpa-revision", "2", uint64_t{2}, "2"},
        {"rtr", "write", uint64_t{XIW_NL_RTR_WRITE}, "write"},
        {"rtr", "read+write", uint64_t{XIW_NL_RTR_READ | XIW_NL_RTR_WRITE}, "write+read"},
        {"rtr", "write+read+send", uint64_t{7}, "write+read+send"},
        {"park-time", "0", uint64_t{0}, "0ms"},
        {"park-time", "250", uint64_t{250}, "250ms"},
        {"park-time", "250ms", uint64_t{250}, "250ms"},
        {"park-time", "30s", uint64_t{30000}, "30000ms"},
        {"startup-time", "1", uint64_t{1}, "1ms"},
        {"mulpdu-max", "0", uint64_t{0}, "0"},
        {"mulpdu-max", "128", uint64_t{128}, "128"},
        {"mulpdu-max", "64768", uint64_t{64768}, "64768"},
        {"peer-time", "0", uint64_t{0}, "0ms"},
        {"peer-time", "0s", uint64_t{0}, "0ms"},
        {"peer-time", "1s", uint64_t{1000}, "1000ms"},
        {"peer-time", "1500", uint64_t{1500}, "1500ms"},
        {"peer-time", "3600s", uint64_t{3600000}, "3600000ms"},
        {"congestion", "bbr", "bbr", "bbr"},
        {"congestion", "a.dctcp-reno_1", "a.dctcp-reno_1", "a.dctcp-reno_1"},
        {"congestion", "default", "", "default"},
        {"tls", "off", uint64_t{XIW_NL_TLS_OFF}, "off"},
        {"tls", "accept", uint64_t{XIW_NL_TLS_ACCEPT}, "accept"},
        {"tls", "require", uint64_t{XIW_NL_TLS_REQUIRE}, "require"},
    }));
    CAPTURE(row.key, row.text);
    const xiw::Setting *setting = find_setting(row.key);

    REQUIRE(setting != nullptr);
    CHECK(setting->parse(row.text) == row.value);
    CHECK(setting->word(row.value) == row.word);
}

TEST_CASE("settings refuse invalid values") {
    struct Row {
        std::string_view key, text;
    };
    const auto row = GENERATE(values<Row>({
        {"crc", ""},
        {"crc", "1"},
        {"crc", "ON"},
        {"crc", "on "},
        {"mpa-revision", "0"},
        {"mpa-revision", "3"},
        {"mpa-revision", "-1"},
        {"mpa-revision", "+1"},
        {"mpa-revision", "0x1"},
        {"mpa-revision", "1.0"},
        {"mpa-revision", "4294967297"},
        {"rtr", ""},
        {"rtr", "none"},
        {"rtr", "write+"},
        {"rtr", "+write"},
        {"rtr", "write,read"},
        {"park-time", ""},
        {"park-time", "ms"},
        {"park-time", "s"},
        {"park-time", "30001"},
        {"park-time", "31s"},
        {"park-time", "4294968s"},
        {"park-time", "1m"},
        {"park-time", "1 s"},
        {"startup-time", "0"},
        {"mulpdu-max", "127"},
        {"mulpdu-max", "64769"},
        {"mulpdu-max", "99999999999999999999"},
        {"peer-time", ""},
        {"peer-time", "1"},
        {"peer-time", "999ms"},
        {"peer-time", "3600001"},
        {"peer-time", "never"},
        {"congestion", ""},
        {"congestion", "0123456789abcdef"},
        {"congestion", "b b"},
        {"congestion", "bbr\n"},
        {"tls", ""},
        {"tls", "on"},
        {"tls", "require "},
    }));
    CAPTURE(row.key, row.text);
    CHECK_FALSE(find_setting(row.key)->parse(row.text));
}

TEST_CASE("a setting accepts every value that it offers") {
    for (const xiw::Setting &setting : xiw::settings())
        for (const std::string &choice : setting.choices()) {
            CAPTURE(setting.key, choice);
            CHECK(setting.parse(choice));
        }
}

TEST_CASE("unknown values of settings are printed as unknown") {
    CHECK(find_setting("crc")->word(uint64_t{2}) == "unknown(0x2)");
    CHECK(find_setting("rtr")->word(uint64_t{8}) == "unknown(0x8)");
    CHECK(find_setting("rtr")->word(uint64_t{9}) == "write+unknown(0x8)");
}
