// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "render/tables.hpp"

#include "model/settings.hpp"
#include "model/words.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw::render {

std::string number(const Maybe &value) {
    return value ? std::to_string(*value) : "";
}

namespace {

std::string word(const Maybe &value, std::string (*words)(uint64_t)) {
    return value ? words(*value) : "";
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
        return connection.port_taken ? "port taken" : "listening";
    // During negotiation and close, show the MPA state. It is more specific than the stream state.
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
    if (connection.parked || connection.port_taken)
        return Colour::warning;
    if (connection.mpa_state == XIW_NL_MPA_STATE_FULL)
        return Colour::good;
    return Colour::plain;
}

std::string frame_word(const MpaFrame &frame) {
    std::string words = fmt::format("rev {}", frame.revision ? number(frame.revision) : "?");
    const auto flag = [&words](const Maybe &on, std::string_view word) {
        if (on.value_or(0) != 0)
            words += fmt::format(" {}", word);
    };
    const auto value = [&words](std::string_view word, const Maybe &content) {
        if (content)
            words += fmt::format(" {} {}", word, *content);
    };

    flag(frame.reject, "reject");
    flag(frame.crc, "crc");
    flag(frame.markers, "markers");
    value("private", frame.private_length);
    flag(frame.enhanced, "enhanced");
    value("ird", frame.ird);
    value("ord", frame.ord);
    flag(frame.peer_to_peer, "peer-to-peer");
    flag(frame.rtr_write, "rtr-write");
    flag(frame.rtr_read, "rtr-read");
    flag(frame.rtr_send, "rtr-send");
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

namespace {

// Format a value for a column.
std::string shown(const Field &field, uint64_t value) {
    switch (field.as) {
    case Field::As::flag:
        return value != 0 ? "on" : "off";
    case Field::As::hex:
        return fmt::format("{:#06x}", value);
    default:
        return field.words != nullptr ? field.words(value) : std::to_string(value);
    }
}
std::string shown(const Field &field, const Maybe &value) {
    return value ? shown(field, *value) : "";
}
std::string shown(const Field &, bool value) {
    return value ? "yes" : "no";
}
std::string shown(const Field &, const std::string &value) {
    return printable(value);
}
std::string shown(const Field &, const DeviceRef &value) {
    return printable(value.name);
}
std::string shown(const Field &, const std::optional<Address> &value) {
    return address_word(value);
}
std::string shown(const Field &, const CapabilityValue &value) {
    return value.value ? capability_value_word(value.id, *value.value) : "";
}
// Values of all other types have no columns.
template <typename Value>
std::string shown(const Field &, const Value &) {
    return {};
}

// The type of the objects in a list; void for other values.
template <typename Value>
struct ObjectOf {
    using Type = void;
};
template <typename Object>
struct ObjectOf<std::vector<Object>> {
    using Type = Object;
};

template <typename Object>
class ScriptHeadings {
  public:
    explicit ScriptHeadings(std::vector<std::string> &list) : list_(list) {}

    template <typename Value, typename Base>
    void operator()(const Field &field, Value Base::*) {
        heading<Value>(field);
    }
    template <typename Value, typename Base>
    void operator()(const Field &field, Value (*)(const Base &)) {
        heading<Value>(field);
    }
    void column(const char *, const auto &...) {}

  private:
    template <typename Value>
    void heading(const Field &field) {
        if (!field.script)
            return;
        if constexpr (requires { ObjectOf<Value>::Type::fields(*this); }) {
            ScriptHeadings<typename ObjectOf<Value>::Type> inner(list_);
            ObjectOf<Value>::Type::fields(inner);
        } else {
            list_.emplace_back(field.heading != nullptr ? field.heading : field.key);
        }
    }

    std::vector<std::string> &list_;
};

// The cells of an object. If a list of the object has columns (row::lines()), the object has one
// line for each element of that list.
template <typename Object>
class ScriptLine {
  public:
    ScriptLine(const Object &object, std::vector<Cell> cells, Table &table)
        : object_(object), cells_(std::move(cells)), table_(table) {}

    template <typename Value, typename Base>
    void operator()(const Field &field, Value Base::*member) {
        if (field.script)
            add(field, object_.*member);
    }
    template <typename Value, typename Base>
    void operator()(const Field &field, Value (*function)(const Base &)) {
        if (field.script)
            add(field, function(object_));
    }
    void column(const char *, const auto &...) {}
    void end() {
        if (!nested_)
            table_.row(cells_);
    }

  private:
    template <typename Value>
    void add(const Field &field, const Value &value) {
        if constexpr (requires { ObjectOf<Value>::Type::fields(*this); }) {
            nested_ = true;
            for (const auto &one : value)
                line(one, cells_, table_);
        } else {
            cells_.emplace_back(shown(field, value));
        }
    }
    template <typename Inner>
    static void line(const Inner &object, const std::vector<Cell> &cells, Table &table) {
        ScriptLine<Inner> inner(object, cells, table);
        Inner::fields(inner);
        inner.end();
    }

    const Object &object_;
    std::vector<Cell> cells_;
    Table &table_;
    bool nested_ = false;
};

template <typename Object>
Table script_table(const std::vector<Object> &list) {
    std::vector<std::string> headings;
    ScriptHeadings<Object> visit(headings);
    Object::fields(visit);
    Table table(headings);
    for (const Object &object : list) {
        ScriptLine<Object> line(object, {}, table);
        Object::fields(line);
        line.end();
    }
    return table;
}

// The columns for people: their headings, and the cells of one object.
template <typename Object>
class PeopleColumns {
  public:
    explicit PeopleColumns(const Object &object) : object_(object) {}

    template <typename Value, typename Base>
    void operator()(const Field &field, Value Base::*member) {
        if (field.people == nullptr)
            return;
        headings.emplace_back(field.people);
        usual.emplace_back();
        cells.emplace_back(shown(field, object_.*member));
    }
    template <typename Value, typename Base>
    void operator()(const Field &, Value (*)(const Base &)) {}
    void column(const char *heading, Cell (*cell)(const Object &),
                std::string_view usual_text = {}) {
        headings.emplace_back(heading);
        usual.push_back(usual_text);
        cells.push_back(cell(object_));
    }

    std::vector<std::string> headings;
    std::vector<std::string_view> usual; // for each column, the text of rows of no interest
    std::vector<Cell> cells;

  private:
    const Object &object_;
};

template <typename Object>
Table people_table(const std::vector<Object> &list) {
    const Object none;
    PeopleColumns<Object> columns_of_none(none);
    Object::fields(columns_of_none);
    Table table(columns_of_none.headings);
    std::vector<std::vector<Cell>> rows;
    for (const Object &object : list) {
        PeopleColumns<Object> columns(object);
        Object::fields(columns);
        rows.push_back(std::move(columns.cells));
    }
    // Empty each column that contains only its usual text. The table omits empty columns.
    for (size_t i = 0; i < columns_of_none.usual.size(); i++) {
        const std::string_view usual = columns_of_none.usual[i];
        const bool of_interest = std::ranges::any_of(rows, [i, usual](const auto &row) {
            return !row[i].text.empty() && row[i].text != usual;
        });
        if (!of_interest)
            for (std::vector<Cell> &row : rows)
                row[i] = "";
    }
    for (std::vector<Cell> &row : rows)
        table.row(std::move(row));
    return table;
}

} // namespace

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
    return reader == Reader::people ? people_table(list) : script_table(list);
}

Table counter_table(const std::vector<CounterSet> &list) {
    Table table({"device", "counter", "value"});
    for (const CounterSet &set : list) {
        const std::string device = printable(set.device.name);
        for (const Counter &counter : set.counters)
            table.row({device, printable(counter.name), std::to_string(counter.value)});
        for (const Operation &operation : set.operations) {
            const std::string name = opcode_word(operation.opcode);
            table.row({device, "sent: " + name, std::to_string(operation.tx)});
            table.row({device, "received: " + name, std::to_string(operation.rx)});
        }
    }
    return table;
}

Table capability_table(const std::vector<CapabilitySet> &list) {
    return script_table(list);
}

Table ring_table(const std::vector<RingSet> &list) {
    return script_table(list);
}

Table injection_table(const std::vector<InjectionSet> &list) {
    return script_table(list);
}

Table notice_table(const std::vector<Notice> &list) {
    return script_table(list);
}

Table config_table(const std::vector<ConfigSet> &list) {
    Table table({"device", "key", "value"});
    for (const ConfigSet &set : list)
        for (const Configured &value : set.settings)
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
        table.row({f.check, doctor::verdict_word(f.verdict), printable(f.text), printable(f.fix)});
    return table;
}

} // namespace xiw::render

namespace xiw {

using render::Cell;

Cell state_cell(const Connection &connection) {
    return {render::state_word(connection), render::state_colour(connection)};
}

Cell markers_cell(const Connection &connection) {
    if (!connection.markers_tx || !connection.markers_rx)
        return "";
    const bool tx = *connection.markers_tx != 0;
    const bool rx = *connection.markers_rx != 0;
    return tx && rx ? "both" : tx ? "sent" : rx ? "received" : "off";
}

Cell encryption_cell(const Connection &connection) {
    return connection.encryption ? encryption_word(*connection.encryption) : "";
}

Cell ird_cell(const Connection &connection) {
    return render::used_of(connection.ird_used, connection.ird);
}

Cell ord_cell(const Connection &connection) {
    return render::used_of(connection.ord_used, connection.ord);
}

Cell sent_cell(const Connection &connection) {
    return connection.tx_bytes ? render::size_word(*connection.tx_bytes) : "";
}

Cell received_cell(const Connection &connection) {
    return connection.rx_bytes ? render::size_word(*connection.rx_bytes) : "";
}

} // namespace xiw
