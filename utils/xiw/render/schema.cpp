// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The schema of the JSON output: schema/base.json, and the objects that have tables.
#include "render/render.hpp"

#include <ostream>
#include <type_traits>

#include <nlohmann/json.hpp>

extern const char *const xiw_schema_base;

namespace xiw::render {

namespace {

using Json = nlohmann::ordered_json;

Json ref(const char *name) {
    return {{"$ref", std::string("#/$defs/") + name}};
}

Json type(const char *name) {
    return {{"type", name}};
}

template <typename Object>
Json object(bool nullable = false);

// Adds the values of an object to the schema, row by row.
template <typename Object>
class Properties {
  public:
    explicit Properties(Json &schema) : schema_(schema) {}

    template <typename Value, typename Base>
    void operator()(const Field &field, Value Base::*) {
        add(field, std::type_identity<Value>());
    }
    template <typename Value, typename Base>
    void operator()(const Field &field, Value (*)(const Base &)) {
        add(field, std::type_identity<Value>());
    }
    void column(const char *, const auto &...) {}

  private:
    void add(const Field &, std::type_identity<DeviceRef>) {
        put("device", type("string"));
        put("index", ref("count"));
    }
    template <typename Value>
    void add(const Field &field, std::type_identity<Value> value) {
        if (!field.json)
            return;
        Json schema = Json::object();
        if (field.about != nullptr)
            schema["description"] = field.about;
        schema.update(of(field, value));
        put(field.key, schema);
    }
    void put(const char *key, const Json &schema) {
        schema_["required"].push_back(key);
        schema_["properties"][key] = schema;
    }

    static Json of(const Field &field, std::type_identity<Maybe>) {
        return ref(field.as == Field::As::flag ? "boolean"
                   : field.words != nullptr    ? "word"
                                               : "number");
    }
    static Json of(const Field &field, std::type_identity<uint64_t>) {
        return field.words != nullptr ? type("string") : ref("count");
    }
    static Json of(const Field &field, std::type_identity<uint8_t>) {
        return {{"type", "integer"},
                {"minimum", 0},
                {"maximum", field.as == Field::As::nibble ? 15 : 255}};
    }
    static Json of(const Field &, std::type_identity<bool>) { return type("boolean"); }
    static Json of(const Field &field, std::type_identity<std::string>) {
        return field.always ? type("string") : ref("word");
    }
    static Json of(const Field &, std::type_identity<std::optional<Address>>) {
        return ref("address");
    }
    static Json of(const Field &, std::type_identity<std::vector<uint8_t>>) {
        return {{"type", Json::array({"string", "null"})}};
    }
    static Json of(const Field &, std::type_identity<CapabilityValue>) { return ref("value"); }
    static Json of(const Field &, std::type_identity<std::vector<Numbered>>) {
        return ref("numbers");
    }
    template <Named Entry>
    static Json of(const Field &, std::type_identity<std::vector<Entry>>) {
        return ref("numbers");
    }
    // A value that is only read, and not printed, has no schema.
    static Json of(const Field &, std::type_identity<std::vector<uint64_t>>) { return {}; }
    template <typename Part>
    static Json of(const Field &, std::type_identity<std::optional<Part>>) {
        return object<Part>(true);
    }
    template <typename Part>
    static Json of(const Field &, std::type_identity<std::vector<Part>>) {
        return {{"type", "array"}, {"items", object<Part>()}};
    }

    Json &schema_;
};

template <typename Object>
Json object(bool nullable) {
    Json schema = Json::object();
    if constexpr (requires { Object::about; })
        if (Object::about != nullptr)
            schema["description"] = Object::about;
    schema["type"] = nullable ? Json::array({"object", "null"}) : Json("object");
    schema["additionalProperties"] = false;
    schema["required"] = Json::array();
    schema["properties"] = Json::object();
    Properties<Object> properties(schema);
    Object::fields(properties);
    return schema;
}

} // namespace

void schema(std::ostream &out) {
    Json root = Json::parse(xiw_schema_base);
    Json &definitions = root["$defs"];
    definitions["device"] = object<Device>();
    definitions["capability_set"] = object<CapabilitySet>();
    definitions["connection"] = object<Connection>();
    definitions["counter_set"] = object<CounterSet>();
    definitions["latency_set"] = object<LatencySet>();
    definitions["ring_set"] = object<RingSet>();
    definitions["injection_set"] = object<InjectionSet>();
    definitions["notice"] = object<Notice>();
    out << root.dump(2) << '\n';
}

} // namespace xiw::render
