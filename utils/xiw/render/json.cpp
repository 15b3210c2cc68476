// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/settings.hpp"
#include "model/summary.hpp"
#include "model/words.hpp"
#include "render/render.hpp"
#include "render/tables.hpp"
#include "util.hpp"

#include <algorithm>
#include <ostream>

#include <linux/xiw.h>
#include <nlohmann/json.hpp>

namespace xiw::render {

namespace {

// A JSON type that keeps the order of keys.
using Json = nlohmann::ordered_json;

Json json_number(const Maybe &value) {
    return value ? Json(*value) : Json();
}

Json json_word(const Maybe &value, std::string (*words)(uint64_t)) {
    return value ? Json(words(*value)) : Json();
}

Json text(const std::string &value) {
    return value.empty() ? Json() : Json(value);
}

template <typename Item>
Json array(const std::vector<Item> &list, Json (*element)(const Item &)) {
    Json items = Json::array();
    for (const Item &item : list)
        items.push_back(element(item));
    return items;
}

// Represent flags as true and false, numbers as numbers, and sets and scopes as words.
Json capability_value(uint64_t id, const Maybe &value) {
    if (!value)
        return nullptr;
    const CapabilityShape shape = capability_shape(id);
    if (shape == CapabilityShape::number)
        return *value;
    if (shape == CapabilityShape::flag && *value <= 1)
        return *value == 1;
    return capability_value_word(id, *value);
}

Json address(const std::optional<Address> &address) {
    if (!address || address->host.empty())
        return nullptr;
    return {{"address", address->host}, {"port", address->port}};
}

Json octets(const std::vector<uint8_t> &list) {
    return list.empty() ? Json() : Json(hex_word(list));
}

template <typename Object>
Json object(const Object &value);

// Writes the values of an object into a JSON object, row by row.
template <typename Object>
class Writer {
  public:
    Writer(const Object &object, Json &json) : object_(object), json_(json) {}

    template <typename Value, typename Base>
    void operator()(const Field &field, Value Base::*member) {
        if (field.json)
            put(field, object_.*member);
    }
    template <typename Value, typename Base>
    void operator()(const Field &field, Value (*function)(const Base &)) {
        if (field.json)
            put(field, function(object_));
    }
    void column(const char *, const auto &...) {}

  private:
    void put(const Field &, const DeviceRef &value) {
        json_["device"] = value.name;
        json_["index"] = value.index;
    }
    template <typename Value>
    void put(const Field &field, const Value &value) {
        json_[field.key] = shown(field, value);
    }

    static Json shown(const Field &field, uint64_t value) {
        if (field.as == Field::As::flag)
            return value != 0;
        return field.words != nullptr ? Json(field.words(value)) : Json(value);
    }
    static Json shown(const Field &field, const Maybe &value) {
        return value ? shown(field, *value) : Json();
    }
    static Json shown(const Field &, uint8_t value) { return value; }
    static Json shown(const Field &, bool value) { return value; }
    static Json shown(const Field &field, const std::string &value) {
        return field.always ? Json(value) : text(value);
    }
    static Json shown(const Field &, const std::optional<Address> &value) { return address(value); }
    static Json shown(const Field &, const std::vector<uint8_t> &value) { return octets(value); }
    static Json shown(const Field &, const std::vector<uint64_t> &) { return nullptr; } // not shown
    static Json shown(const Field &, const CapabilityValue &value) {
        return capability_value(value.id, value.value);
    }
    static Json shown(const Field &field, const std::vector<Numbered> &value) {
        Json members = Json::object();
        for (const Numbered &entry : value)
            members[field.words(entry.id)] = entry.value;
        return members;
    }
    template <Named Entry>
    static Json shown(const Field &, const std::vector<Entry> &value) {
        Json members = Json::object();
        for (const Entry &entry : value)
            members[entry.name] = entry.value;
        return members;
    }
    template <typename Part>
    static Json shown(const Field &, const std::optional<Part> &value) {
        return value ? object(*value) : Json();
    }
    template <typename Part>
    static Json shown(const Field &, const std::vector<Part> &value) {
        Json items = Json::array();
        for (const Part &part : value)
            items.push_back(object(part));
        return items;
    }

    const Object &object_;
    Json &json_;
};

template <typename Object>
Json object(const Object &value) {
    Json json = Json::object();
    Writer<Object> writer(value, json);
    Object::fields(writer);
    return json;
}

Json config_set(const ConfigSet &set) {
    Json values = Json::object();
    for (const Configured &value : set.settings) {
        const Setting *setting = find_setting(value.id);
        if (setting == nullptr)
            continue;
        std::string key(setting->key);
        std::ranges::replace(key, '-', '_');
        switch (setting->shape) {
        case Setting::Shape::flag:
            values[key] = std::get<uint64_t>(value.value) != 0;
            break;
        case Setting::Shape::rtr:
        case Setting::Shape::name:
        case Setting::Shape::choice:
            values[key] = setting->word(value.value);
            break;
        case Setting::Shape::milliseconds:
        case Setting::Shape::limit:
            values[key + "_ms"] = std::get<uint64_t>(value.value);
            break;
        case Setting::Shape::number:
        case Setting::Shape::octets:
            values[key] = std::get<uint64_t>(value.value);
            break;
        }
    }
    return {
        {"device", set.device.name},
        {"index", set.device.index},
        {"settings", values},
    };
}

// A rate is null if there is no earlier value.
void put_flow(Json &object, const std::string &name, const Flow &flow) {
    object["tx_" + name + "_per_s"] = json_number(flow.tx);
    object["rx_" + name + "_per_s"] = json_number(flow.rx);
}

Json device_rate(const DeviceRate &rate) {
    Json object{{"device", rate.device.name},
                {"index", rate.device.index},
                {"netdev", text(rate.ifname)},
                {"state", json_word(rate.state, device_state_word)},
                {"connections", rate.connections}};
    put_flow(object, "bytes", rate.octets);
    put_flow(object, "pkts", rate.fpdus);
    put_flow(object, "messages", rate.messages);
    object["trouble"] = json_number(rate.trouble);
    return object;
}

Json connection_rate(const ConnectionRate &rate) {
    const Connection &connection = rate.connection;
    Json object{
        {"device", connection.device.name},   {"index", connection.device.index},
        {"qpn", json_number(connection.qpn)}, {"role", json_word(connection.role, role_word)},
        {"local", address(connection.local)}, {"remote", address(connection.remote)}};
    put_flow(object, "bytes", rate.octets);
    return object;
}

Json activity_of(const Activity &activity) {
    return {
        {"interval_ns", activity.interval},
        {"devices", array(activity.devices, device_rate)},
        {"connections", array(activity.connections, connection_rate)},
    };
}

Json explanation(const Explanation &explanation) {
    return {
        {"subject", explanation.subject},     {"kind", explanation.kind},
        {"meaning", explanation.meaning},     {"source", text(explanation.source)},
        {"effect", text(explanation.effect)}, {"advice", text(explanation.advice)},
    };
}

Json finding(const doctor::Finding &finding) {
    return {
        {"check", finding.check},
        {"verdict", doctor::verdict_word(finding.verdict)},
        {"text", finding.text},
        {"fix", text(finding.fix)},
    };
}

Json round_trips(const RoundTrips &trips) {
    const auto sum = trips.nanoseconds.summary();
    const auto of = [&sum](uint64_t Summary::*member) {
        return sum ? Json((*sum).*member) : Json();
    };
    return {
        {"operation", trips.operation},       {"octets", trips.octets},
        {"count", trips.nanoseconds.count()}, {"wrong", trips.wrong},
        {"min_ns", of(&Summary::min)},        {"p50_ns", of(&Summary::p50)},
        {"p99_ns", of(&Summary::p99)},        {"max_ns", of(&Summary::max)},
    };
}

Json missing(const Missing &missing) {
    return {{"operation", missing.operation}, {"why", missing.why}};
}

Json ping(const Ping &ping) {
    return {
        {"host", ping.host},
        {"address", ping.address},
        {"port", ping.port},
        {"device", ping.device},
        {"operations", array(ping.operations, round_trips)},
        {"missing", array(ping.missing, missing)},
    };
}

Json test_case(const TestCase &one) {
    return {{"case", one.name}, {"verdict", verdict_word(one.verdict)}, {"text", one.text}};
}

Json selftest(const Selftest &selftest) {
    return {{"device", selftest.device}, {"cases", array(selftest.cases, test_case)}};
}

Json whole(const Report &report) {
    Json root = {
        {"schema", json_schema},
        {"version", version},
        {"consistent", report.consistent},
    };
    if (report.devices)
        root["devices"] = array(*report.devices, object<Device>);
    if (report.capabilities)
        root["capabilities"] = array(*report.capabilities, object<CapabilitySet>);
    if (report.connections)
        root["connections"] = array(*report.connections, object<Connection>);
    if (report.counters)
        root["counters"] = array(*report.counters, object<CounterSet>);
    if (report.config)
        root["config"] = array(*report.config, config_set);
    if (report.latency)
        root["latency"] = array(*report.latency, object<LatencySet>);
    if (report.rings)
        root["rings"] = array(*report.rings, object<RingSet>);
    if (report.injections)
        root["injections"] = array(*report.injections, object<InjectionSet>);
    if (report.activity)
        root["rates"] = activity_of(*report.activity);
    if (report.notices)
        root["notices"] = array(*report.notices, object<Notice>);
    if (report.explanations)
        root["explanations"] = array(*report.explanations, explanation);
    if (report.findings)
        root["findings"] = array(*report.findings, finding);
    if (report.ping)
        root["ping"] = ping(*report.ping);
    if (report.selftest)
        root["selftest"] = selftest(*report.selftest);
    if (report.lost)
        root["lost"] = *report.lost;
    return root;
}

// Names from the kernel are arbitrary bytes. Replace invalid UTF-8 instead of throwing an
// exception.
void print(std::ostream &out, const Report &report, int indent) {
    out << whole(report).dump(indent, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace

void json(std::ostream &out, const Report &report) {
    print(out, report, 2);
}

void json_line(std::ostream &out, const Report &report) {
    print(out, report, -1);
}

} // namespace xiw::render
