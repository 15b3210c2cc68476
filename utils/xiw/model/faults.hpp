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

// A kind of fault that can be injected.
struct FaultKind {
    uint8_t id; // enum xiw_nl_fault
    std::string_view name;
    std::string_view passes; // the events that are counted
    std::string_view help;
    uint16_t needs; // required argument; 0 for none
    uint16_t takes; // optional argument; 0 for none
};

std::span<const FaultKind> fault_kinds(); // by number
const FaultKind *find_fault_kind(std::string_view name);

// Arguments of any fault, and those that some kinds require or allow.
std::span<const Setting> fault_arguments();
const Setting *find_fault_argument(uint64_t attribute);
bool fits(const FaultKind &kind, const Setting &argument);

} // namespace xiw

#endif
