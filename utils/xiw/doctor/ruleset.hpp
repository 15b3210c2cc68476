// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The effect of an nftables ruleset on a TCP connection from outside.
#ifndef XIW_DOCTOR_RULESET_HPP
#define XIW_DOCTOR_RULESET_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace xiw::doctor {

// Conditional: it depends on conditions that are not evaluated, such as source, interface or
// rate.
enum class Passage { open, conditional, closed };

struct Gate {
    std::string chain; // FAMILY TABLE CHAIN, as nft prints it
    Passage passage;
};

// Each chain that the first packet to a port of this machine must pass, from the output of `nft
// --json list ruleset`. Throws nlohmann::json::exception for other input.
std::vector<Gate> gates(const std::string &ruleset, uint16_t port);

} // namespace xiw::doctor

#endif
