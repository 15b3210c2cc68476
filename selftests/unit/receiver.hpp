// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Receivers for the golden vectors.
#pragma once

#include "endpoint.hpp"
#include "vectors.hpp"

#include <memory>
#include <string>

namespace xiw {

constexpr u32 all_rights = XIW_ACCESS_REMOTE_READ | XIW_ACCESS_REMOTE_WRITE |
                           XIW_ACCESS_REMOTE_ATOMIC | XIW_ACCESS_LOCAL_WRITE;
constexpr u64 region_base = 0x100000000;

// Create a receiver in the state that the vector's context describes. If the vector is a later
// segment of a message, the receiver has processed the message's earlier segments.
std::unique_ptr<Endpoint> receiver_for(const WireVector &v);
// Return a text that describes all externally visible effects of the receiver.
std::string outcome_of(Endpoint &e);
// Return the 64-bit word at tagged offset `to` of the MR with STag 0x11223344, in host byte order.
u64 word_at(Endpoint &e, u64 to);

} // namespace xiw
