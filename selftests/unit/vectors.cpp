// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "vectors.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace xiw {
namespace {

std::vector<std::string> split(const std::string &text, char at) {
    std::vector<std::string> parts;
    std::istringstream in(text);

    for (std::string part; std::getline(in, part, at);)
        parts.push_back(part);
    return parts;
}

Fields fields_of(const std::string &text, char at = ';') {
    Fields fields;

    if (text == "-")
        return fields;
    for (const std::string &part : split(text, at)) {
        size_t eq = part.find('=');

        fields[part.substr(0, eq)] = eq == std::string::npos ? "" : part.substr(eq + 1);
    }
    return fields;
}

// Return the rows of a table of selftests/vectors, without the row of column names.
std::vector<std::vector<std::string>> rows_of(const std::string &name) {
    std::ifstream in(std::string(XIW_VECTORS) + "/" + name);
    std::vector<std::vector<std::string>> rows;

    if (!in)
        throw std::runtime_error("cannot read " + name);
    for (std::string line; std::getline(in, line);)
        if (!line.empty() && line[0] != '#')
            rows.push_back(split(line, '\t'));
    rows.erase(rows.begin());
    return rows;
}

WireVector wire_of(const std::vector<std::string> &row) {
    WireVector v;
    const std::string &expect = row.at(5);
    size_t colon = expect.find(':'), semi = expect.find(';');

    v.id = row.at(0);
    v.octets = octets_of(row.at(1));
    v.fields = fields_of(row.at(2));
    v.kind = row.at(3);
    v.context = fields_of(row.at(4));
    v.expect = expect.substr(0, std::min(colon, semi));
    if (colon != std::string::npos)
        v.effects = fields_of(expect.substr(colon + 1), ',');
    else if (semi != std::string::npos)
        v.effects = fields_of(expect.substr(semi + 1));
    if (row.at(6) != "-")
        v.answer = octets_of(row.at(6));
    return v;
}

} // namespace

bool WireVector::is_startup() const {
    return octets.size() >= 4 && octets[0] == 'M' && octets[1] == 'P';
}

const std::vector<WireVector> &wire_vectors() {
    static const std::vector<WireVector> all = [] {
        std::vector<WireVector> vectors;

        for (const auto &row : rows_of("wire.tsv"))
            vectors.push_back(wire_of(row));
        return vectors;
    }();
    return all;
}

const WireVector &wire_vector(std::string_view id) {
    for (const WireVector &v : wire_vectors())
        if (v.id == id)
            return v;
    throw std::out_of_range("no vector " + std::string(id));
}

const std::vector<AtomicVector> &atomic_vectors() {
    static const std::vector<AtomicVector> all = [] {
        std::vector<AtomicVector> vectors;

        for (const auto &row : rows_of("atomic.tsv")) {
            auto value = [&row](size_t i) { return std::stoull(row.at(i), nullptr, 0); };

            vectors.push_back({row.at(0), row.at(1) == "FetchAdd", value(2), value(3), value(4),
                               value(5), value(6), value(7)});
            if (value(8) != value(2))
                throw std::runtime_error(row.at(0) + ": returned is not the original");
        }
        return vectors;
    }();
    return all;
}

Octets octets_of(std::string_view hex) {
    Octets out;

    for (size_t i = 0; i + 1 < hex.size(); i += 2)
        out.push_back(static_cast<u8>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
    return out;
}

std::string hex_of(const Octets &octets) {
    static const char digits[] = "0123456789abcdef";
    std::string out;

    for (u8 o : octets) {
        out += digits[o >> 4];
        out += digits[o & 15];
    }
    return out;
}

u64 number(const Fields &fields, std::string_view key) {
    auto it = fields.find(key);

    if (it == fields.end())
        throw std::out_of_range("no field " + std::string(key));
    return std::stoull(it->second, nullptr, 0);
}

u64 number(const Fields &fields, std::string_view key, u64 otherwise) {
    return fields.contains(key) ? number(fields, key) : otherwise;
}

} // namespace xiw
