// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/rates.hpp"
#include "samples.hpp"

#include <cstdlib>
#include <string>

#include <catch2/catch_test_macros.hpp>

using xiw::Maybe;
using xiw::Order;
using xiw::Report;

namespace {

constexpr uint64_t second = 1'000'000'000;

uint64_t &counter(Report &report, const std::string &name) {
    for (xiw::Counter &one : report.counters->front().counters)
        if (one.name == name)
            return one.value;
    FAIL("no counter " << name);
    std::abort();
}

xiw::ConnectionRate rate_of(uint64_t qpn, Maybe tx, Maybe rx) {
    xiw::ConnectionRate rate;
    rate.connection.qpn = qpn;
    rate.octets = {tx, rx};
    return rate;
}

std::vector<uint64_t> numbers(const xiw::Activity &activity) {
    std::vector<uint64_t> list;
    list.reserve(activity.connections.size());
    for (const xiw::ConnectionRate &rate : activity.connections)
        list.push_back(*rate.connection.qpn);
    return list;
}

} // namespace

TEST_CASE("rates are the increases of counters per second") {
    const Report before = test::full_report();
    Report now = test::full_report();
    counter(now, "tx_bytes") += 3000;
    counter(now, "tx_pkts") += 5;
    counter(now, "rx_crc_errors") += 2;
    now.counters->front().operations[0].tx += 7;
    now.counters->front().operations[1].tx += 1;
    *now.connections->at(1).tx_bytes += 1;
    *now.connections->at(1).rx_bytes += 1'000'000'000'000;

    const xiw::Activity activity = xiw::activity(before, now, second / 2);
    REQUIRE(activity.devices.size() == 1);
    const xiw::DeviceRate &device = activity.devices[0];
    CHECK(activity.interval == second / 2);
    CHECK(device.device.name == "xiw0");
    CHECK(device.ifname == "eth0");
    CHECK(device.connections == 2); // the listener in the report is not counted
    CHECK(device.octets.tx == 6000U);
    CHECK_FALSE(device.octets.rx); // the report lacks the counter of received octets
    CHECK(device.fpdus.tx == 10U);
    CHECK(device.fpdus.rx == 0U);
    CHECK(device.messages.tx == 16U);
    CHECK(device.messages.rx == 0U);
    CHECK(device.trouble == 2U); // the number of errors in the interval, not per second

    REQUIRE(activity.connections.size() == 2);
    CHECK(activity.connections[0].connection.qpn == 17U);
    CHECK(activity.connections[0].octets.tx == 2U);
    CHECK(activity.connections[0].octets.rx == 2'000'000'000'000U);
    CHECK_FALSE(activity.connections[1].octets.tx);
}

TEST_CASE("rates use the counters of the driver") {
    Report before = test::full_report();
    before.counters->front().counters = test::driver_counters();
    Report now = before;
    for (xiw::Counter &one : now.counters->front().counters)
        one.value += 7;

    const xiw::DeviceRate device = xiw::activity(before, now, second).devices.at(0);
    CHECK(device.octets.tx == 7U);
    CHECK(device.octets.rx == 7U);
    CHECK(device.fpdus.tx == 7U);
    CHECK(device.fpdus.rx == 7U);
    CHECK(device.trouble > 7U);
}

TEST_CASE("new objects have no rates") {
    const Report now = test::full_report();
    Report before = test::empty_report();
    auto check = [&] {
        const xiw::Activity activity = xiw::activity(before, now, second);
        REQUIRE(activity.devices.size() == 1);
        REQUIRE(activity.connections.size() == 2);
        CHECK_FALSE(activity.connections[0].octets.tx);
    };
    check();
    before = Report();
    check();
    CHECK_FALSE(xiw::activity(before, now, second).devices[0].octets.tx);

    // The earlier report has another connection of the same QP, or another device.
    before = test::full_report();
    before.connections->at(1).remote->port++;
    check();
    before = test::full_report();
    before.connections->at(1).cm_id = 99;
    check();
    before = test::full_report();
    before.connections->at(1).device.index = 99;
    check();
}

TEST_CASE("restarted counters have no rates") {
    Report before = test::full_report();
    const Report now = test::full_report();
    counter(before, "tx_bytes") += 1;
    counter(before, "rx_crc_errors") += 1;
    *before.connections->at(1).tx_bytes += 1;

    const xiw::Activity activity = xiw::activity(before, now, second);
    CHECK_FALSE(activity.devices[0].octets.tx);
    CHECK_FALSE(activity.devices[0].trouble);
    CHECK_FALSE(activity.connections[0].octets.tx);
    CHECK(activity.connections[0].octets.rx == 0U);
    CHECK_FALSE(xiw::activity(now, now, 0).connections[0].octets.rx);
}

TEST_CASE("rates are sorted with the largest first") {
    xiw::Activity activity;
    activity.connections = {rate_of(4, 5, 0), rate_of(3, {}, {}), rate_of(1, 1, 9),
                            rate_of(2, 9, 2)};
    xiw::sort(activity, Order::number);
    CHECK(numbers(activity) == std::vector<uint64_t>{1, 2, 3, 4});
    xiw::sort(activity, Order::rate);
    CHECK(numbers(activity) == std::vector<uint64_t>{2, 1, 4, 3});
    xiw::sort(activity, Order::sent);
    CHECK(numbers(activity) == std::vector<uint64_t>{2, 4, 1, 3});
    xiw::sort(activity, Order::received);
    CHECK(numbers(activity) == std::vector<uint64_t>{1, 2, 3, 4});

    activity.devices = {{.device = {1, "a"}, .ifname = {}, .state = {}, .octets = {1, 1}},
                        {.device = {2, "b"}, .ifname = {}, .state = {}, .octets = {2, 2}}};
    xiw::sort(activity, Order::rate);
    CHECK(activity.devices[0].device.name == "b");
    xiw::sort(activity, Order::number);
    CHECK(activity.devices[0].device.name == "a");
}

TEST_CASE("sort orders have names and form a cycle") {
    Order order = Order::rate;
    for (int i = 0; i < 4; i++) {
        CHECK(xiw::parse_order(xiw::order_word(order)) == order);
        order = xiw::next(order);
    }
    CHECK(order == Order::rate);
    CHECK_FALSE(xiw::parse_order(""));
    CHECK_FALSE(xiw::parse_order("Rate"));
}
