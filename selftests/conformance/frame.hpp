// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A frame as a list of named fields. The same fields are used to build, parse, compare and describe
// a frame.
#pragma once

#include "octets.hpp"

#include <optional>

namespace xiw::peer {

// A number of `width` bits. The word of `size` octets at offset `at` contains the number, shifted
// left by `shift` bits.
struct Field {
    std::string_view name;
    unsigned at;
    unsigned size;
    unsigned shift;
    unsigned width;

    uint64_t mask() const { return width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }
    uint64_t get(OctetView octets) const;
    void set(Octets &octets, uint64_t value) const;
};

// Named octets of a frame, such as payload, private data or pad.
struct Part {
    std::string_view name;
    size_t at;
    size_t size;
};

struct Frame {
    std::string kind; // write, send, request, unknown ...
    Octets octets;
    std::vector<Field> fields;
    std::vector<Part> parts;

    const Field *field(std::string_view name) const;
    std::optional<uint64_t> value(std::string_view name) const;
    std::optional<Octets> part(std::string_view name) const;
    // Formats a field as a number, or a part as hex digits. Returns nothing if no field and no part
    // has this name.
    std::optional<std::string> text(std::string_view name) const;
    // Formats the fields that do not have their usual values:
    // "write stag=0x11223344 to=0x100000000 data=00010203..".
    std::string summary() const;
    // Formats one line for each field, and then the octets.
    std::string describe() const;
};

} // namespace xiw::peer
