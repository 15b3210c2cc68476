// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The golden vectors of selftests/vectors.
#pragma once

#include <core.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace xiw {

using Octets = std::vector<u8>;
// Fields in the form key=value;key=value. If a key has no value, the value is empty.
using Fields = std::map<std::string, std::string, std::less<>>;

struct WireVector {
    std::string id;
    Octets octets;
    Fields fields;
    std::string kind; // mpa, marker, fpdu, terminate, negative
    Fields context;
    std::string expect; // accept, rejected, close or terminate
    Fields effects;     // if accepted: the effects; if terminate: layer, etype, code, M, D, R
    Octets answer;      // the FPDU of the answering Terminate; empty if there is none

    bool is_startup() const;
};

struct AtomicVector {
    std::string id;
    bool add;
    u64 original, data, mask, compare, compare_mask, result;
};

const std::vector<WireVector> &wire_vectors();
const WireVector &wire_vector(std::string_view id);
const std::vector<AtomicVector> &atomic_vectors();

Octets octets_of(std::string_view hex);
std::string hex_of(const Octets &octets);
// Return the value of field `key`: a decimal number, or a hexadecimal number that begins with 0x.
// If the field is missing, throw an exception, or return `otherwise` if the caller passes it.
u64 number(const Fields &fields, std::string_view key);
u64 number(const Fields &fields, std::string_view key, u64 otherwise);

} // namespace xiw
