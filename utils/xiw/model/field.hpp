// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The table of an object: one row for each value. A visitor reads an object from netlink, prints it
// as JSON or as columns, or prints its schema. Each visitor visits all rows:
//
//     visit(row::..., &Object::member)   a value of the object
//     visit(row::..., function)          a value that is computed from the object
//     visit.column(HEADING, function)    a column that only the table for people has
//     visit.column(HEADING, function, TEXT)
//                                        such a column, omitted if no row has another text
//
// A member that is an object, or a list of objects, has a table of its own.
#ifndef XIW_MODEL_FIELD_HPP
#define XIW_MODEL_FIELD_HPP

#include <cstdint>
#include <string>

namespace xiw {

struct Field {
    enum class As { plain, flag, hex, nibble, rows };

    const char *key;        // key in JSON, and heading for scripts
    uint16_t attribute = 0; // netlink attribute; 0 if there is none
    std::string (*words)(uint64_t) = nullptr;
    As as = As::plain;
    bool json = true;
    bool script = true;            // has a column for scripts
    bool optional = false;         // the kernel may omit the value; the member is then 0
    bool always = false;           // a string that is never null
    const char *heading = nullptr; // heading for scripts, if it is not the key
    const char *people = nullptr;  // heading for people; null if there is no column
    const char *about = nullptr;   // description in the schema
    uint16_t name_attribute = 0;   // attribute of the name of a device

    constexpr Field shown(const char *to_people) const {
        Field field = *this;
        field.people = to_people;
        return field;
    }
    constexpr Field called(const char *by_scripts) const {
        Field field = *this;
        field.heading = by_scripts;
        return field;
    }
    constexpr Field described(const char *text) const {
        Field field = *this;
        field.about = text;
        return field;
    }
    constexpr Field no_column() const {
        Field field = *this;
        field.script = false;
        return field;
    }
    constexpr Field or_zero() const {
        Field field = *this;
        field.optional = true;
        return field;
    }
    constexpr Field never_null() const {
        Field field = *this;
        field.always = true;
        return field;
    }
};

namespace row {

// A number, string, address or octets, according to the type of the member.
constexpr Field value(const char *key, uint16_t attribute = 0) {
    return {.key = key, .attribute = attribute};
}
// A number that is shown as a word.
constexpr Field word(const char *key, uint16_t attribute, std::string (*words)(uint64_t)) {
    return {.key = key, .attribute = attribute, .words = words};
}
constexpr Field flag(const char *key, uint16_t attribute = 0) {
    return {.key = key, .attribute = attribute, .as = Field::As::flag};
}
constexpr Field nibble(const char *key) {
    return {.key = key, .as = Field::As::nibble};
}
// An object or a list without columns.
constexpr Field part(const char *key, uint16_t attribute = 0) {
    return {.key = key, .attribute = attribute, .script = false};
}
// A list; for scripts, each object of the list is a line.
constexpr Field lines(const char *key, uint16_t attribute) {
    return {.key = key, .attribute = attribute, .as = Field::As::rows};
}
// A value that is read from netlink, but has neither a JSON key nor a column. Other rows and the
// renderers use the value.
constexpr Field hidden(uint16_t attribute) {
    return {.key = "", .attribute = attribute, .json = false, .script = false};
}
constexpr Field device(uint16_t index, uint16_t name) {
    return {.key = "device", .attribute = index, .name_attribute = name};
}

} // namespace row

} // namespace xiw

#endif
