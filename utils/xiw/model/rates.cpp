// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/rates.hpp"

#include "model/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/xiw.h>

namespace xiw {

namespace {

Maybe per_second(const Maybe &before, const Maybe &now, uint64_t interval) {
    if (!before || !now || *now < *before || interval == 0)
        return std::nullopt;
    return static_cast<uint64_t>(
        std::llround(static_cast<double>(*now - *before) * 1e9 / static_cast<double>(interval)));
}

// Counters of a device, from which rates are calculated.
struct Totals {
    Maybe tx_bytes, rx_bytes, tx_fpdus, rx_fpdus, trouble;
    uint64_t sent = 0;
    uint64_t received = 0;
};

Totals totals(const CounterSet &set) {
    Totals sum{.tx_bytes = set.value("tx_bytes"),
               .rx_bytes = set.value("rx_bytes"),
               .tx_fpdus = set.value("tx_pkts"),
               .rx_fpdus = set.value("rx_pkts"),
               .trouble = 0};
    for (const Operation &operation : set.operations) {
        sum.sent += operation.tx;
        sum.received += operation.rx;
    }
    for (const Counter &one : set.counters)
        if (one.error)
            *sum.trouble += one.value;
    return sum;
}

const CounterSet *of_device(const Report &report, uint64_t index) {
    if (report.counters)
        for (const CounterSet &set : *report.counters)
            if (set.device.index == index)
                return &set;
    return nullptr;
}

bool carries(const Connection &connection) {
    return connection.qpn && connection.role != XIW_NL_ROLE_LISTENER;
}

DeviceRate device_rate(const Report &before, const Report &now, const Device &device,
                       uint64_t interval) {
    DeviceRate rate{.device = device.ref, .ifname = device.ifname, .state = device.state};
    if (now.connections)
        rate.connections = static_cast<uint64_t>(
            std::ranges::count_if(*now.connections, [&device](const Connection &connection) {
                return carries(connection) && connection.device.index == device.ref.index;
            }));
    const CounterSet *first = of_device(before, device.ref.index);
    const CounterSet *second = of_device(now, device.ref.index);
    if (first == nullptr || second == nullptr)
        return rate;
    const Totals was = totals(*first);
    const Totals is = totals(*second);
    rate.octets = {per_second(was.tx_bytes, is.tx_bytes, interval),
                   per_second(was.rx_bytes, is.rx_bytes, interval)};
    rate.fpdus = {per_second(was.tx_fpdus, is.tx_fpdus, interval),
                  per_second(was.rx_fpdus, is.rx_fpdus, interval)};
    rate.messages = {per_second(was.sent, is.sent, interval),
                     per_second(was.received, is.received, interval)};
    if (is.trouble && was.trouble && *is.trouble >= *was.trouble)
        rate.trouble = *is.trouble - *was.trouble;
    return rate;
}

// Get a key that identifies a connection. The QP number is not sufficient, because a QP can be
// reset and connected again.
auto identity(const Connection &connection) {
    const auto &remote = connection.remote;
    return std::tuple(connection.device.index, connection.qpn, connection.cm_id,
                      remote ? remote->host : "", remote ? remote->port : 0);
}

uint64_t sum(const Flow &flow) {
    return flow.tx.value_or(0) + flow.rx.value_or(0);
}

uint64_t weight(const Flow &flow, Order order) {
    switch (order) {
    case Order::sent:
        return flow.tx.value_or(0);
    case Order::received:
        return flow.rx.value_or(0);
    case Order::rate:
    case Order::number:
        break;
    }
    return sum(flow);
}

// Sort by the rate that `order` selects, descending. Sort items with equal rates by number,
// ascending. With Order::number, sort all items by number.
template <typename Rate, typename Number>
void sort_by(std::vector<Rate> &list, Order order, const Number &number) {
    std::ranges::stable_sort(list, [&](const Rate &a, const Rate &b) {
        const uint64_t first = weight(a.octets, order);
        const uint64_t second = weight(b.octets, order);
        if (order == Order::number || first == second)
            return number(a) < number(b);
        return first > second;
    });
}

constexpr auto orders = std::to_array<std::string_view>({"rate", "sent", "received", "number"});

} // namespace

Activity activity(const Report &before, const Report &now, uint64_t interval) {
    Activity activity{.interval = interval, .devices = {}, .connections = {}};

    if (now.devices)
        for (const Device &device : *now.devices)
            activity.devices.push_back(device_rate(before, now, device, interval));

    using Identity = decltype(identity(std::declval<const Connection &>()));
    std::map<Identity, const Connection *> earlier;
    if (before.connections)
        for (const Connection &connection : *before.connections)
            if (carries(connection))
                earlier.emplace(identity(connection), &connection);
    if (now.connections)
        for (const Connection &connection : *now.connections) {
            if (!carries(connection))
                continue;
            ConnectionRate rate{.connection = connection, .octets = {}};
            const auto it = earlier.find(identity(connection));
            if (it != earlier.end())
                rate.octets = {per_second(it->second->tx_bytes, connection.tx_bytes, interval),
                               per_second(it->second->rx_bytes, connection.rx_bytes, interval)};
            activity.connections.push_back(std::move(rate));
        }
    return activity;
}

std::string order_word(Order order) {
    return std::string(orders.at(static_cast<size_t>(order)));
}

std::optional<Order> parse_order(std::string_view word) {
    const auto *it = std::ranges::find(orders, word);
    if (it == orders.end())
        return std::nullopt;
    return static_cast<Order>(it - orders.begin());
}

std::string order_words() {
    return fmt::format("{}", fmt::join(orders, ", "));
}

Order next(Order order) {
    return static_cast<Order>((static_cast<size_t>(order) + 1) % orders.size());
}

void sort(Activity &activity, Order order) {
    sort_by(activity.devices, order, [](const DeviceRate &rate) { return rate.device.index; });
    sort_by(activity.connections, order, [](const ConnectionRate &rate) {
        return std::tuple(rate.connection.device.index, rate.connection.qpn);
    });
}

} // namespace xiw
