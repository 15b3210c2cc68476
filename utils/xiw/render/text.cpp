// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/settings.hpp"
#include "model/words.hpp"
#include "render/render.hpp"
#include "render/tables.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <linux/xiw.h>

namespace xiw::render {

namespace {

// Maximum number of connections of one device in the overview. If a device has more connections,
// those with an error or a warning come first.
constexpr size_t screen_connections = 20;

bool in_trouble(const Connection &connection) {
    const Colour colour = state_colour(connection);
    return colour == Colour::bad || colour == Colour::warning;
}

void append(std::string &list, const std::string &word) {
    list += (list.empty() ? "" : ", ") + word;
}

void heading(std::ostream &out, const DeviceRef &device, bool colour) {
    fmt::print(out, "{}\n", paint(printable(device.name), Colour::bold, colour));
}

Colour device_colour(const Device &device) {
    if (!device.state)
        return Colour::plain;
    switch (*device.state) {
    case XIW_NL_DEVICE_STATE_ACTIVE:
        return Colour::good;
    case XIW_NL_DEVICE_STATE_DOWN:
        return Colour::warning;
    default:
        return Colour::bad;
    }
}

void line(std::ostream &out, std::string_view label, const std::string &text) {
    if (!text.empty())
        fmt::print(out, "  {:<10}{}\n", label, text);
}

// Print the features that the device offers: one line of features that are on, and one of features
// that are off. The table of connections, later in the output, shows the negotiated values.
void features(std::ostream &out, const CapabilitySet &set) {
    std::string on;
    std::string off;

    for (const Capability &c : set.entries) {
        const Maybe value = c.offered ? c.offered : c.local;
        if (!value)
            continue;
        const std::string name = spaced(capability_word(c.id));
        const std::string word = capability_value_word(c.id, *value);
        if (word == "on")
            append(on, name);
        else if (word == "off")
            append(off, name);
        else
            append(on, fmt::format("{} {}", name, word));
    }
    line(out, "offers", on);
    line(out, "off", off);
}

void objects(std::ostream &out, const Device &device) {
    std::string list;
    for (const Numbered &object : device.objects)
        if (object.value != 0)
            append(list, fmt::format("{} {}", grouped(object.value), object_word(object.id)));
    line(out, "in use", list.empty() ? "nothing" : list);
}

void traffic(std::ostream &out, const CounterSet &set) {
    const auto value = [&set](std::string_view name) { return set.value(name).value_or(0); };
    std::string sent;
    std::string received;
    for (const Operation &operation : set.operations) {
        const std::string name = opcode_word(operation.opcode);
        if (operation.tx != 0)
            append(sent, fmt::format("{} {}", grouped(operation.tx), name));
        if (operation.rx != 0)
            append(received, fmt::format("{} {}", grouped(operation.rx), name));
    }
    const auto total = [](uint64_t bytes, uint64_t fpdus, const std::string &list) {
        return fmt::format("{} in {} FPDUs{}{}", size_word(bytes), grouped(fpdus),
                           list.empty() ? "" : ": ", list);
    };
    line(out, "sent", total(value("tx_bytes"), value("tx_pkts"), sent));
    line(out, "received", total(value("rx_bytes"), value("rx_pkts"), received));
}

std::string trouble(const Device &device, const CounterSet *set) {
    std::string list;

    if (device.state == XIW_NL_DEVICE_STATE_FAILED)
        append(list, "the RNIC has failed: delete the link and add it again");
    else if (device.state == XIW_NL_DEVICE_STATE_DOWN)
        append(list, "the network interface is down");
    for (const Numbered &object : device.objects)
        if (object.id == XIW_A_OBJECTS_PARKED && object.value != 0)
            append(list, fmt::format("{} parked now", grouped(object.value)));
    if (set != nullptr)
        for (const Counter &counter : set->counters)
            if (counter.trouble())
                append(list,
                       fmt::format("{} {}", grouped(counter.value), printable(counter.meaning())));
    return list;
}

template <typename Set>
const Set *of_device(const std::optional<std::vector<Set>> &list, const DeviceRef &device) {
    if (list)
        for (const Set &set : *list)
            if (set.device.index == device.index)
                return &set;
    return nullptr;
}

void terminates(std::ostream &out, const std::vector<Connection> &list, bool colour) {
    for (const Connection &c : list)
        if (c.terminate)
            fmt::print(out, "  QP {}: {}\n", c.qpn ? std::to_string(*c.qpn) : "?",
                       paint(terminate_text(c), Colour::bad, colour));
}

void one_device(std::ostream &out, const Report &report, const Device &device, bool colour) {
    fmt::print(out, "{}  {} RNIC on {}, {}{}\n",
               paint(printable(device.ref.name), Colour::bold, colour),
               device.kind ? kind_word(*device.kind) : "unknown",
               device.ifname.empty() ? "no interface" : printable(device.ifname),
               paint(device.state ? device_state_word(*device.state) : "state unknown",
                     device_colour(device), colour),
               device.version.empty() ? "" : ", driver " + printable(device.version));

    if (const CapabilitySet *set = of_device(report.capabilities, device.ref))
        features(out, *set);
    objects(out, device);
    const CounterSet *counters = of_device(report.counters, device.ref);
    if (counters != nullptr)
        traffic(out, *counters);

    const std::string problems = trouble(device, counters);
    line(out, "trouble",
         problems.empty()
             ? "none"
             : paint(problems,
                     device.state == XIW_NL_DEVICE_STATE_ACTIVE ? Colour::warning : Colour::bad,
                     colour));

    std::vector<Connection> mine;
    if (report.connections)
        std::ranges::copy_if(
            *report.connections, std::back_inserter(mine),
            [&device](const Connection &c) { return c.device.index == device.ref.index; });
    if (mine.empty())
        return;
    const size_t all = mine.size();
    if (all > screen_connections) {
        std::ranges::stable_partition(mine, in_trouble);
        mine.resize(screen_connections);
    }
    out << '\n';
    connection_table(mine, Reader::people).aligned(out, colour, 2);
    if (all > mine.size())
        fmt::print(out, "  and {} more: xiw conn {}\n", grouped(all - mine.size()),
                   printable(device.ref.name));
    terminates(out, mine, colour);
}

std::string queues_word(const Connection &c) {
    if (!c.sq_depth)
        return "";
    const std::string receive =
        c.rq_depth ? fmt::format("{} of {}", c.rq_used.value_or(0), *c.rq_depth) : "shared";
    return fmt::format("send {} of {}, receive {}", c.sq_used.value_or(0), *c.sq_depth, receive);
}

std::string tcp_word(const Tcp &tcp) {
    const auto size = [](const Maybe &octets) { return octets ? size_word(*octets) : "?"; };
    const auto count = [](const Maybe &value) { return value ? grouped(*value) : "?"; };
    return fmt::format("{}, round trip {} us (+- {}), mss {}, cwnd {}, "
                       "peer's receive window {}, unacknowledged {}, not read by the RNIC {}, "
                       "retransmitted segments {}",
                       tcp.congestion.empty() ? "?" : printable(tcp.congestion), count(tcp.rtt),
                       count(tcp.rtt_var), count(tcp.mss), count(tcp.cwnd), size(tcp.peer_window),
                       size(tcp.tx_queue), size(tcp.rx_queue), count(tcp.retransmits));
}

void connection_detail(std::ostream &out, const Connection &c) {
    if (c.frame_sent)
        fmt::print(out, "    MPA sent      {}\n", frame_word(*c.frame_sent));
    if (c.frame_received)
        fmt::print(out, "    MPA received  {}\n", frame_word(*c.frame_received));
    if (const std::string queues = queues_word(c); !queues.empty())
        fmt::print(out, "    queues        {}\n", queues);
    if (c.tcp)
        fmt::print(out, "    TCP           {}\n", tcp_word(*c.tcp));
    if (c.tcp && c.tcp->cipher)
        fmt::print(out, "    TLS           {}\n", cipher_word(*c.tcp->cipher));
}

void connection_operations(std::ostream &out, const Connection &c, bool colour) {
    Table table({"operation", "sent", "octets sent", "received", "octets received"});
    for (const OperationBytes &operation : c.operations)
        table.row({opcode_word(operation.opcode), grouped(operation.tx),
                   operation.tx_bytes ? grouped(*operation.tx_bytes) : "", grouped(operation.rx),
                   operation.rx_bytes ? grouped(*operation.rx_bytes) : ""});
    table.aligned(out, colour, 4);
}

} // namespace

void screen(std::ostream &out, const Report &report, bool colour) {
    if (!report.devices || report.devices->empty()) {
        out << "no xiw device in this network namespace\n"
               "add one with: rdma link add xiw0 type xiw netdev NETDEV\n";
        return;
    }
    bool first = true;
    for (const Device &device : *report.devices) {
        if (!first)
            out << '\n';
        first = false;
        one_device(out, report, device, colour);
    }
}

void connections(std::ostream &out, const Report &report, bool colour, bool detail) {
    if (!report.connections || report.connections->empty()) {
        out << "no connections\n";
        return;
    }
    // Connections are grouped by device, in the order of the devices.
    const auto &list = *report.connections;
    for (auto at = list.begin(); at != list.end();) {
        const auto end = std::find_if(at, list.end(), [&at](const Connection &c) {
            return c.device.index != at->device.index;
        });
        if (at != list.begin())
            out << '\n';
        heading(out, at->device, colour);
        if (!detail) {
            const std::vector<Connection> some(at, end);
            connection_table(some, Reader::people).aligned(out, colour, 2);
            terminates(out, some, colour);
        }
        for (const auto begin = at; detail && at != end; ++at) {
            if (at != begin)
                out << '\n';
            connection_table({*at}, Reader::people).aligned(out, colour, 2);
            connection_detail(out, *at);
            connection_operations(out, *at, colour);
            terminates(out, {*at}, colour);
        }
        at = end;
    }
}

void counters(std::ostream &out, const Report &report, bool colour, bool all) {
    if (!report.counters || report.counters->empty()) {
        out << "no devices\n";
        return;
    }
    bool first = true;
    for (const CounterSet &set : *report.counters) {
        if (!first)
            out << '\n';
        first = false;
        heading(out, set.device, colour);

        Table operations({"operation", "sent", "received"});
        for (const Operation &operation : set.operations)
            if (all || operation.tx != 0 || operation.rx != 0)
                operations.row(
                    {opcode_word(operation.opcode), grouped(operation.tx), grouped(operation.rx)});
        operations.aligned(out, colour, 2);
        if (!operations.empty())
            out << '\n';

        Table values({"counter", "value", "trouble"});
        for (const Counter &counter : set.counters) {
            if (counter.value == 0 && !all)
                continue;
            values.row({printable(counter.name),
                        grouped(counter.value),
                        {counter.trouble() ? printable(counter.meaning()) : "", Colour::warning}});
        }
        values.aligned(out, colour, 2);
        if (operations.empty() && values.empty())
            out << "  all counters are zero\n";
    }
}

void capabilities(std::ostream &out, const Report &report, bool colour) {
    if (!report.capabilities || report.capabilities->empty()) {
        out << "no devices\n";
        return;
    }
    bool first = true;
    for (const CapabilitySet &set : *report.capabilities) {
        if (!first)
            out << '\n';
        first = false;
        const std::string name = printable(set.device.name);
        fmt::print(
            out, "{}\n",
            paint(set.qpn ? fmt::format("{} QP {}", name, *set.qpn) : name, Colour::bold, colour));

        Table table({"capability", "local", "offered", "peer", "agreed", "how known"});
        const auto cell = [](uint64_t id, const Maybe &value) {
            return value ? capability_value_word(id, *value) : std::string();
        };
        for (const Capability &c : set.entries)
            table.row({spaced(capability_word(c.id)),
                       cell(c.id, c.local),
                       cell(c.id, c.offered),
                       cell(c.id, c.peer),
                       {cell(c.id, c.agreed), Colour::bold},
                       {c.known ? known_word(*c.known) : "",
                        c.known == XIW_NL_KNOWN_REFUSED ? Colour::bad : Colour::plain}});
        table.aligned(out, colour, 2);
    }
}

void config(std::ostream &out, const Report &report, bool colour) {
    if (!report.config || report.config->empty()) {
        out << "no devices\n";
        return;
    }
    bool first = true;
    for (const ConfigSet &set : *report.config) {
        if (!first)
            out << '\n';
        first = false;
        heading(out, set.device, colour);

        Table table({"setting", "value", "meaning"});
        for (const Configured &value : set.settings)
            if (const Setting *setting = find_setting(value.id))
                table.row({std::string(setting->key), setting->word(value.value),
                           std::string(setting->help)});
        table.aligned(out, colour, 2);
    }
}

void explanations(std::ostream &out, const Report &report, bool colour) {
    const char *gap = "";
    if (!report.explanations)
        return;
    for (const Explanation &e : *report.explanations) {
        fmt::print(out, "{}{}  {}{}\n", gap, paint(e.subject, Colour::bold, colour), e.kind,
                   e.source.empty() ? "" : ", " + e.source);
        line(out, "means", e.meaning);
        line(out, "here", e.effect);
        line(out, "check", e.advice);
        gap = "\n";
    }
}

void findings(std::ostream &out, const Report &report, bool colour) {
    constexpr Colour colours[] = {Colour::good, Colour::warning, Colour::bad};
    if (!report.findings)
        return;
    for (const doctor::Finding &f : *report.findings) {
        fmt::print(
            out, "{}  {:<10} {}\n",
            paint(doctor::verdict_word(f.verdict), colours[static_cast<int>(f.verdict)], colour),
            f.check, printable(f.text));
        if (!f.fix.empty())
            fmt::print(out, "      {:<10} {}\n", "", printable(f.fix));
    }
}

} // namespace xiw::render
