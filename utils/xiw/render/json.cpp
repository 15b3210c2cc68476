// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "model/faults.hpp"
#include "model/histogram.hpp"
#include "model/notice.hpp"
#include "model/settings.hpp"
#include "model/summary.hpp"
#include "model/words.hpp"
#include "render/render.hpp"
#include "render/tables.hpp"
#include "util.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <linux/xiw.h>
#include <nlohmann/json.hpp>

namespace xiw::render {

namespace {

// Keeps the order of keys.
using Json = nlohmann::ordered_json;

Json number(const Maybe &value) {
    return value ? Json(*value) : Json();
}

Json boolean(const Maybe &value) {
    return value ? Json(*value != 0) : Json();
}

Json word(const Maybe &value, std::string (*words)(uint64_t)) {
    return value ? Json(words(*value)) : Json();
}

Json text(const std::string &value) {
    return value.empty() ? Json() : Json(value);
}

Json numbered(const std::vector<Numbered> &list, std::string (*words)(uint64_t)) {
    Json object = Json::object();
    for (const Numbered &entry : list)
        object[words(entry.id)] = entry.value;
    return object;
}

template <typename Item>
Json array(const std::vector<Item> &list, Json (*element)(const Item &)) {
    Json items = Json::array();
    for (const Item &item : list)
        items.push_back(element(item));
    return items;
}

Json device(const Device &device) {
    return {
        {"device", device.ref.name},
        {"index", device.ref.index},
        {"kind", word(device.kind, kind_word)},
        {"netdev", text(device.ifname)},
        {"ifindex", number(device.ifindex)},
        {"state", word(device.state, device_state_word)},
        {"driver_version", text(device.version)},
        {"limits", numbered(device.limits, limit_word)},
        {"objects", numbered(device.objects, object_word)},
    };
}

// Flags as true and false, numbers as numbers, sets and scopes in words.
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

Json capability(const Capability &capability) {
    return {
        {"capability", capability_word(capability.id)},
        {"local", capability_value(capability.id, capability.local)},
        {"offered", capability_value(capability.id, capability.offered)},
        {"peer", capability_value(capability.id, capability.peer)},
        {"agreed", capability_value(capability.id, capability.agreed)},
        {"known", word(capability.known, known_word)},
    };
}

Json capability_set(const CapabilitySet &set) {
    return {
        {"device", set.device.name},
        {"index", set.device.index},
        {"qpn", number(set.qpn)},
        {"entries", array(set.entries, capability)},
    };
}

Json address(const std::optional<Address> &address) {
    if (!address || address->host.empty())
        return nullptr;
    return {{"address", address->host}, {"port", address->port}};
}

Json frame(const std::optional<MpaFrame> &frame) {
    if (!frame)
        return nullptr;
    const auto flag = [&frame](uint64_t bit) {
        return frame->flags ? Json((*frame->flags & bit) != 0) : Json();
    };
    return {
        {"revision", number(frame->revision)},
        {"markers", flag(XIW_NL_MPA_FLAG_MARKERS)},
        {"crc", flag(XIW_NL_MPA_FLAG_CRC)},
        {"reject", flag(XIW_NL_MPA_FLAG_REJECT)},
        {"enhanced", flag(XIW_NL_MPA_FLAG_ENHANCED)},
        {"peer_to_peer", flag(XIW_NL_MPA_FLAG_PEER_TO_PEER)},
        {"rtr_send", flag(XIW_NL_MPA_FLAG_RTR_SEND)},
        {"rtr_write", flag(XIW_NL_MPA_FLAG_RTR_WRITE)},
        {"rtr_read", flag(XIW_NL_MPA_FLAG_RTR_READ)},
        {"ird", number(frame->ird)},
        {"ord", number(frame->ord)},
        {"private_length", number(frame->private_length)},
    };
}

Json terminate(const Connection &connection) {
    if (!connection.terminate)
        return nullptr;
    const uint64_t cause = *connection.terminate;
    return {
        {"origin", word(connection.terminate_origin, origin_word)},
        {"layer", cause >> 12 & 0xf},
        {"type", cause >> 8 & 0xf},
        {"code", cause & 0xff},
        {"text", terminate_word(static_cast<uint16_t>(cause))},
    };
}

Json operation(const Operation &operation) {
    return {
        {"opcode", operation.opcode},
        {"operation", opcode_word(operation.opcode)},
        {"sent", operation.tx},
        {"received", operation.rx},
    };
}

Json operation_bytes(const Operation &one) {
    Json object = operation(one);
    object["sent_bytes"] = number(one.tx_bytes);
    object["received_bytes"] = number(one.rx_bytes);
    return object;
}

Json tcp(const std::optional<Tcp> &tcp) {
    if (!tcp)
        return nullptr;
    return {
        {"rtt_us", number(tcp->rtt)},
        {"rtt_var_us", number(tcp->rtt_var)},
        {"mss", number(tcp->mss)},
        {"cwnd", number(tcp->cwnd)},
        {"peer_window", number(tcp->peer_window)},
        {"retransmits", number(tcp->retransmits)},
        {"tx_queue", number(tcp->tx_queue)},
        {"rx_queue", number(tcp->rx_queue)},
    };
}

Json connection(const Connection &connection) {
    return {
        {"device", connection.device.name},
        {"index", connection.device.index},
        {"qpn", number(connection.qpn)},
        {"cm_id", number(connection.cm_id)},
        {"role", word(connection.role, role_word)},
        {"mpa_state", word(connection.mpa_state, mpa_state_word)},
        {"stream_state", word(connection.stream_state, stream_state_word)},
        {"local", address(connection.local)},
        {"remote", address(connection.remote)},
        {"mpa_revision", number(connection.mpa_revision)},
        {"crc", boolean(connection.crc)},
        {"markers_tx", boolean(connection.markers_tx)},
        {"markers_rx", boolean(connection.markers_rx)},
        {"rtr", word(connection.rtr, rtr_word)},
        {"mulpdu", number(connection.mulpdu)},
        {"ird", number(connection.ird)},
        {"ord", number(connection.ord)},
        {"ird_used", number(connection.ird_used)},
        {"ord_used", number(connection.ord_used)},
        {"frame_sent", frame(connection.frame_sent)},
        {"frame_received", frame(connection.frame_received)},
        {"tx_bytes", number(connection.tx_bytes)},
        {"rx_bytes", number(connection.rx_bytes)},
        {"parked", connection.parked},
        {"terminate", terminate(connection)},
        {"sq_depth", number(connection.sq_depth)},
        {"sq_used", number(connection.sq_used)},
        {"rq_depth", number(connection.rq_depth)},
        {"rq_used", number(connection.rq_used)},
        {"operations", array(connection.operations, operation_bytes)},
        {"tcp", tcp(connection.tcp)},
    };
}

Json counter_set(const CounterSet &set) {
    return {
        {"device", set.device.name},
        {"index", set.device.index},
        {"counters", numbered(set.counters, counter_word)},
        {"operations", array(set.operations, operation)},
    };
}

Json config_set(const ConfigSet &set) {
    Json values = Json::object();
    for (const Numbered &value : set.settings) {
        const Setting *setting = find_setting(value.id);
        if (setting == nullptr)
            continue;
        std::string key(setting->key);
        std::ranges::replace(key, '-', '_');
        switch (setting->shape) {
        case Setting::Shape::flag:
            values[key] = value.value != 0;
            break;
        case Setting::Shape::rtr:
            values[key] = setting->word(value.value);
            break;
        case Setting::Shape::milliseconds:
        case Setting::Shape::limit:
            values[key + "_ms"] = value.value;
            break;
        case Setting::Shape::number:
        case Setting::Shape::octets:
            values[key] = value.value;
            break;
        }
    }
    return {
        {"device", set.device.name},
        {"index", set.device.index},
        {"settings", values},
    };
}

Json bucket(size_t n, uint64_t count) {
    return {{"below_ns", uint64_t{1} << n}, {"count", count}};
}

Json histogram(const Histogram &histogram) {
    Json buckets = Json::array();
    for (size_t n = 0; n < histogram.counts.size(); n++)
        if (histogram.counts[n] != 0)
            buckets.push_back(bucket(n, histogram.counts[n]));
    return {
        {"operation", latency_word(histogram.operation)},
        {"count", total(histogram)},
        {"sum_ns", histogram.sum},
        {"buckets", buckets},
    };
}

Json latency_set(const LatencySet &set) {
    return {
        {"device", set.device.name},
        {"index", set.device.index},
        {"measuring", boolean(set.on)},
        {"operations", array(set.histograms, histogram)},
    };
}

Json ring(const Ring &ring) {
    return {
        {"ring", ring_word(ring.kind)},
        {"vector", number(ring.vector)},
        {"size", number(ring.size)},
        {"in_use", number(in_use(ring))},
        {"not_taken", number(not_taken(ring))},
        {"done", number(ring.done)},
        {"given", number(ring.given)},
        {"posted", number(ring.posted)},
    };
}

Json ring_set(const RingSet &set) {
    Json registers = Json::object();
    for (const Register &one : set.registers)
        registers[one.name] = one.value;
    return {
        {"device", set.device.name},    {"index", set.device.index},
        {"qpn", number(set.qpn)},       {"vector", number(set.vector)},
        {"stream", number(set.stream)}, {"rings", array(set.rings, ring)},
        {"registers", registers},
    };
}

Json fault(const Fault &fault) {
    return {
        {"fault", fault_word(fault.kind)}, {"qpn", number(fault.qpn)},
        {"at", number(fault.at)},          {"every", number(fault.every)},
        {"count", number(fault.count)},    {"time_ms", number(fault.time)},
        {"octets", number(fault.octets)},  {"seen", number(fault.seen)},
        {"hits", number(fault.hits)},
    };
}

Json fault_set(const FaultSet &set) {
    return {
        {"device", set.device.name},
        {"index", set.device.index},
        {"armed", array(set.armed, fault)},
    };
}

// Null without an earlier value.
void put_flow(Json &object, const std::string &name, const Flow &flow) {
    object["tx_" + name + "_per_s"] = number(flow.tx);
    object["rx_" + name + "_per_s"] = number(flow.rx);
}

Json device_rate(const DeviceRate &rate) {
    Json object{{"device", rate.device.name},
                {"index", rate.device.index},
                {"netdev", text(rate.ifname)},
                {"state", word(rate.state, device_state_word)},
                {"connections", rate.connections}};
    put_flow(object, "bytes", rate.octets);
    put_flow(object, "pkts", rate.fpdus);
    put_flow(object, "messages", rate.messages);
    object["trouble"] = number(rate.trouble);
    return object;
}

Json connection_rate(const ConnectionRate &rate) {
    const Connection &connection = rate.connection;
    Json object{{"device", connection.device.name},   {"index", connection.device.index},
                {"qpn", number(connection.qpn)},      {"role", word(connection.role, role_word)},
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

Json octets(const std::vector<uint8_t> &list) {
    if (list.empty())
        return nullptr;
    std::string text;
    for (const uint8_t octet : list)
        text += fmt::format("{:02x}", octet);
    return text;
}

Json notice_terminate(const Notice &notice) {
    if (!notice.terminate)
        return nullptr;
    const uint64_t cause = *notice.terminate;
    return {
        {"layer", cause >> 12 & 0xf},
        {"type", cause >> 8 & 0xf},
        {"code", cause & 0xff},
        {"text", terminate_word(static_cast<uint16_t>(cause))},
        {"segment_length", number(notice.segment_length)},
        {"ddp_header", octets(notice.ddp_header)},
        {"rdma_header", octets(notice.rdma_header)},
        {"hidden", notice.hidden},
        {"about", text(notice_header_text(notice))},
    };
}

Json record(const Record &record) {
    const auto header = parse_segment_header(record.ddp_header);
    return {
        {"age_ns", number(record.age)},
        {"direction", record.sent ? "sent" : "received"},
        {"message", record.message},
        {"opcode", header ? Json(header->opcode) : Json()},
        {"operation", header ? Json(opcode_word(header->opcode)) : Json()},
        {"length", number(record.length)},
        {"ddp_header", octets(record.ddp_header)},
        {"hidden", record.hidden},
        {"text", record_text(record)},
    };
}

Json notice(const Notice &notice) {
    return {
        {"device", notice.device.name},
        {"index", notice.device.index},
        {"kind", word(notice.kind, notice_kind_word)},
        {"number", number(notice.number)},
        {"time_ns", number(notice.time)},
        {"time", notice.time ? Json(time_text(*notice.time)) : Json()},
        {"origin", word(notice.origin, origin_word)},
        {"qpn", number(notice.qpn)},
        {"cm_id", number(notice.cm_id)},
        {"role", word(notice.role, role_word)},
        {"local", address(notice.local)},
        {"remote", address(notice.remote)},
        {"terminate", notice_terminate(notice)},
        {"errno", number(notice.error)},
        {"from", word(notice.from, stream_state_word)},
        {"to", word(notice.to, stream_state_word)},
        {"text", notice_text(notice)},
        {"advice", text(notice_advice(notice))},
        {"records", array(notice.records, record)},
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
    const auto sum = summarize(trips.nanoseconds);
    const auto of = [&sum](uint64_t Summary::*member) {
        return sum ? Json((*sum).*member) : Json();
    };
    return {
        {"operation", trips.operation},      {"octets", trips.octets},
        {"count", trips.nanoseconds.size()}, {"wrong", trips.wrong},
        {"min_ns", of(&Summary::min)},       {"p50_ns", of(&Summary::p50)},
        {"p99_ns", of(&Summary::p99)},       {"max_ns", of(&Summary::max)},
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
        root["devices"] = array(*report.devices, device);
    if (report.capabilities)
        root["capabilities"] = array(*report.capabilities, capability_set);
    if (report.connections)
        root["connections"] = array(*report.connections, connection);
    if (report.counters)
        root["counters"] = array(*report.counters, counter_set);
    if (report.config)
        root["config"] = array(*report.config, config_set);
    if (report.latency)
        root["latency"] = array(*report.latency, latency_set);
    if (report.rings)
        root["rings"] = array(*report.rings, ring_set);
    if (report.faults)
        root["faults"] = array(*report.faults, fault_set);
    if (report.activity)
        root["rates"] = activity_of(*report.activity);
    if (report.notices)
        root["notices"] = array(*report.notices, notice);
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

// Names from the kernel are arbitrary bytes: replace invalid UTF-8 instead of throwing.
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
