// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Limits of this RNIC. capabilities() reports most of them to the driver.
#ifndef XIW_RNIC_LIMITS_HPP
#define XIW_RNIC_LIMITS_HPP

#include "core.hpp"

namespace xiw::rnic {

enum Limit : u32 {
    max_streams = 65536,
    max_conns = 65536,
    max_closing = 4096, // connections that close TCP without a slot
    max_listeners = 4096,
    max_shared_rx = 65536,
    max_stags = 1 << 20,
    stag_chunks = max_stags / XIW_STAG_CHUNK,
    max_gather = 16,
    max_inline = 256,
    max_depth = 128,     // IRD, ORD
    max_addresses = 256, // addresses that the driver can add to the port
    max_vectors = 16,
    max_admin_log2 = 12,
    reset_ms = 2000,
};

xiw_rnic_caps capabilities(u16 vectors);

} // namespace xiw::rnic

#endif
