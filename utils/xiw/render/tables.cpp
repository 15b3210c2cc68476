// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "render/tables.hpp"

#include "model/settings.hpp"
#include "model/words.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw::render {

namespace {

std::string number(const Maybe &value) {
    return value ? std::to_string(*value) : "";
}

std::string word(const Maybe &value, std::string (*words)(uint64_t)) {
    return value ? words(*value) : "";
}

std::string on_off(const Maybe &value) {
    return value ? (*value != 0 ? "on" : "off") : "";
}

std::string used_of(const Maybe &used, const Maybe &most) {
    if (!most)
        return "";
    return used ? fmt::format("{}/{}", *used, *most) : std::to_string(*most);
}

std::string find(const std::vector<Numbered> &list, uint64_t id) {
    const auto it = std::ranges::find(list, id, &Numbered::id);
    return it == list.end() ? "" : std::to_string(it->value);
}

} // namespace

std::string address_word(const std::optional<Address> &address) {
    if (!address)
        return "";
    if (address->host.empty())
        return "unknown";
    if (address->v6)
        return fmt::format("[{}]:{}", address->host, address->port);
    return fmt::format("{}:{}", address->host, address->port);
}

std::string state_word(const Connection &connection) {
    if (connection.role == XIW_NL_ROLE_LISTENER)
        return "listening";
    // During negotiation and close, the MPA state is more specific.
    if (connection.mpa_state && *connection.mpa_state != XIW_NL_MPA_STATE_FULL)
        return mpa_state_word(*connection.mpa_state);
    if (connection.parked)
        return "parked";
    if (connection.stream_state)
        return stream_state_word(*connection.stream_state);
    return "";
}

Colour state_colour(const Connection &connection) {
    if (connection.terminate || connection.mpa_state == XIW_NL_MPA_STATE_TERM ||
        connection.stream_state == XIW_NL_STREAM_STATE_TERMINATE ||
        connection.stream_state == XIW_NL_STREAM_STATE_ERROR)
        return Colour::bad;
    if (connection.parked)
        return Colour::warning;
    if (connection.mpa_state == XIW_NL_MPA_STATE_FULL)
        return Colour::good;
    return Colour::plain;
}

std::string markers_word(const Connection &connection) {
    if (!connection.markers_tx || !connection.markers_rx)
        return "";
    const bool tx = *connection.markers_tx != 0;
    const bool rx = *connection.markers_rx != 0;
    return tx && rx ? "both" : tx ? "sent" : rx ? "received" : "off";
}

std::string frame_word(const MpaFrame &frame) {
    const uint64_t flags = frame.flags.value_or(0);
    std::string words = fmt::format("rev {}", frame.revision ? number(frame.revision) : "?");

    if (flags & XIW_NL_MPA_FLAG_REJECT)
        words += " reject";
    if (flags & XIW_NL_MPA_FLAG_CRC)
        words += " crc";
    if (flags & XIW_NL_MPA_FLAG_MARKERS)
        words += " markers";
    if (frame.private_length)
        words += fmt::format(" private {}", *frame.private_length);
    if (flags & XIW_NL_MPA_FLAG_ENHANCED) {
        words += " enhanced";
        if (frame.ird)
            words += fmt::format(" ird {}", *frame.ird);
        if (frame.ord)
            words += fmt::format(" ord {}", *frame.ord);
    }
    if (flags & XIW_NL_MPA_FLAG_PEER_TO_PEER)
        words += " peer-to-peer";
    if (flags & XIW_NL_MPA_FLAG_RTR_WRITE)
        words += " rtr-write";
    if (flags & XIW_NL_MPA_FLAG_RTR_READ)
        words += " rtr-read";
    if (flags & XIW_NL_MPA_FLAG_RTR_SEND)
        words += " rtr-send";

    constexpr uint64_t known = XIW_NL_MPA_FLAG_RTR_READ * 2 - 1;
    if (flags & ~known)
        words += " " + unknown_word(flags & ~known);
    return words;
}

std::string terminate_text(const Connection &connection) {
    if (!connection.terminate)
        return "";
    return fmt::format("{} {}",
                       connection.terminate_origin == XIW_NL_ORIGIN_LOCAL    ? "sent"
                       : connection.terminate_origin == XIW_NL_ORIGIN_REMOTE ? "received"
                                                                             : "Terminate",
                       terminate_word(static_cast<uint16_t>(*connection.terminate)));
}

Table device_table(const std::vector<Device> &devices) {
    Table table({"device", "index", "kind", "netdev", "ifindex", "state", "version", "qp", "cq",
                 "mr", "connections", "listeners"});
    for (const Device &device : devices)
        table.row({printable(device.ref.name), std::to_string(device.ref.index),
                   word(device.kind, kind_word), printable(device.ifname), number(device.ifindex),
                   word(device.state, device_state_word), printable(device.version),
                   find(device.objects, XIW_A_OBJECTS_QP), find(device.objects, XIW_A_OBJECTS_CQ),
                   find(device.objects, XIW_A_OBJECTS_MR),
                   find(device.objects, XIW_A_OBJECTS_CONNECTION),
                   find(device.objects, XIW_A_OBJECTS_LISTENER)});
    return table;
}

Table connection_table(const std::vector<Connection> &list, Reader reader) {
    if (reader == Reader::people) {
        Table table({"qp", "role", "state", "local", "peer", "mpa", "crc", "markers", "rtr",
                     "mulpdu", "ird", "ord", "sent", "received"});
        // Markers are rare, and lines are long.
        const bool marked = std::ranges::any_of(
            list, [](const Connection &c) { return c.markers_tx == 1U || c.markers_rx == 1U; });
        for (const Connection &c : list)
            table.row({number(c.qpn),
                       word(c.role, role_word),
                       {state_word(c), state_colour(c)},
                       address_word(c.local),
                       address_word(c.remote),
                       number(c.mpa_revision),
                       on_off(c.crc),
                       marked ? markers_word(c) : "",
                       word(c.rtr, rtr_word),
                       number(c.mulpdu),
                       used_of(c.ird_used, c.ird),
                       used_of(c.ord_used, c.ord),
                       c.tx_bytes ? size_word(*c.tx_bytes) : "",
                       c.rx_bytes ? size_word(*c.rx_bytes) : ""});
        return table;
    }
    Table table({"device",   "qpn",      "cm_id",        "role",      "mpa_state",  "stream_state",
                 "local",    "remote",   "mpa_revision", "crc",       "markers_tx", "markers_rx",
                 "rtr",      "mulpdu",   "ird",          "ord",       "ird_used",   "ord_used",
                 "tx_bytes", "rx_bytes", "parked",       "terminate", "sq_depth",   "sq_used",
                 "rq_depth", "rq_used"});
    for (const Connection &c : list)
        table.row({printable(c.device.name),
                   number(c.qpn),
                   number(c.cm_id),
                   word(c.role, role_word),
                   word(c.mpa_state, mpa_state_word),
                   word(c.stream_state, stream_state_word),
                   address_word(c.local),
                   address_word(c.remote),
                   number(c.mpa_revision),
                   on_off(c.crc),
                   on_off(c.markers_tx),
                   on_off(c.markers_rx),
                   word(c.rtr, rtr_word),
                   number(c.mulpdu),
                   number(c.ird),
                   number(c.ord),
                   number(c.ird_used),
                   number(c.ord_used),
                   number(c.tx_bytes),
                   number(c.rx_bytes),
                   c.parked ? "yes" : "no",
                   c.terminate ? fmt::format("{:#06x}", *c.terminate) : "",
                   number(c.sq_depth),
                   number(c.sq_used),
                   number(c.rq_depth),
                   number(c.rq_used)});
    return table;
}

Table counter_table(const std::vector<CounterSet> &list) {
    Table table({"device", "counter", "value"});
    for (const CounterSet &set : list) {
        const std::string device = printable(set.device.name);
        for (const Numbered &counter : set.counters)
            table.row({device, counter_word(counter.id), std::to_string(counter.value)});
        for (const Operation &operation : set.operations) {
            const std::string name = opcode_word(operation.opcode);
            table.row({device, "sent: " + name, std::to_string(operation.tx)});
            table.row({device, "received: " + name, std::to_string(operation.rx)});
        }
    }
    return table;
}

Table capability_table(const std::vector<CapabilitySet> &list) {
    Table table({"device", "qpn", "capability", "local", "offered", "peer", "agreed", "known"});
    const auto value = [](uint64_t id, const Maybe &number_of) {
        return number_of ? capability_value_word(id, *number_of) : std::string();
    };
    for (const CapabilitySet &set : list)
        for (const Capability &c : set.entries)
            table.row({printable(set.device.name), number(set.qpn), capability_word(c.id),
                       value(c.id, c.local), value(c.id, c.offered), value(c.id, c.peer),
                       value(c.id, c.agreed), word(c.known, known_word)});
    return table;
}

Table config_table(const std::vector<ConfigSet> &list) {
    Table table({"device", "key", "value"});
    for (const ConfigSet &set : list)
        for (const Numbered &value : set.settings)
            if (const Setting *setting = find_setting(value.id))
                table.row({printable(set.device.name), std::string(setting->key),
                           setting->word(value.value)});
    return table;
}

Table explanation_table(const std::vector<Explanation> &list) {
    Table table({"subject", "kind", "meaning", "source", "effect", "advice"});
    for (const Explanation &e : list)
        table.row({e.subject, e.kind, e.meaning, e.source, e.effect, e.advice});
    return table;
}

Table finding_table(const doctor::Findings &list) {
    Table table({"check", "verdict", "text", "fix"});
    for (const doctor::Finding &f : list)
        table.row({f.check, doctor::verdict_word(f.verdict), f.text, f.fix});
    return table;
}

} // namespace xiw::render
