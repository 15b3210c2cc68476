// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The receiver of a golden vector.
#pragma once

#include "endpoint.hpp"
#include "vectors.hpp"

#include <memory>
#include <string>

namespace xiw {

constexpr u32 all_rights = XIW_ACCESS_REMOTE_READ | XIW_ACCESS_REMOTE_WRITE |
                           XIW_ACCESS_REMOTE_ATOMIC | XIW_ACCESS_LOCAL_WRITE;
constexpr u64 region_base = 0x100000000;

// Set the state from the context of the vector, after the earlier segments of the vector's message.
std::unique_ptr<Endpoint> receiver_for(const WireVector &v);
// All externally visible effects of the receiver.
std::string outcome_of(Endpoint &e);
// Get the word at a TO of the region, in host byte order.
u64 word_at(Endpoint &e, u64 to);

} // namespace xiw
