// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// What a ruleset of nftables does with a TCP connection from outside.
#ifndef XIW_DOCTOR_RULESET_HPP
#define XIW_DOCTOR_RULESET_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace xiw::doctor {

// Conditional: it depends on what is not looked at here: from where, by which interface,
// how often.
enum class Passage { open, conditional, closed };

struct Gate {
    std::string chain; // FAMILY TABLE CHAIN, as nft has it
    Passage passage;
};

// Each chain through which the first packet to a port of this machine has to go, of what
// `nft --json list ruleset` printed. Throws nlohmann::json::exception if it is not that.
std::vector<Gate> gates(const std::string &ruleset, uint16_t port);

} // namespace xiw::doctor

#endif
