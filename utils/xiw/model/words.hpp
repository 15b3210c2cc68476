// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_WORDS_HPP
#define XIW_MODEL_WORDS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xiw {

// Words for the numbers of linux/xiw.h, from names.hpp. A number without a word, which a newer
// kernel may send, is shown as "unknown(0x..)".
std::string kind_word(uint64_t kind);
std::string device_state_word(uint64_t state);
std::string known_word(uint64_t known);
std::string role_word(uint64_t role);
std::string mpa_state_word(uint64_t state);
std::string stream_state_word(uint64_t state);
// Format a set of RTR forms: "write+read"; "none" if empty.
std::string rtr_word(uint64_t forms);
std::optional<uint32_t> parse_rtr(std::string_view words);
// Format a set of layers that encrypt: "esp+wireguard"; "none" if empty.
std::string encryption_word(uint64_t layers);
std::string cipher_word(uint64_t cipher);
std::string origin_word(uint64_t origin);
std::string notice_kind_word(uint64_t kind);
std::string injection_word(uint64_t kind);
std::string latency_word(uint64_t operation);
std::string ring_word(uint64_t kind);
// Format bits of enum xiw_stream_state: "open+first-fpdu", "none".
std::string stream_word(uint64_t bits);
std::string limit_word(uint64_t attribute);
std::string object_word(uint64_t attribute);
std::string capability_word(uint64_t capability);
// Type of a capability: on/off, a number, a set of RTR forms, a scope.
enum class CapabilityShape { flag, number, rtr_set, scope };
CapabilityShape capability_shape(uint64_t capability);
std::string capability_value_word(uint64_t capability, uint64_t value);

// Words for an RDMAP opcode and a Terminate cause, from the tables of driver/core.
std::string opcode_word(uint8_t opcode);
std::string terminate_word(uint16_t cause);
// Format the AOpCode of an Atomic Request (RFC 7306 section 5.1).
std::string atomic_word(uint8_t operation);
// Format a Terminate code: "0/2/0x07" is layer 0, error type 2, code 7.
std::string triple_word(unsigned layer, unsigned type, unsigned code);
// Expand a citation that a table of driver/core contains, such as "5040 4.8"; empty if it names no
// section.
std::string rfc_word(std::string_view where);

std::string unknown_word(uint64_t value);

} // namespace xiw

#endif
