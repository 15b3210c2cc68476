// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "limits.hpp"

namespace xiw::rnic {

xiw_rnic_caps capabilities(u16 vectors) {
    xiw_rnic_caps caps{};

    caps.abi = cpu_to_le32(XIW_RNIC_ABI);
    caps.caps = cpu_to_le32(XIW_CAP_ATOMIC | XIW_CAP_ATOMIC_GLOB | XIW_CAP_MARKERS |
                            XIW_CAP_SHARED_RX | XIW_CAP_WINDOW | XIW_CAP_IPV6 | XIW_CAP_CRC_OFF);
    caps.max_streams = cpu_to_le32(max_streams);
    caps.max_conns = cpu_to_le32(max_conns);
    caps.max_listeners = cpu_to_le32(max_listeners);
    caps.max_shared_rx = cpu_to_le32(max_shared_rx);
    caps.max_stags = cpu_to_le32(max_stags);
    caps.max_vectors = cpu_to_le16(vectors);
    caps.max_ird = cpu_to_le16(max_depth);
    caps.max_ord = cpu_to_le16(max_depth);
    caps.max_gather = max_gather;
    caps.max_message = cpu_to_le32(0x7fffffff);
    caps.max_inline = cpu_to_le16(max_inline);
    return caps;
}

} // namespace xiw::rnic
