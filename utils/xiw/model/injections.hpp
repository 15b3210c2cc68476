// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_INJECTIONS_HPP
#define XIW_MODEL_INJECTIONS_HPP

#include "model/settings.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xiw {

// A kind of injection.
struct InjectionKind {
    uint8_t id; // enum xiw_nl_inject
    std::string_view name;
    std::string_view passes; // what the kernel counts to decide when to inject
    std::string_view help;
    uint16_t needs; // attribute of the required argument; 0: none
    uint16_t takes; // attribute of the optional argument; 0: none
};

std::span<const InjectionKind> injection_kinds(); // sorted by id
const InjectionKind *find_injection_kind(std::string_view name);

// All arguments. fits() checks whether a kind allows an argument.
std::span<const Setting> injection_arguments();
const Setting *find_injection_argument(uint64_t attribute);
bool fits(const InjectionKind &kind, const Setting &argument);

} // namespace xiw

#endif
