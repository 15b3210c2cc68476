// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/words.hpp"
#include "render/render.hpp"
#include "render/tables.hpp"

#include <algorithm>
#include <ostream>
#include <span>
#include <sstream>

#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw::render {

namespace {

std::string octets(const Maybe &value) {
    return value ? size_word(*value) : "-";
}

std::string count(const Maybe &value) {
    return value ? grouped(*value) : "-";
}

std::string plain(const Maybe &value) {
    return value ? std::to_string(*value) : "";
}

Table device_rates(const Activity &activity) {
    // The most important columns are first, because a narrow screen cuts off the last ones.
    Table table({"device", "netdev", "state", "conn", "trouble", "sent/s", "received/s",
                 "fpdus_out/s", "fpdus_in/s", "msgs_out/s", "msgs_in/s"});
    for (const DeviceRate &d : activity.devices)
        table.row({printable(d.device.name),
                   printable(d.ifname),
                   {d.state ? device_state_word(*d.state) : "",
                    d.state == XIW_NL_DEVICE_STATE_ACTIVE ? Colour::good : Colour::bad},
                   grouped(d.connections),
                   {count(d.trouble), d.trouble.value_or(0) != 0 ? Colour::warning : Colour::plain},
                   octets(d.octets.tx),
                   octets(d.octets.rx),
                   count(d.fpdus.tx),
                   count(d.fpdus.rx),
                   count(d.messages.tx),
                   count(d.messages.rx)});
    return table;
}

Table connection_rates(std::span<const ConnectionRate> list) {
    Table table({"qp", "device", "state", "local", "peer", "sent/s", "received/s"});
    for (const ConnectionRate &r : list) {
        const Connection &c = r.connection;
        table.row({plain(c.qpn),
                   printable(c.device.name),
                   {state_word(c), state_colour(c)},
                   address_word(c.local),
                   address_word(c.remote),
                   octets(r.octets.tx),
                   octets(r.octets.rx)});
    }
    return table;
}

std::vector<std::string> lines(const Table &table, bool colour) {
    std::ostringstream out;
    std::vector<std::string> list;
    table.aligned(out, colour);
    std::istringstream in(out.str());
    for (std::string line; std::getline(in, line);)
        list.push_back(line);
    return list;
}

} // namespace

Table rate_table(const Activity &activity) {
    Table table({"device", "qpn", "role", "local", "remote", "tx_bytes_per_s", "rx_bytes_per_s"});
    for (const ConnectionRate &r : activity.connections) {
        const Connection &c = r.connection;
        table.row({printable(c.device.name), plain(c.qpn), c.role ? role_word(*c.role) : "",
                   address_word(c.local), address_word(c.remote), plain(r.octets.tx),
                   plain(r.octets.rx)});
    }
    return table;
}

// If there are more than `most` lines, omit connections from the end of the list. If there is no
// room for the first connection, omit all connections.
std::vector<std::string> activity_lines(const Activity &activity, bool colour, size_t most) {
    if (activity.devices.empty())
        return {"no xiw device in this network namespace"};
    std::vector<std::string> list = lines(device_rates(activity), colour);
    if (activity.connections.empty() || list.size() + 3 > most) {
        list.resize(std::min(list.size(), most));
        return list;
    }
    const size_t room = std::min(most - list.size() - 2, activity.connections.size());
    list.emplace_back();
    const auto shown = lines(connection_rates(std::span(activity.connections).first(room)), colour);
    list.insert(list.end(), shown.begin(), shown.end());
    return list;
}

void activity(std::ostream &out, const Report &report, bool colour) {
    if (!report.activity)
        return;
    const Activity &all = *report.activity;
    for (const std::string &line :
         activity_lines(all, colour, all.devices.size() + all.connections.size() + 3))
        out << line << '\n';
}

} // namespace xiw::render
