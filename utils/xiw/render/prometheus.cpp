// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The text format of Prometheus, which the textfile collector of its node exporter also reads. All
// samples of a metric follow its HELP and TYPE.
#include "model/words.hpp"
#include "render/render.hpp"
#include "render/table.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <linux/xiw.h>

namespace xiw::render {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd"; // U+FFFD

// Escape newlines, and the characters in `special`, with a backslash. Replace invalid UTF-8,
// because Prometheus refuses all samples of an exposition that is not UTF-8.
std::string escaped(std::string_view value, std::string_view special) {
    std::string text;
    while (!value.empty()) {
        const size_t valid = utf8_octets(value);
        const std::string_view next = value.substr(0, std::max<size_t>(valid, 1));
        if (special.find(next) != std::string_view::npos)
            text += '\\';
        if (next == "\n")
            text += "\\n";
        else
            text += valid != 0 ? next : replacement;
        value.remove_prefix(next.size());
    }
    return text;
}

std::string label(std::string_view name, std::string_view value) {
    return fmt::format("{}=\"{}\"", name, escaped(value, "\\\""));
}

void metric(std::ostream &out, std::string_view name, std::string_view type,
            std::string_view help) {
    fmt::print(out, "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void devices(std::ostream &out, const std::vector<Device> &list) {
    metric(out, "xiw_device_info", "gauge", "a device; always 1");
    for (const Device &d : list)
        fmt::print(out, "xiw_device_info{{{},{},{},{}}} 1\n", label("device", d.ref.name),
                   label("netdev", d.ifname), label("kind", d.kind ? kind_word(*d.kind) : ""),
                   label("version", d.version));
    metric(out, "xiw_device_up", "gauge", "1 if the device can carry traffic");
    for (const Device &d : list)
        fmt::print(out, "xiw_device_up{{{}}} {}\n", label("device", d.ref.name),
                   d.state == XIW_NL_DEVICE_STATE_ACTIVE ? 1 : 0);
    metric(out, "xiw_device_failed", "gauge", "1 if the RNIC has failed");
    for (const Device &d : list)
        fmt::print(out, "xiw_device_failed{{{}}} {}\n", label("device", d.ref.name),
                   d.state == XIW_NL_DEVICE_STATE_FAILED ? 1 : 0);
    metric(out, "xiw_objects", "gauge", "objects in use, by kind");
    for (const Device &d : list)
        for (const Numbered &object : d.objects)
            fmt::print(out, "xiw_objects{{{},{}}} {}\n", label("device", d.ref.name),
                       label("object", object_word(object.id)), object.value);
}

// Returns true if the name can be a part of a metric's name.
bool fits(const std::string &name) {
    return std::ranges::all_of(
        name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

void counters(std::ostream &out, const std::vector<CounterSet> &list) {
    if (list.empty())
        return;
    // All devices have the same driver, so they have the same counters. Take the names of the
    // counters from the first device.
    for (const Counter &counter : list.front().counters) {
        if (!fits(counter.name))
            continue;
        const std::string name = fmt::format("xiw_{}_total", counter.name);
        metric(out, name, "counter", escaped(counter.meaning(), "\\"));
        for (const CounterSet &set : list)
            if (const Maybe value = set.value(counter.name))
                fmt::print(out, "{}{{{}}} {}\n", name, label("device", set.device.name), *value);
    }
}

void messages(std::ostream &out, const std::vector<CounterSet> &list) {
    metric(out, "xiw_messages_total", "counter", "RDMAP messages, by operation and direction");
    for (const CounterSet &set : list)
        for (const Operation &operation : set.operations) {
            const std::string labels =
                fmt::format("{},{}", label("device", set.device.name),
                            label("operation", opcode_word(operation.opcode)));
            fmt::print(out, "xiw_messages_total{{{},direction=\"sent\"}} {}\n", labels,
                       operation.tx);
            fmt::print(out, "xiw_messages_total{{{},direction=\"received\"}} {}\n", labels,
                       operation.rx);
        }
}

} // namespace

void prometheus(std::ostream &out, const Report &report) {
    if (report.devices)
        devices(out, *report.devices);
    if (report.counters) {
        counters(out, *report.counters);
        messages(out, *report.counters);
    }
}

} // namespace xiw::render
