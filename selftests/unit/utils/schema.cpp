// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "schema.hpp"
#include "render/render.hpp"

#include <algorithm>
#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

using nlohmann::json;

namespace test {

namespace {

class Checker {
  public:
    explicit Checker(const json &root) : root_(root) {}

    void check(const json &schema, const json &value, const std::string &where) {
        for (const auto &[keyword, rule] : schema.items()) {
            if (keyword == "$ref")
                check(resolve(rule.get<std::string>()), value, where);
            else if (keyword == "type")
                check_type(rule, value, where);
            else if (keyword == "const")
                expect(value == rule, where, "is not the constant");
            else if (keyword == "minimum")
                expect(!value.is_number() || value >= rule, where, "is too small");
            else if (keyword == "maximum")
                expect(!value.is_number() || value <= rule, where, "is too large");
            else if (keyword == "required")
                for (const json &key : rule)
                    expect(!value.is_object() || value.contains(key.get<std::string>()), where,
                           "lacks " + key.get<std::string>());
            else if (keyword == "items")
                for (size_t i = 0; value.is_array() && i < value.size(); i++)
                    check(rule, value[i], fmt::format("{}[{}]", where, i));
            else if (keyword == "properties" || keyword == "additionalProperties")
                continue; // check_members() applies these keywords
            else if (!std::ranges::count(annotations, keyword))
                expect(false, where, "keyword that this checker does not know: " + keyword);
        }
        if (value.is_object())
            check_members(schema, value, where);
    }

    std::vector<std::string> found;

  private:
    static constexpr std::string_view annotations[] = {"$schema", "$comment", "$defs", "title",
                                                       "description"};

    void expect(bool good, const std::string &where, const std::string &what) {
        if (!good)
            found.push_back(where + " " + what);
    }

    const json &resolve(const std::string &reference) const {
        return root_.at(json::json_pointer(reference.substr(1)));
    }

    void check_type(const json &rule, const json &value, const std::string &where) {
        const auto is = [&value](const json &name) {
            return (name == "object" && value.is_object()) ||
                   (name == "array" && value.is_array()) ||
                   (name == "string" && value.is_string()) ||
                   (name == "boolean" && value.is_boolean()) ||
                   (name == "integer" && value.is_number_integer()) ||
                   (name == "null" && value.is_null());
        };
        const bool good = rule.is_array() ? std::ranges::any_of(rule, is) : is(rule);
        expect(good, where, fmt::format("is {}, not {}", value.type_name(), rule.dump()));
    }

    void check_members(const json &schema, const json &value, const std::string &where) {
        const json properties = schema.value("properties", json::object());
        for (const auto &[key, member] : value.items()) {
            const std::string inner = fmt::format("{}.{}", where, key);
            if (properties.contains(key))
                check(properties[key], member, inner);
            else if (!schema.contains("additionalProperties"))
                continue;
            else if (schema["additionalProperties"].is_object())
                check(schema["additionalProperties"], member, inner);
            else
                expect(schema["additionalProperties"] == true, inner, "is not in the schema");
        }
    }

    const json &root_;
};

} // namespace

std::vector<std::string> violations(const json &schema, const json &document) {
    Checker checker(schema);
    checker.check(schema, document, "$");
    return checker.found;
}

json tool_schema() {
    std::stringstream schema;
    xiw::render::schema(schema);
    return json::parse(schema);
}

} // namespace test

TEST_CASE("the schema checker finds each kind of violation") {
    const json schema = json::parse(R"({
        "type": "object", "additionalProperties": false, "required": ["a"],
        "properties": {
            "a": {"$ref": "#/$defs/small"},
            "b": {"type": ["string", "null"]},
            "c": {"const": 1},
            "d": {"type": "array", "items": {"type": "boolean"}},
            "e": {"type": "object", "additionalProperties": {"type": "integer"}}
        },
        "$defs": {"small": {"type": "integer", "minimum": 1, "maximum": 3}}
    })");
    const auto bad = [&schema](const char *document) {
        return test::violations(schema, json::parse(document)).size();
    };

    CHECK(bad(R"({"a": 1, "b": null, "c": 1, "d": [true], "e": {"x": 1}})") == 0);
    CHECK(bad(R"([])") == 1);
    CHECK(bad(R"({})") == 1);
    CHECK(bad(R"({"a": 0})") == 1);
    CHECK(bad(R"({"a": 4})") == 1);
    CHECK(bad(R"({"a": 1.5})") == 1);
    CHECK(bad(R"({"a": 1, "b": 1})") == 1);
    CHECK(bad(R"({"a": 1, "c": 2})") == 1);
    CHECK(bad(R"({"a": 1, "d": [true, 1]})") == 1);
    CHECK(bad(R"({"a": 1, "e": {"x": "1"}})") == 1);
    CHECK(bad(R"({"a": 1, "f": 1})") == 1);
    CHECK(test::violations(json::parse(R"({"oneOf": []})"), json()).size() == 1);
}
