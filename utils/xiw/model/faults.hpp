// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_FAULTS_HPP
#define XIW_MODEL_FAULTS_HPP

#include "model/settings.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xiw {

// A fault that an RNIC makes on demand.
struct FaultKind {
    uint8_t id; // enum xiw_nl_fault
    std::string_view name;
    std::string_view passes; // of what the n-th is struck
    std::string_view help;
    uint16_t needs; // argument that it cannot do without; 0 for none
    uint16_t takes; // argument that it may have; 0 for none
};

std::span<const FaultKind> fault_kinds(); // by number
const FaultKind *find_fault_kind(std::string_view name);
std::string fault_word(uint64_t kind);

// What may be said of any fault, and of those that need or take it.
std::span<const Setting> fault_arguments();
const Setting *find_fault_argument(std::string_view key);
const Setting *find_fault_argument(uint64_t attribute);
bool fits(const FaultKind &kind, const Setting &argument);

} // namespace xiw

#endif
