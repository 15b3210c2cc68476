// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The receiver that a golden vector speaks to.
#pragma once

#include "endpoint.hpp"
#include "vectors.hpp"

#include <memory>
#include <string>

namespace xiw {

constexpr u32 all_rights = XIW_ACCESS_REMOTE_READ | XIW_ACCESS_REMOTE_WRITE |
                           XIW_ACCESS_REMOTE_ATOMIC | XIW_ACCESS_LOCAL_WRITE;
constexpr u64 region_base = 0x100000000;

// State that the vector's context asks for; earlier segments of its message are in.
std::unique_ptr<Endpoint> receiver_for(const WireVector &v);
// Everything that an outsider could notice about what the receiver did.
std::string outcome_of(Endpoint &e);
// The word at a TO of the region, as the host has it.
u64 word_at(Endpoint &e, u64 to);

} // namespace xiw
